"""Searches in a large store in PostgreSQL: by words, by meaning and fused, and what a process loads for the first."""

from __future__ import annotations

import time
from pathlib import Path

from bench.child import Measured, memory_mb, milliseconds, percentiles
from bench.queries import load_queries
from notewell import Vault
from notewell.search.plan import make_plan
from notewell.types.query import EVERYTHING

LIMIT = 100
# As many as every size answers within a minute, drawn evenly from all kinds.
QUERIES = 120


def time_searches(root: str, url: str, name: str, queries: str) -> Measured:
    """Time queries one after the other in a fresh process: by words, by the embedder's vectors, and as usual."""
    every = load_queries(queries)
    texts = [text for _, text in every][:: max(1, len(every) // QUERIES)][:QUERIES]
    Path(root).mkdir(exist_ok=True)
    with Vault.open(root, {"store.url": url, "store.name": name, "embed.encoder": "off"}) as vault:
        began = time.perf_counter()
        vault.search(texts[0], refresh=False)
        first = time.perf_counter() - began
        words, vectors, fused = [], [], []
        for text in texts:
            words.append(milliseconds(lambda text: _match(vault, text), text))
            vectors.append(milliseconds(lambda text: _nearest(vault, text), text))
            fused.append(milliseconds(lambda text: vault.search(text, refresh=False), text))
        about = vault.store.about()
    return {
        "chunks": about.chunks,
        "first_ms": round(first * 1000),
        "words": percentiles(words),
        "vectors": percentiles(vectors),
        "fused": percentiles(fused),
        "memory_mb": memory_mb(),
    }


def _match(vault: Vault, text: str) -> None:
    with vault.store.reading() as snapshot:
        snapshot.match(make_plan(text).terms, EVERYTHING, LIMIT)


def _nearest(vault: Vault, text: str) -> None:
    with vault.store.reading() as snapshot:
        snapshot.nearest(vault.models.embedder.embed_query(text), EVERYTHING, LIMIT)
