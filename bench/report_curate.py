"""The tables on what a vault is fitted to: proposed tags, what enters it, tuned weights, a reranker, and entities."""

from __future__ import annotations

from collections.abc import Iterator

from bench.child import Measured
from bench.tables import grid


def write_tags(tags: Measured, results: Measured) -> Iterator[str]:
    """Yield the table of proposed tags."""
    head = ["notes", "tags", "precision", "recall", "first right"]
    yield from grid(
        ["HIDDEN TAGS, proposed", *head], [[name, *(str(one[key]) for key in head)] for name, one in tags.items()]
    )


def write_intake(intake: Measured, results: Measured) -> Iterator[str]:
    """Yield the table of signals that belong to a vault, among pages of other vaults."""
    head = ["signals", "others", "note: precision", "recall", "note or queue: precision", "recall", "AUROC"]
    rows = []
    for name, one in intake.items():
        pairs = [str(one[kind][key]) for kind in ("note", "note or queue") for key in ("precision", "recall")]
        rows.append([name, str(one["signals"]), str(one["others"]), *pairs, str(one["auroc"])])
    yield from grid(["INTAKE", *head], rows)


def write_tuning(tuning: Measured, results: Measured) -> Iterator[str]:
    """Yield the table of tuned weights: the gain on held-out queries of each vault, and on judged queries."""
    rows = []
    for name, one in tuning.items():
        gain, judged = one.get("gains", {}).get("all"), one.get("judged")
        rows.append([name, *_gained(gain), *_gained(judged)[-1:], one["refused"] or "yes"])
    yield from grid(["TUNED, gain", "MRR@10 before", "gain (95 %)", "judged nDCG@10 gain (95 %)", "written"], rows)


def write_rerank(rerank: Measured, results: Measured) -> Iterator[str]:
    """Yield the table of what a search costs with a reranker, and without it."""
    head = [f"RERANK, ms ({rerank['queries']} queries)", "processor p50", "p95", "wall p50", "p95"]
    rows = []
    for name, suffix in (("plain", ""), ("20 hits reranked", "_reranked")):
        columns = (rerank[f"{kind}_ms{suffix}"][share] for kind in ("processor", "wall") for share in ("p50", "p95"))
        rows.append([name, *(f"{value:.0f}" for value in columns)])
    yield from grid(head, rows)


def write_entities(entities: Measured, results: Measured) -> Iterator[str]:
    """Yield the tables of entities: what extraction costs, how right it is, and what a search pays for them."""
    head = ["ENTITIES", "notes", "read", "names", "s", "processor s", "again s", "precision, recall", "of text alone"]
    rows = []
    for name, one in entities.items():
        for way, model in (("plain", ""), ("model", ", with the model")):
            parts = ("read", "entities", "seconds", "processor_seconds", "again_seconds")
            cost = (str(one[way].get(key, "–")) for key in parts)
            judged = one[way].get("judged", {})
            right = [f"{part['precision']}, {part['recall']}" for key in ("all", "text") if (part := judged.get(key))]
            rows.append([f"{name}{model}", str(one["notes"]), *cost, *(right or ["–", "–"])])
    yield from grid(head, rows)
    head = ["ENTITIES BESIDE HITS", "queries", "with entities", "the same hits", "processor ms without", "with"]
    asked = [
        (f"{name}, {kind}", part) for name, one in entities.items() for kind, part in one.get("search", {}).items()
    ]
    counts = ("queries", "with_context", "same_hits")
    yield from grid(
        head, [[name, *(str(part[key]) for key in counts), *map(str, part["processor_ms"])] for name, part in asked]
    )


def _gained(one: Measured | None) -> list[str]:
    if one is None:
        return ["–", "–"]
    low, high = one["interval"]
    return [f"{one['before']:.3f}", f"{one['after'] - one['before']:+.4f} ({low:+.4f} … {high:+.4f})"]
