"""Talk to the user on stderr, with what a terminal would obey made visible."""

from __future__ import annotations

import select
from contextlib import suppress

import click

from notewell.files.control_chars import OBEYED


def say(text: str) -> None:
    """Talk to the user, on stderr; it is not data, and where its reader went away the work goes on without it."""
    with suppress(BrokenPipeError):
        click.echo(printable(text), err=True)


def is_unheard() -> bool:
    """Tell whether nobody reads what this process prints any more, neither data nor talk."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, 0)
    # A pipe tells of its closed end unasked.
    return sum(bool(told & (select.POLLERR | select.POLLHUP)) for _, told in poll.poll(0)) == 2


def printable(text: str) -> str:
    """Return the text with what a terminal would obey made visible.

    >>> printable("rye\\x1b[31m")
    'rye\\\\x1b[31m'
    """
    return OBEYED.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def printable_line(text: str) -> str:
    """Return the text as `printable` does, and on one line: the name of a file may have line breaks in it.

    >>> printable_line("rye\\nbread\\t.md")
    'rye\\\\nbread\\\\t.md'
    """
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")
