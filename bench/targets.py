"""The targets of the design, and whether each is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.child import Measured

# The targets refer to the vault with 103 MB of text.
VAULT = "docs-16894"
SHORT_NOTES = "zettelkasten-13419"
# How far hybrid may fall below words alone on any collection, and words alone below the reference on an English one.
HYBRID_SLACK = 0.005
LEXICAL_SLACK = 0.01
LIMITS_SLACK = 0.002


@dataclass(frozen=True, slots=True)
class Target:
    """A limit, and the place of the measured value in the results; without a place, nothing measures it yet."""

    what: str
    limit: float
    unit: str
    place: tuple[str, ...]
    at_least: bool = False
    reason: str = "not in this run"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A target and its measured value, if any."""

    target: Target
    value: float | None

    @property
    def reached(self) -> bool:
        """Return whether the value is within the limit."""
        if self.value is None:
            return False
        return self.value >= self.target.limit if self.target.at_least else self.value <= self.target.limit

    @property
    def words(self) -> str:
        """Return the target, its value and whether it was reached, as a line.

        >>> Verdict(Target("p50", 5, "ms", ()), 7.2).words
        'not reached: 7.2 ms against 5 ms'
        """
        if self.value is None:
            return f"not measured: {self.target.reason}"
        unit = f" {self.target.unit}" if self.target.unit else ""
        values = f"{self.value:g}{unit} against {self.target.limit:g}{unit}"
        return f"{'reached' if self.reached else 'not reached'}: {values}"


TARGETS = (
    Target("keystroke to painted results, p95", 50, "ms", ("typing", VAULT, "p95")),
    Target("full index", 45, "s", ("index", VAULT, "seconds")),
    Target("nothing changed, whole process", 0.3, "s", ("index", VAULT, "unchanged_process_seconds")),
    Target("warm query p50, nothing encoded", 5, "ms", ("query", VAULT, "p50")),
    Target("warm query p95, nothing encoded", 15, "ms", ("query", VAULT, "p95")),
    Target("warm query p50, half encoded", 5, "ms", ("query", VAULT, "shares", "half encoded", "p50")),
    Target("warm query p95, half encoded", 15, "ms", ("query", VAULT, "shares", "half encoded", "p95")),
    Target("warm query p50, all encoded", 5, "ms", ("query", VAULT, "shares", "all encoded", "p50")),
    Target("warm query p95, all encoded", 15, "ms", ("query", VAULT, "shares", "all encoded", "p95")),
    Target("cold command, median", 150, "ms", ("cold", VAULT, "commands", "search", "median_ms")),
    Target("command with the daemon, p50", 35, "ms", ("warm", VAULT, "commands", "search, daemon", "p50")),
    Target("command with the daemon, p95", 60, "ms", ("warm", VAULT, "commands", "search, daemon", "p95")),
    Target("hook with the daemon, slowest p50", 60, "ms", ("warm", VAULT, "hooks", "slowest", "p50")),
    Target("hook with the daemon, slowest p95", 60, "ms", ("warm", VAULT, "hooks", "slowest", "p95")),
    Target("hook without the daemon, p95", 300, "ms", ("warm", VAULT, "cold_hook", "p95")),
    Target("graph, first frame after data", 1_000, "ms", ("graph", SHORT_NOTES, "first_frame_ms")),
    Target("graph, frames while moving, p95", 34, "ms", ("graph", SHORT_NOTES, "frames_ms", "whole", "p95")),
    Target("graph, frames drawn at rest", 0, "", ("graph", SHORT_NOTES, "frames_at_rest")),
    Target("first citation of ask, p95", 100, "ms", ("ask", VAULT, "first_citation", "p95")),
    Target("ask without a model, p95", 150, "ms", ("ask", VAULT, "end", "p95")),
    Target("memory of the daemon", 150, "MB", ("memory", VAULT, "off", "daemon", "busy", "rss")),
    Target("memory of the daemon, encoder", 250, "MB", ("memory", VAULT, "on", "daemon", "busy", "rss")),
    Target("daemon ended itself", 0, "", ("memory", VAULT, "off", "daemon", "ended")),
    Target("daemon ended itself, encoder", 0, "", ("memory", VAULT, "on", "daemon", "ended")),
    Target("longest page over MCP, tokens", 2_000, "", ("mcp", VAULT, "largest", "tokens")),
    Target("errors, 8 clients, nothing beside", 0, "", ("load", VAULT, "notewell", "alone", "errors")),
    Target("errors, 8 clients while indexing", 0, "", ("load", VAULT, "notewell", "indexing", "errors")),
    Target("errors, 8 clients during a reload", 0, "", ("load", VAULT, "notewell", "reload", "errors")),
    Target("store over text", 1.3, "", ("index", VAULT, "store_over_text")),
    Target("peak memory, indexing", 300, "MB", ("index", VAULT, "memory_mb", "peak")),
    Target("peak memory, serving", 150, "MB", ("query", VAULT, "memory_mb", "peak")),
    Target("store after a year, over fresh", 1.1, "", ("churn", SHORT_NOTES, "bytes_ratio")),
    Target("query p50 after a year, over fresh", 1.1, "", ("churn", SHORT_NOTES, "p50_ratio")),
    Target("ten notes changed", 1, "s", ("index", VAULT, "changed_seconds")),
    Target("saved note found, p95", 1, "s", ("churn", VAULT, "watch_p95")),
    Target("static chunks/s", 8_000, "", ("encoder", VAULT, "static_chunks_per_second"), at_least=True),
    Target("query while encoding, over alone", 1.5, "", ("encoder", VAULT, "while_filling", "p50_ratio")),
    Target("SciFact nDCG@10, static", 0.715, "", ("quality", "scifact", "static", "ndcg@10"), at_least=True),
    Target("NFCorpus nDCG@10, static", 0.34, "", ("quality", "nfcorpus", "static", "ndcg@10"), at_least=True),
    Target("SE-beer nDCG@10, static", 0.57, "", ("quality", "se-beer", "static", "ndcg@10"), at_least=True),
    Target("SciFact nDCG@10, filled", 0.74, "", ("quality", "scifact", "default", "ndcg@10"), at_least=True),
    Target("NFCorpus nDCG@10, filled", 0.36, "", ("quality", "nfcorpus", "default", "ndcg@10"), at_least=True),
    Target("SE-beer nDCG@10, filled", 0.64, "", ("quality", "se-beer", "default", "ndcg@10"), at_least=True),
    Target("SciFact nDCG@10", 0.72, "", ("quality", "scifact", "default", "ndcg@10"), at_least=True),
    Target("NFCorpus nDCG@10", 0.355, "", ("quality", "nfcorpus", "default", "ndcg@10"), at_least=True),
    Target("1,000,000 chunks, p95", 30, "ms", ("scale", "1,000,000", "p95"), reason="--only scale measures it"),
    Target("1,000,000 chunks, memory", 600, "MB", ("scale", "1,000,000", "memory_mb", "peak"), reason="likewise"),
)


def judge(results: Measured) -> list[Verdict]:
    """Return every target with its value, including those over all collections."""
    verdicts = [Verdict(target, value_at(results, target.place)) for target in TARGETS]
    return [*verdicts, *_on_all_collections(results.get("quality") or {})]


def value_at(results: Measured, place: tuple[str, ...]) -> float | None:
    """Return the value at a place of the results, if there is one."""
    value: Any = results if place else None
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return None if value is None else float(value)


def _on_all_collections(quality: Measured) -> list[Verdict]:
    """Return the worst difference over all collections, default minus lexical and lexical minus the reference."""
    gains = [_ndcg(one, "default") - _ndcg(one, "lexical") for one in quality.values()]
    # The reference applies to the English collections only.
    english = [one for name, one in quality.items() if one["reference_bm25"] and not name.endswith("-de")]
    leads = [_ndcg(one, "lexical") - one["reference_bm25"] for one in english]
    lost = [one["exhaustive"]["difference"] for one in quality.values() if "exhaustive" in one]
    pairs = (
        ("hybrid − words alone, worst set", -HYBRID_SLACK, gains),
        ("words − BM25, worst English set", -LEXICAL_SLACK, leads),
        ("ours − exhaustive search, worst set", -LIMITS_SLACK, lost),
    )
    return [
        Verdict(Target(what, limit, "", (), at_least=True), round(min(values), 4) if values else None)
        for what, limit, values in pairs
    ]


def _ndcg(collection: Measured, variant: str) -> float:
    value: float = collection[variant]["ndcg@10"]
    return value
