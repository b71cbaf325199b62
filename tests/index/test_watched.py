"""A folder that is watched, and asked whether it changed: nothing that was done before the question is missed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.index.watch import Watched


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    for name in ("notes", "marks"):
        (tmp_path / name).mkdir()
    with Watched(tmp_path / "notes", tmp_path / "marks") as made:
        # What was there before it began may have changed.
        assert made.changed()
        yield made


def test_a_change_is_known_the_moment_it_is_made(watched: Watched, tmp_path: Path) -> None:
    for number in range(20):
        assert not watched.changed()
        (tmp_path / "notes" / f"{number}.md").write_text("rye", encoding="utf-8")
        assert watched.changed()


def test_a_change_that_was_taken_down_is_still_told(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "notes" / "rye.md").write_text("rye", encoding="utf-8")
    watched.gather()
    watched.gather()
    assert watched.changed()
    assert not watched.changed()


def test_what_is_no_note_of_the_folder_is_no_change(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "notes" / ".notewell").mkdir()
    (tmp_path / "notes" / ".notewell" / "store.db").write_text("", encoding="utf-8")
    assert not watched.changed()


def test_without_news_of_the_mark_nothing_is_sure(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "marks").rmdir()
    assert watched.changed()


def test_a_folder_in_the_place_of_another_is_not_the_one_that_is_watched(watched: Watched, tmp_path: Path) -> None:
    assert watched.in_place
    (tmp_path / "notes").rename(tmp_path / "before")
    assert not watched.in_place
    (tmp_path / "notes").mkdir()
    assert not watched.in_place
