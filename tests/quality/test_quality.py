"""Golden questions over the sample vault, with floors that a change may not fall through."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from tests.database import database

from notewell import Vault
from notewell.freshness import Opening
from notewell.measure.metrics import recall, reciprocal_rank

QUESTIONS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))[
    "question"
]


@dataclass(frozen=True)
class Answers:
    """Which wanted places each question's hits hold, the best hit first."""

    found: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, root: Path, settings: Mapping[str, Any], opening: Opening) -> Answers:
        vault = Vault.open(root, settings, opening)
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
    return [
        "yes" if any(path == hit.path and hit.line <= int(line) <= hit.end_line for path, _, line in wanted) else "no"
        for hit in vault.search(question["text"])
    ]


def _texts(kind: str) -> list[str]:
    return [question["text"] for question in QUESTIONS if kind in ("", question["kind"])]


@pytest.fixture(scope="module")
def lexical(indexed_sample: Path, sharing: Opening) -> Answers:
    return Answers.of(indexed_sample, {"search.vector_weight": 0, "embed.encoder": "off"}, sharing)


@pytest.fixture(scope="module")
def static(indexed_sample: Path, sharing: Opening) -> Answers:
    return Answers.of(indexed_sample, {"embed.encoder": "off"}, sharing)


@pytest.fixture(scope="module")
def without_links(indexed_sample: Path, sharing: Opening) -> Answers:
    return Answers.of(indexed_sample, {"embed.encoder": "off", "search.graph": "off"}, sharing)


@pytest.fixture(scope="module")
def filled(indexed_sample: Path, tmp_path_factory: pytest.TempPathFactory, sharing: Opening) -> Answers:
    pytest.importorskip("onnxruntime", reason="the extra `minilm` is not installed")
    folder = shutil.copytree(indexed_sample, tmp_path_factory.mktemp("filled") / "vault")
    with Vault.open(folder, {"embed.encoder": "minilm"}, sharing) as vault:
        assert vault.encode() == 0
    return Answers.of(folder, {"embed.encoder": "minilm"}, sharing)


@pytest.fixture(params=["static", "filled"])
def hybrid(request: pytest.FixtureRequest) -> tuple[str, Answers]:
    return request.param, request.getfixturevalue(request.param)


# As measured last: recall@10 and MRR@10 of each kind, by words alone, with static vectors, and
# with all of MiniLM's filled in.
#
#              all        meaning    identifier german     japanese   question   words      title
#   words      .890/.757  .676/.462  1/.977     .929/.640  1/.938     1/.881     1/.955     1/1
#   static     .936/.802  .794/.553  1/.977     1/.737     1/.938     1/.917     1/.955     1/1
#   filled     .982/.848  .941/.669  1/.977     1/.737     1/.938     1/1        1/1        1/.889
FLOORS = {
    "static": {
        "": (0.92, 0.77),
        "meaning": (0.76, 0.50),
        "identifier": (1.0, 0.95),
        "german": (0.92, 0.69),
        "japanese": (1.0, 0.87),
        "question": (0.92, 0.87),
        "words": (1.0, 0.91),
        "title": (1.0, 0.85),
    },
    "filled": {
        "": (0.97, 0.81),
        "meaning": (0.94, 0.64),
        "identifier": (1.0, 0.95),
        "german": (0.92, 0.69),
        "japanese": (1.0, 0.87),
        "question": (0.92, 0.87),
        "words": (1.0, 0.95),
        "title": (1.0, 0.80),
    },
}
KINDS = tuple(FLOORS["static"])


def test_every_kind_of_question_has_a_floor() -> None:
    assert all(floors.keys() - {""} == {question["kind"] for question in QUESTIONS} for floors in FLOORS.values())
    assert len({question["text"] for question in QUESTIONS}) == len(QUESTIONS) > 100


def test_every_wanted_place_is_a_line_that_some_chunk_holds(indexed_sample: Path) -> None:
    vault = Vault.open(indexed_sample)
    rows: list[Any] = (
        database(vault.store).execute("select path, line, end_line from chunk join note on note.id = note").fetchall()
    )
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


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_found_among_the_first_ten(hybrid: tuple[str, Answers], kind: str) -> None:
    how, answers = hybrid
    assert answers.recall(kind) >= FLOORS[how][kind][0], [text for text in answers.missed if text in _texts(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_stand_high_up(hybrid: tuple[str, Answers], kind: str) -> None:
    how, answers = hybrid
    assert answers.mrr(kind) >= FLOORS[how][kind][1]


def test_meaning_never_costs_what_words_alone_would_find(hybrid: tuple[str, Answers], lexical: Answers) -> None:
    _, answers = hybrid
    assert answers.mrr() >= lexical.mrr() - 0.02
    assert answers.recall() >= lexical.recall()


def test_the_encoder_finds_more_than_static_vectors_alone(static: Answers, filled: Answers) -> None:
    assert filled.recall() >= static.recall()
    assert filled.mrr() >= static.mrr()


def test_ranks_alone_fuse_no_worse_than_words_alone(indexed_sample: Path, lexical: Answers, sharing: Opening) -> None:
    ranks = Answers.of(indexed_sample, {"search.fusion": "rrf", "embed.encoder": "off"}, sharing)
    assert ranks.mrr() >= lexical.mrr() - 0.02


def test_links_cost_the_questions_nothing(static: Answers, without_links: Answers) -> None:
    assert static.found != without_links.found
    assert static.recall() >= without_links.recall()
    assert static.mrr() >= without_links.mrr()
