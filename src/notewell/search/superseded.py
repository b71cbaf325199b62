"""Hits whose notes say of themselves that another note took their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice

from notewell.errors import NoteError
from notewell.names.find import find_named
from notewell.names.place import bare_place
from notewell.store import NoteFacts, Snapshot
from notewell.types.note import as_list
from notewell.types.notices import Notice

# Properties that say so, without case and with any of `_- ` between their words.
KEYS = frozenset({"superseded by", "replaced by", "obsoleted by", "ersetzt durch", "remplacé par", "reemplazado por"})
# The most notices of one page.
MOST = 2


def find_superseded(page: Mapping[str, NoteFacts], store: Snapshot) -> tuple[Notice, ...]:
    """Return a notice for each note of a page that names its successor, with the places of both.

    Only what a note itself says counts: that two notes contradict each other would be a guess.
    """
    found = (
        (path, _place(value, store))
        for path, facts in sorted(page.items())
        for value in list(_successors(facts.fields))[:1]
    )
    # A note that names itself is a copied template.
    notices = (Notice("superseded", {"path": path, "by": by}) for path, by in found if by.strip("[] ") and by != path)
    return tuple(islice(notices, MOST))


def _successors(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield the notes that properties name as successors.

    >>> list(_successors({"Superseded_by": "[[Bees 2025]]", "by": "Ada"}))
    ['[[Bees 2025]]']
    """
    for key, value in fields.items():
        if key.casefold().replace("_", " ").replace("-", " ") in KEYS:
            yield from as_list(value)


def _place(written: str, store: Snapshot) -> str:
    """Return the path of a note as it was named; one that is not there stays as it is written."""
    with suppress(NoteError):
        return find_named(written, store)
    return bare_place(written)
