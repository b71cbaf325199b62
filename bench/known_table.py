"""`python -m bench.known_table RESULTS.json …`: the tables of known items in ranking.md, out of what the bench stored.

Each file may hold a part of the vaults; of two with the same vault, the later one counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.child import Measured
from bench.known import SAMPLE
from bench.known_queries import KINDS

ENGINES = ("notewell, words", "notewell, static", "notewell, encoder", "bm25s", "FTS5", "tantivy")
OURS = ENGINES[:3]
# What the vaults hold; others are called by their names.
CALLED = {
    SAMPLE: "the sample vault",
    "docs-16894": "16,894 pages of documentation",
    "docs-16894/til": "1,672 of them, short articles",
    "zettelkasten-13419": "13,419 short notes",
    "kepano-obsidian": "103 notes of one person",
    "obsidian-help/en": "help pages in English",
    "obsidian-help/de": "help pages in German",
}
# MRR@10 of the same titles at commit 36a7258, with static vectors.
BEFORE: Mapping[str, str] = {"docs-16894": ".416"}


def titles_table(known: Measured) -> Iterator[str]:
    """Yield the table of titles: each engine's MRR@10 and hit@1, and what we gain over the best peer."""
    engines = " | ".join(engine.removeprefix("notewell, ") for engine in ENGINES)
    yield f"| titles | | before | {engines} | over the best peer |"
    yield "|---" * (len(ENGINES) + 4) + "|"
    for vault, kinds in known.items():
        for kind in ("titles", "other titles"):
            if kind in kinds:
                before = BEFORE.get(vault, "") if kind == "titles" else ""
                yield f"| {_called(vault, kind)} | {_number(kinds[kind])} | {before} | {_cells(kinds[kind])} |"


def kinds_table(known: Measured) -> Iterator[str]:
    """Yield the table of the other kinds of queries: MRR@10 by words, with static vectors and with the encoder."""
    yield f"| words / static / encoder | {' | '.join(KINDS)} |"
    yield "|---" * (len(KINDS) + 1) + "|"
    for vault, kinds in known.items():
        yield f"| {CALLED.get(vault, vault)} | {' | '.join(_kind(kinds.get(kind, {})) for kind in KINDS)} |"


def _called(vault: str, kind: str) -> str:
    return CALLED.get(vault, vault) if kind == "titles" else "… others"


def _number(engines: Measured) -> int:
    number: int = engines[OURS[0]]["queries"]
    return number


def _cells(engines: Measured) -> str:
    found = (engines.get(engine) for engine in ENGINES)
    cells = [f"{_score(one['mrr@10'])} ({_score(one['hit@1'])})" if one else "" for one in found]
    low, high = engines["notewell, static"]["over_peer"]
    return " | ".join((*cells, f"{low:+.3f} … {high:+.3f}".replace("-", "−").replace("0.", ".")))


def _kind(engines: Measured) -> str:
    if not engines:
        return ""
    found = " / ".join(_score(engines[engine]["mrr@10"]) for engine in OURS if engine in engines)
    return f"{found} ({_number(engines)})"


def _score(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1"


def main(files: Sequence[str]) -> None:
    """Print the tables of these files."""
    known: Measured = {}
    for file in files:
        known |= json.loads(Path(file).read_bytes())["known"]
    print("\n".join((*titles_table(known), "", *kinds_table(known))))


if __name__ == "__main__":
    main(sys.argv[1:])
