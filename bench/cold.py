"""What one command costs as a fresh process, in the default install."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time

from bench.child import Measured, default_environment, notewell_command, say
from bench.queries import load_queries
from bench.vaults import BenchVault

RUNS = 15
SHOWN = 10
IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| +(\S+)")


def measure_cold(vault: BenchVault) -> Measured:
    """Run the command `RUNS` times, with and without checking for changes, and Python alone as the lower bound."""
    say(f"{vault.name}: cold command line")
    text = next(text for kind, text in load_queries(vault.queries) if kind == "question")
    search = [notewell_command(), "search", text, "--vault", str(vault.root)]
    commands = {
        "search": search,
        "search --no-refresh": [*search, "--no-refresh"],
        "index, nothing changed": [notewell_command(), "index", str(vault.root)],
        "python alone": [sys.executable, "-c", "pass"],
    }
    for command in commands.values():
        _timed(command)
    # In turn, so that a slow moment of the machine affects all of them.
    rounds = [{name: _timed(command) for name, command in commands.items()} for _ in range(RUNS)]
    return {
        "query": text,
        "runs": RUNS,
        "commands": {name: _summary([one[name] for one in rounds]) for name in commands},
        "imports": _slowest_imports([*search, "--no-refresh"]),
    }


def _timed(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=default_environment(), stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def _summary(milliseconds: list[float]) -> dict[str, float]:
    return {"best_ms": round(min(milliseconds), 1), "median_ms": round(statistics.median(milliseconds), 1)}


def _slowest_imports(command: list[str]) -> list[dict[str, str | float]]:
    """Return the modules with the most import time of their own."""
    timed = [sys.executable, "-X", "importtime", *command]
    run = subprocess.run(timed, env=default_environment(), capture_output=True, text=True, check=True)
    rows = [(int(own), int(cumulative), name) for own, cumulative, name in IMPORT.findall(run.stderr)]
    slowest = sorted(rows, reverse=True)[:SHOWN]
    return [{"module": name, "own_ms": own / 1000, "cumulative_ms": total / 1000} for own, total, name in slowest]
