"""The command line: a module for one or a few commands, loaded only when one of them is called."""

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

from notewell.errors import NotewellError, QueryError
from notewell.serve.cli.usage import by_own_names, check_once, usage_fact, usage_hint
from notewell.serve.pager import COLOURS, paged

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from notewell.vault import Vault

# Opens a vault, given its path, or None for the nearest one, and the settings that were given as options.
OpenVault = Callable[[Path | None, dict[str, Any]], "Vault"]

# Every command, in the groups of --help.
GROUPS = {
    "Find": {
        "search": "Find the lines that answer TEXT",
        "ask": "Answer a question with quotes from your notes",
        "chat": "Ask several questions in a row",
        "related": "Find the notes most like one or several notes",
        "read": "Show a note, some of its lines, or a part such as a page",
        "open": "Open a note in Obsidian, in your editor, or in a pager",
        "verify": "Check the quotes in a text against your notes",
    },
    "Explore": {
        "links": "Show links and backlinks; list broken links",
        "traverse": "Follow links from a note to similar notes",
        "entities": "List the people, places and other things in the notes",
        "graph": "Show the communities of the vault and the links between them",
    },
    "Curate": {
        "tags": "List the tags, and compare them with the taxonomy",
        "intake": "Score feeds, mails and files, and keep the best as notes",
        "review": "Write proposals into the review queue",
        "promote": "Apply the proposals that you ticked in the review queue",
        "apply-renames": "Rename tags in all notes, or in none",
    },
    "Maintain": {
        "index": "Index new and changed notes",
        "status": "Show what is indexed and what is not",
        "domains": "List the domains of the vault, with their folders and settings",
        "watch": "Keep the store up to date while you write",
        "encode": "Run the encoder now, on notes it has not encoded yet",
        "secrets": "List secrets in the notes, so that you can remove them",
        "doctor": "Check the store for errors, and repair it",
        "backup": "Copy the store to a file",
        "restore": "Replace the store with a backup",
        "move": "Copy the store to a PostgreSQL database, or back to a file",
    },
    "Connect": {
        "serve": "Serve the vault to your browser and to other programs",
        "mcp": "Serve the vault to AI agents over MCP",
        "connect": "Connect an AI agent to your notes",
        "hook": "Give Claude Code your notes through its hooks",
        "remember": "Write TEXT as a note into the memory folder",
        "forget": "Move a remembered note to the trash",
    },
    "Set up": {
        "config": "Show every setting, its value, and where it was set",
        "completion": "Print a script that completes commands, options and notes in your shell",
        "daemon": "Show, stop or pause what runs in the background",
        "server": "Run a PostgreSQL server of your own",
        "self": "Remove the files that Notewell leaves on this machine",
        "golden": "Keep the queries that this vault should answer",
        "tune": "Fit the weights of search to this vault",
        "eval": "Measure search quality on judged queries",
        "help": "Show help on a command, or on a TOPIC: query, output",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
# Commands that share a module with another, and old names.
HOMES = {
    "related": "search",
    "status": "index",
    "watch": "index",
    "doctor": "store",
    "backup": "store",
    "restore": "store",
    "mcp": "serve",
    "forget": "remember",
    "verify": "ask",
    "promote": "review",
}
ALIASES = {"fill": "encode"}
# Words that people type alone.
SLIPS = {"stop": "daemon stop", "pause": "daemon pause", "resume": "daemon resume"}
# The global options without a value.
SWITCHES = ("--no-pager", "--no-daemon", "--quiet", "-q")
START = """\
Notewell finds the right lines in a folder of notes, by words and by meaning.
Go to your notes, and paste:

    notewell search "what you remember of it"
    notewell read "A note:12-20"
    notewell related last

The first search indexes the folder; later ones index what changed. `notewell help query` shows the query syntax,
`notewell --help` lists all commands."""


class Stopped(Exception):
    """The user stopped a run; what was done is kept, and was reported."""


class Commands(click.Group):
    """A group that imports a command when it is called, so that no command waits for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands, the most needed first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name, or by an old name."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module = import_module(f"notewell.serve.cli.{HOMES.get(name, name).replace('-', '_')}")
        command: click.Command = getattr(module, name if name in HOMES else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was called; an unknown one is an error that suggests a known one."""
        name = args[0]
        if name not in {*COMMANDS, *ALIASES} and not name.startswith("-") and not ctx.resilient_parsing:
            near = f". Did you mean '{SLIPS[name]}'?" if name in SLIPS else suggestion(name, COMMANDS)
            raise click.UsageError(f"There is no command '{name}'{near}", ctx)
        called, command, rest = super().resolve_command(ctx, args)
        if command:
            rest = by_own_names(command, rest)
            args = [name, *rest]
        if command and not ctx.resilient_parsing:
            check_once(command, ctx, args)
        return called, command, rest

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the global options, wherever they stand."""
        return super().parse_args(ctx, global_first(args))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return the commands that begin like this, without loading any."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        begun = [name for name in COMMANDS if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=COMMANDS[name]) for name in begun]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without loading any."""
        # One column for all groups.
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", summary) for name, summary in group.items()])


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return the known word most like this one, as the end of a sentence, or nothing.

    >>> suggestion("serch", COMMANDS), suggestion("qqq", COMMANDS)
    (". Did you mean 'search'?", '')
    """
    # Loaded only after a typing mistake.
    from notewell.names.suggest import suggest  # noqa: PLC0415

    near = suggest(word, known, limit=1)
    return f". Did you mean '{near[0]}'?" if near else ""


def global_first(arguments: list[str]) -> list[str]:
    """Return the arguments with the global options first; after `--` there are none.

    >>> global_first(["search", "rye", "--no-pager", "--color", "never", "--", "--no-pager"])
    ['--no-pager', '--color', 'never', 'search', 'rye', '--', '--no-pager']
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    global_: list[str] = []
    others: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        if word == "--color":
            global_ += [word, *islice(words, 1)]
        else:
            (global_ if word in SWITCHES or word.startswith("--color=") else others).append(word)
    return [*global_, *others, *arguments[end:]]


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="notewell", message="%(version)s")
@click.option(
    "--color",
    type=click.Choice(COLOURS),
    default="auto",
    help="Print colours and links. Default: auto, if the terminal supports them and NO_COLOR is not set",
)
@click.option("--no-pager", is_flag=True, help="Do not send long output through a pager")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only, no messages or progress")
@click.option("--no-daemon", is_flag=True, expose_value=False, help="Do not use or start the daemon")
@click.pass_context
def cli(ctx: click.Context, color: str, no_pager: bool, quiet: bool) -> None:
    """Search a folder of notes by words and by meaning

    \b
    Example:
        notewell search "why did the bread collapse" --vault ~/notes

    Each command's own help has examples: notewell search --help. The options below may stand anywhere.

    Exit codes: 0 success, even if nothing was found; 1 an error, or as a command's help says; 2 wrong usage; 130
    interrupted.
    """
    ctx.color = wants_colour(color, os.environ)
    if ctx.invoked_subcommand is None:
        click.echo(START)


def wants_colour(chosen: str, environment: Mapping[str, str]) -> bool | None:
    """Tell whether to print colours; None where the terminal decides.

    >>> wants_colour("auto", {"NO_COLOR": "1"}), wants_colour("always", {"NO_COLOR": "1"}), wants_colour("auto", {})
    (False, True, None)
    """
    if chosen != "auto":
        return chosen == "always"
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return True if environment.get("CLICOLOR_FORCE", "0") not in ("", "0") else None


def main(opening: OpenVault | None = None) -> None:
    """Run the command line and exit with its code; `opening` replaces the usual way to open a vault."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Characters that the terminal's encoding lacks are escaped.
            stream.reconfigure(errors="backslashreplace")
    if "_NOTEWELL_COMPLETE" in os.environ:
        # It registers our own scripts in place of click's.
        import_module("notewell.serve.cli.completion")
    code = run(sys.argv[1:], opening)
    for number, stream in enumerate((sys.stdout, sys.stderr), start=1):
        try:
            # A stream that was closed from the start is None.
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            # The error was reported; what Python would write once more on exit goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.exit(code)


def run(arguments: Sequence[str], opening: OpenVault | None = None) -> str | int | None:
    """Run a command and return its exit code; errors are printed to stderr as a fact and a hint."""
    code = _run(arguments, opening)
    # Claude Code takes exit code 2 as a veto and would drop the prompt, so a hook always ends with 0.
    return 0 if is_hook(arguments) else code


def is_hook(arguments: Sequence[str]) -> bool:
    """Tell whether Claude Code, rather than a person, runs this command.

    >>> is_hook(["hook", "prompt", "--what"]), is_hook(["hook", "promt"]), is_hook(["search", "hook"])
    (True, False, False)
    """
    return list(arguments[:1]) == ["hook"] and bool({"start", "prompt", "before", "after"}.intersection(arguments[1:2]))


def _run(arguments: Sequence[str], opening: OpenVault | None) -> str | int | None:
    # As grep does: 1 says that nothing was found.
    failed = 2 if "--exit-status" in arguments else 1
    try:
        with paged(arguments, os.environ):
            cli(list(arguments), prog_name="notewell", obj=opening, standalone_mode=False)
    except NotewellError as error:
        # Both may contain names of notes, and a name may contain a line break.
        code = 2 if isinstance(error, QueryError) else failed
        return _report(error.fact.replace("\n", "\\n"), error.hint.replace("\n", "\\n"), code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        return _report(usage_fact(error), usage_hint(error, arguments, {*COMMANDS, *ALIASES}), code=2)
    except click.ClickException as error:
        return _report(error.format_message(), "", failed)
    except (Stopped, click.Abort, KeyboardInterrupt):
        return 130
    except SystemExit as stop:
        # Click exits with 1, and silences stdout, when the reader of a pipe is gone; that is not an error.
        silenced = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        return 0 if silenced else stop.code
    except MemoryError:
        return _report("There is not enough memory", "Close other programs, or raise the limit (`ulimit -v`)", failed)
    except OSError as error:
        fact = f"Cannot write the output: {error.strerror or error}"
        return _report(fact, "Check the disk, or where the output is sent", failed)
    return 0


def _report(fact: str, hint: str, code: int = 1) -> int:
    """Print an error and its hint, and return the exit code."""
    # Loaded only after an error: it takes a while, and --help does not need it.
    from notewell.serve.say import say  # noqa: PLC0415

    color = wants_colour("auto", os.environ)
    with suppress(BrokenPipeError):
        click.secho("error: ", fg="red", bold=True, err=True, nl=False, color=color)
        say(fact, after=len("error: "))
        if hint:
            click.secho("hint: ", fg="yellow", err=True, nl=False, color=color)
            say(hint, after=len("hint: "))
    return code
