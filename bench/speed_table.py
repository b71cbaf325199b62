"""`python -m bench.speed_table RESULTS.json …`: the table of docs/concepts/speed.md, out of what the bench stored.

Each file may hold a part of the sections; of two with the same row, the later one counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.child import Measured
from bench.targets import VAULT, value_at


class Row(NamedTuple):
    """A row: its name, the places of its values in the results, aim, and what the value was on 15 to 18 November."""

    name: str
    places: Sequence[tuple[str, ...]]
    aim: str = ""
    before: str = ""


def _both(*place: str) -> list[tuple[str, ...]]:
    return [(*place, "p50"), (*place, "p95")]


MEMORY = ("busy", "rss")
ROWS = (
    Row("query, nothing encoded, p50 / p95 ms", _both("query", VAULT), "5 / 15", "575 / –"),
    Row("query, half encoded", _both("query", VAULT, "shares", "half encoded"), "5 / 15"),
    Row("query, all encoded", _both("query", VAULT, "shares", "all encoded"), "5 / 15", "7.9 / 10.2"),
    Row("query, without the encoder", _both("query", VAULT, "shares", "without the encoder"), "", "6.7 / 12.5"),
    Row("query beside the reader, over alone", [("encoder", VAULT, "while_filling", "p50_ratio")], "1.5"),
    Row("command with the daemon, p50 / p95 ms", _both("warm", VAULT, "commands", "search, daemon"), "35", "37 / 53"),
    Row("command alone, median ms", [("cold", VAULT, "commands", "search", "median_ms")], "150", "487"),
    Row("… without a look for changes", [("cold", VAULT, "commands", "search --no-refresh", "median_ms")]),
    Row("slowest hook, p50 / p95 ms", _both("warm", VAULT, "hooks", "slowest"), "– / 60", "44 / 62"),
    Row("full index, s", [("index", VAULT, "seconds")], "45", "61–77"),
    Row(
        "index, nothing changed, ms", [("cold", VAULT, "commands", "index, nothing changed", "median_ms")], "300", "556"
    ),
    Row("daemon, MB", [("memory", VAULT, "off", "daemon", *MEMORY)], "150", "146"),
    Row("daemon with the encoder, MB", [("memory", VAULT, "on", "daemon", *MEMORY)], "250", "300"),
    Row("`notewell serve`, MB", [("memory", VAULT, "off", "notewell serve", *MEMORY)], "150", "234"),
    Row("`notewell serve` with the encoder, MB", [("memory", VAULT, "on", "notewell serve", *MEMORY)], "250", "415"),
    Row("1,000,000 chunks, p50 / p95 ms", _both("scale", "1,000,000"), "– / 30", "15.5 / 52.3"),
    Row("Notewell beside the peers, without the encoder", _both("peers", VAULT, "notewell"), "", ""),
    Row("tantivy: 30 ids, no text", _both("peers", VAULT, "tantivy"), "", ".27 / –"),
    Row("bm25s", _both("peers", VAULT, "bm25s"), "", "13.8 / –"),
    Row("FTS5", _both("peers", VAULT, "FTS5"), "", "10.6 / 91"),
)


def speed_table(results: Measured) -> Iterator[str]:
    """Yield the lines of the table; a row that was not measured has dashes."""
    yield "| 16,894 notes, default install | now | aim | before |"
    yield "|---|---|---|---|"
    for row in ROWS:
        values = (value_at(results, place) for place in row.places)
        now = " / ".join("–" if value is None else f"{value:.3g}" for value in values)
        yield f"| {row.name} | {now} | {row.aim} | {row.before} |"


def main(files: Sequence[str]) -> None:
    """Print the table of these files."""
    results: Measured = {}
    for file in files:
        results |= {section: one for section, one in json.loads(Path(file).read_bytes()).items() if one}
    print("\n".join(speed_table(results)))


if __name__ == "__main__":
    main(sys.argv[1:])
