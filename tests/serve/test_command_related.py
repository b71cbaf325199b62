from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

Notewell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def more(folder: Path) -> Path:
    (folder / "Garden/Swarm.md").write_text("# Swarm\n\nThe bees left the hive on a warm evening, honey and all.\n")
    return folder


def paths(out: str) -> list[str]:
    return [hit["path"] for hit in json.loads(out)["hits"]]


def test_the_notes_most_like_a_note_are_found_in_a_vault_that_was_never_indexed(notewell: Notewell, more: Path) -> None:
    code, out, err = notewell("related", "bees")
    assert code == 0
    assert f"indexing {more}" in err
    assert out.startswith("Garden/Swarm.md:3  Swarm  ")
    assert "Garden/Bees.md" not in out


def test_json_and_explain_are_as_those_of_search(notewell: Notewell, more: Path) -> None:
    _, out, _ = notewell("related", "Garden/Bees.md:3", "--json", "--explain", "-n", "2")
    answer = json.loads(out)
    assert answer["read_as"] == ["like Garden/Bees.md:3"]
    assert (answer["hits"][0]["path"], len(answer["hits"])) == ("Garden/Swarm.md", 2)
    assert answer["hits"][0]["trace"][-1]["by"] == "shared"
    _, told, _ = notewell("related", "Garden/Bees.md:3", "--explain", "-n", "1")
    assert told.startswith("read as: like Garden/Bees.md:3\n")
    assert "    shared  " in told and "hive" in told


def test_several_notes_and_filters_may_be_named(notewell: Notewell, more: Path) -> None:
    assert paths(notewell("related", "bees", "sourdough", "--json")[1])[0] == "Garden/Swarm.md"
    assert set(paths(notewell("related", "sourdough", "--under", "Garden", "--json")[1])) == {
        *("Garden/Bees.md", "Garden/Keys.md", "Garden/Swarm.md"),
    }


def test_a_place_may_be_typed_from_where_one_is(
    notewell: Notewell, more: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notewell("index")
    monkeypatch.chdir(more / "Garden")
    assert paths(notewell("related", "Bees.md:3", "--json")[1])[0] == "Garden/Swarm.md"


def test_an_unknown_note_is_an_error_with_suggestions(notewell: Notewell) -> None:
    notewell("index")
    code, out, err = notewell("related", "Sourdoug")
    assert (code, out) == (1, "")
    assert err == "error: No indexed note is called 'Sourdoug'\nhint: Did you mean Recipes/Sourdough.md?\n"
    assert notewell("search", "rye", "--like", "Sourdoug")[0] == 1
    assert notewell("related")[0] == 2


@pytest.mark.parametrize("mode", ["fast", "deep", "compare"])
def test_nothing_outside_of_the_vault_can_be_leant_to(notewell: Notewell, folder: Path, mode: str) -> None:
    (outside := folder.parent / "outside.md").write_text("# Rye\n\nRye, but not in the vault.\n", encoding="utf-8")
    for written in ("../outside.md", str(outside), "Garden/../../outside.md"):
        code, out, err = notewell("search", "rye", "--like", written, "--mode", mode)
        assert (code, out) == (1, "") and "No indexed note is called" in err


def test_a_search_leans_to_a_note(notewell: Notewell, more: Path) -> None:
    _, out, _ = notewell("search", "warm", "--like", "sourdough:7", "--explain")
    assert out.startswith('read as: like Recipes/Sourdough.md:7; words and meaning "warm"; one word\n')
    assert paths(notewell("search", "--like", "bees", "--json")[1]) == paths(notewell("related", "bees", "--json")[1])


# What was read last


def test_last_is_what_was_read_within_the_hour(notewell: Notewell, more: Path) -> None:
    notewell("index")
    assert notewell("related", "last")[2].startswith("error: No indexed note was read within the last hour\n")
    notewell("read", "Garden/Bees.md:3")
    assert paths(notewell("related", "last", "--json")[1])[0] == "Garden/Swarm.md"
    notewell("read", "Recipes/Sourdough.md")
    assert "like Garden/Bees.md:3; like Recipes/Sourdough.md:1-11" in notewell("related", "last", "--explain")[1]
    assert "like Garden/Bees.md:3" in notewell("search", "warm", "--like", "last", "--explain")[1]


def test_a_note_called_last_is_named_with_its_suffix(notewell: Notewell, more: Path) -> None:
    (more / "last.md").write_text("# Last\n\nThe hive hums in the warm evening, and then no more.\n")
    assert paths(notewell("related", "last.md", "--json")[1])[0] == "Garden/Bees.md"
    assert notewell("related", "last")[2].startswith("error: No indexed note was read")
    assert "like last.md" in notewell("search", "warm", "--like", "last.md", "--explain")[1]


def test_only_paths_and_lines_are_kept_for_this_user_alone(notewell: Notewell, more: Path) -> None:
    notewell("index")
    for line in range(1, 25):
        notewell("read", f"Garden/Bees.md:{line % 5 + 1}-{line + 5}")
    file = more / ".notewell/store.db.opened"
    kept = json.loads(file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept.keys() == {"at", "opened"}
    assert len(kept["opened"]) <= 20
    assert "hive" not in file.read_text()
    assert sorted(other.name for other in file.parent.glob("store.db.opened*")) == [file.name, f"{file.name}.lock"]


def test_nothing_is_kept_where_there_is_no_store(notewell: Notewell, folder: Path) -> None:
    assert notewell("read", "Garden/Bees.md")[0] == 0
    assert not (folder / ".notewell").exists()


def test_reading_goes_on_where_nothing_can_be_kept(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / ".notewell/store.db.opened").mkdir()
    code, out, err = notewell("read", "Garden/Bees.md:3")
    assert (code, out, err) == (0, "The hive hums in the warm evening.\n", "")
    left = sorted(file.name for file in (folder / ".notewell").glob("store.db.opened*"))
    assert left == ["store.db.opened", "store.db.opened.lock"]


def test_a_note_whose_name_is_not_text_is_read_all_the_same(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    name = "caf\udce9.md"
    try:
        (folder / name).write_text("Coffee.\n")
    except OSError:
        pytest.skip("the file system takes no such names")
    assert notewell("read", name) == (0, "Coffee.\n", "")
    assert not (folder / ".notewell/store.db.opened").exists()
