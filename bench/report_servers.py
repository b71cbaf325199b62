"""The tables of stores in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

from bench.child import Measured
from bench.servers import SERVERS
from bench.tables import grid, three


def write_servers(measured: Measured, _: Measured) -> Iterator[str]:
    """Yield how many queries have the answers of a file on one, two and four servers."""
    head = ["SAME ANSWERS AS A FILE", "queries", *(f"{number} identical" for number in SERVERS), "nDCG@10 file, server"]
    rows = [
        [name, str(one["queries"]), *(str(one[str(number)]["identical"]) for number in SERVERS), _ndcg(one)]
        for name, one in measured.items()
    ]
    yield from grid(head, rows)


def _ndcg(one: Measured) -> str:
    return f"{one['file_ndcg']:.4f}, {one['server_ndcg']:.4f}" if "file_ndcg" in one else "–"


def write_pg_index(measured: Measured, _: Measured) -> Iterator[str]:
    """Yield what it costs to index into a file and into databases."""
    rows = [
        [
            "a file" if name == "file" else f"{name} server{'s' * (name != '1')}",
            f"{one['seconds']}",
            f"{one['processor_s']}",
            f"{one.get('server_processor_s', '–')}",
            f"{one['bytes'] / 1e6:.0f} MB",
            f"{one['database_bytes'] / 1e6:.0f} MB" if "database_bytes" in one else "–",
        ]
        for name, one in measured.items()
    ]
    head = [f"INDEX, {measured['file']['chunks']:,} chunks", "s", "processor, s", "servers', s", "rows", "on disk"]
    yield from grid(head, rows)


def write_pg_scale(measured: Measured, _: Measured) -> Iterator[str]:
    """Yield how a store on servers grows."""
    rows = [
        [
            size,
            f"{one['bytes'] / 1e9:.1f} GB",
            f"{one['first_ms']:,}",
            *(three(one[kind]) for kind in ("words", "vectors", "fused")),
            f"{one['memory_mb']['peak']:.0f} MB",
        ]
        for size, one in measured.items()
    ]
    head = ["CHUNKS ON SERVERS, ms: p50 / p95 / p99", "size", "first", "words", "vectors", "fused", "memory"]
    yield from grid(head, rows)


def write_pg_load(measured: Measured, _: Measured) -> Iterator[str]:
    """Yield what many clients at once get."""
    rows = [
        [f"{name}, {clients} clients", f"{one['per_second']}", three(one), str(one["errors"])]
        for name, phases in measured.items()
        for clients, one in phases.items()
    ]
    yield from grid(["LOAD", "answers a second", "ms: p50 / p95 / p99", "errors"], rows)


def write_workers(measured: Measured, _: Measured) -> Iterator[str]:
    """Yield what workers gain for each vault."""
    for name, counts in measured.items():
        alone = counts["1"]["seconds"]
        rows = [
            [
                count if count != "0" else "none",
                f"{one['seconds']:.1f}",
                f"{alone / one['seconds']:.2f}",
                f"{one['own_processor_s']:.1f}",
                f"{one['workers_processor_s']:.1f}",
            ]
            for count, one in counts.items()
        ]
        yield from grid([f"WORKERS, {name}", "s", "gain over one", "own processor, s", "of the workers, s"], rows)
