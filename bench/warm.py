"""What one `notewell search` costs with the warm process behind it, beside the same without it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.child import BenchError, Measured, clean_environment, notewell_command, percentiles, say
from bench.queries import load_queries
from bench.vaults import BenchVault

RUNS = 40
# Searches after which the process is as large as it gets.
SEARCHES = 500
UNTIL_STARTED = 60.0
# A process that has just begun to listen watches the folder in the first quiet moment.
SETTLED = 2.0


def measure_warm(vault: BenchVault) -> Measured:
    """Run search and read `RUNS` times in turn, with the process and without; then many searches, for its memory."""
    say(f"{vault.name}: the command with the warm process")
    queries = [text for _, text in load_queries(vault.queries)]
    note = next(file for file in sorted(vault.root.rglob("*.md")) if ".notewell" not in file.parts)
    commands = {
        "search": [notewell_command(), "search", queries[0], "--vault", str(vault.root)],
        "read": [notewell_command(), "read", str(note.relative_to(vault.root)), "--vault", str(vault.root)],
        "python alone": [sys.executable, "-c", "pass"],
    }
    with _process(commands["search"]) as (environment, pid):
        cold = {**environment, "NOTEWELL_DAEMON": "no"}
        rounds = []
        for number in range(RUNS):
            # Another query each time: nothing is answered from what the last one left.
            commands["search"][2] = queries[number % len(queries)]
            one = {"python alone": _timed(commands["python alone"], cold, pid)}
            for name in ("search", "read"):
                one[f"{name}, warm process"] = _timed(commands[name], environment, pid)
                one[f"{name}, cold"] = _timed(commands[name], cold, pid)
            rounds.append(one)
        for number in range(SEARCHES):
            commands["search"][2] = queries[number % len(queries)]
            _timed(commands["search"], environment, pid)
        return {
            "runs": RUNS,
            "commands": {name: _summary([one[name] for one in rounds]) for name in rounds[0]},
            "memory_mb": _memory(pid),
            "searches": SEARCHES,
        }


@contextmanager
def _process(search: list[str]) -> Iterator[tuple[dict[str, str], int]]:
    """Have a first search start the process, for this run alone, and end it."""
    with tempfile.TemporaryDirectory(prefix="nw") as runtime:
        environment = {**clean_environment(), "XDG_RUNTIME_DIR": runtime}
        del environment["NOTEWELL_DAEMON"]
        subprocess.run(search, env=environment, stdout=subprocess.DEVNULL, check=True)
        deadline = time.monotonic() + UNTIL_STARTED
        while not (told := _status(environment))["running"]:
            if time.monotonic() > deadline:
                raise BenchError("The warm process did not start", "Run `notewell daemon run`, and see why")
            time.sleep(0.1)
        time.sleep(SETTLED)
        try:
            yield environment, told["pid"]
        finally:
            subprocess.run([notewell_command(), "daemon", "stop"], env=environment, stderr=subprocess.DEVNULL)


def _status(environment: Mapping[str, str]) -> Measured:
    command = [notewell_command(), "daemon", "status", "--json"]
    told: Measured = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    return told


def _timed(command: list[str], environment: Mapping[str, str], pid: int) -> tuple[float, float]:
    """Return the milliseconds until the command ended, and those of processor time that it and the process took."""
    before, began = _processor(pid), time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1000, _processor(pid) - before


def _processor(pid: int) -> float:
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = Path(f"/proc/{pid}/schedstat").read_text().split()[0]
    return (own.ru_utime + own.ru_stime) * 1000 + int(spent) / 1e6


def _summary(timings: list[tuple[float, float]]) -> Measured:
    wall = percentiles([milliseconds for milliseconds, _ in timings])
    processor = sorted(milliseconds for _, milliseconds in timings)
    best = round(min(milliseconds for milliseconds, _ in timings), 1)
    return {**wall, "best_ms": best, "processor_ms": round(processor[len(processor) // 2], 1)}


def _memory(pid: int) -> Measured:
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    names = {"now": "VmRSS", "peak": "VmHWM"}
    return {name: round(int(lines[key].split()[0]) * 1024 / (1 << 20), 1) for name, key in names.items()}
