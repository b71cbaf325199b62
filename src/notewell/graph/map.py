"""A map to draw, of the vault or of the notes around one: positions, communities, sizes and links as plain lists."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from notewell.frozen import frozen, frozen_by_name
from notewell.graph.algorithms import Floats, Pairs, Places
from notewell.graph.neighbourhood import Neighbourhood, neighbourhood_of
from notewell.graph.net import Net, once
from notewell.graph.overview import communities_of
from notewell.graph.places import in_unit_square, sunflower
from notewell.graph.standing import Standings, placed
from notewell.types.notices import Notice

# Positions are whole numbers up to this, sizes up to a hundred: a screen shows no more, and the answer stays small.
FARTHEST, LARGEST = 9999, 100
# The distance between linked notes and the ring of notes without links, as a share of the picture.
RING_GAP = 1.06
# How much more notes would fit into the picture, if it were evenly full.
SPARSE = 1.5


@frozen
class MapCommunity:
    """A community on the map."""

    number: int
    """Its number, as in `community`."""
    names: tuple[str, ...]
    """The names of its most central notes."""
    size: int
    """How many notes it has in the vault."""


@frozen_by_name
class GraphMap:
    """A map of notes and their links; the lists are in the same order, the notes with the highest PageRank first."""

    note: str
    """The note in the middle; empty for a map of the whole vault."""
    notes: int
    """How many notes the vault has."""
    paths: tuple[str, ...]
    """The notes of the map."""
    titles: tuple[str, ...]
    """Their titles; empty where the title is the name of the file."""
    x: tuple[int, ...]
    """Their positions from left to right, 0 to 9999."""
    y: tuple[int, ...]
    """Their positions from top to bottom, 0 to 9999."""
    community: tuple[int, ...]
    """The numbers of their communities; -1 for a note without links."""
    size: tuple[int, ...]
    """The square root of their PageRank, 0 to 100."""
    links: tuple[int, ...]
    """Two numbers for each pair of linked notes: their places in the lists."""
    communities: tuple[MapCommunity, ...]
    """The communities of the map, the largest first."""
    hops: tuple[int, ...] = ()
    """Around a note: how many links each note is away from it."""
    left_out: int = 0
    """Around a note: how many notes that near are not on the map."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


def make_map(net: Net, standings: Standings, titles: Mapping[str, str], note: str = "", hops: int = 2) -> GraphMap:
    """Return the map of a vault; with a note, of the notes at most `hops` links away from it."""
    order = np.lexsort((np.arange(len(net.paths)), -standings.pagerank))
    pairs = _joined(net)
    around = _around(net, standings, pairs, note, hops) if note else None
    if around:
        chosen, positions = around.notes, around.positions
    else:
        chosen, positions = order, _with_ring(_placed(net, standings), standings)[order]
    paths = [net.paths[place] for place in chosen.tolist()]
    corners = np.round(positions * FARTHEST).astype(np.int64)
    known = set(standings.community[chosen].tolist())
    return GraphMap(
        note=note,
        notes=len(net.paths),
        paths=tuple(paths),
        titles=tuple("" if titles[path] == _stem(path) else titles[path] for path in paths),
        x=tuple(corners[:, 0].tolist()),
        y=tuple(corners[:, 1].tolist()),
        community=tuple(standings.community[chosen].tolist()),
        size=tuple(np.round(LARGEST * np.sqrt(standings.pagerank[chosen])).astype(np.int64).tolist()),
        links=_links(pairs, chosen, len(net.paths)),
        communities=tuple(
            MapCommunity(one.number, one.names, one.size)
            for one in communities_of(net, standings)
            if one.number in known
        ),
        hops=tuple(around.hops.tolist()) if around else (),
        left_out=around.left_out if around else 0,
    )


def _stem(path: str) -> str:
    file = path.rpartition("/")[2]
    return file.rpartition(".")[0] or file


def _joined(net: Net) -> Pairs:
    """Return each pair of linked notes once, whichever of them has the link."""
    sources, targets = net.distinct()
    return once(np.minimum(sources, targets), np.maximum(sources, targets), len(net.paths))


def _placed(net: Net, standings: Standings) -> Floats:
    positions = standings.positions if standings.positions is not None else placed(net, standings).positions
    assert positions is not None
    return positions


def _with_ring(positions: Floats, standings: Standings) -> Floats:
    """Return positions in which the notes without links are a ring around all others."""
    alone = np.flatnonzero(standings.community < 0)
    if not alone.size:
        return positions
    others = np.delete(positions, alone, axis=0)
    # The ring is as wide and as high as the picture inside.
    axes = np.maximum(np.ptp(others, axis=0), 0.1) if len(others) else np.ones(2)
    spots = (positions - 0.5) / axes @ np.array((1, 1j))
    reach = float(np.abs(np.delete(spots, alone)).max(initial=0.0)) * RING_GAP
    # In units of the area that a note takes: so many would fill the inside.
    inside = SPARSE * len(others)
    scale = reach / np.sqrt(inside) if inside else 1.0
    spots[alone] = scale * sunflower(alone.size, inside)
    return in_unit_square(spots.real * axes[0] + 1j * spots.imag * axes[1])


def _around(net: Net, standings: Standings, pairs: Pairs, note: str, hops: int) -> Neighbourhood:
    return neighbourhood_of(net.paths.index(note), pairs, standings.pagerank, standings.community, hops)


def _links(pairs: Pairs, chosen: Places, size: int) -> tuple[int, ...]:
    """Return the links between chosen notes, by their places among these."""
    places = np.full(size, -1)
    places[chosen] = np.arange(chosen.size)
    ends = np.stack([places[numbers] for numbers in pairs], axis=1)
    kept: list[int] = ends[(ends >= 0).all(axis=1)].ravel().tolist()
    return tuple(kept)
