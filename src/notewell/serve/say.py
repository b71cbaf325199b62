"""What commands print: data on stdout, messages to the user on stderr, both with hidden characters escaped."""

from __future__ import annotations

import re
import select
import sys
from contextlib import suppress

import click

from notewell.files.control_chars import escaped
from notewell.serve.width import columns_of, wrapped

# Escape codes that commands print themselves: colours, and the two ends of a link.
OURS = re.compile(r"(\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\)")


def say(text: str, *, after: int = 0) -> None:
    """Print a message to stderr, unless --quiet, behind `after` characters that stand there already.

    On a terminal, lines are wrapped. If nobody reads it any more, the work continues.
    """
    if is_quiet():
        return
    lines = (" " * after + escaped(text)).split("\n")
    if sys.stderr is not None and sys.stderr.isatty():
        lines = [piece for line in lines for piece in wrapped(line, columns_of(sys.stderr))]
    with suppress(BrokenPipeError):
        click.echo("\n".join(lines)[after:], err=True)


def confirmed(change: str, *, yes: bool, as_json: bool = False) -> bool:
    """Ask before a change such as `write FILE`; `yes` answers, and without a terminal nothing else can."""
    if yes:
        return True
    if as_json or not sys.stdin.isatty():
        say(f"nothing was changed; run again with --yes to {change}")
        return False
    return click.confirm(f"{change[0].upper()}{change[1:]}?", err=True)


def is_quiet() -> bool:
    """Tell whether the command was called with --quiet; errors are reported when it is over."""
    current = click.get_current_context(silent=True)
    return bool(current and current.find_root().params.get("quiet"))


def is_unheard() -> bool:
    """Tell whether nobody reads stdout and stderr any more."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, 0)
    # A closed pipe is reported without asking for it.
    return sum(bool(event & (select.POLLERR | select.POLLHUP)) for _, event in poll.poll(0)) == 2


def counted(number: int, what: str) -> str:
    """Return a number with its noun, in the plural if needed.

    >>> counted(1, "note"), counted(2000, "note"), counted(3, "community")
    ('1 note', '2,000 notes', '3 communities')
    """
    return f"{number:,} {what if number == 1 else f'{what[:-1]}ies' if what.endswith('y') else f'{what}s'}"


def echo(text: str = "", *, nl: bool = True, styled: bool = False) -> None:
    """Print to stdout with hidden characters escaped.

    In `styled` text, colours and links pass; text of notes in it has to be escaped already.
    """
    # A split returns the escape codes at odd places.
    parts = OURS.split(text) if styled else [text]
    click.echo("".join(part if number % 2 else escaped(part) for number, part in enumerate(parts)), nl=nl)


def printable_line(text: str) -> str:
    """Return a text on one line, with hidden characters, tabs and line ends escaped.

    >>> printable_line("rye\\nbread\\t.md")
    'rye\\\\nbread\\\\t.md'
    """
    return escaped(text).replace("\n", "\\n").replace("\t", "\\t")
