"""A watched folder, asked whether it changed: no change made before the question is missed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.index.watch import FolderWatch

# Milliseconds that no event takes, however busy the machine.
LONG = 300_000


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[FolderWatch]:
    for name in ("notes", "marks"):
        (tmp_path / name).mkdir()
    made = FolderWatch(tmp_path / "notes", until_mark=LONG)
    made.start(tmp_path / "marks")
    # What was there before it began may have changed.
    assert made.changed()
    yield made
    made.close()


def test_a_change_is_known_the_moment_it_is_made(watched: FolderWatch, tmp_path: Path) -> None:
    for number in range(20):
        assert not watched.changed()
        (tmp_path / "notes" / f"{number}.md").write_text("rye", encoding="utf-8")
        assert watched.changed()


def test_a_change_that_was_taken_down_is_still_told(watched: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "notes" / "rye.md").write_text("rye", encoding="utf-8")
    watched.drain()
    watched.drain()
    assert watched.changed()
    assert not watched.changed()


def test_what_is_not_a_note_of_the_folder_is_not_a_change(watched: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "notes" / ".notewell").mkdir()
    (tmp_path / "notes" / ".notewell" / "store.db").write_text("", encoding="utf-8")
    assert not watched.changed()


def test_without_news_of_the_mark_nothing_is_sure(watched: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "marks").rmdir()
    assert watched.changed()


def test_a_folder_in_the_place_of_another_is_not_the_one_that_is_watched(watched: FolderWatch, tmp_path: Path) -> None:
    assert watched.is_on
    (tmp_path / "notes").rename(tmp_path / "before")
    assert not watched.is_on
    (tmp_path / "notes").mkdir()
    assert not watched.is_on


def test_what_cannot_be_watched_may_always_have_changed(tmp_path: Path) -> None:
    refused = FolderWatch(tmp_path)
    refused.start(tmp_path / "nowhere")
    assert refused.is_refused and not refused.is_on
    assert refused.changed() and refused.changed()


def test_a_watch_that_ends_leaves_nothing_behind(tmp_path: Path) -> None:
    watch = FolderWatch(tmp_path)
    watch.start()
    markers = watch._markers
    assert markers and markers.is_dir() and watch.changed()
    watch.close()
    assert not markers.exists() and not watch.is_on
