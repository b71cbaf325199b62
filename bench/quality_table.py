"""`python -m bench.quality_table RESULTS.json …`: the tables of judged collections in ranking.md, out of the records.

Each file may hold a part of the collections and of the rows; of two with the same row, the later one counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.child import Measured

# In the order of the page, and how their columns are called.
COLLECTIONS = {
    "scifact": "scifact",
    "nfcorpus": "nfcorpus",
    "cranfield": "cranfield",
    "xquad-en": "xquad-en",
    "xquad-de": "xquad-de",
    "legalquad-de": "legalquad-de",
    "hotpotqa-train100": "hotpotqa",
    "se-beer": "se-beer",
    "cosqa": "cosqa",
}
ROWS = {
    "lexical": "words alone",
    "vector": "static vectors alone",
    "rrf": "words and static, RRF, equal weights",
    "static": "**words and static by scores, .75 / .25 (nothing encoded yet)**",
    "25 %": "… MiniLM has encoded 25 %",
    "50 %": "… 50 %",
    "default": "**… all (default)**",
}
GAINS = {"lexical": "over words", "static": "over words and static"}


def quality_table(quality: Measured) -> Iterator[str]:
    """Yield the table of nDCG@10, and of the default's gain with its interval."""
    found = {name: quality[name] for name in COLLECTIONS if name in quality}
    head = " | ".join(COLLECTIONS[name] for name in found)
    yield f"| | {head} | mean |"
    yield "|---" * (len(found) + 2) + "|"
    yield _row("reference BM25 (bm25s, whole documents)", [one["reference_bm25"] for one in found.values()])
    for variant, called in ROWS.items():
        yield _row(called, [one[variant]["ndcg@10"] for one in found.values()])
    yield ""
    yield f"| gain of the default, 95 % | {head} |"
    yield "|---" * (len(found) + 1) + "|"
    for over, called in GAINS.items():
        cells = (_gain(one["gain_over"][over]) for one in found.values())
        yield f"| {called} | {' | '.join(cells)} |"


def _row(called: str, values: Sequence[float]) -> str:
    cells = (f"{value:.3f}".removeprefix("0") for value in (*values, sum(values) / len(values)))
    return f"| {called} | {' | '.join(cells)} |"


def _gain(one: Measured) -> str:
    value, low, high = (f"{bound:+.3f}".replace("0.", ".") for bound in (one["ndcg@10"], *one["interval"]))
    return f"{value} ({low} … {high})".replace("-", "−")


def main(files: Sequence[str]) -> None:
    """Print the tables of these files."""
    quality: Measured = {}
    for file in files:
        for name, one in json.loads(Path(file).read_bytes())["quality"].items():
            quality.setdefault(name, {}).update(one)
    print("\n".join(quality_table(quality)))


if __name__ == "__main__":
    main(sys.argv[1:])
