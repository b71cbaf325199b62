"""What the shortcuts of search cost: our page against one with every chunk scored in full precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from tests.database import database

from bench.child import Measured
from notewell.embed import Embedder
from notewell.measure.collection import Collection
from notewell.measure.evaluate import documents_of, note_names, paths_of
from notewell.measure.metrics import ndcg
from notewell.search import MEASURING, Embedders, Rules, SearchRules, search
from notewell.store import NO_STAND_INS, Snapshot, StandIns
from notewell.types.candidates import Candidate, Ranking
from notewell.types.note import Vectors
from notewell.types.query import Query, Scope
from notewell.vault import Vault

# How many of the scored chunks go through the rankers; none further down reaches the page.
RANKED = 250
# Chunks embedded at once.
BATCH = 500


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """A snapshot without shortcuts: BM25 of every chunk, and the cosine of every unrounded vector."""

    snapshot: Snapshot
    ids: Sequence[int]
    vectors: Vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self.snapshot, name)

    def match(self, terms: Sequence[str], scope: Scope, limit: int, stand_ins: StandIns = NO_STAND_INS) -> Ranking:
        """Return every chunk that holds any of the terms."""
        return self.snapshot.match(terms, scope, len(self.ids), stand_ins=stand_ins)

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return every chunk; 0 is the `limit`th best, as in ours, and nothing is below it."""
        cosines = self.vectors @ vector
        order = np.argsort(-cosines, kind="stable")
        floor = float(cosines[order[min(limit, order.size) - 1]])
        return Ranking("vector", tuple((self.ids[at], max(float(cosines[at]), floor)) for at in order), floor=floor)


def compare(vault: Vault, collection: Collection) -> Measured:
    """Return nDCG@10 of a page of ten hits, ours and from an exhaustive search, by words and static vectors."""
    embedder, rules = vault.models.embedder, replace(vault.settings.search, limit=10)
    with vault.store.reading() as snapshot:
        everything = cast(Snapshot, _all_of(snapshot, vault, embedder))
        pages = {"ours": (snapshot, rules), "exhaustive": (everything, replace(rules, candidates=RANKED))}
        found = {name: _mean(collection, _asking(embedder, *page)) for name, page in pages.items()}
    return {**found, "difference": round(found["ours"] - found["exhaustive"], 4)}


def _all_of(snapshot: Snapshot, vault: Vault, embedder: Embedder) -> Exhaustive:
    rows: list[Any] = database(vault.store).execute("select id from chunk order by id").fetchall()
    ids = [int(slot) for (slot,) in rows]
    groups = (snapshot.chunks(ids[first : first + BATCH]) for first in range(0, len(ids), BATCH))
    return Exhaustive(
        snapshot, ids, np.concatenate([embedder.embed([chunk.meaning for chunk in group.values()]) for group in groups])
    )


def _asking(embedder: Embedder, store: Snapshot, rules: SearchRules) -> Callable[[str], list[Candidate]]:
    asked = Rules(rules, mode=MEASURING)
    return lambda text: search(Query(text), store=store, embedders=Embedders(embedder), rules=asked).candidates


def _mean(collection: Collection, ask: Callable[[str], list[Candidate]]) -> float:
    names = note_names(collection)
    found = {query: documents_of(paths_of(ask(text)), names) for query, text in collection.queries.items()}
    return round(float(np.mean([ndcg(ranked, collection.judgements[query]) for query, ranked in found.items()])), 4)
