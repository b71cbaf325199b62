"""Notes of the time that a query asks for are raised, and nothing else is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.measure.evaluate import find_candidates
from notewell.search.plan import make_plan
from notewell.search.query import ParseContext
from notewell.search.rank.recency import Recency, Recent
from notewell.store import NoteFacts
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk

TODAY = date(2025, 8, 3)
MakeVault = Callable[..., Vault]


def ranked(query: str, notes: Mapping[str, tuple[str, float]], text: str = "text") -> dict[str, Candidate]:
    """Rank one chunk of each note, given by its day and its score."""
    hits = [Candidate(Chunk(path, text, 1, 1), score) for path, (_, score) in notes.items()]
    said = {path: NoteFacts(day) for path, (day, _) in notes.items()}
    plan = make_plan(query, context=ParseContext(today=TODAY))
    return {hit.chunk.path: hit for hit in Recency(TODAY, lambda paths: said)(plan, hits)}


def test_notes_of_the_days_asked_for_are_raised_and_the_others_stay() -> None:
    notes = {"in.md": ("2024-05-31", 0.4), "before.md": ("2024-04-30", 0.6), "after.md": ("2024-06-01", 0.5)}
    hits = ranked("honey in May 2024", notes)
    assert {path: hit.score for path, hit in hits.items()} == pytest.approx(
        {"in.md": 0.6, "before.md": 0.6, "after.md": 0.5}
    )
    assert [(step.by, step.why) for step in hits["in.md"].trace] == [("recency", "dated 2024-05-31")]
    assert hits["after.md"].trace == ()


@cases(
    ("query", "text"),
    [
        ("honey in 2024", "In the summer of 2024 there was much honey."),
        ("honey in May 2024", "Honey of May 2024."),
        ("honey in May 2024", "Honig, Mai 2024"),
        ("honey in May 2024", "2024-05-17: honey"),
        ("honey last year", "Honey of 2024"),
        ("honey yesterday", "2025-08-02 honey"),
    ],
)
def test_a_note_that_names_the_time_is_as_good_as_one_of_that_time(query: str, text: str) -> None:
    hit = ranked(query, {"a.md": ("2025-08-03", 0.4)}, text=text)["a.md"]
    assert hit.score == pytest.approx(0.6)
    assert hit.trace[-1].why == "names the time"


def test_a_day_in_a_files_name_counts() -> None:
    hits = ranked("honey last week", {"Journal/2025-07-23.md": ("2025-08-03", 0.4), "b.md": ("2025-08-03", 0.5)})
    assert hits["Journal/2025-07-23.md"].score == pytest.approx(0.6)
    assert hits["b.md"].trace == ()


def test_a_longer_time_that_holds_the_one_asked_for_does_not_count() -> None:
    assert ranked("honey in May 2024", {"a.md": ("2025-08-03", 0.4)}, text="Honey of 2024")["a.md"].trace == ()


def test_the_newest_of_those_that_fit_gains_most_and_the_next_less() -> None:
    notes = {
        "fourth.md": ("2020-01-01", 0.8),
        "newest.md": ("2025-01-01", 0.55),
        "second.md": ("2024-12-31", 0.72),
        "also second.md": ("2024-12-31", 0.6),
        "unfit.md": ("2025-08-01", 0.5),
    }
    hits = ranked("latest honey", notes)
    expected = {"fourth.md": 0.85, "newest.md": 1.1, "second.md": 0.9, "also second.md": 0.75, "unfit.md": 0.5}
    assert {path: hit.score for path, hit in hits.items()} == pytest.approx(expected)
    assert hits["newest.md"].trace[-1].why == "newest that matches, dated 2025-01-01"
    assert hits["second.md"].trace[-1].why == "2nd newest that matches, dated 2024-12-31"
    assert hits["unfit.md"].trace == ()


def test_a_day_to_come_is_not_newer_than_today() -> None:
    hits = ranked("latest honey", {"a.md": ("2099-01-01", 0.5), "b.md": ("2025-08-03", 0.5)})
    assert {hit.score for hit in hits.values()} == {1.0}


def test_a_note_that_has_the_word_in_its_name_is_as_good_as_the_newest() -> None:
    notes = {"Using the latest image tag.md": ("2019-01-01", 0.9), "b.md": ("2025-01-01", 0.5)}
    hits = ranked("the latest image tag", notes)
    assert hits["Using the latest image tag.md"].score == 1.8
    assert hits["Using the latest image tag.md"].trace[-1].why == "has the word in its name"


def test_no_hits_and_no_phrase_stay_as_they_are() -> None:
    assert ranked("latest honey", {}) == {}
    assert ranked("honey", {"a.md": ("2025-01-01", 0.5)})["a.md"].trace == ()


def aged(days: int, text: str) -> str:
    return f"---\ndate: {date.today() - timedelta(days=days)}\n---\n{text}\n"


def test_asked_for_the_latest_the_newer_note_comes_first(make_vault: MakeVault) -> None:
    notes = {
        "early.md": aged(420, "Login state lives in memory. The login state of the planner is lost on restart."),
        "late.md": aged(1, "The planner keeps its login state in the database, and nothing is lost."),
        "bread.md": aged(0, "Rye bread needs a tin."),
    }
    with make_vault(notes) as vault:
        vault.index()
        plain = vault.search("login state of the planner")
        asked = vault.search("latest login state of the planner", explain=True)
    assert [excerpt.path for excerpt in plain][:2] == ["early.md", "late.md"]
    assert [excerpt.path for excerpt in asked][:2] == ["late.md", "early.md"]
    assert {excerpt.path for excerpt in asked} == {excerpt.path for excerpt in plain}
    assert (asked.read_as or ())[-1] == 'preferring the newest ("latest")'
    assert asked[0].trace[-1].by == "recency"
    assert "recency" not in {step.by for excerpt in plain for step in excerpt.trace}


def test_the_latest_is_found_behind_many_that_fit_better(make_vault: MakeVault) -> None:
    notes = {f"day {number}.md": aged(number + 10, f"Hive count {number}.") for number in range(60)}
    notes["new.md"] = aged(1, "Hive count, by the barn.")
    with make_vault(notes, {"search.vector_weight": 0}) as vault:
        vault.index()
        assert "new.md" not in [excerpt.path for excerpt in vault.search("hive count", limit=60)]
        assert vault.search("latest hive count").hits[0].path == "new.md"


def test_a_phrase_leaves_nothing_out(make_vault: MakeVault) -> None:
    with make_vault({"a.md": aged(900, "The hive hums.")}) as vault:
        vault.index()
        (found,) = vault.search("hive today")
    assert found.path == "a.md"
    assert "recency" not in {step.by for step in found.trace}


def test_a_query_that_is_a_day_finds_the_notes_of_that_day(make_vault: MakeVault) -> None:
    notes = {
        "of that day.md": "---\ndate: 2024-05-17\n---\nThe hive hums.\n",
        "the next.md": "---\ndate: 2024-05-18\n---\nThe hive hums in 2024, in May.\n",
    }
    with make_vault(notes) as vault:
        vault.index()
        queries = ("2024-05-17", "17 May 2024", "May 17, 2024")
        firsts = [vault.search(query, explain=True).hits[0] for query in queries]
    assert [first.path for first in firsts] == ["of that day.md"] * len(queries)
    assert [step.why for step in firsts[0].trace if step.by == "dated"] == ["dated 2024-05-17"]


def test_a_text_that_names_the_day_comes_before_notes_of_that_day(make_vault: MakeVault) -> None:
    notes = {
        "a.md": "---\ndate: 2024-05-17\n---\nThe hive hums.\n",
        "names it.md": "---\ndate: 2023-01-01\n---\nThe swarm left on 2024-05-17.\n",
    }
    with make_vault(notes) as vault:
        vault.index()
        assert [hit.path for hit in vault.search("2024-05-17")] == ["names it.md", "a.md"]


def test_words_beside_a_day_and_days_that_do_not_exist_ask_for_no_day(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "---\ndate: 2024-05-17\n---\nThe hive hums.\n"}) as vault:
        vault.index()
        hits = [hit for query in ("hive 2024-05-17", "2024-05-32 hive") for hit in vault.search(query, explain=True)]
    assert hits
    assert not [step for hit in hits for step in hit.trace if step.by == "dated"]


def test_measuring_reads_queries_as_they_are(make_vault: MakeVault) -> None:
    with make_vault({"a.md": aged(9, "The latest hive hums.")}) as vault:
        vault.index()
        (hit,) = find_candidates(vault, "latest hive", limit=1)
    assert "recency" not in {step.by for step in hit.trace}


def test_notes_that_changed_lately_are_raised_if_settings_ask_for_it() -> None:
    days = {"new.md": "2025-07-04", "old.md": "2025-07-03", "undated.md": ""}
    candidates = [Candidate(Chunk(path, "text", 1, 1), 0.4 + 0.2 * (path == "old.md")) for path in days]
    rank = Recent(30, 0.5, TODAY, lambda paths: {path: NoteFacts(days[path]) for path in paths})
    found = {one.chunk.path: one for one in rank(make_plan("honey"), candidates)}
    assert {path: one.score for path, one in found.items()} == pytest.approx(
        {"new.md": 0.7, "old.md": 0.6, "undated.md": 0.4}
    )
    assert [step.why for step in found["new.md"].trace] == ["changed within 30 days"]


def test_a_vault_raises_recent_notes_only_if_told_to(make_vault: MakeVault) -> None:
    new = f"{date.today()}.md"
    vault = make_vault({"2020-01-01.md": "# Honey\n\nhoney", new: "# Oats\n\nrye, oats, wheat, spelt, some honey"})
    raising = Vault.open(vault.root, {"embed.model": "words", "search.floor": 0, "decay.recent_gain": 0.9})
    assert vault.search("honey").hits[0].path == "2020-01-01.md"
    assert raising.search("honey").hits[0].path == new
