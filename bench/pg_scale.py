"""Stores in PostgreSQL of a million chunks and more: how large they are, and how fast they are searched."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack, closing
from pathlib import Path

from tests.postgres import own_server

from bench.child import Measured, in_child, memory_mb, milliseconds, percentiles, say
from bench.pg_fill import fill, read_source
from bench.pg_index import MEMORY, NAME
from bench.queries import load_queries
from bench.vaults import BenchVault
from notewell import Vault
from notewell.search.plan import make_plan
from notewell.serve.own_server import SUPERUSER, OwnServer
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.nodes import Nodes
from notewell.store.postgres.spread import HOME
from notewell.types.query import EVERYTHING

LIMIT = 100
# As many as every size answers within a minute, drawn evenly from all kinds.
QUERIES = 120
# Chunks, and servers. Ten million take a quarter of an hour and 25 GB.
SIZES = ((1_000_000, 1), (1_000_000, 4), (10_000_000, 1))


def measure_pg_scale(vault: BenchVault, work: Path) -> Measured:
    """Index the vault, and search stores of each size drawn from its chunks."""
    with own_server(**MEMORY) as source:
        say(f"pg-scale: indexing {vault.name}")
        in_child("pg_index:index_on", root=str(vault.root), url=source.url())
        return {f"{chunks:,} on {servers}": _of_size(source, vault, work, chunks, servers) for chunks, servers in SIZES}


def _of_size(source: OwnServer, vault: BenchVault, work: Path, chunks: int, number: int) -> Measured:
    with ExitStack() as stack:
        servers = [stack.enter_context(own_server(**MEMORY)) for _ in range(number)]
        database = stack.enter_context(closing(Connections(servers[0].url())))
        added = [Nodes(database).add(server.url()) for server in servers[1:]]
        names = [HOME, *(f"notewell_{node}" for node in added)]
        before = sum(server.status().data_bytes for server in servers)
        with closing(Connections(source.url())) as connections:
            drawn = read_source(connections, NAME)
        began = time.perf_counter()
        fill(database, NAME, drawn, chunks, {n: s.url(SUPERUSER) for n, s in zip(names, servers, strict=True)})
        took = time.perf_counter() - began
        root = work / f"pg-{chunks}-{number}"
        asked = {"root": str(root), "url": servers[0].url(), "name": NAME, "queries": str(vault.queries)}
        searched = in_child("pg_scale:time_searches", **asked)
        shutil.rmtree(root)
        size = sum(server.status().data_bytes for server in servers) - before
        return {**searched, "filled_s": round(took, 1), "bytes": size}


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
