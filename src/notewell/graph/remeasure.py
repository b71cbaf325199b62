"""Standings kept right: after a run that changed a link, all are computed anew; after any other, none."""

from __future__ import annotations

import numpy as np

from notewell.graph.net import Net
from notewell.graph.standing import ALONE, Standings, digest, measure
from notewell.store import Snapshot, Standing, Store

# Behind the mark of standings whose centrality did not converge.
BY_DEGREE = " by degree"


def mend_standings(store: Store) -> None:
    """Compute how notes stand if links lead elsewhere than when this was last done; links must be resolved."""
    if store.measured:
        return
    with store.reading() as snapshot:
        net = Net.of(snapshot)
        ids = np.fromiter(snapshot.ids().values(), np.uint32, len(net.paths))
    mark, known = digest(net, ids), store.standings_mark
    if known.removesuffix(BY_DEGREE) == mark:
        store.keep_standings(known, None)
        return
    found = measure(net)
    store.keep_standings(mark + BY_DEGREE * found.by_degree, _rows(found, ids.tolist()))


def load_standings(snapshot: Snapshot, net: Net, mark: str = "") -> Standings:
    """Return how every note of a net stands, as it was computed last, under this mark."""
    rows = snapshot.standings()
    none = Standing(0.0, 0.0, ALONE)
    columns = list(zip(*(rows.get(path, none) for path in net.paths), strict=True)) or [(), (), ()]
    pagerank, centrality = (np.array(column, np.float32) for column in columns[:2])
    return Standings(pagerank, centrality, np.array(columns[2], np.int32), mark.endswith(BY_DEGREE))


def _rows(standings: Standings, ids: list[int]) -> dict[int, Standing]:
    columns = (values.tolist() for values in (standings.pagerank, standings.centrality, standings.community))
    rows = zip(ids, map(Standing._make, zip(*columns, strict=True)), strict=True)
    return {note: standing for note, standing in rows if standing.community != ALONE}
