"""What workers gain when a vault is indexed, and how much of the work stays with the process that stores."""

from __future__ import annotations

import resource
import time

from bench.child import Measured, in_child, say
from bench.vaults import BenchVault
from notewell import Vault

# 0: without workers, all in one process.
COUNTS = (0, 1, 2, 4)
# By turns, so that what else the machine does meets all of them; the quickest counts.
REPEATS = 3


def measure_workers(vault: BenchVault) -> Measured:
    """Index the vault anew with each number of workers."""
    runs: dict[int, list[Measured]] = {count: [] for count in COUNTS}
    for turn in range(REPEATS):
        for count in COUNTS:
            say(f"{vault.name}: {count} workers, {turn + 1} of {REPEATS}")
            runs[count].append(in_child("workers:index_with", root=str(vault.root), workers=count))
    return {str(count): {**min(each, key=lambda run: run["seconds"]), "runs": each} for count, each in runs.items()}


def index_with(root: str, workers: int) -> Measured:
    """Index a vault anew, and return how long it took, and how much of it this process worked: the static part."""
    with Vault.open(root, {"embed.encoder": "off"}) as vault:
        began, busy = time.perf_counter(), time.process_time()
        report = vault.index(full=True, workers=str(workers) if workers else "")
        seconds, own = time.perf_counter() - began, time.process_time() - busy
    # Of workers that have ended, as they do with the run.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "notes": report.total,
        "chunks": report.chunks,
        "seconds": round(seconds, 2),
        "own_processor_s": round(own, 2),
        "workers_processor_s": round(used.ru_utime + used.ru_stime, 2),
    }
