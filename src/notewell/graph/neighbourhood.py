"""The notes around one: which of them to show, and where, so that the picture can be read."""

from __future__ import annotations

from math import pi

import numpy as np
import numpy.typing as npt

from notewell.frozen import frozen
from notewell.graph.algorithms import Floats, Pairs, Places
from notewell.graph.places import Spots, in_unit_square

# The most notes of a neighbourhood: with more, names no longer fit.
MOST = 200
# The length of an arc that a note takes on its ring, and the least distance between rings.
ARC, RING = 0.55, 1.6
# How often notes are pushed apart and pulled by links, and the strength of both and of the rings.
ROUNDS, PUSH, PULL, KEEP = 120, 0.35, 0.02, 0.12
LONGEST_MOVE = 0.4


@frozen
class Neighbourhood:
    """Notes by number, the middle first: their distances in links, their positions; and how many are left out."""

    notes: Places
    hops: Places
    positions: Floats
    left_out: int


def neighbourhood_of(
    note: int, pairs: Pairs, ranks: npt.NDArray[np.float32], community: npt.NDArray[np.int32], hops: int
) -> Neighbourhood:
    """Return the notes at most `hops` links from one, of more than 200 those with the closest links.

    `pairs` has each pair of linked notes once.
    """
    sources, targets = (np.concatenate(ends) for ends in (pairs, pairs[::-1]))
    degrees = np.maximum(np.bincount(sources, minlength=ranks.size), 1)
    away = np.full(ranks.size, -1)
    away[note] = 0
    notes, parents, left_out = [note], [-1], 0
    for hop in range(1, hops + 1):
        steps = (away[sources] == hop - 1) & (away[targets] < 0)
        # A link from a note with many links says less.
        closeness = np.bincount(targets[steps], 1 / np.sqrt(degrees[sources[steps]]), ranks.size)
        found = np.unique(targets[steps])
        found = found[np.lexsort((found, -ranks[found], -closeness[found]))]
        kept = found[: MOST - len(notes)]
        left_out += found.size - kept.size
        away[kept] = hop
        parents.extend(_parents(kept, sources[steps], targets[steps], degrees))
        notes.extend(kept.tolist())
    chosen = np.array(notes)
    spots = _on_rings(chosen, np.array(parents), away[chosen], community)
    spots = _apart(spots, _within(chosen, (sources, targets), ranks.size))
    return Neighbourhood(chosen, away[chosen], _centred(spots), left_out)


def _parents(notes: Places, sources: Places, targets: Places, degrees: Places) -> list[int]:
    """Return the note through which each is reached: of several, the one with the fewest links."""
    order = np.lexsort((sources, degrees[sources], targets))
    first = order[np.searchsorted(targets[order], notes)] if notes.size else notes
    parents: list[int] = sources[first].tolist()
    return parents


def _on_rings(notes: Places, parents: Places, hops: Places, community: npt.NDArray[np.int32]) -> Spots:
    """Return positions on rings around the first note, each note behind the one through which it is reached."""
    angles: dict[int, float] = {int(notes[0]): 0.0}
    spots = np.zeros(notes.size, np.complex128)
    radius = 0.0
    for hop in range(1, int(hops.max(initial=0)) + 1):
        here = np.flatnonzero(hops == hop)
        behind = np.array([angles[int(parent)] for parent in parents[here]])
        here = here[np.lexsort((notes[here], community[notes[here]], behind))]
        radius = max(radius + RING, here.size * ARC / (2 * pi))
        ways = 2 * pi * (np.arange(here.size) + 0.5) / here.size
        angles |= dict(zip(notes[here].tolist(), ways.tolist(), strict=True))
        # A few notes of an outer ring stay behind their parents, and do not go around.
        if hop > 1 and here.size * ARC < pi * radius:
            ways = np.sort(behind) + (np.arange(here.size) - here.size / 2) * 1e-3
        spots[here] = radius * np.exp(1j * ways)
    return spots


def _within(chosen: Places, both: Pairs, size: int) -> Pairs:
    places = np.full(size, -1)
    places[chosen] = np.arange(chosen.size)
    one, other = (places[ends] for ends in both)
    kept = (one >= 0) & (other >= 0)
    return one[kept], other[kept]


def _apart(spots: Spots, links: Pairs) -> Spots:
    """Return positions pushed apart and pulled along links, near their rings; the first stays in the middle."""
    rings, sources, targets = np.abs(spots), *links
    degrees = np.maximum(np.bincount(sources, minlength=spots.size), 1)
    for number in range(ROUNDS):
        between = spots[:, None] - spots
        push = PUSH * (between / np.maximum(np.abs(between) ** 2, 0.05)).sum(axis=1)
        pulls = spots[targets] - spots[sources]
        pull = np.bincount(sources, pulls.real, spots.size) + 1j * np.bincount(sources, pulls.imag, spots.size)
        lengths = np.maximum(np.abs(spots), 1e-9)
        move = push + PULL * pull / np.sqrt(degrees) + KEEP * spots / lengths * (rings - lengths)
        size = np.maximum(np.abs(move), 1e-9)
        spots = spots + move / size * np.minimum(size, LONGEST_MOVE * (1 - number / ROUNDS))
        spots[0] = 0
    return spots


def _centred(spots: Spots) -> Floats:
    """Return positions in the unit square with the first note in its middle."""
    around = np.concatenate((spots, -spots))
    return in_unit_square(around)[: spots.size]
