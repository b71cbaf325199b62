"""Many HTTP clients at once: of a store in a file, in PostgreSQL, and in PostgreSQL with read replicas."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bench.child import Measured, clean_environment, in_child, say
from bench.processes import serve_command, serving
from bench.vaults import BenchVault

CLIENTS = (8, 32, 128)
SECONDS = 60
# Unmeasured first requests, so that everything that the server opens lazily is open.
WARM_UP = 3


def measure_stores(vault: BenchVault, stores: Mapping[str, Mapping[str, str]]) -> Measured:
    """Serve the vault from each of the stores, which are given by their settings as variables."""
    return {name: _of_one(vault, name, {**clean_environment(), **given}) for name, given in stores.items()}


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
