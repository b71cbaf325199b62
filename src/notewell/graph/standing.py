"""How notes stand in the graph: PageRank, centrality and communities, computed when links change."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from notewell.graph.algorithms import Floats, Pairs, Places, communities, degrees, eigenvector, pagerank
from notewell.graph.net import Net, once

# What stands in place of a community where a note has none.
ALONE = -1


@dataclass(frozen=True, slots=True)
class Standings:
    """How each note of a net stands among the others, in the order of its paths.

    PageRank and centrality are shares of the highest of all, so they lie in 0…1; a note without links has 0. The
    communities are numbered from 0, the largest first; a note without links has -1. `by_degree` tells that centrality
    did not converge, and stands for how many notes a note is linked with.
    """

    pagerank: npt.NDArray[np.float32]
    centrality: npt.NDArray[np.float32]
    community: npt.NDArray[np.int32]
    by_degree: bool = False


def measure(net: Net) -> Standings:
    """Return how every note stands; the order of notes and links, doubled links and links to oneself do not matter."""
    size = len(net.paths)
    pairs, linked = _canonical(net)
    ranks, centrality = np.zeros(size, np.float32), np.zeros(size, np.float32)
    community = np.full(size, ALONE, np.int32)
    if not linked.size:
        return Standings(ranks, centrality, community)
    ranks[linked] = _shares(pagerank(pairs, linked.size))
    neighbours = _both_ways(pairs, linked.size)
    central = eigenvector(neighbours, linked.size)
    centrality[linked] = _shares(degrees(neighbours, linked.size) if central is None else central)
    community[linked] = communities(neighbours, linked.size)
    return Standings(ranks, centrality, community, by_degree=central is None)


def digest(net: Net, ids: npt.NDArray[np.uint32]) -> str:
    """Return what tells two states apart whose notes, by these ids, stand differently; text and orphans make none."""
    (sources, targets), linked = _canonical(net)
    written = "\n".join(net.paths[place] for place in linked.tolist()).encode("utf-8", "surrogatepass")
    told = (written, ids[linked].tobytes(), sources.tobytes(), targets.tobytes())
    return blake2b(b"\0".join(told), digest_size=16).hexdigest()


def _canonical(net: Net) -> tuple[Pairs, Places]:
    """Return the links between different notes, each once, by number; and the place in the net of each number.

    Notes that have links are numbered by their paths, so that neither libraries nor lots see the order of the net.
    """
    sources, targets = net.distinct()
    places = np.flatnonzero(np.bincount(np.concatenate((sources, targets)), minlength=len(net.paths)))
    linked = np.array(sorted(places.tolist(), key=net.paths.__getitem__), dtype=np.int64)
    numbers = np.zeros(len(net.paths), np.int64)
    numbers[linked] = np.arange(linked.size)
    return once(numbers[sources], numbers[targets], linked.size), linked


def _both_ways(pairs: Pairs, size: int) -> Pairs:
    """Return every two notes that a link joins, in both orders, each once."""
    sources, targets = pairs
    return once(np.concatenate((sources, targets)), np.concatenate((targets, sources)), size)


def _shares(values: Floats) -> npt.NDArray[np.float32]:
    shares: npt.NDArray[np.float32] = (values / values.max()).astype(np.float32)
    return shares
