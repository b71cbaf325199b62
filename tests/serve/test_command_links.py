from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Notewell = Callable[..., tuple[int, str, str]]

HIVE = """---
related: "[[Bees]]"
---

# Hive

See [[Bees#Honey]], [[Bees]] and ![[queen.png]].

A [loaf](../Recipes/Sourdough.md#rye), [[Sourdoug]] and [[Bees#^nothing]].
"""


@pytest.fixture
def linked(folder: Path) -> Path:
    (folder / "Garden/Hive.md").write_text(HIVE, encoding="utf-8")
    return folder


def links(notewell: Notewell, *arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(notewell("links", *arguments, "--json")[1])
    return answer


def test_a_note_s_links_are_told_with_where_they_lead_and_who_leads_to_it(notewell: Notewell, linked: Path) -> None:
    code, out, _ = notewell("links", "Bees")
    assert (code, out) == (
        0,
        "Garden/Bees.md\n\nlinks to\n  5  [[Sourdough]]  Recipes/Sourdough.md\n\nlinked from\n"
        "  Garden/Hive.md:1  [[Bees]]\n"
        "  Garden/Hive.md:7  [[Bees#Honey]]\n"
        "  Garden/Hive.md:7  [[Bees]]\n"
        "  Garden/Hive.md:9  [[Bees#^nothing]]\n",
    )


def test_a_note_without_links_says_so(notewell: Notewell) -> None:
    assert notewell("links", "Keys")[1] == "Garden/Keys.md\n\nlinks to nothing\n\nlinked from nothing\n"


def test_a_note_may_be_named_from_where_one_is(
    notewell: Notewell, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notewell("index")
    monkeypatch.chdir(linked / "Garden")
    assert links(notewell, "Bees.md")["note"] == "Garden/Bees.md"


def test_broken_links_are_listed_with_the_reason_and_what_is_near(notewell: Notewell, linked: Path) -> None:
    code, out, err = notewell("links", "--broken")
    assert (code, out) == (
        1,
        "Garden/Hive.md:7  [[Bees#Honey]]  Garden/Bees.md (no such heading)\n"
        "Garden/Hive.md:7  ![[queen.png]]  no such file\n"
        "Garden/Hive.md:9  [[Sourdoug]]  no such note; near: Recipes/Sourdough.md\n"
        "Garden/Hive.md:9  [[Bees#^nothing]]  Garden/Bees.md (no such block)\n",
    )
    assert err.endswith("4 links of 8 broken\n")


def test_no_broken_link_is_exit_code_0(notewell: Notewell) -> None:
    code, out, err = notewell("links", "--broken")
    assert (code, out) == (0, "")
    assert err.endswith("0 links of 1 broken\n")


def test_broken_links_of_one_note_are_only_its_own(notewell: Notewell, linked: Path) -> None:
    (linked / "Garden/Wax.md").write_text("[[Nobody]]\n")
    told = links(notewell, "Wax", "--broken")
    assert [lead["written"] for lead in told["links"]] == ["[[Nobody]]"]
    assert told["backlinks"] == []


def test_a_picture_is_found_when_it_comes_without_any_note_having_changed(notewell: Notewell, linked: Path) -> None:
    notewell("index")
    (linked / "Images").mkdir()
    (linked / "Images/Queen.png").write_bytes(b"png")
    [lead] = [lead for lead in links(notewell, "Hive")["links"] if lead["target"] == "queen.png"]
    assert (lead["to"], lead["problem"]) == ("Images/Queen.png", None)
    (linked / "Images/Queen.png").unlink()
    assert "queen.png" in notewell("links", "--broken")[1]


@pytest.mark.parametrize("setting", ['exclude = ["Private"]', 'include = ["Garden"]'])
def test_a_note_that_the_settings_leave_out_is_a_file(notewell: Notewell, folder: Path, setting: str) -> None:
    (folder / "Private").mkdir()
    (folder / "Private/Diary.txt").write_text("Today the hive was quiet.\n")
    (folder / "Garden/Hive.md").write_text("See [[Diary.txt]].\n")
    with (folder / "notewell.toml").open("a") as file:
        file.write(f"\n[index]\n{setting}\n")
    assert links(notewell, "Hive")["links"][0]["to"] == "Private/Diary.txt"


def test_orphans_are_the_notes_without_a_link_to_or_from_another(notewell: Notewell, linked: Path) -> None:
    (linked / "Self.md").write_text("See [[#Here]] and [[Nobody]].\n\n# Here\n")
    code, out, err = notewell("links", "--orphans")
    assert (code, out) == (0, "Garden/Keys.md\nSelf.md\n")
    assert err.endswith("2 notes of 5 without a link to or from another\n")


def test_without_a_note_links_are_counted(notewell: Notewell, linked: Path) -> None:
    (linked / "data.json").write_text("{}")
    (linked / "queen.png").write_bytes(b"png")
    assert notewell("links")[1] == (
        "notes    5, 2 without a link to or from another\nlinks    8: 6 to notes, 1 to other files, 1 to nothing\n"
    )
    counts = {"notes": 5, "links": 8, "to_notes": 6, "to_files": 1, "broken": 1, "orphans": 2}
    assert links(notewell)["counts"] == counts


def test_json_has_every_field_of_a_link(notewell: Notewell, linked: Path) -> None:
    told = links(notewell, "Hive")
    assert told["note"] == "Garden/Hive.md"
    assert told["links"][4] == {
        "path": "Garden/Hive.md",
        "target": "../Recipes/Sourdough.md",
        "line": 9,
        "kind": "markdown",
        "anchor": "rye",
        "text": "loaf",
        "written": "[loaf](../Recipes/Sourdough.md#rye)",
        "to": "Recipes/Sourdough.md",
        "problem": None,
        "near": [],
    }


def test_a_renamed_note_s_links_are_right_at_once(notewell: Notewell, linked: Path) -> None:
    notewell("index")
    (linked / "Recipes/Sourdough.md").rename(linked / "Sourdoug.md")
    told = {lead["target"]: lead["to"] for lead in links(notewell, "Hive")["links"]}
    assert (told["Sourdoug"], told["../Recipes/Sourdough.md"]) == ("Sourdoug.md", None)


def test_a_mistyped_note_is_an_error_with_what_is_near(notewell: Notewell) -> None:
    code, out, err = notewell("links", "Sourdoug")
    assert (code, out) == (1, "")
    assert "No indexed note is called 'Sourdoug'" in err and "Recipes/Sourdough.md" in err


def test_orphans_of_one_note_are_refused(notewell: Notewell) -> None:
    code, _, err = notewell("links", "Bees", "--orphans")
    assert code == 2
    assert "--orphans is about all notes" in err


def test_what_a_terminal_would_obey_is_made_visible(notewell: Notewell, folder: Path) -> None:
    (folder / "Odd.md").write_text("See [[No\x1b[31mbody]] and [a\x1b]0;b](x.md).\n")
    assert "\x1b" not in notewell("links", "--broken")[1] + notewell("links", "Odd")[1]
