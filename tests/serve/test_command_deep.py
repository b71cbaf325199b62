from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Notewell = Callable[..., tuple[int, str, str]]
QUERY = "the hive hums in the warm evening"


@pytest.fixture(autouse=True)
def chain(folder: Path) -> None:
    """Twelve notes that a search finds; each links to one that is like it by letters only, and to one that is far."""
    for number in range(12):
        text = f"# Evening {number}\n\nThe hive hums in the warm evening. [[Mind]] [[Far]]\n"
        (folder / f"evening {number:02}.md").write_text(text)
    (folder / "Garden" / "Mind.md").write_text("# Mind\n\nHe hives the humming in three warmer evenings.\n")
    (folder / "Garden" / "Far.md").write_text("# Far\n\nqqqq xxxx jjjj zzzz kkkk vvvv\n")


def deep(notewell: Notewell, *arguments: str) -> dict[str, Any]:
    code, out, _ = notewell("search", QUERY, "--json", *(arguments or ("--deep",)))
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_deep_mode_has_eight_seeds_and_then_what_their_links_lead_to(notewell: Notewell) -> None:
    hits = deep(notewell)["hits"]
    assert [hit["retain_reason"] for hit in hits[:9]] == ["seed"] * 8 + ["above_prune_floor"]
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_a_note_that_links_led_to_says_how(notewell: Notewell) -> None:
    (mind,) = [hit for hit in deep(notewell)["hits"] if hit["path"] == "Garden/Mind.md"]
    assert (mind["hop"], mind["way"], mind["via"][:7]) == (1, "→", "evening")
    assert [step["by"] for step in mind["trace"]] == ["links"]
    assert "hop 1 → evening 0" in mind["trace"][0]["why"]
    assert mind["excerpt"]["text"]


def test_what_was_dropped_is_there_with_its_reason(notewell: Notewell) -> None:
    found = deep(notewell)
    (far,) = [row for row in found["dropped"] if row["path"] == "Garden/Far.md"]
    assert (far["drop_reason"], far["kept"]) == ("below_prune_threshold", False)
    assert found["notes"] == len(found["hits"]) + len(found["dropped"])
    assert found["vectors"] >= found["notes"]


def test_deep_mode_stays_in_the_scope(notewell: Notewell) -> None:
    found = deep(notewell, "--deep", "--under", "evening 00.md")
    assert [hit["path"] for hit in found["hits"]] == ["evening 00.md"]
    assert found["dropped"] == []


def test_age_drops_nothing_and_is_told(notewell: Notewell, folder: Path) -> None:
    for path in ("evening 00.md", "Garden/Mind.md"):
        (folder / path).write_text(f"---\ndate: 1900-01-01\n---\n{(folder / path).read_text()}")
    (folder / "notewell.toml").write_text(
        '[embed]\nmodel = "words"\n[decay]\nmode = "half_life"\nhalf_life_days = 1\n', encoding="utf-8"
    )
    hits = {hit["path"]: hit for hit in deep(notewell)["hits"]}
    seed, led = hits["evening 00.md"], hits["Garden/Mind.md"]
    assert (seed["retain_reason"], seed["decay_zero"], led["decay_zero"]) == ("seed", True, True)
    assert led["retain_reason"] == "kept_despite_decay_zero"


def test_the_page_says_of_each_note_how_it_was_reached(notewell: Notewell) -> None:
    code, out, err = notewell("search", QUERY, "--deep")
    assert code == 0
    assert out.count(", seed") == 8
    assert "dropped Garden/Far.md: hop 1 → evening 0" in err
    limited = notewell("search", QUERY, "--deep", "-n", "3")[1]
    assert limited.count(", seed") == 3


def test_fast_and_deep_stand_side_by_side_in_80_columns(notewell: Notewell) -> None:
    code, out, err = notewell("search", QUERY, "--mode", "compare")
    assert code == 0
    head, *rows = out.splitlines()
    assert head.startswith("fast: 10 hits")
    assert "deep: " in head
    assert max(map(len, (head, *rows))) <= 80
    assert any(" hop 1" in row and " + " in row for row in rows)
    assert "+ is new in deep" in err


def test_a_comparison_for_programs_names_what_only_one_found(notewell: Notewell) -> None:
    found = deep(notewell, "--mode", "compare")
    assert len(found["fast"]["hits"]) == 10
    fast, wide = ({hit["path"] for hit in found[mode]["hits"]} for mode in ("fast", "deep"))
    assert (set(found["only_fast"]), set(found["only_deep"])) == (fast - wide, wide - fast)
    assert found["deep"]["hits"][0]["retain_reason"] == "seed"


def test_deep_mode_needs_vectors(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "notewell.toml").write_text('[embed]\nmodel = "static"\n')
    code, _, err = notewell("search", QUERY, "--deep", "--no-refresh")
    assert code == 1
    assert "There are no vectors to compare the query with" in err
