"""What libraries compute of a graph: PageRank and places in a picture by rustworkx, communities by graspologic."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
# The two ends of each link, by number, in order.
Pairs = tuple[Places, Places]

# The chance that a reader follows a link instead of beginning elsewhere (Brin and Page, 1998).
DAMPING = 0.85
# How near a PageRank comes to what it would be, all notes together, and how often it may try: 0.85 ** 200 is far less.
PAGERANK_ERROR = 1e-10
PAGERANK_ROUNDS = 200
# No centrality changes by more than this, as a share of the highest, before it counts as found; else degree counts.
CENTRALITY_ERROR = 1e-6
CENTRALITY_ROUNDS = 500
# Leiden draws lots: with the same seed, two runs agree. It goes over its own result, which makes better communities:
# on 100,000 notes a modularity of .693 after three rounds and of .682 after one.
LOTS = 7
LEIDEN_RUNS = 3
# After so many the picture of a hundred notes does not change any more that one would see.
LAYOUT_ROUNDS = 500


def pagerank(pairs: Pairs, size: int) -> Floats:
    """Return the chance to be at each note for a reader who follows links, and now and then begins anywhere."""
    # Loaded here: it costs 12 ms, and most runs change no link.
    import rustworkx  # noqa: PLC0415

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from_no_data(list(zip(*(ends.tolist() for ends in pairs), strict=True)))
    found: Mapping[int, float] = rustworkx.pagerank(
        # The library's tolerance is for each note.
        graph,
        alpha=DAMPING,
        tol=PAGERANK_ERROR / size,
        max_iter=PAGERANK_ROUNDS,
    )
    return np.fromiter((found[number] for number in range(size)), np.float64, size)


def degrees(neighbours: Pairs, size: int) -> Floats:
    """Return with how many others each note is linked."""
    return np.bincount(neighbours[0], minlength=size).astype(np.float64)


def eigenvector(neighbours: Pairs, size: int) -> Floats | None:
    """Return how central each note is among central notes; nothing, if that does not settle.

    By numpy and not by rustworkx: for 100,000 notes and 500,000 links, that takes 14 seconds, and this half a one.
    """
    sources, targets = neighbours
    now: Floats = degrees(neighbours, size)
    # A note keeps some of its own: around a hub, the numbers would swing between it and its neighbours for ever. The
    # root of the highest degree is the least that they can grow by; half of it dampens most.
    own = np.sqrt(now.max()) / 2
    now /= now.max()
    for _ in range(CENTRALITY_ROUNDS):
        then, now = now, own * now + np.bincount(sources, weights=now[targets], minlength=size)
        now = now / now.max()
        if np.abs(now - then).max() < CENTRALITY_ERROR:
            return now
    return None


def communities(neighbours: Pairs, size: int) -> Places:
    """Return the number of each note's community, by Leiden; the largest has 0, equal ones as their first notes do."""
    import graspologic_native  # noqa: PLC0415

    sources, targets = neighbours
    begins = np.searchsorted(sources, np.arange(size + 1))
    _, found = graspologic_native.leiden_csr(
        begins.astype(np.int64),
        targets.astype(np.int32),
        np.ones(targets.size),
        size,
        iterations=LEIDEN_RUNS,
        seed=LOTS,
    )
    given = np.fromiter((found[number] for number in range(size)), np.int64, size)
    _, first, inverse, counts = np.unique(given, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    numbers = np.empty_like(order)
    numbers[order] = np.arange(order.size)
    return numbers[inverse]


def layout(pairs: Pairs, size: int, weights: Floats) -> Floats:
    """Return a place for each note in a picture, linked ones near each other, the heavier the link the nearer."""
    import rustworkx  # noqa: PLC0415

    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(list(zip(*(ends.tolist() for ends in pairs), weights.tolist(), strict=True)))
    found = rustworkx.spring_layout(graph, seed=LOTS, num_iter=LAYOUT_ROUNDS, weight_fn=float)
    return np.array([found[number] for number in range(size)], dtype=np.float64).reshape(size, 2)
