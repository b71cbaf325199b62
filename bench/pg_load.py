"""Many HTTP clients at once: of a store in a file, in PostgreSQL, and in PostgreSQL with read replicas."""

from __future__ import annotations

import json
from collections.abc import Mapping

import psycopg
from tests.postgres import own_server, standby_of

from bench.child import Measured, clean_environment, in_child, say
from bench.indexing import ensure_index
from bench.pg_index import MEMORY, NAME
from bench.processes import serve_command, serving
from bench.vaults import BenchVault

CLIENTS = (8, 32, 128)
SECONDS = 60
# Unmeasured first requests, so that everything that the server opens lazily is open.
WARM_UP = 3


def measure_pg_load(vault: BenchVault) -> Measured:
    """Serve the vault from a file, from a database, and from the same with a replica."""
    ensure_index(vault.root)
    with own_server(**MEMORY, autovacuum="on") as primary:
        say(f"pg-load: indexing {vault.name}")
        in_child("pg_index:index_on", root=str(vault.root), url=primary.url())
        # A server does it itself within minutes. Without statistics, 32 clients got half as many answers a second.
        with psycopg.connect(primary.url(), autocommit=True) as db:
            db.execute("vacuum analyze")
        server = {"NOTEWELL_STORE_URL": primary.url(), "NOTEWELL_STORE_NAME": NAME}
        with standby_of(primary) as replica:
            replicated = {**server, "NOTEWELL_STORE_REPLICAS": replica.url()}
            given = {"file": {}, "server": server, "with a replica": replicated}
            return {name: _of_one(vault, name, {**clean_environment(), **settings}) for name, settings in given.items()}


def _of_one(vault: BenchVault, name: str, environment: Mapping[str, str]) -> Measured:
    measured: Measured = {}
    with serving(serve_command(vault.root), environment) as (_, address):
        asked = {"address": address, "queries": str(vault.queries), "kind": "notewell"}
        in_child("load:ask", **asked, seconds=WARM_UP)
        for clients in CLIENTS:
            say(f"{vault.name}: {name}, {clients} clients, {SECONDS} s")
            measured[str(clients)] = in_child("load:ask", **asked, seconds=SECONDS, clients=clients)
            say(json.dumps(measured[str(clients)]))
    return measured
