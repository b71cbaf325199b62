"""Wrong usage: options that are given twice, and hints that show the command as it was probably meant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

import click

from notewell.types.aliases import aliases_of

NO_COMMAND = re.compile(r"No such command '(.*?)'")
SETTING_HINT = "To change a setting, write it into notewell.toml (see `notewell config --example`), or set its variable"


def by_own_names(command: click.Command, args: Sequence[str]) -> list[str]:
    """Return the arguments with options by their own names: `--limit` for `--top-k`."""
    known = {name.removeprefix("--").replace("-", "_") for param in command.params for name in param.opts}
    aliases = aliases_of(known)
    end = args.index("--") if "--" in args else len(args)
    return [*(_by_own_name(word, aliases) for word in args[:end]), *args[end:]]


def _by_own_name(word: str, aliases: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    meant = aliases.get(name[2:].replace("-", "_"), "") if name.startswith("--") else ""
    return f"--{meant}{equals}{value}".replace("_", "-") if meant else word


def check_once(command: click.Command, above: click.Context, args: Sequence[str]) -> None:
    """Refuse an option that is given twice, since only the last would count; flags may repeat.

    The first argument is the command's name.
    """
    context = click.Context(command, parent=above, info_name=args[0])
    args = args[1:]
    if isinstance(command, click.Group):
        inner = command.get_command(context, args[0]) if args else None
        if inner:
            check_once(inner, context, args)
        return
    try:
        _, _, given = command.make_parser(context).parse_args(list(args))
    except click.UsageError:
        # The command reports it when it parses its arguments.
        return
    options = [param for param in given if isinstance(param, click.Option) and not param.multiple]
    for name in dict.fromkeys(option.name for option in options):
        same = [option for option in options if option.name == name]
        called = list(dict.fromkeys(max(option.opts, key=len) for option in same))
        if len(called) > 1:
            raise click.UsageError(f"{' and '.join(called)} exclude each other; give one of them.", context)
        if len(same) > 1 and not same[0].is_flag:
            raise click.UsageError(f"{called[0]} takes one value, but is given {len(same)} times.", context)


def usage_hint(error: click.UsageError, arguments: Sequence[str], commands: Collection[str]) -> str:
    """Return the command as it was probably meant, or where its help is."""
    if meant := _meant(error, list(arguments), commands):
        return meant
    return f"Run `{error.ctx.command_path} --help`" if error.ctx else "Run `notewell --help`"


def _meant(error: click.UsageError, arguments: list[str], commands: Collection[str]) -> str:
    """Return a hint for common mistakes, or nothing."""
    at = next((at for at, word in enumerate(arguments) if word in commands), None)
    if at is None:
        asked = _words(arguments)
        looks = " " in " ".join(asked) and "Did you mean" not in error.message
        return f"Run `{_line('search', asked)}` to search for it" if looks else ""
    before, called, after = arguments[:at], arguments[at], arguments[at + 1 :]
    if isinstance(error, click.NoSuchOption) and error.ctx:
        if isinstance(error.ctx.command, click.Group):
            command = error.ctx.command.get_command(error.ctx, called)
            known = {name for param in command.params for name in param.opts} if command else set()
            stray = error.option_name in known.intersection(before)
            return f"Put it after the command: `notewell {called} … {error.option_name} …`" if stray else ""
        if word := _word_meant(error):
            return f"Run `notewell {called} {word}`"
        return _after_dashes(error.ctx.command, called, error.option_name, after)
    if called == "config":
        return SETTING_HINT
    several = "unexpected extra argument" in error.message and len(_words(after)) > 1
    if not several or error.ctx is None:
        return ""
    if after[0] in _choices(error.ctx.command):
        return f"Run `notewell {called} {after[0]}`"
    # Quotes help only where one argument may be several words.
    takes_text = any(isinstance(param, click.Argument) for param in error.ctx.command.params)
    return f"Put it in quotes: `{_line(called, _words(after))}`" if takes_text else ""


def usage_fact(error: click.UsageError) -> str:
    """Return what is wrong, without click's suggestion of other options if an argument was meant.

    Of commands in a group, the one most like an unknown word is suggested: click also names `install` for `uninstal`.
    """
    if error.ctx and (unknown := NO_COMMAND.match(error.message)) and isinstance(error.ctx.command, click.Group):
        # Loaded only after a typing mistake.
        from notewell.names.suggest import suggest  # noqa: PLC0415

        near = suggest(unknown[1], error.ctx.command.list_commands(error.ctx), limit=1)
        return f"There is no command '{unknown[1]}'" + (f". Did you mean '{near[0]}'?" if near else "")
    fact = error.message if isinstance(error, click.NoSuchOption) and _word_meant(error) else error.format_message()
    return fact.rstrip(".")


def _word_meant(error: click.NoSuchOption) -> str:
    """Return the argument that was written as an option: `stop` of `daemon --stop`."""
    word = error.option_name.lstrip("-")
    return word if error.ctx and word in _choices(error.ctx.command) else ""


def _choices(command: click.Command) -> list[str]:
    """Return the words that a command takes as an argument or option: `status` and `stop` of `daemon`."""
    return [choice for param in command.params if isinstance(param.type, click.Choice) for choice in param.type.choices]


def _after_dashes(command: click.Command, called: str, option: str, words: Sequence[str]) -> str:
    """Return a hint for text that begins with a minus, if the command takes text."""
    text = next((word for word in words if word.startswith(option) and not word.startswith("--")), "")
    if not text or not any(isinstance(param, click.Argument) for param in command.params):
        return ""
    said = shlex.join([*_words(words), text])
    return f"Put text that begins with a minus after `--`: `notewell {called} -- {said}`"


def _words(arguments: Sequence[str]) -> list[str]:
    """Return the arguments before the first option."""
    return list(takewhile(lambda word: not word.startswith("-"), arguments))


def _line(command: str, words: Sequence[str]) -> str:
    return f"notewell {command} {shlex.quote(' '.join(words))}"
