"""Talk to the user on stderr, with what a terminal would obey made visible."""

from __future__ import annotations

import click

from notewell.unseen import OBEYED


def say(text: str) -> None:
    """Talk to the user, on stderr."""
    click.echo(printable(text), err=True)


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
