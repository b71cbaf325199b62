"""The time of a warm query, end to end through `Vault.search`, and where it goes."""

from __future__ import annotations

import cProfile
import functools
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.child import Measured, in_child, memory_mb, milliseconds, percentiles, say
from bench.queries import Query, load_queries
from bench.vaults import BenchVault
from notewell import Vault

PASSES = 3
# How many functions of the profile are kept.
SHOWN = 15


def measure_queries(vault: BenchVault) -> Measured:
    """Time the vault's queries in one warmed-up process, and profile them in another."""
    say(f"{vault.name}: warm queries")
    timed = in_child("latency:time_queries", root=str(vault.root), queries=str(vault.queries))
    profiled = in_child("latency:profile_queries", root=str(vault.root), queries=str(vault.queries))
    return {**timed, **profiled}


def time_queries(root: str, queries: str) -> Measured:
    """Run all queries once to warm up, then `PASSES` times with a clock."""
    vault, asked = Vault.open(root), load_queries(queries)
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
