"""The memory of long-running processes: the daemon, the server, and MCP over stdio."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from bench.child import Measured, clean_environment, default_environment, in_child, say
from bench.latency import ENCODER, store_random_vectors
from bench.processes import memory_of, own_daemon, search_command, serve_command, serving, wait_for_daemon
from bench.queries import load_queries
from bench.timing import timed
from bench.vaults import BenchVault
from notewell import Vault

# Searches until the daemon stops growing; with the encoder each takes many times as long.
SEARCHES = {"off": 500, "on": 100}
# Seconds during which the clients of the section `load` query the server.
SECONDS = 10


def measure_memory(vault: BenchVault) -> Measured:
    """Measure each process idle, after its first answer, and after many; without the encoder and with it."""
    measured = {}
    with tempfile.TemporaryDirectory(prefix="notewell-bench-") as folder:
        # On-demand encoding writes to the store, so use a copy.
        with Vault.open(vault.root) as opened:
            opened.backup(Path(folder) / "store.db")
        for encoder, searches in SEARCHES.items():
            environment = {**clean_environment(), "NOTEWELL_STORE_PATH": f"{folder}/store.db"}
            if encoder == "on":
                environment = {**default_environment(), "NOTEWELL_STORE_PATH": f"{folder}/store.db"}
                # Without a vector to compare with, no search would load the encoder.
                with Vault.open(vault.root, {"store.path": f"{folder}/store.db", "embed.encoder": ENCODER}) as opened:
                    store_random_vectors(opened)
            say(f"{vault.name}: memory, encoder {encoder}")
            measured[encoder] = {
                "daemon": _daemon(vault, environment, searches),
                "notewell serve": _served(vault, environment),
                "notewell mcp": _over_stdio(vault, environment),
            }
    return measured


def _daemon(vault: BenchVault, environment: dict[str, str], searches: int) -> Measured:
    """Search repeatedly; a daemon that grew too large ends itself, and the next search starts another."""
    texts = [text for _, text in load_queries(vault.queries)]
    ended = 0
    with own_daemon(vault, environment) as (own, pid):
        idle = memory_of(pid)
        for number in range(searches):
            timed(search_command(vault, texts[number % len(texts)]), own)
            if not Path(f"/proc/{pid}").exists():
                ended += 1
                timed(search_command(vault, texts[number % len(texts)]), own)
                pid = wait_for_daemon(own)
        return {"asked": searches, "idle": idle, "busy": memory_of(pid), "ended": ended}


def _served(vault: BenchVault, environment: dict[str, str]) -> Measured:
    with serving(serve_command(vault.root), environment) as (pid, address):
        clients = {"address": address, "queries": str(vault.queries), "kind": "notewell"}
        idle = memory_of(pid)
        asked = in_child("load:ask", **clients, seconds=SECONDS)
        return {"asked": asked["requests"], "idle": idle, "busy": memory_of(pid)}


def _over_stdio(vault: BenchVault, environment: dict[str, str]) -> Measured:
    given = {"root": str(vault.root), "queries": str(vault.queries), "environment": json.dumps(environment)}
    measured = in_child("mcp:time_calls", **given)
    return {"asked": measured["calls"], **measured["memory_mb"]}
