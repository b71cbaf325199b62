from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.database import database

Notewell = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def linked(folder: Path) -> None:
    """Three notes on birds that link to each other, and one link to the others."""
    for name, links in {"Owl": "[[Wren]]", "Wren": "[[Tit]]", "Tit": "[[Owl]] [[Wren]] [[Bees]]"}.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{links}\n")


def test_communities_go_by_their_central_notes_with_bridges_and_orphans(notewell: Notewell) -> None:
    code, out, _ = notewell("graph")
    assert code == 0
    assert out.splitlines() == [
        "6 notes, 6 links, 2 communities; 1 note without links",
        "     3  Tit, Wren, Owl",
        "     2  Sourdough, Bees",
        "bridges",
        "     1  Tit – Sourdough  e.g. Tit → Bees",
    ]


def test_json_has_every_note_and_link_between_communities(notewell: Notewell) -> None:
    found = json.loads(notewell("graph", "--json")[1])
    assert (found["notes"], found["links"], found["centrality_by"]) == (6, 6, "eigenvector")
    assert [community["size"] for community in found["communities"]] == [3, 2]
    assert found["communities"][1]["notes"] == ["Recipes/Sourdough.md", "Garden/Bees.md"]
    assert found["bridges"] == [{"communities": [0, 1], "links": 1, "link": ["Tit.md", "Garden/Bees.md"]}]
    assert found["orphans"] == ["Garden/Keys.md"]


def test_json_has_how_every_note_stands_and_every_link_between_two(notewell: Notewell) -> None:
    found = json.loads(notewell("graph", "--json")[1])
    standings = {row["path"]: row for row in found["standings"]}
    assert (standings["Owl.md"]["community"], standings["Garden/Bees.md"]["community"]) == (0, 1)
    assert max(row["pagerank"] for row in standings.values()) == 1
    assert standings["Garden/Keys.md"] == {"path": "Garden/Keys.md", "pagerank": 0, "centrality": 0, "community": None}
    assert len(found["pairs"]) == found["links"] == 6
    assert ["Tit.md", "Garden/Bees.md"] in found["pairs"]


def test_a_name_with_line_breaks_and_signs_that_a_terminal_obeys_is_printed_on_one_line(
    notewell: Notewell, folder: Path
) -> None:
    for name in ("Owl", "Wren", "Tit"):
        (folder / f"{name}.md").write_text("A bird.\n")
    (folder / "Birds\nb\x1b[31m.md").write_text("[[Tit]] [[Owl]] [[Wren]] [[Sourdough]]\n")
    out = notewell("graph")[1]
    # As the name of the community, of its end of the bridge, and of the note that the bridge begins with.
    assert out.count("Birds\\nb\\x1b[31m") == 3
    assert "\x1b[31m" not in out


def test_communities_of_the_same_name_show_their_folder(notewell: Notewell, folder: Path) -> None:
    (folder / "Work").mkdir()
    (folder / "Work" / "Sourdough.md").write_text("[[Work/Oven]]\n")
    (folder / "Work" / "Oven.md").write_text("[[Work/Sourdough]]\n")
    (folder / "Garden" / "Bees.md").write_text("[[Recipes/Sourdough]]\n")
    out = notewell("graph")[1]
    assert "Recipes/Sourdough" in out
    assert "Work/Sourdough" in out


def test_a_picture_and_a_file_for_graphviz_are_written(notewell: Notewell, folder: Path) -> None:
    code, _, err = notewell("graph", "--svg", "birds.svg", "--dot", "birds.gv")
    assert code == 0
    assert "wrote birds.svg\nwrote birds.gv\n" in err
    texts = [text.text for text in ET.parse(folder / "birds.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert {"notes", "Owl", "Wren", "Bees"} <= set(texts)
    assert '"Tit.md" -> "Garden/Bees.md";' in (folder / "birds.gv").read_text()


def test_a_picture_is_not_written_over_a_note(notewell: Notewell, folder: Path) -> None:
    code, _, err = notewell("graph", "--svg", "Owl.md")
    assert code == 1
    assert "hint: Use a file name that ends in .svg" in err
    assert (folder / "Owl.md").read_text() == "# Owl\n\n[[Wren]]\n"


def test_a_picture_in_a_folder_that_is_not_there_is_an_error_that_names_it(notewell: Notewell, folder: Path) -> None:
    assert notewell("graph", "--svg", "none/a.svg")[2].endswith(
        "error: There is no folder none\nhint: Create it, or choose another folder\n"
    )
    (folder / "a.svg").mkdir()
    assert notewell("graph", "--svg", "a.svg")[2].startswith("error: a.svg cannot be written: Is a directory\nhint: ")


def test_centrality_that_does_not_converge_is_reported(notewell: Notewell, folder: Path) -> None:
    # Two groups of eight that weigh nearly the same: one has a note more that hangs on it.
    for group in "pq":
        everybody = " ".join(f"[[{group}{number}]]" for number in range(8))
        for number in range(8):
            (folder / f"{group}{number}.md").write_text(f"{everybody}\n")
    (folder / "pendant.md").write_text("[[q0]]\n")
    notewell("index")
    assert "note: central notes are those with the most links" in notewell("graph")[2]
    assert json.loads(notewell("graph", "--json")[1])["centrality_by"] == "degree"


def test_a_store_of_an_older_notewell_has_its_standings_made(notewell: Notewell, folder: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    notewell("index")
    expected = notewell("graph")[1]
    with Vault.open(folder) as vault:
        database(vault.store).execute("delete from standing")
        database(vault.store).execute("delete from meta where key in ('standings', 'measured')")
    assert notewell("graph", "--no-refresh")[1] == expected
