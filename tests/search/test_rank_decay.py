"""Older notes count less, worked by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from time import process_time
from typing import Any

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.errors import SettingsError
from notewell.measure.evaluate import find_candidates
from notewell.search.plan import make_plan
from notewell.search.rank.decay import Decay
from notewell.search.rules import DecayRules, read_overrides
from notewell.store import NoteFacts
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk

TODAY = date(2025, 8, 3)
GROUPED = DecayRules("ranked_grouped")
Notes = Mapping[str, Mapping[str, Any]]


def decayed(notes: Notes, rules: DecayRules, scores: Mapping[str, float] | None = None) -> dict[str, Candidate]:
    """Rank one chunk of each note, with a score of 1 unless it is given; `day`, `tags` and `type` are the note's."""
    said = {path: NoteFacts(note.get("day", "2025-08-03"), note) for path, note in notes.items()}
    hits = [
        Candidate(
            Chunk(path, "text", 1, 1, tags=note.get("tags", ()), kind=note.get("type", "")),
            (scores or {}).get(path, 1.0),
        )
        for path, note in notes.items()
    ]
    ranked = Decay(rules, TODAY, lambda paths: {path: said[path] for path in paths})(make_plan("x"), hits)
    assert [hit.chunk for hit in ranked] == [hit.chunk for hit in hits]
    return {hit.chunk.path: hit for hit in ranked}


def scores_of(notes: Notes, rules: DecayRules) -> dict[str, float]:
    return {path: hit.score for path, hit in decayed(notes, rules).items()}


def by_ada(*days: str) -> dict[str, dict[str, Any]]:
    return {f"{day}.md": {"author": "Ada Lovelace", "day": day} for day in days}


@cases(
    ("day", "half_life", "score"),
    [
        ("2025-08-03", 365, 0.8),
        ("2024-08-03", 365, 0.4),
        ("2023-08-04", 365, 0.2),
        ("2025-07-04", 30, 0.4),
        ("2025-05-05", 30, 0.1),
        ("2099-01-01", 365, 0.8),
    ],
)
def test_a_score_halves_with_every_half_life_and_a_day_to_come_is_today(
    day: str, half_life: float, score: float
) -> None:
    hits = decayed({"a.md": {"day": day}}, DecayRules("half_life", half_life), {"a.md": 0.8})
    assert hits["a.md"].score == pytest.approx(score)


def test_the_only_note_with_the_word_is_found_however_old_it_is(make_vault: Callable[..., Vault]) -> None:
    new = {
        f"{day}.md": f"---\ndate: 2025-08-0{day}\n---\n# Trip {day}\n\nBy ship to an island.\n" for day in range(1, 9)
    }
    old = {"old.md": "---\ndate: 2001-01-01\n---\n# Zanzibar\n\nZanzibar smells of cloves.\n"}
    vault = make_vault({**new, **old}, {"decay.mode": "half_life"})
    vault.index()
    for text in ("zanzibar", "zanzibar island"):
        assert vault.search(text)[0].path == "old.md", text


def test_half_a_half_life_costs_a_root_of_a_half() -> None:
    rules = DecayRules("half_life", 730)
    assert scores_of({"a.md": {"day": "2024-08-03"}}, rules)["a.md"] == pytest.approx(0.70710678)


def test_the_trace_says_how_old_a_note_is_and_nothing_of_one_of_today() -> None:
    hits = decayed({"a.md": {"day": "2024-06-17"}, "b.md": {"day": "2025-08-02"}, "c.md": {}}, DecayRules("half_life"))
    assert [step.why for path in ("a.md", "b.md") for step in hits[path].trace] == [
        "412 days old, half-life 365",
        "1 day old, half-life 365",
    ]
    assert hits["a.md"].trace[-1].by == "decay"
    assert hits["a.md"].trace[-1].score == hits["a.md"].score
    assert hits["c.md"].trace == ()


def test_an_authors_notes_go_down_the_ladder_and_stay_on_its_last_rung() -> None:
    days = ["2025-01-01", "2024-06-01", "2024-05-01", "2021-01-01", "2019-01-01", "2010-01-01", "1999-01-01"]
    # In another order than that of their days.
    scores = scores_of(by_ada(*reversed(days)), GROUPED)
    assert [scores[f"{day}.md"] for day in days] == pytest.approx([1.0, 0.6, 0.45, 0.35, 0.25, 0.25, 0.25])


def test_the_ladder_is_a_setting() -> None:
    scores = scores_of(by_ada("2025-01-01", "2024-06-01", "2024-05-01"), DecayRules("ranked_grouped", ladder="1 0.5"))
    assert [*scores.values()] == pytest.approx([1.0, 0.5, 0.5])


def test_each_author_has_a_ladder_and_age_alone_costs_nothing() -> None:
    notes = {
        **by_ada("2025-01-01", "2024-01-01"),
        "babbage.md": {"author": "Charles Babbage", "day": "1864-01-01"},
    }
    assert scores_of(notes, GROUPED) == pytest.approx({"2025-01-01.md": 1.0, "2024-01-01.md": 0.6, "babbage.md": 1.0})


def test_the_ladder_multiplies_and_says_why() -> None:
    notes = by_ada("2025-03-01", "2025-02-01", "2025-01-01")
    hits = decayed(notes, GROUPED, {"2025-03-01.md": 0.3, "2025-02-01.md": 0.5, "2025-01-01.md": 0.8})
    assert [hit.score for hit in hits.values()] == pytest.approx([0.3, 0.3, 0.36])
    assert [[step.why for step in hit.trace] for hit in hits.values()] == [
        [],
        ["2nd newest by Ada Lovelace: × 0.6"],
        ["3rd newest by Ada Lovelace: × 0.45"],
    ]


def test_notes_of_one_day_share_a_rung_and_the_next_stands_where_it_would() -> None:
    notes = {f"{name}.md": {"author": "Ada", "day": day} for name, day in [("a", "2025-02-01"), ("b", "2025-02-01")]}
    notes["c.md"] = {"author": "Ada", "day": "2025-01-01"}
    assert scores_of(notes, GROUPED) == pytest.approx({"a.md": 1.0, "b.md": 1.0, "c.md": 0.45})


def test_a_day_to_come_is_not_newer_than_today() -> None:
    assert set(scores_of(by_ada("2099-01-01", "2025-08-03"), GROUPED).values()) == {1.0}


def test_notes_whose_author_is_not_known_keep_their_scores() -> None:
    notes = {f"{year}.md": {"day": f"{year}-01-01", "author": author} for year, author in [(2025, None), (2020, " ")]}
    assert set(scores_of({**notes, "2010.md": {"day": "2010-01-01"}}, GROUPED).values()) == {1.0}


@cases(
    "written",
    [
        {"author": "ada  LOVELACE"},
        {"Author": "Ada Lovelace"},
        {"authors": ["Ada Lovelace", "Charles Babbage"]},
        {"author": "[[Ada Lovelace]]"},
        {"author": ["[[People/Ada|Ada Lovelace]]"]},
    ],
)
def test_an_author_is_the_same_however_it_is_written(written: dict[str, Any]) -> None:
    notes = {**by_ada("2025-01-01"), "old.md": {**written, "day": "2024-01-01"}}
    assert scores_of(notes, GROUPED)["old.md"] == pytest.approx(0.6)


def test_what_names_the_group_is_a_setting() -> None:
    notes = {year: {"day": f"{year}-01-01", "source": "Weekly", "author": year} for year in ("2025", "2024")}
    assert set(scores_of(notes, GROUPED).values()) == {1.0}
    assert scores_of(notes, DecayRules("ranked_grouped", group_by=("source",)))["2024"] == pytest.approx(0.6)


@cases(
    "mark",
    [
        {"evergreen": True},
        {"Evergreen": "yes"},
        {"tags": ("Evergreen",)},
        {"tags": ("evergreen/craft",)},
        {"type": "evergreen"},
    ],
)
@cases("mode", ["half_life", "ranked_grouped"])
def test_evergreen_notes_are_exempt_and_say_so(mode: str, mark: dict[str, Any]) -> None:
    notes = by_ada("2025-08-03", "2024-08-03", "2023-08-04")
    notes["2024-08-03.md"] |= mark
    hits = decayed(notes, DecayRules(mode))
    assert [step.why for step in hits["2024-08-03.md"].trace] == ["evergreen"]
    assert hits["2024-08-03.md"].score == 1.0
    # An evergreen note takes no place on the ladder: what is older than it is the second, not the third.
    assert hits["2023-08-04.md"].score == pytest.approx(0.25 if mode == "half_life" else 0.6)


def test_an_evergreen_note_that_would_not_have_lost_has_nothing_to_say() -> None:
    notes = {"a.md": {"author": "Ada", "evergreen": True}, "b.md": {"evergreen": False, "day": "2024-08-03"}}
    hits = decayed(notes, DecayRules("half_life"))
    assert hits["a.md"].trace == ()
    assert hits["b.md"].score == pytest.approx(0.5)


def test_what_counts_as_evergreen_is_a_setting() -> None:
    notes = {"a.md": {"day": "2024-08-03", "tags": ("canon",)}, "b.md": {"day": "2024-08-03", "tags": ("evergreen",)}}
    assert scores_of(notes, DecayRules("half_life", evergreen=("canon",))) == pytest.approx({"a.md": 1.0, "b.md": 0.5})


def test_the_longest_path_decides_how_a_note_loses() -> None:
    overrides = ("Journal/ = half_life 30", "Journal/Yearly = off", "Reference = off")
    paths = ("Journal/a.md", "Journal/Yearly/a.md", "Journals.md", "Reference/a.md", "References/a.md", "else.md")
    notes = {path: {"day": "2025-07-04"} for path in paths}
    scores = scores_of(notes, DecayRules("half_life", 60, overrides=overrides))
    root = 0.5**0.5
    assert scores == pytest.approx(dict(zip(paths, (0.5, 1.0, root, 1.0, root, root), strict=True)))


def test_an_override_works_where_nothing_else_loses() -> None:
    rules = DecayRules(overrides=("Journal = half_life",))
    assert rules.on and not DecayRules().on
    notes = {path: {"day": "2024-08-03"} for path in ("Journal/a.md", "b.md")}
    assert scores_of(notes, rules) == pytest.approx({"Journal/a.md": 0.5, "b.md": 1.0})


def test_under_a_path_all_notes_can_be_one_group_with_a_ladder_of_its_own() -> None:
    rules = DecayRules("ranked_grouped", overrides=("Filings/ = one_group 1.0 0.6",))
    days = ("2025-04-01", "2025-01-01", "2024-10-01")
    notes = {f"Filings/{day}.md": {"day": day, "author": day} for day in days}
    # The same author elsewhere is another group.
    notes["letter.md"] = {"day": "2020-01-01", "author": "2025-04-01"}
    hits = decayed(notes, rules)
    assert [hit.score for hit in hits.values()] == pytest.approx([1.0, 0.6, 0.6, 1.0])
    assert hits["Filings/2024-10-01.md"].trace[-1].why == "3rd newest in Filings: × 0.6"


def test_an_author_has_another_ladder_under_a_path_with_a_way_of_its_own() -> None:
    notes = {
        path: {"day": day, "author": "Ada"} for path, day in [("Letters/a.md", "2025-01-01"), ("b.md", "2024-01-01")]
    }
    assert scores_of(notes, GROUPED)["b.md"] == pytest.approx(0.6)
    apart = DecayRules("ranked_grouped", overrides=("Letters/ = ranked_grouped",))
    assert set(scores_of(notes, apart).values()) == {1.0}


@cases(
    "written",
    [
        "",
        "Journal",
        "Journal half_life",
        "= off",
        "/ = off",
        "Journal = ",
        "Journal = weekly",
        "Journal = off 3",
        "Journal = half_life soon",
        "Journal = half_life 0",
        "Journal = half_life nan",
        "Journal = half_life inf",
        "Journal = half_life 30 60",
        "Journal = one_group 1.0 -0.5",
        "Journal = ranked_grouped 1.5",
        "Journal = ranked_grouped 1.0, 0.6",
    ],
)
def test_an_override_that_cannot_be_read_is_an_error_that_shows_how(written: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_overrides([written])
    assert "entry 1" in caught.value.fact and "half_life 30" in caught.value.hint


def test_two_chunks_of_a_note_lose_the_same() -> None:
    said = {"new.md": NoteFacts("2025-02-01", {"author": "Ada"}), "old.md": NoteFacts("2025-01-01", {"author": "Ada"})}
    hits = [Candidate(Chunk(path, "text", line, line), 1.0) for path in said for line in (1, 5, 9)]
    ranked = Decay(GROUPED, TODAY, lambda paths: said)(make_plan("x"), hits)
    assert [hit.score for hit in ranked] == pytest.approx([1.0] * 3 + [0.6] * 3)


def aged(days: int, text: str, **fields: str) -> str:
    """Return a note dated this many days ago, with extra front matter on request."""
    front = {"date": (date.today() - timedelta(days=days)).isoformat(), **fields}
    return "".join(("---\n", *(f"{key}: {value}\n" for key, value in front.items()), f"---\n{text}\n"))


MakeVault = Callable[..., Vault]


def test_decay_is_off_unless_it_is_asked_for(make_vault: MakeVault) -> None:
    notes = {"old.md": aged(3650, "The hive, the hive."), "new.md": aged(0, "A hive stands by the wall of the barn.")}
    with make_vault(notes) as vault:
        vault.index()
        found = vault.search("hive").hits
    assert found[0].path == "old.md"
    assert "decay" not in {step.by for excerpt in found for step in excerpt.trace}


@pytest.mark.parametrize("mode", ["half_life", "ranked_grouped"])
def test_with_decay_the_newer_note_comes_first(make_vault: MakeVault, mode: str) -> None:
    notes = {
        "old.md": aged(3650, "The hive, the hive.", author="Ada"),
        "new.md": aged(0, "A hive by the barn.", author="Ada"),
    }
    with make_vault(notes, {"decay.mode": mode, "search.vector_weight": 0}) as vault:
        vault.index()
        found = vault.search("hive").hits
        measured = find_candidates(vault, "hive", limit=2)
    assert [excerpt.path for excerpt in found] == ["new.md", "old.md"]
    assert found[1].trace[-1].by == "decay"
    assert [round(one.score, 6) for one in measured] == [excerpt.score for excerpt in found]


def test_a_new_note_is_found_behind_many_old_ones_that_fit_better(make_vault: MakeVault) -> None:
    notes = {f"old {number}.md": aged(3650, f"The hive, hive {number}.") for number in range(60)}
    notes["new.md"] = aged(0, "A hive stands by the wall of the barn, in the shade.")
    with make_vault(notes, {"decay.mode": "half_life"}) as vault:
        vault.index()
        assert vault.search("hive").hits[0].path == "new.md"


def test_a_note_without_a_date_is_as_old_as_its_file(make_vault: MakeVault) -> None:
    with make_vault(
        {"a.md": "The hive.", "b.md": aged(365, "The hive of ours.")}, {"decay.mode": "half_life"}
    ) as vault:
        vault.index()
        found = {excerpt.path: excerpt for excerpt in vault.search("hive")}
    assert "decay" not in {step.by for step in found["a.md"].trace}
    assert found["b.md"].trace[-1].why == "365 days old, half-life 365"


def test_filters_alone_still_list_the_newest(make_vault: MakeVault) -> None:
    notes = {f"{days}.md": aged(days, f"The hive of {days}.", author="Ada") for days in (1, 40, 400)}
    with make_vault(notes, {"decay.mode": "ranked_grouped"}) as vault:
        vault.index()
        found = vault.search("author:Ada").hits
    assert [excerpt.path for excerpt in found] == ["1.md", "40.md", "400.md"]
    assert "decay" not in {step.by for excerpt in found for step in excerpt.trace}


def test_a_hostile_author_is_read_in_a_moment() -> None:
    hostile = "x " + "[[a|" * 40_000
    began = process_time()
    decayed({"a.md": {"author": hostile}, "b.md": {"author": hostile}}, GROUPED)
    assert process_time() - began < 2
