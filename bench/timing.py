"""The wall-clock time of a command, and the processor time of it and the daemon."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.child import BenchError, Measured, percentiles


class Timing(NamedTuple):
    """Milliseconds until a command ended, the processor time of it and the daemon, and its output."""

    wall: float
    processor: float
    printed: str


def timed(command: Sequence[str] | str, environment: Mapping[str, str], pid: int = 0, given: str = "") -> Timing:
    """Time a command, given as words or as a shell line; a failure is an error."""
    before, began = _processor(pid), time.perf_counter()
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        env=dict(environment),
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    wall = (time.perf_counter() - began) * 1000
    if done.returncode:
        *_, why = done.stderr.strip().splitlines() or [""]
        raise BenchError(f"{command} ended with {done.returncode}: {why}", "Run it by hand to see why")
    return Timing(wall, _processor(pid) - before, done.stdout)


def summary(timings: Sequence[Timing]) -> Measured:
    """Return best, p50, p95 and p99, the median processor time, and the number of runs."""
    wall = [one.wall for one in timings]
    processor = sorted(one.processor for one in timings)
    middle = round(processor[len(processor) // 2], 1)
    return {**percentiles(wall), "best_ms": round(min(wall), 1), "processor_ms": middle, "runs": len(wall)}


def _processor(pid: int) -> float:
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat") if pid else ()
    return (own.ru_utime + own.ru_stime) * 1000 + sum(int(one.read_text().split()[0]) for one in threads) / 1e6
