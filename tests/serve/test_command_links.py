from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases

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


def test_a_note_s_links_are_listed_with_their_targets_and_its_backlinks(notewell: Notewell, linked: Path) -> None:
    code, out, _ = notewell("links", "Bees")
    assert (code, out) == (
        0,
        "Garden/Bees.md\n\nlinks to\n  5  [[Sourdough]]  Recipes/Sourdough.md\n\nlinked from\n"
        "  Garden/Hive.md:2  [[Bees]]\n"
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


def test_broken_links_are_listed_with_the_reason_and_suggestions(notewell: Notewell, linked: Path) -> None:
    code, out, err = notewell("links", "--broken")
    assert (code, out) == (
        1,
        "Garden/Hive.md:7  [[Bees#Honey]]  Garden/Bees.md (no such heading)\n"
        "Garden/Hive.md:7  ![[queen.png]]  no such file\n"
        "Garden/Hive.md:9  [[Sourdoug]]  no such note; did you mean: Recipes/Sourdough.md\n"
        "Garden/Hive.md:9  [[Bees#^nothing]]  Garden/Bees.md (no such block)\n",
    )
    assert err.endswith("4 links of 8 broken: 1 no such heading, 1 no such file, 1 no such note, 1 no such block\n")


def test_no_broken_link_is_exit_code_0(notewell: Notewell) -> None:
    code, out, err = notewell("links", "--broken")
    assert (code, out) == (0, "")
    assert err.endswith("0 links of 1 broken\n")


def test_broken_links_of_one_note_are_only_its_own(notewell: Notewell, linked: Path) -> None:
    (linked / "Garden/Wax.md").write_text("[[Nobody]]\n")
    told = links(notewell, "Wax", "--broken")
    assert [lead["written"] for lead in told["links"]] == ["[[Nobody]]"]
    assert told["backlinks"] == []
    assert told["counts"] == {"notes": 1, "links": 1, "to_notes": 0, "to_files": 0, "broken": 1, "orphans": 1}
    assert notewell("links", "Hive", "--broken")[2].startswith("4 links of 7 broken: ")


@cases(
    ("what", "written"),
    [("notes", ["[[Sourdoug]]"]), ("files", ["![[queen.png]]"]), ("anchors", ["[[Bees#Honey]]", "[[Bees#^nothing]]"])],
)
def test_of_the_broken_links_those_that_miss_one_thing_can_be_listed(
    notewell: Notewell, linked: Path, what: str, written: list[str]
) -> None:
    for note in ([], ["Hive"]):
        told = links(notewell, *note, "--broken", "--to", what)
        assert [lead["written"] for lead in told["links"]] == written
    code, _, err = notewell("links", "--to", what)
    assert code == 2 and "--to needs --broken" in err


def test_the_most_wanted_notes_come_first_each_by_how_many_notes_want_it(notewell: Notewell, folder: Path) -> None:
    (folder / "a.md").write_text("[[Wax]], [[Wax]], [[queen.png]] and [x](Garden/Pollen.md).\n")
    (folder / "Garden/b.md").write_text("[[wax#Use|wax]], [x](Pollen.md), [y](../gone/Rye.md) and [[#No heading]].\n")
    code, out, err = notewell("links", "--wanted")
    assert (code, out) == (0, "    2  wax\n    1  Garden/Pollen.md\n    1  gone/rye.md\n    1  Pollen.md\n")
    assert err.endswith("4 notes missing\n")
    assert links(notewell, "--wanted")["wanted"][0] == {"target": "wax", "notes": 2}


def test_broken_links_and_orphans_together_are_two_lists(notewell: Notewell, folder: Path) -> None:
    (folder / "a.md").write_text("[[Wax]]\n")
    code, out, _ = notewell("links", "--broken", "--orphans")
    assert (code, out) == (1, "broken:\na.md:1  [[Wax]]  no such note\norphans:\nGarden/Keys.md\na.md\n")


def test_headings_and_blocks_are_found_whether_or_not_a_chunk_has_them(notewell: Notewell, folder: Path) -> None:
    (folder / "Rye.md").write_text(
        "# Rye\n\nRye grows tall, and needs less water than wheat does.\n\n"
        "## Empty (x)\n\n## Energy $x^2$\n\n## Same\n\n## Same\n\nOne line\n---\n\n## The ==big== `loaf`\n\n"
        "## Links\n\n- [[Bees]] ^bees\n\n### Deeper\n\n- [[Bees]]\n\n![[Bees]]^embed\n",
        encoding="utf-8",
    )
    anchors = ("Empty (x)", "Energy $x^2$", "Same", "Rye#Same", "One line", "The ==big== `loaf`", "Links", "Deeper")
    blocks = ("^bees", "^embed")
    (folder / "a.md").write_text("\n".join(f"[[Rye#{anchor}]]" for anchor in (*anchors, *blocks, "Nothing", "^no")))
    assert [lead["anchor"] for lead in links(notewell, "a", "--broken")["links"]] == ["Nothing", "^no"]


def test_an_embed_is_written_either_way_and_leads_where_the_link_would(notewell: Notewell, folder: Path) -> None:
    (folder / "Bees.md").write_text("# Bees at the root\n")
    (folder / "Garden/Hive.md").write_text("![x](Bees.md) [x](Bees.md) ![[Bees]] [y](My%20bees.md?a#b)\n")
    told = links(notewell, "Hive")["links"]
    assert [lead["to"] for lead in told] == ["Garden/Bees.md", "Garden/Bees.md", "Bees.md", None]
    assert [lead["written"] for lead in told] == ["![x](Bees.md)", "[x](Bees.md)", "![[Bees]]", "[y](My%20bees.md?a#b)"]
    assert [(lead["kind"], lead["embed"]) for lead in told[:3]] == [
        ("markdown", True),
        ("markdown", False),
        ("wiki", True),
    ]


def test_a_link_to_a_folder_is_not_broken_and_counts_as_one_to_a_file(notewell: Notewell, folder: Path) -> None:
    (folder / "a.md").write_text("[x](Garden/), [y](Garden), [z](./), [no](Nowhere/) and [l](Garden/Bees.md:3)\n")
    assert [lead["to"] for lead in links(notewell, "a")["links"]] == [
        "Garden/",
        "Garden/",
        "./",
        None,
        "Garden/Bees.md",
    ]
    counts = links(notewell)["counts"]
    assert (counts["to_notes"], counts["to_files"], counts["broken"]) == (2, 3, 1)


def test_a_file_that_is_not_a_note_has_the_links_that_lead_to_it(notewell: Notewell, folder: Path) -> None:
    (folder / "img").mkdir()
    (folder / "img/pic one.png").write_bytes(b"png")
    (folder / "a.md").write_text("![[pic one.png]]\n\n[x](img/pic%20one.png) ![[other.png]]\n")
    (folder / "Garden/b.md").write_text("![y](../img/pic%20one.png)\n")
    told = "  Garden/b.md:1  ![y](../img/pic%20one.png)\n  a.md:1  ![[pic one.png]]\n  a.md:3  [x](img/pic%20one.png)\n"
    for name in ("img/pic one.png", "Pic one.PNG"):
        assert notewell("links", name)[1] == f"img/pic one.png\n\nlinked from\n{told}"
    code, _, err = notewell("links", "pic two.png")
    assert code == 1 and "No indexed note is called 'pic two.png'" in err


def test_an_alias_names_a_note_and_it_is_told_when_links_by_it_lead_elsewhere(notewell: Notewell, folder: Path) -> None:
    (folder / "a.md").write_text("---\naliases: [Ziel]\n---\n# Wax\n\n[[Ziel]]\n")
    (folder / "b.md").write_text("---\naliases: [Wax]\n---\n[[Ziel]] [[Wax]]\n")
    assert [lead["path"] for lead in links(notewell, "ziel")["backlinks"]] == ["b.md"]
    assert notewell("traverse", "Ziel")[0] == 0
    # A title goes before an alias, but links know no titles.
    _, out, err = notewell("links", "Wax")
    assert out.startswith("a.md\n")
    assert "note: [[Wax]] leads to b.md\n" in err
    assert "note: " not in notewell("links", "Ziel")[2]


def test_a_picture_is_found_when_it_comes_without_any_note_having_changed(notewell: Notewell, linked: Path) -> None:
    notewell("index")
    (linked / "Images").mkdir()
    (linked / "Images/Queen.png").write_bytes(b"png")
    [lead] = [lead for lead in links(notewell, "Hive")["links"] if lead["target"] == "queen.png"]
    assert (lead["to"], lead["problem"]) == ("Images/Queen.png", None)
    (linked / "Images/Queen.png").unlink()
    assert "queen.png" in notewell("links", "--broken")[1]


def test_a_note_in_a_folder_that_is_not_included_is_a_file(notewell: Notewell, folder: Path) -> None:
    (folder / "Private").mkdir()
    (folder / "Private/Diary.txt").write_text("Today the hive was quiet.\n")
    (folder / "Garden/Hive.md").write_text("See [[Diary.txt]].\n")
    with (folder / "notewell.toml").open("a") as file:
        file.write('\n[index]\ninclude = ["Garden"]\n')
    assert links(notewell, "Hive")["links"][0]["to"] == "Private/Diary.txt"


@pytest.mark.parametrize("name", ["Private/Diary.txt", "Diary.txt", "Private/Photo.png"])
def test_nobody_learns_whether_an_excluded_file_exists(notewell: Notewell, folder: Path, name: str) -> None:
    with (folder / "notewell.toml").open("a") as file:
        file.write('\n[index]\nexclude = ["Private"]\n')
    notewell("index")
    missing = notewell("links", name)
    (folder / "Private").mkdir()
    for private in ("Diary.txt", "Photo.png"):
        (folder / "Private" / private).write_text("Today the hive was quiet.\n")
    assert notewell("links", name) == missing
    assert missing[0] == 1


@pytest.mark.parametrize(
    "link",
    [
        "[[{}]]",
        "[x](../Private/{}.md)",
        "![x](../Private/{}.png)",
        "[[{}.pdf]]",
        "[x](/Private/{}.txt)",
        "[x](../Private)",
    ],
)
def test_nor_does_a_link_tell(notewell: Notewell, folder: Path, link: str) -> None:
    with (folder / "notewell.toml").open("a") as file:
        file.write('\n[index]\nexclude = ["Private"]\n')
    (folder / "Garden/Hive.md").write_text(f"See {link.format('Diary')}.\n")
    notewell("index")
    asked = (("Hive", "--json"), ("--broken", "--wanted", "--json"), ("--json",))
    missing = [notewell("links", *each) for each in asked]
    (folder / "Private").mkdir()
    for suffix in ("md", "png", "pdf", "txt"):
        (folder / f"Private/Diary.{suffix}").write_text("Today the hive was quiet.\n")
    notewell("index", "--full")
    assert [notewell("links", *each) for each in asked] == missing


def test_orphans_are_the_notes_without_a_link_to_or_from_another(notewell: Notewell, linked: Path) -> None:
    (linked / "Self.md").write_text("See [[#Here]] and [[Nobody]].\n\n# Here\n")
    code, out, err = notewell("links", "--orphans")
    assert (code, out) == (0, "Garden/Keys.md\nSelf.md\n")
    assert err.endswith("2 notes of 5 without links\n")


def test_without_a_note_links_are_counted(notewell: Notewell, linked: Path) -> None:
    (linked / "data.json").write_text("{}")
    (linked / "queen.png").write_bytes(b"png")
    assert notewell("links")[1] == ("notes    5, 2 without links\nlinks    8: 4 to notes, 1 to other files, 3 broken\n")
    counts = {"notes": 5, "links": 8, "to_notes": 4, "to_files": 1, "broken": 3, "orphans": 2}
    assert links(notewell)["counts"] == counts


@cases("asked", [(), ("--broken",), ("--broken", "--to", "notes"), ("--wanted",), ("--orphans",)])
def test_the_number_of_broken_links_is_the_same_however_it_is_asked_for(
    notewell: Notewell, linked: Path, asked: tuple[str, ...]
) -> None:
    assert links(notewell, *asked)["counts"]["broken"] == len(links(notewell, "--broken")["links"]) == 4


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
        "embed": False,
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


def test_a_mistyped_note_is_an_error_with_suggestions(notewell: Notewell) -> None:
    code, out, err = notewell("links", "Sourdoug")
    assert (code, out) == (1, "")
    assert "No indexed note is called 'Sourdoug'" in err and "Recipes/Sourdough.md" in err


def test_orphans_of_one_note_are_refused(notewell: Notewell) -> None:
    code, _, err = notewell("links", "Bees", "--orphans")
    assert code == 2
    assert "--orphans concerns all notes" in err


def test_what_a_terminal_would_obey_is_made_visible(notewell: Notewell, folder: Path) -> None:
    (folder / "Odd.md").write_text("See [[No\x1b[31mbody]] and [a\x1b]0;b](x.md).\n")
    assert "\x1b" not in notewell("links", "--broken")[1] + notewell("links", "Odd")[1]


def test_no_link_forges_a_line(notewell: Notewell, linked: Path) -> None:
    (linked / "Forged.md").write_text("# Forged\n\n[s](x%0AHome.md:1)\n", encoding="utf-8")
    lines = notewell("links", "--broken")[1].splitlines()
    assert not [line for line in lines if line.startswith("Home.md")]


def test_a_file_whose_name_holds_a_secret_is_not_named(notewell: Notewell, linked: Path) -> None:
    key = "AK" + "IAZ7Q3M5XW2V4TJ6LN"
    (linked / key).mkdir()
    (linked / key / "pic.png").write_bytes(b"")
    (linked / "Picture.md").write_text("# Picture\n\n![x](pic.png)\n", encoding="utf-8")
    assert key not in "".join(map(str, notewell("links", "Picture", "--json") + notewell("links", "--broken")))
