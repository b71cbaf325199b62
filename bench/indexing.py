"""The cost of indexing: a whole vault, nothing changed, ten notes changed."""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.child import BenchError, Measured, clean_environment, in_child, memory_mb, notewell_command, say
from bench.vaults import BenchVault
from notewell import Vault

SEED = 10
CHANGED_NOTES = 10
# Short runs vary; their median is reported and all are stored.
REPEATS = 3


def measure_index(vault: BenchVault) -> Measured:
    """Index from nothing, then again unchanged, then with ten notes changed."""
    say(f"{vault.name}: full index")
    shutil.rmtree(vault.root / ".notewell", ignore_errors=True)
    (vault.root / ".notewell").mkdir()
    full = in_child("indexing:index_once", root=str(vault.root))
    store_bytes = sum(file.stat().st_size for file in (vault.root / ".notewell").glob("store.db*"))
    say(f"{vault.name}: nothing changed, {CHANGED_NOTES} notes changed")
    unchanged = [in_child("indexing:index_once", root=str(vault.root)) for _ in range(REPEATS)]
    whole = [_whole_process(vault.root) for _ in range(REPEATS)]
    changed = [_index_changed(vault.root, number) for number in range(REPEATS)]
    return {
        **{name: full[name] for name in ("notes", "chunks", "skipped", "text_bytes", "seconds", "memory_mb")},
        "chunks_per_second": round(full["chunks"] / full["seconds"], 1),
        "store_bytes": store_bytes,
        "store_over_text": round(store_bytes / full["text_bytes"], 3),
        "unchanged_seconds": _middle([run["seconds"] for run in unchanged]),
        "unchanged_process_seconds": _middle(whole),
        "changed_seconds": _middle([run["seconds"] for run in changed]),
        "runs": {"unchanged": unchanged, "unchanged_process": whole, "changed": changed},
    }


def ensure_index(root: Path) -> None:
    """Index the vault, untimed, for measurements that only read the store; the command shows progress."""
    command = [notewell_command(), "index", str(root)]
    done = subprocess.run(command, env=clean_environment(), stdout=sys.stderr, check=False)
    if done.returncode:
        raise BenchError(f"The index of {root} could not be brought up to date", "The lines above say why")


def index_once(root: str) -> Measured:
    """Run `Vault.index` in this process."""
    vault = Vault.open(root)
    began = time.perf_counter()
    report = vault.index()
    seconds = time.perf_counter() - began
    memory, about = memory_mb(), vault.store.about()
    sizes = {path: stamp.size for path, stamp in vault.store.files().notes.items() if path not in about.skipped}
    return {
        "seconds": round(seconds, 3),
        "memory_mb": memory,
        "notes": about.notes,
        "chunks": about.chunks,
        "skipped": len(about.skipped),
        "text_bytes": sum(sizes.values()),
        "indexed": report.added + report.changed,
    }


def _whole_process(root: Path) -> float:
    began = time.perf_counter()
    command = [notewell_command(), "index", str(root), "--json"]
    done = subprocess.run(command, env=clean_environment(), stdout=subprocess.PIPE, check=True)
    seconds = time.perf_counter() - began
    report = json.loads(done.stdout)
    if report["added"] or report["changed"]:
        say(f"note: {report['changed']} notes changed in a run that should find none")
    return round(seconds, 3)


def _index_changed(root: Path, number: int) -> Measured:
    with _edited(root, number):
        measured = in_child("indexing:index_once", root=str(root))
    in_child("indexing:index_once", root=str(root))
    if measured["indexed"] != CHANGED_NOTES:
        say(f"note: {CHANGED_NOTES} notes were changed and {measured['indexed']} indexed")
    return measured


@contextmanager
def _edited(root: Path, number: int) -> Iterator[None]:
    """Add a line to ten notes, and restore them and their times afterwards."""
    notes = sorted(file for file in root.rglob("*.md") if "/." not in file.as_posix())
    chosen = random.Random(SEED + number).sample(notes, CHANGED_NOTES)
    before = [(file, file.read_bytes(), file.stat()) for file in chosen]
    try:
        for file, content, _ in before:
            file.write_bytes(content + f"\n\nA line that bench run {number} added.\n".encode())
        yield
    finally:
        for file, content, stat in before:
            file.write_bytes(content)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _middle(values: list[float]) -> float:
    return round(statistics.median(values), 3)
