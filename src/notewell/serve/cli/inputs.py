"""Arguments as they are typed: a query on stdin, places relative to the current folder, and `last`."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from notewell.errors import NoteError, StoreError
from notewell.files.control_chars import real_path
from notewell.index.place import Reading
from notewell.serve.cli.options import from_root
from notewell.session import Session, load_opened, place_read, save_opened
from notewell.vault import Vault

# Stands for text on stdin.
STDIN = "-"
# A page of text is a query; a whole file is probably a mistake.
MOST_BYTES = 65_536
# A path, and its lines or part.
PLACE = re.compile(r"(.+?)((?::\d+(?:-\d*)?|#[^/]*)?)", re.DOTALL)
# Stands for the notes that were read last.
LAST = "last"
# The suffix of the file that remembers them.
OPENED = ".opened"


def is_piped() -> bool:
    """Tell whether stdin is a pipe or a file, rather than a terminal or nothing."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        # stdin was replaced, as in the daemon, whose stand-in knows what the client has.
        return not sys.stdin.isatty()
    except AttributeError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def read_query() -> str:
    """Return the query on stdin."""
    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    except (OSError, AttributeError) as error:
        raise click.UsageError("Missing argument 'TEXT...', and stdin cannot be read.") from error
    if len(data) > MOST_BYTES:
        raise click.UsageError(f"The query on stdin is longer than {MOST_BYTES:,} bytes; send part of it.")
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise click.UsageError("stdin is not UTF-8 text.")
    if not text:
        raise click.UsageError("The query on stdin is empty.")
    return text


def place_from_root(root: Path, place: str) -> str:
    """Return a place relative to the vault's root; an existing path is left as it is, else escapes are read."""
    match = PLACE.fullmatch(place)
    if match is None or os.path.lexists(root / match[1]):
        return place
    if os.path.lexists(root / (path := real_path(match[1]))):
        return path + match[2]
    return from_root(root, match[1]) + match[2]


def read_places(vault: Vault, written: Sequence[str]) -> list[str]:
    """Return the places that were typed, as the store names them; `last` can stand for several."""
    places = [place_from_root(vault.root, place) for place in written if place != LAST]
    last: Sequence[str] = ()
    if LAST in written:
        last = Session(vault, load_opened(vault.storage.beside(OPENED), datetime.now(UTC))).last_places
        if not last:
            raise NoteError("No indexed note was read within the last hour", "Run `notewell read NOTE` first")
    return list(dict.fromkeys((*last, *map(vault.find, places))))


def remember_reading(vault: Vault, reading: Reading) -> None:
    """Remember what was read, for `last`, if the vault has a store."""
    with suppress(StoreError):
        if vault.storage.exists:
            save_opened(vault.storage.beside(OPENED), place_read(reading), datetime.now(UTC))
