from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases

from notewell import DeepResults, Vault

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
    assert "hop 1, linked from evening 0" in mind["trace"][0]["why"]
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


def test_age_drops_nothing_and_is_reported(notewell: Notewell, folder: Path) -> None:
    for path in ("evening 00.md", "Garden/Mind.md"):
        (folder / path).write_text(f"---\ndate: 1900-01-01\n---\n{(folder / path).read_text()}")
    # 1900 is more than seven half-lives ago.
    (folder / "notewell.toml").write_text(
        '[embed]\nmodel = "words"\n[decay]\nmode = "half_life"\nhalf_life_days = 5000\n', encoding="utf-8"
    )
    hits = {hit["path"]: hit for hit in deep(notewell)["hits"]}
    seed, led = hits["evening 00.md"], hits["Garden/Mind.md"]
    assert (seed["retain_reason"], seed["decay_zero"], led["decay_zero"]) == ("seed", True, True)
    assert led["retain_reason"] == "kept_despite_decay_zero"


def test_the_page_says_of_each_note_how_it_was_reached(notewell: Notewell) -> None:
    code, out, err = notewell("search", QUERY, "--deep")
    assert code == 0
    assert out.count(", seed") == 8
    assert "dropped Garden/Far.md: hop 1, linked from evening 0" in err
    assert "too far" in err
    limited = notewell("search", QUERY, "--deep", "-n", "3")[1]
    assert limited.count(", seed") == 3


def test_fast_and_deep_stand_side_by_side_in_80_columns(notewell: Notewell) -> None:
    code, out, err = notewell("search", QUERY, "--mode", "compare")
    assert code == 0
    head, *rows = out.splitlines()
    assert head.startswith("fast: 10 chunks in 10 notes")
    assert "deep: " in head
    assert max(map(len, (head, *rows))) <= 80
    assert any(" hop 1" in row and " + " in row for row in rows)
    assert "+ only in deep" in err


def test_the_columns_of_a_comparison_are_as_wide_as_the_terminal_allows(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = f"{'a long name of a note ' * 3}.md"
    (folder / long).write_text("The hive hums in the warm evening.\n")
    monkeypatch.setenv("COLUMNS", "200")
    head, *rows = notewell("search", QUERY, "--mode", "compare", "-n", "20")[1].splitlines()
    assert head.index("deep:") == 101
    assert any(long in row for row in rows)
    monkeypatch.setenv("COLUMNS", "60")
    narrow = notewell("search", QUERY, "--mode", "compare", "-n", "20")[1].splitlines()
    assert max(map(len, narrow)) <= 60


def test_a_comparison_keeps_to_a_limit_and_a_budget_on_both_sides_and_explains_both(notewell: Notewell) -> None:
    limited = deep(notewell, "--mode", "compare", "-n", "3", "--explain")
    assert [len(limited[side]["hits"]) for side in ("fast", "deep")] == [3, 3]
    assert all("votes" in hit for side in ("fast", "deep") for hit in limited[side]["hits"])
    budget = deep(notewell, "--mode", "compare", "--max-tokens", "60")
    assert [len(budget[side]["hits"]) for side in ("fast", "deep")] == [2, 2]
    out = notewell("search", QUERY, "--mode", "compare", "-n", "1", "--explain")[1]
    assert out.count("read as: ") == 2
    assert "did not fit" in notewell("search", QUERY, "--mode", "compare", "--max-tokens", "60")[1]


def test_what_only_the_usual_search_found_is_marked(notewell: Notewell, folder: Path) -> None:
    # Twelve notes answer; deep mode begins with eight, and no link leads to the other four.
    for number in range(12):
        (folder / f"evening {number:02}.md").write_text(f"# Evening {number}\n\nThe hive hums in the warm evening.\n")
    found = deep(notewell, "--mode", "compare", "-n", "10")
    out = notewell("search", QUERY, "--mode", "compare", "-n", "10")[1]
    assert len(found["only_fast"]) == sum(row[3:4] == "-" for row in out.splitlines()) > 0


def test_a_note_is_there_once_with_its_best_lines(notewell: Notewell, folder: Path) -> None:
    for number in range(1, 12):
        (folder / f"evening {number:02}.md").unlink()
    worse = f"## Worse\n\n{'Nothing of the kind, though a hive may hum. ' * 30}\n"
    (folder / "evening 00.md").write_text(f"# Other\n\n{worse}\n## Best\n\n{QUERY} {QUERY} {'Bees sleep. ' * 40}\n")
    best = [hit for hit in deep(notewell, "--mode", "fast", "-n", "30")["hits"] if hit["path"] == "evening 00.md"]
    (shown,) = [hit for hit in deep(notewell)["hits"] if hit["path"] == "evening 00.md"]
    assert len(best) > 1
    assert shown["line"] == best[0]["line"] != best[1]["line"]


def test_the_score_of_a_note_that_links_led_to_is_the_last_seeds_by_its_similarity(notewell: Notewell) -> None:
    hits = deep(notewell)["hits"]
    last = min(hit["score"] for hit in hits if hit["retain_reason"] == "seed")
    led = [hit for hit in hits if hit["retain_reason"] != "seed"]
    assert [hit["score"] for hit in led] == pytest.approx([last * hit["similarity"] for hit in led], abs=1e-4)


def test_a_budget_of_tokens_cuts_deep_mode_and_what_did_not_fit_is_counted(notewell: Notewell, folder: Path) -> None:
    assert "notes did not fit" in notewell("search", QUERY, "--deep", "--max-tokens", "60")[2]
    with Vault.open(folder) as vault:
        whole, part = vault.search(QUERY, mode="deep"), vault.search(QUERY, mode="deep", max_tokens=60)
        assert isinstance(whole, DeepResults)
        assert (whole.left_out, len(whole)) == (0, whole.notes - len(whole.dropped))
        assert 0 < len(part) < len(whole)
        assert part.left_out == len(whole) - len(part)


def test_deep_mode_leans_to_what_it_should_be_like(notewell: Notewell, folder: Path) -> None:
    (folder / "Garden" / "Far.md").write_text("# Far\n\nqqqq xxxx jjjj zzzz kkkk vvvv [[evening 00]]\n")
    plain, like = deep(notewell), deep(notewell, "--deep", "--like", "Garden/Far.md")
    near = [{row["path"]: row for row in (*found["hits"], *found["dropped"])} for found in (plain, like)]
    assert near[1]["Garden/Far.md"]["similarity"] > near[0]["Garden/Far.md"]["similarity"] + 0.3


@cases("arguments", [("--deep",), ("--mode", "compare")])
def test_deep_mode_without_a_text_is_an_error_with_a_hint(notewell: Notewell, arguments: tuple[str, ...]) -> None:
    code, out, err = notewell("search", *arguments, "--under", "Garden")
    assert (code, out) == (2, "")
    assert "error: Deep search needs query text" in err
    assert "hint: For example: " in err


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
