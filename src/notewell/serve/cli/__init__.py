"""The command line: one module a command, each loaded only when it is called."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from notewell.errors import NotewellError
from notewell.serve.cli.stopped import Stopped
from notewell.serve.cli.usage import check_once, usage_hint
from notewell.serve.pager import COLOURS, paged

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from notewell.vault import Vault

# Opens a vault: its path, or none for the nearest, and the settings that were given as options.
Opening = Callable[[Path | None, dict[str, Any]], "Vault"]

COMMANDS = {
    "index": "Bring the store up to date with the folder",
    "search": "Find the lines that answer TEXT",
    "related": "Find the notes most like NOTE, or like several",
    "traverse": "Walk from NOTE along links, to notes that are near it",
    "graph": "Show the vault from above: its communities, and what joins them",
    "read": "Show a note, some of its lines, or a part such as a page",
    "links": "Say where links lead, and which lead nowhere",
    "status": "Say what is indexed, and what is not",
    "remember": "Write TEXT as a note into the folder for memories",
    "forget": "Move a note that was remembered to the trash",
    "secrets": "Say where secrets are in the notes, to clean them up",
    "fill": "Let the better model read what it has not read yet",
    "watch": "Keep the store up to date while you write",
    "serve": "Answer other programs over HTTP",
    "mcp": "Let a model search and read the notes, over MCP",
    "doctor": "Prove that the store is sound",
    "backup": "Copy the store to a file",
    "restore": "Put a backup in the store's place",
    "eval": "Measure search quality on judged queries",
    "hook": "Give Claude Code what your notes know, by its hooks",
    "daemon": "Say what the process behind the commands does, or end it",
    "config": "Show every setting, its value, and where that came from",
    "completion": "Let the shell complete commands, options and notes",
    "help": "Show help on a command, or on a TOPIC: query, output",
}


# How the help lists them; what is in none of these comes last.
GROUPS = {
    "Find": ("search", "related", "read"),
    "Look around": ("links", "traverse", "graph"),
    "Keep up": ("index", "status", "watch", "fill", "secrets", "doctor", "backup", "restore"),
    "Let others in": ("serve", "mcp", "hook", "remember", "forget"),
    "Set up": ("config", "completion", "daemon", "eval", "help"),
}
START = """\
Notewell finds the right lines in a folder of notes, by words and by meaning.
Go to your notes, and paste:

    notewell search "what you remember of it"
    notewell read "A note:12-20"
    notewell related last

The first search indexes the folder; later ones take in what changed. `notewell help query` shows what a query can say,
`notewell --help` lists all commands."""


class Commands(click.Group):
    """A group that imports a command with its first use, so that none pays for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which one needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"notewell.serve.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was called; of one that there is not, say which may be meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"There is no command '{name}'{did_you_mean(name, COMMANDS)}", ctx)
        called, command, rest = super().resolve_command(ctx, args)
        if command and not ctx.resilient_parsing:
            check_once(command, ctx, args)
        return called, command, rest

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the program's own options, wherever they stand."""
        return super().parse_args(ctx, own_first(args))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return the commands that begin so, without loading any."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        begun = [name for name in COMMANDS if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=COMMANDS[name]) for name in begun]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        grouped = {name for names in GROUPS.values() for name in names}
        rest = tuple(name for name in COMMANDS if name not in grouped)
        for title, names in {**GROUPS, "More": rest}.items():
            if rows := [(name, COMMANDS[name]) for name in names if name in COMMANDS]:
                with formatter.section(title):
                    # One column for all groups.
                    formatter.write_dl([(f"{name:{max(map(len, COMMANDS))}}", told) for name, told in rows])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return what may be meant by a word, as the end of a sentence; nothing, if none is like it.

    >>> did_you_mean("serch", COMMANDS), did_you_mean("qqq", COMMANDS)
    (". Did you mean 'search'?", '')
    """
    # Only whoever mistypes pays for it.
    from difflib import get_close_matches  # noqa: PLC0415

    near = get_close_matches(word, known, n=1)
    return f". Did you mean '{near[0]}'?" if near else ""


def own_first(arguments: list[str]) -> list[str]:
    """Return the arguments with the program's own in front; behind `--` there are none.

    >>> own_first(["search", "rye", "--no-pager", "--color", "never", "--", "--no-pager"])
    ['--no-pager', '--color', 'never', 'search', 'rye', '--', '--no-pager']
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own: list[str] = []
    others: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        if word == "--color":
            own += [word, *islice(words, 1)]
        else:
            (own if word in ("--no-pager", "--no-daemon") or word.startswith("--color=") else others).append(word)
    return [*own, *others, *arguments[end:]]


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="notewell", message="%(version)s")
@click.option(
    "--color",
    type=click.Choice(COLOURS),
    default="auto",
    help="Colours and links: as the terminal is, always, or never. Default: auto, which obeys NO_COLOR",
)
@click.option("--no-pager", is_flag=True, help="Print what is longer than the window at once")
@click.option("--no-daemon", is_flag=True, expose_value=False, help="Do not ask the warm process, nor start it")
@click.pass_context
def cli(ctx: click.Context, color: str, no_pager: bool) -> None:
    """Search a folder of notes by words and by meaning

    \b
    Example:
        notewell search "why did the bread collapse" --vault ~/notes

    Every command has examples in its own help: notewell search --help. The options below may stand anywhere.

    Exit codes: 0 done, also if nothing was found; 1 an error, or what a command says in its help; 2 wrong usage; 130
    interrupted.
    """
    ctx.color = wants_colour(color, os.environ)
    if ctx.invoked_subcommand is None:
        click.echo(START)


def wants_colour(chosen: str, environment: Mapping[str, str]) -> bool | None:
    """Tell whether colours are wanted; nothing where the terminal decides.

    >>> wants_colour("auto", {"NO_COLOR": "1"}), wants_colour("always", {"NO_COLOR": "1"}), wants_colour("auto", {})
    (False, True, None)
    """
    if chosen != "auto":
        return chosen == "always"
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return True if environment.get("CLICOLOR_FORCE", "0") not in ("", "0") else None


def main(opening: Opening | None = None) -> None:
    """Run the command line and end with its exit code; vaults are opened by `opening`, else as ever."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What a terminal's encoding does not have is shown by its number.
            stream.reconfigure(errors="backslashreplace")
    if "_NOTEWELL_COMPLETE" in os.environ:
        # Knows the shells better than click does.
        import_module("notewell.serve.cli.completion")
    code = run(sys.argv[1:], opening)
    for number, stream in enumerate((sys.stdout, sys.stderr), start=1):
        try:
            # Where one was closed from the beginning, there is none.
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            # It is told already: what Python would try to write once more at its end goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.exit(code)


def run(arguments: Sequence[str], opening: Opening | None = None) -> str | int | None:
    """Run a command and return its exit code; every error is a fact and a hint on stderr, and code 1."""
    code = _run(arguments, opening)
    # Claude Code takes 2 for a refusal, and would not send the prompt: a hook called wrongly says so, and ends well.
    return 0 if is_hook(arguments) else code


def is_hook(arguments: Sequence[str]) -> bool:
    """Tell whether this is a call by Claude Code, and not by a person.

    >>> is_hook(["hook", "prompt", "--what"]), is_hook(["hook", "status"]), is_hook(["search", "hook"])
    (True, False, False)
    """
    return list(arguments[:1]) == ["hook"] and not {"install", "status"}.intersection(arguments[1:2])


def _run(arguments: Sequence[str], opening: Opening | None) -> str | int | None:
    try:
        with paged(arguments, os.environ):
            cli(list(arguments), prog_name="notewell", obj=opening, standalone_mode=False)
    except NotewellError as error:
        # Both may hold names of notes, and a name may hold a line break.
        return _told(error.fact.replace("\n", "\\n"), error.hint.replace("\n", "\\n"))
    except click.UsageError as error:
        return _told(error.format_message().rstrip("."), usage_hint(error, arguments, COMMANDS), code=2)
    except click.ClickException as error:
        return _told(error.format_message(), "")
    except (Stopped, click.Abort, KeyboardInterrupt):
        return 130
    except SystemExit as stop:
        # Click ends with 1 when the reader of a pipe has seen enough, and silences stdout; that is no error.
        silenced = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        return 0 if silenced else stop.code
    except OSError as error:
        return _told(f"The output cannot be written: {error.strerror or error}", "Check the disk, or where it is sent")
    return 0


def _told(fact: str, hint: str, code: int = 1) -> int:
    """Say what is wrong, and return the exit code."""
    # Whoever only asks for help does not pay for the vault, which the options know.
    from notewell.serve.say import say  # noqa: PLC0415

    color = wants_colour("auto", os.environ)
    with suppress(BrokenPipeError):
        click.secho("error: ", fg="red", bold=True, err=True, nl=False, color=color)
        say(fact)
        if hint:
            click.secho("hint: ", fg="yellow", err=True, nl=False, color=color)
            say(hint)
    return code
