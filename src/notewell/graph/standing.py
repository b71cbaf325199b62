"""How notes stand in the graph: PageRank, centrality, communities and positions, computed again when links change."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from notewell.frozen import frozen
from notewell.graph.algorithms import Floats, Pairs, Places, communities, degrees, eigenvector, pagerank
from notewell.graph.net import Net, once
from notewell.graph.places import place_notes
from notewell.store import Linked, Store
from notewell.store.links import Standing

# The community of a note without links.
ALONE = -1
# Appended to the stored digest of standings whose centrality did not converge.
BY_DEGREE = " by degree"
# Digits of a position: a screen shows no more, and machines that compute the last digits differently agree.
DIGITS = 4


@frozen
class Standings:
    """The standing of each note of a net, in the order of its paths.

    PageRank and centrality are shares of the highest value, so they lie in 0…1; a note without links has 0. The
    communities are numbered from 0, the largest first; a note without links has -1. `by_degree` says that centrality
    did not converge, so that the number of linked notes is used instead. `positions` has the x and y of each note in a
    picture of the vault, in 0…1; it is None until `placed` computes them.
    """

    pagerank: npt.NDArray[np.float32]
    centrality: npt.NDArray[np.float32]
    community: npt.NDArray[np.int32]
    by_degree: bool = False
    positions: Floats | None = None


def measure_standings(store: Store) -> None:
    """Compute and store how notes stand, if any link changed since the last time; links must be resolved."""
    state = store.state
    if state.standings_current:
        return
    with store.reading(shown=False) as snapshot:
        net = Net.of(snapshot)
        ids = np.fromiter(snapshot.ids().values(), np.uint32, len(net.paths))
    mark, known = digest(net, ids), state.standings_mark
    if known.removesuffix(BY_DEGREE) == mark:
        with store.writing() as writer:
            writer.keep_standings(known, None)
        return
    found = placed(net, measure(net))
    with store.writing() as writer:
        writer.keep_standings(mark + BY_DEGREE * found.by_degree, rows_of(found, ids.tolist()))


def rows_of(standings: Standings, ids: list[int]) -> dict[int, Standing]:
    """Return standings as they are stored, by the ids of the notes, without those of notes that have no links."""
    values = (standings.pagerank, standings.centrality, standings.community)
    positions = () if standings.positions is None else standings.positions.T
    columns = (column.tolist() for column in (*values, *positions))
    rows = zip(ids, (Standing(*row) for row in zip(*columns, strict=True)), strict=True)
    return {note: standing for note, standing in rows if standing.community != ALONE}


def load_standings(snapshot: Linked, net: Net, mark: str = "") -> Standings:
    """Return the stored standing of every note of a net; `mark` is the store's digest of them.

    If they are not of the notes that have links, as in a damaged store, they are measured.
    """
    rows = snapshot.standings()
    none = Standing(0.0, 0.0, ALONE)
    columns = list(zip(*(rows.get(path, none) for path in net.paths), strict=True)) or [()] * len(none)
    pagerank, centrality = (np.array(column, np.float32) for column in columns[:2])
    community, linked = np.array(columns[2], np.int64), _canonical(net)[1]
    is_linked = np.zeros(len(net.paths), np.bool_)
    is_linked[linked] = True
    in_one = (community > ALONE) & (community < linked.size)
    if not np.where(is_linked, in_one, community == ALONE).all():
        return measure(net)
    positions = np.array(columns[3:], np.float64).T
    return Standings(pagerank, centrality, community.astype(np.int32), mark.endswith(BY_DEGREE), positions)


def measure(net: Net) -> Standings:
    """Compute how every note stands; the order of notes and links, repeated links and self-links do not matter."""
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


def placed(net: Net, standings: Standings) -> Standings:
    """Return standings with the position of every note; notes without links are in the middle."""
    positions = np.full((len(net.paths), 2), 0.5)
    pairs, linked = _canonical(net)
    community, ranks = standings.community[linked].astype(np.int64), standings.pagerank[linked].astype(np.float64)
    positions[linked] = np.round(place_notes(pairs, community, ranks), DIGITS)
    return replace(standings, positions=positions)


def digest(net: Net, ids: npt.NDArray[np.uint32]) -> str:
    """Return a digest that changes whenever a standing may: of linked notes, their ids and links, not of texts."""
    (sources, targets), linked = _canonical(net)
    written = "\n".join(net.paths[place] for place in linked.tolist()).encode("utf-8", "surrogatepass")
    parts = (written, ids[linked].tobytes(), sources.tobytes(), targets.tobytes())
    return blake2b(b"\0".join(parts), digest_size=16).hexdigest()


def _canonical(net: Net) -> tuple[Pairs, Places]:
    """Return each link between different notes once, by number, and the position in the net of each number.

    Notes with links are numbered in the order of their paths, so that results do not depend on the order of the net.
    """
    sources, targets = net.distinct()
    places = np.flatnonzero(np.bincount(np.concatenate((sources, targets)), minlength=len(net.paths)))
    linked = np.array(sorted(places.tolist(), key=net.paths.__getitem__), dtype=np.int64)
    numbers = np.zeros(len(net.paths), np.int64)
    numbers[linked] = np.arange(linked.size)
    return once(numbers[sources], numbers[targets], linked.size), linked


def _both_ways(pairs: Pairs, size: int) -> Pairs:
    """Return every pair of linked notes, in both orders, each once."""
    sources, targets = pairs
    return once(np.concatenate((sources, targets)), np.concatenate((targets, sources)), size)


def _shares(values: Floats) -> npt.NDArray[np.float32]:
    shares: npt.NDArray[np.float32] = (values / values.max()).astype(np.float32)
    return shares
