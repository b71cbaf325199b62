from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases

Notewell = Callable[..., tuple[int, str, str]]


def hits(out: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(out)["hits"]
    return found


def test_filters_are_options_and_add_to_the_text(notewell: Notewell) -> None:
    assert {hit["path"] for hit in hits(notewell("search", "the", "--tag", "bread", "--json")[1])} == {
        "Recipes/Sourdough.md"
    }
    assert hits(notewell("search", "the", "path:Garden", "--tag", "bread", "--json")[1]) == []
    assert hits(notewell("search", "the", "--before", "2020", "--json")[1]) == []
    assert len(hits(notewell("search", "the", "--after", "yesterday", "--type", "log|x", "--json")[1])) == 0


def test_front_matter_is_asked_for_by_key_and_value(notewell: Notewell, folder: Path) -> None:
    (folder / "new.md").write_text("---\nstatus: open\nrating: 4\n---\n\nThe zebra grazes.\n")
    for where in (["status=open"], ["rating=3..5", "status=Open"], ["rating=>3", "rating=<5"]):
        options = [part for pair in where for part in ("--where", pair)]
        assert [hit["path"] for hit in hits(notewell("search", "the", *options, "--json")[1])] == ["new.md"]
    assert hits(notewell("search", "the", "--where", "rating=5", "--json")[1]) == []
    assert hits(notewell("search", "the", "--where", "rating=>3", "--where", "rating=<4", "--json")[1]) == []


@cases("options", [["--tag", "bread"], ["--under", "Recipes"], ["--", "tag:bread"]])
def test_without_words_the_newest_notes_are_listed(notewell: Notewell, options: list[str]) -> None:
    code, out, _ = notewell("search", *options)
    assert code == 0
    assert re.match(r"Recipes/Sourdough.md:\d+  Sourdough  1\.000\n", out)


@cases(
    ("arguments", "message"),
    [
        ([], "Missing argument 'TEXT...'"),
        (["x", "--where", "status"], "'status' is not KEY=VALUE"),
        (["x", "--where", "=open"], "is not KEY=VALUE"),
        (["x", "--after", "lunch"], "after is 'lunch', which is not a date"),
        (["x", "--limit", "0"], "'0' is not a whole number of 1 or more"),
        (["x", "--limit", "ten"], "'ten' is not a whole number of 1 or more"),
    ],
)
def test_an_option_that_makes_no_sense_is_explained(notewell: Notewell, arguments: list[str], message: str) -> None:
    code, out, err = notewell("search", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_explain_says_first_how_the_query_was_read(notewell: Notewell) -> None:
    _, out, _ = notewell("search", 'hive "warm evening" -honey path:Garden', "--under", "Garden", "--explain")
    assert out.startswith(
        'read as: words and meaning "hive"; phrase "warm evening"; not honey; path Garden; under Garden\n'
    )
    answer = json.loads(notewell("search", "hive", "--explain", "--json")[1])
    assert answer["read_as"] == ['words and meaning "hive"', "one word"]


def test_a_tag_that_no_note_has_is_reported(notewell: Notewell) -> None:
    code, out, err = notewell("search", "loaf", "tag:bred")
    assert (code, out) == (0, "")
    assert 'note: No note has the tag "bred". Did you mean bread?\n' in err


def test_a_folder_without_notes_is_reported_and_gets_no_store(
    notewell: Notewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty := tmp_path / "empty").mkdir()
    monkeypatch.chdir(empty)
    fact = f"error: There are no readable notes in {empty}\nhint: "
    hint = "Run this in the folder of your notes, or set --vault\n"
    for command in ("search", "related", "read"):
        assert notewell(command, "bees") == (1, "", fact + hint)
    (empty / "hive.jpg").write_bytes(b"\xff")
    there = "It has 1 file in unsupported formats: 1 .jpg. "
    assert notewell("search", "bees") == (1, "", fact + there + hint)
    assert [file.name for file in empty.iterdir()] == ["hive.jpg"]
