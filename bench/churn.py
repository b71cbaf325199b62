"""A simulated year of a vault (ten thousand edits, renames and deletes), and how soon a saved note is found."""

from __future__ import annotations

import random
import shutil
import statistics
import time
from pathlib import Path
from threading import Event, Thread

from bench.child import Measured, in_child, milliseconds, say
from bench.queries import load_queries
from bench.vaults import BenchVault
from notewell import Vault

SEED = 365
CHANGES = 10_000
BATCHES = 100
QUERIES = 300
SAVES = 40
# A note not found within this many seconds counts as this late.
TOO_LATE = 10.0


def measure_churn(vault: BenchVault) -> Measured:
    """Change a copy of the vault for a year, and compare its store with one made from scratch."""
    say(f"{vault.name}: a year of {CHANGES:,} changes")
    root = vault.root.with_name(f"{vault.root.name}-churned")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(vault.root, root, ignore=shutil.ignore_patterns(".notewell"))
    (root / ".notewell").mkdir()
    arguments = {"root": str(root), "queries": str(vault.queries)}
    aged = in_child("churn:age", **arguments)
    old = in_child("churn:weigh", **arguments)
    shutil.rmtree(root / ".notewell")
    (root / ".notewell").mkdir()
    new = in_child("churn:weigh", **arguments)
    watched = in_child("churn:time_saves", root=str(root))
    shutil.rmtree(root)
    return {
        **aged,
        **watched,
        "aged": old,
        "fresh": new,
        "bytes_ratio": round(old["bytes"] / new["bytes"], 3),
        "p50_ratio": round(old["p50"] / new["p50"], 3),
    }


def age(root: str, queries: str) -> Measured:
    """Index the vault, then change it in batches and index after each."""
    draw = random.Random(SEED)
    vault = Vault.open(root)
    vault.index()
    seconds = []
    for batch in range(BATCHES):
        files = sorted(vault.store.files().notes)
        for number, path in enumerate(draw.sample(files, min(len(files), CHANGES // BATCHES))):
            _change(Path(root), path, draw, f"{batch} {number}")
        seconds.append(vault.index().seconds)
    return {"batch_seconds": round(statistics.median(seconds), 3), "problems": vault.store.check()}


def _change(root: Path, path: str, draw: random.Random, mark: str) -> None:
    """Edit, rename or delete a note, or write a new one, in the proportions of real use."""
    file = root / path
    kind = draw.choices(("edit", "rename", "delete", "new"), (70, 10, 10, 10))[0]
    if kind == "edit":
        words = file.read_text(encoding="utf-8").split(" ")
        draw.shuffle(words)
        file.write_text(" ".join((*words, f"changed {mark}")), encoding="utf-8")
    elif kind == "rename":
        file.rename(file.with_name(f"{file.stem[:80]} {mark}{file.suffix}"))
    elif kind == "delete":
        file.unlink()
    else:
        text = file.read_text(encoding="utf-8")
        (root / f"new {mark}.md").write_text(f"{text}\n\nwritten anew {mark}\n", encoding="utf-8")


def weigh(root: str, queries: str) -> Measured:
    """Return the size of the store, brought up to date, and how long its queries take."""
    vault = Vault.open(root)
    vault.index()
    texts = [text for _, text in load_queries(queries)][:QUERIES]
    times = [milliseconds(vault.search, text) for text in texts * 3]
    vault.close()
    return {"bytes": vault.store_file.stat().st_size, "p50": round(statistics.median(times), 3)}


def time_saves(root: str) -> Measured:
    """Save notes into a watched vault, and time how long a search in another connection takes to find each."""
    watched, reader, stop = Vault.open(root), Vault.open(root), Event()
    ready = Event()
    thread = Thread(target=lambda: watched.watch(lambda _: ready.set(), stop))
    (Path(root) / "first.md").write_text("The first note of the watch.\n", encoding="utf-8")
    thread.start()
    ready.wait(60)
    times = []
    for number in range(SAVES):
        word = f"saved{number}quokka"
        (Path(root) / f"save {number}.md").write_text(f"A note that says {word} once.\n", encoding="utf-8")
        times.append(_until_found(reader, word))
        time.sleep(0.2)
    stop.set()
    thread.join()
    return {
        "watch_p50": round(statistics.median(times), 3),
        "watch_p95": round(statistics.quantiles(times, n=20)[-1], 3),
    }


def _until_found(vault: Vault, word: str) -> float:
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < TOO_LATE:
        if any(hit.retrievers["lexical"] for hit in vault.search(word, limit=1)):
            return passed
        time.sleep(0.01)
    return TOO_LATE
