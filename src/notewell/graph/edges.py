"""Edges, kept up to date: after notes change, only the links that may now lead elsewhere are resolved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from notewell.graph.resolve import Resolver
from notewell.names.paths import hash_of, names_of
from notewell.store import Linked, Store
from notewell.store.links import Edges, LinkEnds, NoteIds, NoteName
from notewell.types.note import Link

# Notes whose links are unpacked together.
GROUP = 1_000
# Notes whose links show where a website's root lies. All links of 14,613 notes show the same and take 0.2 s more.
SAMPLE = 500


def links_of(snapshot: Linked, notes: Sequence[int]) -> Iterator[tuple[int, tuple[Link, ...]]]:
    """Yield the links of each of these notes that has any, by id, without holding all of them at once."""
    for first in range(0, len(notes), GROUP):
        yield from snapshot.links_of(notes[first : first + GROUP]).items()


def make_resolver(snapshot: Linked, names: Sequence[NoteName], files: Callable[[], Iterable[str]]) -> Resolver:
    """Return the resolver of one state of the store; the links of some notes show it the root of a website."""
    # By a hash of their paths, so that the same notes are chosen whatever was indexed first.
    linking = sorted((named for named in names if named.links), key=lambda named: (hash_of(named.path), named.path))
    links = snapshot.links_of([named.id for named in linking[:SAMPLE]]).values()
    return Resolver(names, files, [link for each in links for link in each])


def resolve_links(store: Store, files: Callable[[], Iterable[str]]) -> None:
    """Resolve the links of new and changed notes, and all that name or lead to a note that was added, removed or moved.

    If the root of a website moved, all links are resolved. `files` lists the vault's files that are not notes. The
    store itself shows which links these are, so a run that is killed before this is completed by the next one: a new or
    renamed note has no edges, a changed one has too few, and a note that is gone still has edges that lead to it.
    """
    if store.state.links_resolved:
        return
    with store.reading(shown=False) as snapshot:
        names = snapshot.names()
        resolver = make_resolver(snapshot, names, files)
        outdated = _outdated(snapshot.edges(), names)
        if resolver.root.mark != snapshot.state.site_root:
            outdated = np.fromiter((named.id for named in names), np.uint32, len(names))
        ends = resolved(snapshot, names, outdated, resolver)
    with store.writing() as writer:
        writer.keep_edges(ends, resolver.root.mark)


def _outdated(edges: Edges, names: Sequence[NoteName]) -> NoteIds:
    """Return the notes with a link that has no edge yet, or may lead elsewhere now, the lowest id first."""
    ids = np.fromiter((named.id for named in names), np.uint32, len(names))
    wanted = np.fromiter((named.links for named in names), np.int64, len(names))
    stale = ids[np.bincount(np.searchsorted(ids, edges.sources), minlength=ids.size) != wanted]
    fresh = np.setdiff1d(ids, edges.notes, assume_unique=True)
    if fresh.size == ids.size:
        return fresh
    # An id may now belong to another note, so links to a note with new names are checked too.
    led = edges.to_notes
    astray = led.sources[~np.isin(led.targets, np.setdiff1d(ids, fresh, assume_unique=True))]
    naming = edges.sources[np.isin(edges.hashes, _hashes(names, set(fresh.tolist())))]
    return np.unique(np.concatenate((stale, fresh, astray, naming)))


def _hashes(names: Sequence[NoteName], notes: Collection[int]) -> npt.NDArray[np.uint32]:
    """Return the hashes of all names that these notes have."""
    called = (names_of(named.path, named.aliases) for named in names if named.id in notes)
    return np.array(sorted({hash_of(name) for each in called for name in each}), dtype=np.uint32)


def resolved(snapshot: Linked, names: Sequence[NoteName], notes: NoteIds, resolver: Resolver) -> Mapping[int, LinkEnds]:
    """Return where all links of these notes lead."""
    paths = {named.id: named.path for named in names}
    empty: LinkEnds = np.zeros((0, 2), dtype=np.uint32)
    ends: dict[int, LinkEnds] = dict.fromkeys(notes.tolist(), empty)
    for note, links in links_of(snapshot, notes.tolist()):
        ends[note] = _ends(resolver, links, paths[note])
    return ends


def _ends(resolver: Resolver, links: Sequence[Link], source: str) -> LinkEnds:
    return np.array([resolver.ends(link, source) for link in links], dtype=np.uint32).reshape(-1, 2)
