"""Exact strings over the sample vault: identifiers, versions, signs, typos, parts of words, and other scripts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.types.results import Hit

QUERIES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "exact.toml").read_text(encoding="utf-8"))[
    "query"
]
# The share that must be found first.
FIRST = 0.95


@pytest.fixture(scope="module")
def ranks(indexed_sample: Path) -> Mapping[str, int]:
    """Return the place of each query's first right hit, from 1; 99 where there is none."""
    with Vault.open(indexed_sample, {"embed.encoder": "off"}) as vault:
        return {query["text"]: _rank(vault, query) for query in QUERIES}


def _rank(vault: Vault, query: Mapping[str, Any]) -> int:
    chunks = list(vault.search(query["text"]))
    right = (rank for rank, chunk in enumerate(chunks, start=1) if any(_is(chunk, place) for place in query["want"]))
    return next(right, 99)


def _is(chunk: Hit, place: str) -> bool:
    path, _, line = place.rpartition(":")
    return chunk.path == place or (chunk.path == path and chunk.line <= int(line) <= chunk.end_line)


def test_there_are_queries_of_many_kinds() -> None:
    assert len({query["text"] for query in QUERIES}) == len(QUERIES) >= 120
    assert len({query["kind"] for query in QUERIES}) >= 20


@pytest.mark.parametrize("kind", sorted({query["kind"] for query in QUERIES}))
def test_what_is_looked_for_is_among_the_first_three(ranks: Mapping[str, int], kind: str) -> None:
    texts = [query["text"] for query in QUERIES if query["kind"] == kind]
    assert {text: ranks[text] for text in texts if ranks[text] > 3} == {}


def test_what_is_looked_for_is_nearly_always_first(ranks: Mapping[str, int]) -> None:
    late = {text: rank for text, rank in ranks.items() if rank > 1}
    assert 1 - len(late) / len(ranks) >= FIRST, late
