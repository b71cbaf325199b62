from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

Notewell = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def linked(folder: Path) -> None:
    """Bees – Sourdough – Rye in a row, and a note beside that is like none of them."""
    (folder / "Garden" / "Honey.md").write_text("# Honey\n\nThe hive hums in the warm evening. [[Bees]]\n")
    (folder / "Garden" / "Xyz.md").write_text("# Zzz\n\nqqqq xxxx jjjj zzzz [[Bees]]\n")


def visits(notewell: Notewell, *arguments: str) -> dict[str, dict[str, object]]:
    code, out, _ = notewell("traverse", *arguments, "--json")
    assert code == 0
    return {visit["path"]: visit for visit in json.loads(out)["visits"]}


def test_a_walk_is_printed_as_a_tree_with_similarities_and_reasons(notewell: Notewell) -> None:
    code, out, err = notewell("traverse", "Garden/Bees.md")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Garden/Bees.md  1.00  start"
    assert any(line.startswith("├─ ← Garden/Honey.md  0.") and line.endswith("near enough") for line in lines)
    assert any("Garden/Xyz.md" in line and line.endswith("too far") for line in lines)
    assert "compared 4 notes; stopped: " in err
    assert "stopped: no links lead on" in err


def test_json_says_how_each_note_was_reached_and_why_it_was_kept_or_not(notewell: Notewell) -> None:
    found = visits(notewell, "bees")
    assert found["Garden/Bees.md"]["retain_reason"] == "start"
    honey, xyz = found["Garden/Honey.md"], found["Garden/Xyz.md"]
    assert (honey["hop"], honey["via"], honey["way"], honey["kept"]) == (1, "Garden/Bees.md", "←", True)
    assert honey["retain_reason"] == "above_prune_floor"
    assert (xyz["kept"], xyz["drop_reason"]) == (False, "below_prune_threshold")
    assert json.loads(notewell("traverse", "bees", "--json")[1])["vectors"] == 5


def test_with_a_query_notes_have_to_be_near_to_that(notewell: Notewell) -> None:
    found = visits(notewell, "bees", "--query", "qqqq xxxx jjjj zzzz")
    assert found["Garden/Xyz.md"]["kept"]
    assert not found["Garden/Honey.md"]["kept"]


def test_with_a_query_the_floor_sinks_to_what_is_near_and_is_reported(notewell: Notewell) -> None:
    found = json.loads(notewell("traverse", "bees", "--query", "hive honey", "--json")[1])
    nearest = max(visit["similarity"] for visit in found["visits"])
    assert found["floor"] == pytest.approx(max(0.15, min(0.5, 0.7 * nearest)), abs=1e-3)
    assert found["floor"] < 0.5
    assert json.loads(notewell("traverse", "bees", "--json")[1])["floor"] == 0.5


def test_a_name_with_line_breaks_and_signs_that_a_terminal_obeys_is_printed_on_one_line(
    notewell: Notewell, folder: Path
) -> None:
    (folder / "a\nb\x1b[31m.md").write_text("The hive hums in the warm evening. [[Bees]]\n")
    out = notewell("traverse", "Bees")[1]
    assert "← a\\x0ab\\x1b[31m.md  0." in out
    assert "\x1b[31m" not in out


def test_depth_and_floor_bound_a_walk(notewell: Notewell) -> None:
    assert {visit["hop"] for visit in visits(notewell, "Honey", "--floor", "-1").values()} == {0, 1, 2}
    assert {visit["hop"] for visit in visits(notewell, "Honey", "--depth", "1", "--floor", "-1").values()} == {0, 1}
    assert [visit["kept"] for visit in visits(notewell, "Honey", "--floor", "1").values()] == [True, False]


def test_a_walk_that_prunes_everything_says_how_near_the_nearest_is(notewell: Notewell) -> None:
    err = notewell("traverse", "Honey", "--floor", "0.99")[2]
    assert "hint: the most similar note has 0." in err
    assert "--floor lowers the floor of 0.99" in err


def test_more_than_a_few_pruned_notes_are_counted_unless_all_are_asked_for(notewell: Notewell, folder: Path) -> None:
    for number in range(12):
        (folder / f"far {number:02}.md").write_text("qqqq xxxx jjjj zzzz [[Honey]]\n")
    short, whole = (notewell("traverse", "Honey", *more)[1] for more in ((), ("--all",)))
    assert short.count("← far") == 5
    assert "└─ … 7 more dropped; --all lists them" in short
    assert whole.count("← far") == 12


@cases(
    ("arguments", "fact"),
    [
        (["nobody"], "No indexed note is called 'nobody'"),
        (["Bees", "--depth", "5"], "Invalid value for '--depth'"),
        (["Bees", "--floor", "2"], "Invalid value for '--floor'"),
        (["Bees", "--floor", "nan"], "Invalid value for '--floor': 'nan' is not a number from -1 to 1"),
    ],
)
def test_what_cannot_be_walked_is_an_error(notewell: Notewell, arguments: list[str], fact: str) -> None:
    code, out, err = notewell("traverse", *arguments)
    assert code in (1, 2)
    assert (out, err.count(fact)) == ("", 1)


def test_a_query_needs_vectors_of_the_model_that_is_set(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "notewell.toml").write_text('[embed]\nmodel = "static"\n')
    code, _, err = notewell("traverse", "Bees", "--query", "honey", "--no-refresh")
    assert code == 1
    assert "error: There are no vectors to compare the query with" in err
    assert notewell("traverse", "Bees", "--no-refresh")[0] == 0
