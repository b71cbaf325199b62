"""What it costs to index a vault into a file, and into a database on one and on four servers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing

import psycopg
from tests.postgres import own_server

from bench.child import Measured, in_child, say
from bench.processes import processor_of
from bench.vaults import BenchVault
from notewell import Vault
from notewell.serve.own_server import SETTINGS, SUPERUSER, OwnServer
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.nodes import Nodes

SERVERS = (1, 4)
# As a server of one's own has it, not as those of tests.
MEMORY = {name: SETTINGS[name] for name in ("shared_buffers", "max_wal_size")}
# The one vault's name in each database.
NAME = "bench"


def measure_pg_index(vault: BenchVault) -> Measured:
    """Index the vault anew into each."""
    say(f"pg-index: {vault.name} into a file")
    measured: Measured = {"file": in_child("pg_index:index_on", root=str(vault.root), url="")}
    for number in SERVERS:
        say(f"pg-index: {vault.name} on {number} servers")
        with ExitStack() as stack:
            servers = [stack.enter_context(own_server(**MEMORY, autovacuum="on")) for _ in range(number)]
            with closing(Connections(servers[0].url())) as database:
                for server in servers[1:]:
                    Nodes(database).add(server.url())
            busy, size = _busy(servers), _size(servers)
            found = in_child("pg_index:index_on", root=str(vault.root), url=servers[0].url())
            on_disk = {"server_processor_s": round(_busy(servers) - busy, 1), "database_bytes": _size(servers) - size}
            measured[str(number)] = {**found, **on_disk}
    return measured


def index_on(root: str, url: str) -> Measured:
    """Index a vault anew, and return how long it took, and how large the rows are."""
    with Vault.open(root, {"store.url": url, "store.name": NAME if url else "", "embed.encoder": "off"}) as vault:
        began, busy = time.perf_counter(), time.process_time()
        report = vault.index(full=True)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        return {
            "chunks": report.chunks,
            "seconds": round(seconds, 1),
            "processor_s": round(busy, 1),
            "chunks_per_second": round(report.chunks / seconds),
            "bytes": vault.store.about().bytes,
        }


def _busy(servers: Sequence[OwnServer]) -> float:
    return sum(processor_of(server.status().pid) for server in servers)


def _size(servers: Sequence[OwnServer]) -> int:
    """Return how large the databases are, with their indexes and what can be used again, but without their logs."""
    total = 0
    for server in servers:
        with closing(psycopg.connect(server.url(SUPERUSER))) as db:
            total += db.execute("select pg_database_size(current_database())").fetchall()[0][0]
    return total
