"""Talk to the user on stderr, with what a terminal would obey made visible."""

from __future__ import annotations

import re

import click

# What a terminal obeys: a note must not be able to move its cursor, colour it or set its title.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def say(text: str) -> None:
    """Talk to the user, on stderr."""
    click.echo(printable(text), err=True)


def printable(text: str) -> str:
    """Return the text with what a terminal would obey made visible.

    >>> printable("rye\\x1b[31m")
    'rye\\\\x1b[31m'
    """
    return CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Return the text as `printable` does, and on one line: the name of a file may have line breaks in it.

    >>> one_line("rye\\nbread\\t.md")
    'rye\\\\nbread\\\\t.md'
    """
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")
