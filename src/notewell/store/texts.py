"""Every text that a store holds, whatever the store: what a check for secrets reads."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import astuple
from typing import Any

from notewell.store import Snapshot

# Notes read together.
GROUP = 2_000


def stored_texts(snapshot: Snapshot) -> Generator[tuple[str, str], None, None]:
    """Yield every stored text with its place: titles, front matter and links by path, chunks by path and line."""
    names = snapshot.names()
    for first in range(0, len(names), GROUP):
        group = names[first : first + GROUP]
        facts, links = snapshot.notes([name.path for name in group]), snapshot.links_of([name.id for name in group])
        for name in group:
            written = [astuple(link) for link in links.get(name.id, ())]
            # A damaged index may not find a note that is there, which other checks tell.
            fields = facts[name.path].fields if name.path in facts else {}
            values = [*_values(dict(fields)), *_values(written)]
            yield name.path, "\n".join((name.title, *values))
            # Note by note, without the arrays of a search: those of a damaged store may not be readable.
            for chunk in snapshot.chunks(snapshot.chunks_of(name.path)).values():
                yield f"{chunk.path}:{chunk.line}", chunk.text


def _values(value: Any) -> Iterator[str]:
    """Yield the values in nested lists and mappings, a key before each, with a line between that separates them.

    >>> list(_values({"aliases": ["WPA2-PSK", "802.11i"], "rating": 4}))
    ['aliases: WPA2-PSK', '---', 'aliases: 802.11i', '---', 'rating: 4', '---']
    """
    for line in _lines(value):
        yield from (line, "---")


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{key}: {line}" for key, inner in value.items() for line in _lines(inner))
    elif isinstance(value, list | tuple):
        yield from (line for inner in value for line in _lines(inner))
    else:
        yield str(value)
