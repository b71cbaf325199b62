"""Golden questions over the sample vault, with floors that a change may not fall through."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.measure.metrics import recall, reciprocal_rank

QUESTIONS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))[
    "question"
]


@dataclass(frozen=True)
class Answers:
    """Which wanted places each question's hits hold, the best hit first."""

    found: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, root: Path, settings: Mapping[str, Any]) -> Answers:
        vault = Vault.open(root, settings)
        found = {question["text"]: _held(vault, question) for question in QUESTIONS}
        vault.store.close()
        return cls(found)

    def recall(self, kind: str = "") -> float:
        return self._mean([recall(self.found[text], {"yes": 1}, 10) for text in _texts(kind)])

    def mrr(self, kind: str = "") -> float:
        return self._mean([reciprocal_rank(self.found[text], {"yes": 1}) for text in _texts(kind)])

    @cached_property
    def missed(self) -> list[str]:
        return [text for text, held in self.found.items() if "yes" not in held]

    @staticmethod
    def _mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)


def _held(vault: Vault, question: Mapping[str, Any]) -> list[str]:
    """Return, for each hit in order, whether one of the wanted places lies in its chunk."""
    wanted = [place.rpartition(":") for place in question["want"]]
    chunks = [excerpt.hit.chunk for excerpt in vault.search(question["text"])]
    return [
        "yes"
        if any(path == chunk.path and chunk.line <= int(line) <= chunk.end_line for path, _, line in wanted)
        else "no"
        for chunk in chunks
    ]


def _texts(kind: str) -> list[str]:
    return [question["text"] for question in QUESTIONS if kind in ("", question["kind"])]


@pytest.fixture(scope="module")
def hybrid(indexed_sample: Path) -> Answers:
    return Answers.of(indexed_sample, {})


@pytest.fixture(scope="module")
def lexical(indexed_sample: Path) -> Answers:
    return Answers.of(indexed_sample, {"search.vector_weight": 0})


# As measured when the floors were set: recall@10 and MRR@10 of each kind, by default settings.
#
#   all .927/.770 · meaning .765/.506 · identifier 1/.977 · german 1/.691 · japanese 1/.938
#   question 1/.911 · words 1/.955 · title 1/.806        by words alone: all .908/.756
FLOORS = {
    "": (0.91, 0.75),
    "meaning": (0.73, 0.48),
    "identifier": (1.0, 0.95),
    "german": (0.92, 0.65),
    "japanese": (1.0, 0.87),
    "question": (0.92, 0.87),
    "words": (1.0, 0.91),
    "title": (1.0, 0.72),
}


def test_every_kind_of_question_has_a_floor() -> None:
    assert FLOORS.keys() - {""} == {question["kind"] for question in QUESTIONS}
    assert len({question["text"] for question in QUESTIONS}) == len(QUESTIONS) > 100


def test_every_wanted_place_is_a_line_that_some_chunk_holds(indexed_sample: Path) -> None:
    vault = Vault.open(indexed_sample)
    rows: list[Any] = vault.store.db.execute(
        "select path, line, end_line from chunk join note on note.id = note"
    ).fetchall()
    wanted = {place for question in QUESTIONS for place in question["want"]}
    astray = [
        place
        for place in sorted(wanted)
        for path, _, line in [place.rpartition(":")]
        if not any(path == held and first <= int(line) <= last for held, first, last in rows)
        or not vault.read(place).text.strip()
    ]
    vault.store.close()
    assert astray == []


@pytest.mark.parametrize("kind", FLOORS)
def test_answers_are_found_among_the_first_ten(hybrid: Answers, kind: str) -> None:
    assert hybrid.recall(kind) >= FLOORS[kind][0], [text for text in hybrid.missed if text in _texts(kind)]


@pytest.mark.parametrize("kind", FLOORS)
def test_answers_stand_high_up(hybrid: Answers, kind: str) -> None:
    assert hybrid.mrr(kind) >= FLOORS[kind][1]


def test_meaning_never_costs_what_words_alone_would_find(hybrid: Answers, lexical: Answers) -> None:
    assert hybrid.mrr() >= lexical.mrr() - 0.02
    assert hybrid.recall() >= lexical.recall()


def test_ranks_alone_fuse_no_worse_than_words_alone(indexed_sample: Path, lexical: Answers) -> None:
    assert Answers.of(indexed_sample, {"search.fusion": "rrf"}).mrr() >= lexical.mrr() - 0.02
