"""The time of a warm query, end to end through `Vault.search`, and where it goes."""

from __future__ import annotations

import cProfile
import functools
import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bench.child import Measured, in_child, memory_mb, milliseconds, percentiles, say
from bench.queries import Query, load_queries
from bench.vaults import BenchVault
from notewell import Vault
from notewell.index.encode import find_lacking

PASSES = 3
# What the default install with all extras has.
ENCODER = "minilm"
# How much is encoded: one chunk in so many.
SHARES = {"half encoded": 2, "all encoded": 1}
# Vectors that are stored at once.
GROUP = 2_000
# How many functions of the profile are kept.
SHOWN = 15


def measure_queries(vault: BenchVault) -> Measured:
    """Time the vault's queries in one warmed-up process, and profile them in another.

    First as the default install has it, on a fresh vault; then with more of it encoded, and without the encoder.
    """
    of_vault = {"root": str(vault.root), "queries": str(vault.queries)}
    say(f"{vault.name}: warm queries, nothing encoded")
    timed = in_child("latency:time_queries", **of_vault, encoder=ENCODER)
    say(f"{vault.name}: warm queries, some and all encoded, and without the encoder")
    shares = in_child("latency:time_shares", **of_vault)
    profiled = in_child("latency:profile_queries", **of_vault)
    return {**timed, "shares": shares, **profiled}


def time_shares(root: str, queries: str) -> Measured:
    """Time the queries with some and with all chunks encoded, and without the encoder, on a copy of the store.

    The stored vectors are random: reading them takes as long as true ones, which would take an hour to make.
    """
    asked = load_queries(queries)
    with tempfile.TemporaryDirectory(prefix="notewell-bench-") as folder:
        copy = Path(folder) / "store.db"
        with Vault.open(root) as vault:
            vault.backup(copy)
        with Vault.open(root, {"store.path": str(copy), "embed.encoder": ENCODER}) as vault:
            times = {name: _times_with(vault, asked, every) for name, every in SHARES.items()}
        with Vault.open(root, {"embed.encoder": "off"}) as vault:
            _run(vault, asked)
            return {**times, "without the encoder": percentiles(_run(vault, asked))}


def _times_with(vault: Vault, asked: list[Query], every: int) -> Measured:
    store_random_vectors(vault, every)
    _run(vault, asked)
    return percentiles(_run(vault, asked))


def store_random_vectors(vault: Vault, every: int = 1) -> None:
    """Give each chunk, or one in so many, a random vector of the encoder's."""
    chance, encoder = np.random.default_rng(4), vault.models.encoder
    assert encoder is not None
    ids = find_lacking(vault.store, encoder)[::every]
    for first in range(0, len(ids), GROUP):
        with vault.store.reading() as snapshot:
            chunks = [*snapshot.chunks(ids[first : first + GROUP]).values()]
        vectors = chance.standard_normal((len(chunks), encoder.dimensions), dtype=np.float32)
        with vault.store.writing() as writer:
            writer.keep_vectors(encoder.fingerprint, chunks, vectors)


def time_queries(root: str, queries: str, encoder: str = "off") -> Measured:
    """Run all queries once to warm up, then `PASSES` times with a clock."""
    vault, asked = Vault.open(root, {"embed.encoder": encoder}), load_queries(queries)
    first = milliseconds(vault.search, asked[0][1])
    _run(vault, asked)
    runs = [_run(vault, asked) for _ in range(PASSES)]
    memory = memory_mb()
    by_kind: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for (kind, _), took in zip(asked, run, strict=True):
            by_kind[kind].append(took)
    everything = [took for run in runs for took in run]
    slowest = sorted(zip(runs[-1], asked, strict=True), reverse=True)[:5]
    return {
        "queries": len(asked),
        "passes": PASSES,
        "first_ms": round(first, 1),
        **percentiles(everything),
        "kinds": {kind: {"queries": len(took) // PASSES, **percentiles(took)} for kind, took in by_kind.items()},
        "memory_mb": memory,
        "slowest": [{"ms": round(took, 2), "kind": kind, "text": text} for took, (kind, text) in slowest],
        "milliseconds": [round(took, 3) for took in everything],
    }


def profile_queries(root: str, queries: str) -> Measured:
    """Return the time of each stage, by clocks around them, and of each function, by cProfile."""
    vault, asked = Vault.open(root), load_queries(queries)
    _run(vault, asked)
    with _clocks(_stages(vault)) as spent:
        total = sum(_run(vault, asked))
    profile = cProfile.Profile()
    profile.runcall(_run, vault, asked)
    stages = {name: round(seconds * 1000 / len(asked), 3) for name, seconds in spent.items()}
    whole = round(total / len(asked), 3)
    rest = round(whole - sum(stages.values()), 3)
    return {"mean_ms": whole, "stages_ms": {**stages, "rest": rest}, "profile": _hottest(profile, len(asked))}


def _run(vault: Vault, asked: list[Query]) -> list[float]:
    return [milliseconds(vault.search, text) for _, text in asked]


def _stages(vault: Vault) -> dict[str, tuple[Any, str]]:
    """Return where each stage of READ is called; excerpts may embed the query again, which then counts for both."""
    line = import_module("notewell.search")
    with vault.store.reading() as snapshot:
        kind = type(snapshot)
    return {
        "plan": (line, "plan_query"),
        "embed": (type(vault.models.embedder), "embed_query"),
        "lexical": (kind, "match"),
        "vector": (kind, "nearest"),
        "chunks": (kind, "chunks"),
        "excerpts": (line, "make_excerpts"),
    }


@contextmanager
def _clocks(stages: dict[str, tuple[Any, str]]) -> Iterator[dict[str, float]]:
    """Put a clock around each stage inside the block; a stage that no longer exists is an error."""
    spent = dict.fromkeys(stages, 0.0)
    before = {name: getattr(*place) for name, place in stages.items()}
    for name, (owner, attribute) in stages.items():
        setattr(owner, attribute, _clocked(before[name], name, spent))
    try:
        yield spent
    finally:
        for name, (owner, attribute) in stages.items():
            setattr(owner, attribute, before[name])


def _clocked(function: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    @functools.wraps(function)
    def timed(*arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            spent[name] += time.perf_counter() - began

    return timed


def _hottest(profile: cProfile.Profile, queries: int) -> list[dict[str, Any]]:
    """Return the functions with the most time of their own; the profiler makes small functions look slower."""
    rows: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    hottest = sorted(rows.items(), key=lambda row: -row[1][2])[:SHOWN]
    return [
        {
            "function": f"{'/'.join(Path(file).parts[-2:])}:{line} {name}" if line else name,
            "calls_per_query": round(calls / queries, 1),
            "own_ms_per_query": round(own * 1000 / queries, 3),
        }
        for (file, line, name), (_, calls, own, _, _) in hottest
    ]
