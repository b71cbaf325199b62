"""A session: the notes opened lately, and searches that prefer what resembles them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Unpack

from notewell.errors import NoteError, StoreError
from notewell.files.lock import held
from notewell.files.safe_open import NO_LINK, read_plain
from notewell.files.user import write_whole
from notewell.index.place import Reading
from notewell.redact import names_secret
from notewell.search.plan import readable
from notewell.types.aliases import with_aliases
from notewell.types.query import Query, QueryFields
from notewell.types.results import Results
from notewell.vault import Vault

# How many places are kept, and how many of the last influence a search; older ones are probably another subject.
KEPT = 20
PREFERRED = 5
# A session ends after this long without opening a note.
SESSION_TIME = timedelta(hours=1)
# Twenty long paths take a tenth of this.
LARGEST = 64 * 1024
# Saving a place takes a millisecond; a process that holds the lock for this many seconds hangs.
PATIENCE = 2.0


class Session:
    """Reads and searches of one session; each search prefers hits like the notes opened last."""

    def __init__(self, vault: Vault, opened: Sequence[str] = ()) -> None:
        """Begin a session; `opened` are places opened before it, the latest last."""
        self.vault = vault
        self.opened = tuple(opened)[-KEPT:]

    @with_aliases
    def read(self, note: str | Path, *, raw: bool = False) -> Reading:
        """Return lines of a note, as `Vault.read` does, and remember that they were opened."""
        reading = self.vault.read(note, raw=raw)
        self.opened = with_place(self.opened, place_read(reading))
        return reading

    def search(self, query: Query | str = "", /, **fields: Unpack[QueryFields]) -> Results:
        """Search as `Vault.search` does, and prefer hits like the notes opened last."""
        query = Query.of(query, **fields)
        # Refreshed first, so that notes that no longer exist are ignored.
        notices = () if query.refresh is False else self.vault.freshness.look(query.refresh)
        like = (*self._places_in(self.vault.within(query.domain)), *query.places)
        found = self.vault.search(replace(query, like=like, refresh=False))
        return replace(found, notices=(*notices, *found.notices))

    def more_like_these(self, **fields: Unpack[QueryFields]) -> Results:
        """Find the notes most like those opened last, one hit each."""
        if not (places := self.last_places):
            raise NoteError("No indexed note was opened in this session", "Read a note first")
        return self.vault.related(*places, **fields)

    @property
    def last_places(self) -> tuple[str, ...]:
        """Return the places opened last that the store still has."""
        return self._places_in(self.vault)

    def _places_in(self, vault: Vault) -> tuple[str, ...]:
        held = []
        for place in self.opened:
            with suppress(NoteError):
                held.append(vault.find(place))
        return tuple(held[-PREFERRED:])


def place_read(reading: Reading) -> str:
    """Return the place that was read: its path and lines.

    >>> place_read(Reading("a.md", 3, 9, "rye")), place_read(Reading("a.md", 3, 3, "rye"))
    ('a.md:3-9', 'a.md:3')
    """
    last = f"-{reading.end_line}" if reading.end_line > reading.line else ""
    return f"{reading.path}:{reading.line}{last}"


def with_place(opened: Sequence[str], place: str) -> tuple[str, ...]:
    """Return the places with one more at the end, each once.

    >>> with_place(("a.md:1-9", "b.md:3-4"), "a.md:1-9")
    ('b.md:3-4', 'a.md:1-9')
    """
    return (*(other for other in opened if other != place), place)[-KEPT:]


def save_opened(file: Path, place: str, now: datetime) -> None:
    """Add a place to the file of places opened, which only this user can read; if that fails, do nothing."""
    # A file name that is not valid text can be read, but not named in a query.
    if place != readable(place) or names_secret(place):
        return
    # Another process that reads a note at the same time waits for this one.
    lock = file.with_name(f"{file.name}.lock")
    with suppress(OSError, StoreError), held(lock, PATIENCE, "is saving which notes were opened"):
        kept = {"at": now.isoformat(), "opened": with_place(load_opened(file, now), place)}
        # Replaced atomically, so that readers never see half of it.
        write_whole(file, json.dumps(kept).encode("ascii"))


def load_opened(file: Path, now: datetime) -> tuple[str, ...]:
    """Return the places opened in this session, the latest last; none if the file cannot be read."""
    try:
        kept = json.loads(_content(file))
        if not timedelta() <= now - datetime.fromisoformat(kept["at"]) <= SESSION_TIME:
            return ()
        return tuple(str(place) for place in kept["opened"])[-KEPT:]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, MemoryError):
        return ()


def _content(file: Path) -> bytes:
    """Return the content of a regular file, following no link: a vault may be a stranger's."""
    content = read_plain(file, LARGEST + 1, os.O_RDONLY | NO_LINK)
    return content if len(content) <= LARGEST else b""
