"""Whether the links and standings in a store are those that its notes have: both are made again, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from notewell.graph.edges import make_resolver, resolved
from notewell.graph.net import Net
from notewell.graph.standing import BY_DEGREE, digest, measure, placed, rows_of
from notewell.store import Snapshot
from notewell.store.links import NOWHERE, TO_FILE, LinkEnds


def find_wrong_links(snapshot: Snapshot, files: Callable[[], Iterable[str]]) -> Iterator[str]:
    """Yield what is wrong with the links and standings of a state; those not made yet are not wrong.

    `files` lists the vault's files that are not notes.
    """
    if not snapshot.state.links_resolved:
        return
    if wrong := _count_astray(snapshot, files):
        yield f"{wrong:,} notes whose links lead elsewhere than stored"
    if snapshot.state.standings_current:
        yield from _wrong_standings(snapshot)


def _count_astray(snapshot: Snapshot, files: Callable[[], Iterable[str]]) -> int:
    """Return how many notes have links that lead elsewhere than stored."""
    names, edges = snapshot.names(), snapshot.edges()
    notes = np.fromiter((named.id for named in names), np.uint32, len(names))
    wanted = resolved(snapshot, names, notes, make_resolver(snapshot, names, files))
    ends = np.stack((edges.hashes, edges.targets), axis=1)
    # Edges are in the order of their sources.
    first, last = np.searchsorted(edges.sources, notes), np.searchsorted(edges.sources, notes, "right")
    stored = (ends[begin:end] for begin, end in zip(first, last, strict=True))
    pairs = zip(notes.tolist(), stored, strict=True)
    return sum(not np.array_equal(_settled(wanted[note]), _settled(found)) for note, found in pairs)


def _settled(ends: LinkEnds) -> LinkEnds:
    """Return where links lead, whether or not a file that is not a note came or went meanwhile."""
    return np.where(ends == TO_FILE, np.uint32(NOWHERE), ends)


def _wrong_standings(snapshot: Snapshot) -> Iterator[str]:
    net, ids = Net.of(snapshot), snapshot.ids()
    numbers = np.fromiter(ids.values(), np.uint32, len(ids))
    found = placed(net, measure(net))
    by_id, stored = rows_of(found, numbers.tolist()), snapshot.standings()
    if {path: by_id[note] for path, note in ids.items() if note in by_id} != stored:
        yield "the standings of notes are not those that their links give"
    if snapshot.state.standings_mark != digest(net, numbers) + BY_DEGREE * found.by_degree:
        yield "the standings were measured on other links"
