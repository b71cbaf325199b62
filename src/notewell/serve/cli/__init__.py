"""The command line: one module a command, each loaded only when it is called."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module

import click

from notewell.errors import NotewellError
from notewell.serve.cli.stopped import Stopped

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
    "mcp": "Let a model search and read the notes, over MCP",
    "doctor": "Prove that the store is sound",
    "backup": "Copy the store to a file",
    "restore": "Put a backup in the store's place",
    "eval": "Measure search quality on judged queries",
}


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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="notewell", message="%(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Search a folder of notes by words and by meaning

    \b
    Example:
        notewell search "why did the bread collapse" --vault ~/notes
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def main() -> None:
    """Run the command line; every error is a fact and a hint, and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What a terminal's encoding does not have is shown by its number.
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(standalone_mode=False)
    except NotewellError as error:
        # Both may hold names of notes, and a name may hold a line break.
        _fail(error.fact.replace("\n", "\\n"), error.hint.replace("\n", "\\n"))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.UsageError as error:
        _fail(error.format_message().rstrip("."), _usage_hint(error), code=2)
    except click.ClickException as error:
        _fail(error.format_message(), "")
    except (Stopped, click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except SystemExit as stop:
        # Click ends with 1 when the reader of a pipe has seen enough, and silences stdout; that is no error.
        silenced = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        sys.exit(0 if silenced else stop.code)
    except OSError as error:
        _fail(f"The output cannot be written: {error.strerror or error}", "Check the disk, or where it is sent")


def _usage_hint(error: click.UsageError) -> str:
    return f"Run `{error.ctx.command_path} --help`" if error.ctx else "Run `notewell --help`"


def _fail(fact: str, hint: str, code: int = 1) -> None:
    # Whoever only asks for help does not pay for the vault, which the options know.
    from notewell.serve.cli.options import say  # noqa: PLC0415

    click.secho("error: ", fg="red", bold=True, err=True, nl=False)
    say(fact)
    if hint:
        click.secho("hint: ", fg="yellow", err=True, nl=False)
        say(hint)
    sys.exit(code)
