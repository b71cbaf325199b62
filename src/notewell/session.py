"""A sitting: what was opened lately, and searches that lean to it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from notewell.asked import ALL, Filters
from notewell.errors import NoteError
from notewell.index.place import Reading
from notewell.index.report import Progress
from notewell.redact import names_secret
from notewell.types import Results
from notewell.vault import Vault

# So many places are remembered, and of those so many lean on a search: what was opened before is another subject.
KEPT = 20
LEANT_TO = 5
# A sitting is over when nothing was opened for so long.
SITTING = timedelta(hours=1)


class Session:
    """Reads and searches of one sitting: each search leans to what was opened last."""

    def __init__(self, vault: Vault, opened: Sequence[str] = ()) -> None:
        """Begin a sitting; `opened` are places that were opened before it, the last one last."""
        self.vault = vault
        self.opened = tuple(opened)[-KEPT:]

    def read(self, place: str, *, raw: bool = False) -> Reading:
        """Return lines of a note, as `Vault.read` does, and remember that they were opened."""
        reading = self.vault.read(place, raw=raw)
        self.opened = with_place(self.opened, place_read(reading))
        return reading

    def search(
        self,
        text: str,
        *,
        limit: int | None = None,
        under: str = "",
        only: Filters = ALL,
        max_tokens: int | None = None,
        refresh: bool | Progress = False,
    ) -> Results:
        """Find the lines that answer the text, those first that are also like what was opened last."""
        # What is gone from the vault is not leant to.
        notices = self.vault.refresh(refresh if isinstance(refresh, Progress) else None) if refresh else ()
        only = only.leaning_to(*self.leant_to)
        found = self.vault.search(text, limit=limit, under=under, only=only, max_tokens=max_tokens)
        return replace(found, notices=(*notices, *found.notices))

    def more_like_these(self, *, limit: int | None = None, under: str = "", only: Filters = ALL) -> Results:
        """Find the notes most like those that were opened last, one hit each."""
        if not (places := self.leant_to):
            raise NoteError("Nothing that is indexed was opened in this session", "Read a note first")
        return self.vault.related(*places, limit=limit, under=under, only=only)

    @property
    def leant_to(self) -> tuple[str, ...]:
        """Return the last places that were opened and that the store holds."""
        held = []
        for place in self.opened:
            with suppress(NoteError):
                held.append(self.vault.find(place))
        return tuple(held[-LEANT_TO:])


def place_read(reading: Reading) -> str:
    """Return the place of what was read: the path and the lines.

    >>> place_read(Reading("a.md", 3, 9, "rye")), place_read(Reading("a.md", 3, 3, "rye"))
    ('a.md:3-9', 'a.md:3')
    """
    last = f"-{reading.end_line}" if reading.end_line > reading.line else ""
    return f"{reading.path}:{reading.line}{last}"


def with_place(opened: Sequence[str], place: str) -> tuple[str, ...]:
    """Return the places with one more, the last one last, each once.

    >>> with_place(("a.md:1-9", "b.md:3-4"), "a.md:1-9")
    ('b.md:3-4', 'a.md:1-9')
    """
    return (*(other for other in opened if other != place), place)[-KEPT:]


def remember(file: Path, place: str, now: datetime) -> None:
    """Keep in a file that a place was opened, for this user's eyes; where nothing can be written, nothing is kept."""
    if names_secret(place):
        return
    kept = {"at": now.isoformat(), "opened": with_place(recall(file, now), place)}
    with suppress(OSError), tempfile.TemporaryDirectory(prefix=f"{file.name}.", dir=file.parent) as folder:
        # Whole before it is put in place, whoever else reads a note at the same time.
        made = Path(folder) / file.name
        made.touch(mode=0o600)
        made.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
        made.replace(file)


def recall(file: Path, now: datetime) -> tuple[str, ...]:
    """Return the places that were opened in this sitting, the last one last; none, if the file cannot be read."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if now - datetime.fromisoformat(kept["at"]) > SITTING:
            return ()
        return tuple(str(place) for place in kept["opened"])[-KEPT:]
    except (OSError, ValueError, KeyError, TypeError):
        return ()
