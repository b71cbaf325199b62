from __future__ import annotations

import os
from pathlib import Path

import pytest

from notewell.errors import NoteError
from notewell.files.safe_open import exists
from notewell.files.survey import WalkRules
from notewell.index.place import Place, find_place, read_place
from notewell.index.readers import load
from notewell.index.walk import VaultFile
from notewell.types.note import Stamp


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (root := tmp_path / "notes").mkdir()
    (root / "bees.md").write_text("one\ntwo\nthree\n")
    (root / "odd:12.md").write_text("a colon\n")
    (root / "at:3").mkdir()
    (root / "at:3" / "x.md").write_text("x\n")
    (tmp_path / "outside.md").write_text("outside\n")
    return root


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("bees.md", Place("bees.md")),
        ("./bees.md", Place("bees.md")),
        ("bees.md:2", Place("bees.md", 2, 2)),
        ("bees.md:2-3", Place("bees.md", 2, 3)),
        ("odd:12.md", Place("odd:12.md")),
        ("odd:12.md:1", Place("odd:12.md", 1, 1)),
        ("at:3/x.md:1", Place("at:3/x.md", 1, 1)),
    ],
)
def test_a_place_is_a_path_and_perhaps_lines(root: Path, written: str, place: Place) -> None:
    assert find_place(root, written) == place


@pytest.mark.parametrize("written", ["../outside.md", "at:3", "nothing.md", "nothing.md:3", "", "x" * 5000])
def test_what_is_not_a_note_of_the_vault_is_refused_with_a_hint(root: Path, written: str) -> None:
    with pytest.raises(NoteError) as caught:
        find_place(root, written)
    assert caught.value.hint


def test_a_link_that_leads_out_of_the_vault_is_refused(root: Path) -> None:
    (root / "link.md").symlink_to(root.parent / "outside.md")
    with pytest.raises(NoteError, match="outside the vault"):
        find_place(root, "link.md")


def test_lines_that_run_backwards_are_turned_round_in_the_hint(root: Path) -> None:
    with pytest.raises(NoteError, match="backwards") as caught:
        find_place(root, "bees.md:3-2")
    assert "bees.md:2-3" in caught.value.hint


def test_lines_are_counted_from_one(root: Path) -> None:
    for written in ("bees.md:0", "bees.md:0-2", "bees.md:00-"):
        with pytest.raises(NoteError, match="There is no line 0"):
            find_place(root, written)


def test_lines_are_read_up_to_the_last_there_is(root: Path) -> None:
    assert read_place(root, Place("bees.md", 2, 9), WalkRules()).text == "two\nthree"
    assert read_place(root, Place("bees.md"), WalkRules()).end_line == 3
    with pytest.raises(NoteError, match="has 3 lines; there is no line 4"):
        read_place(root, Place("bees.md", 4, 4), WalkRules())


def test_a_secret_is_not_read_out(root: Path) -> None:
    (root / "keys.md").write_text("# Keys\npassword: hunter2-again\nend\n")
    assert "hunter2" not in read_place(root, Place("keys.md"), WalkRules()).text
    assert read_place(root, Place("keys.md", 3, 3), WalkRules()).text == "end"


def test_an_unreadable_file_is_an_error_that_names_the_note(root: Path) -> None:
    (root / "photo.jpg").write_bytes(b"\xff")
    (root / "bad.md").write_bytes(b"\0\1\2")
    for path, size in (("photo.jpg", 1000), ("bad.md", 1000), ("bees.md", 3), ("gone.md", 1000)):
        with pytest.raises(NoteError, match=path) as caught:
            read_place(root, Place(path), WalkRules(max_bytes=size))
        assert caught.value.hint


def test_a_name_that_cannot_be_one_does_not_exist(root: Path) -> None:
    assert exists(root / "bees.md")
    assert not exists(root / "a\0b")
    assert not exists(root / ("x" * 5000))


def test_what_is_not_a_file_any_more_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    with pytest.raises(NoteError, match="no longer a file"):
        load(root, VaultFile("pipe.md", Stamp(1, 1)), WalkRules())


def test_a_file_that_grew_is_held_to_the_limit(root: Path) -> None:
    with pytest.raises(NoteError, match="grew past the limit"):
        load(root, VaultFile("bees.md", Stamp(1, 1)), WalkRules(max_bytes=5))


def test_lines_to_the_end_and_parts_by_name_are_places(root: Path) -> None:
    assert find_place(root, "bees.md:2-") == Place("bees.md", 2, None)
    assert find_place(root, "bees.md#page=3") == Place("bees.md", part="page=3")
    (root / "list.csv").write_text("name,price\n" + "".join(f"loaf {n},{n}\n" for n in range(60)))
    assert read_place(root, find_place(root, "list.csv#rows 22-41"), WalkRules()).text.startswith("loaf 20,20\n")
    both = read_place(root, find_place(root, "list.csv#rows 2-21 to rows 22-41"), WalkRules())
    assert (both.line, both.end_line, both.place) == (2, 41, "rows 2-21 to rows 22-41")
    with pytest.raises(NoteError, match="no part 'rows 7'") as caught:
        read_place(root, find_place(root, "list.csv#rows 7"), WalkRules())
    assert caught.value.hint.startswith("Its parts are rows 2-21, rows 22-41")
