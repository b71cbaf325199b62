"""A query that comes through a pipe."""

from __future__ import annotations

import os
import stat
import sys

import click

# Stands for the query on stdin.
STDIN = "-"
# A page of text is a query; a whole file is a slip.
MOST_BYTES = 65_536


def is_piped() -> bool:
    """Tell whether something was piped into the command: a terminal, or nothing at all, was not."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        # Somebody stands in for stdin, such as the warm process, which knows what is at its other end.
        return not sys.stdin.isatty()
    except AttributeError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def read_query() -> str:
    """Return the text on stdin."""
    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    except (OSError, AttributeError) as error:
        raise click.UsageError("Missing argument 'TEXT...', and stdin cannot be read.") from error
    if len(data) > MOST_BYTES:
        raise click.UsageError(f"The query on stdin is longer than {MOST_BYTES:,} bytes; send a part of it.")
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise click.UsageError("What is on stdin is no text in UTF-8.")
    if not text:
        raise click.UsageError("The query on stdin is empty.")
    return text
