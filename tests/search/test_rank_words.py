from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.search.plan import make_plan
from notewell.search.rank.words import KEYS_LEFT, PROPERTY_GAIN, favour_names, lower_keys
from notewell.search.rank.words import NAME_GAIN as GAIN
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk


def favoured(query: str, path: str = "x.md", title: str = "", aliases: tuple[str, ...] = ()) -> Candidate:
    hit = Candidate(Chunk(path, "text", 1, 1, title=title, aliases=aliases), 0.5)
    (favoured,) = favour_names(make_plan(query), [hit])
    return favoured


@cases(
    "names",
    [{"title": "Rye bread"}, {"path": "deep/rye bread.md"}, {"title": "Loaves", "aliases": ("Toast", "Bread, rye")}],
)
def test_a_note_that_is_called_what_was_asked_for_gains_most(names: dict[str, str]) -> None:
    hit = favoured("the rye bread", **names)  # type: ignore[arg-type]
    assert hit.score == pytest.approx(0.5 * (1 + GAIN))
    assert hit.trace[-1].by == "name"
    assert hit.trace[-1].score == hit.score


def test_a_note_gains_by_the_words_its_name_and_the_query_share() -> None:
    hit = favoured("rye", title="Rye bread")
    assert hit.score == pytest.approx(0.5 * (1 + GAIN / 4))
    assert hit.trace[-1].why == "0.50 of 'Rye bread' and the query"


@cases("query", ["honey", "", "?!"])
def test_a_note_of_another_name_stays_as_it_is(query: str) -> None:
    hit = favoured(query, title="Rye bread")
    assert (hit.score, hit.trace) == (0.5, ())


def test_a_beginning_is_in_a_name_that_begins_so() -> None:
    assert favoured("br* rye", title="Rye bread").score == pytest.approx(0.5 * (1 + GAIN))
    assert favoured("wh*", title="Rye bread").score == 0.5


def described(path: str, properties: str, title: str = "") -> Candidate:
    return Candidate(Chunk(path, "text", 1, 1, title=title, properties=properties), 0.5)


def test_a_note_gains_if_a_property_says_what_was_asked_for() -> None:
    (one,) = favour_names(make_plan("the name of a cube"), [described("x.md", "reference | Name of the cube | Ada")])
    assert one.score == pytest.approx(0.5 * (1 + PROPERTY_GAIN * (2 / 4) ** 4))
    assert (one.trace[-1].by, one.trace[-1].why) == ("property", "0.50 of 'Name of the cube' and the query")


def test_a_property_that_many_notes_share_tells_nothing() -> None:
    few = [described(f"{number}.md", "in progress") for number in range(3)]
    many = [*few, described("more.md", "in progress")]
    raised, left = (favour_names(make_plan("progress"), notes) for notes in (few, many))
    assert all(one.score > 0.5 for one in raised) and all(one.score == 0.5 for one in left)


def test_a_name_and_a_property_count_once() -> None:
    (one,) = favour_names(make_plan("rye"), [described("x.md", "rye", title="Rye bread")])
    assert [step.by for step in one.trace] == ["property"]


@cases(
    "text",
    ["a.heat: 220\nb.heat: 250", "a:\n  heat: 220\nb:\n  heat: high\n"],
)
def test_entries_with_the_query_only_in_their_keys_are_lowered(text: str) -> None:
    (one,) = lower_keys(make_plan("heat"), [Candidate(Chunk("ovens.yaml", text, 1, 2), 0.5)])
    assert one.score == pytest.approx(0.5 * KEYS_LEFT)
    assert one.trace[-1].why == "only its keys have words of the query"


@cases(
    "path, text",
    [
        ("ovens.yaml", "heat: 220\ncolour: red"),
        ("ovens.yaml", "a.heat: 220\nb.heat: what heat is"),
        ("ovens.md", "a.heat: 220\nb.heat: 250"),
    ],
)
def test_other_entries_keep_their_score(path: str, text: str) -> None:
    (one,) = lower_keys(make_plan("heat"), [Candidate(Chunk(path, text, 1, 2), 0.5)])
    assert (one.score, one.trace) == (0.5, ())


def section(path: str, *headings: str, score: float = 0.5) -> Candidate:
    return Candidate(Chunk(path, "text", 1, 1, headings=headings), score)


def test_the_section_that_a_query_names_with_its_note_comes_first() -> None:
    wanted = section("BGB.md", "Recht der Schuldverhältnisse", "§ 823 Schadensersatzpflicht", score=0.2)
    candidates = [section("Training.md", "§ 823 BGB and others"), section("BGB.md", "§ 824"), wanted]
    best = max(favour_names(make_plan("§ 823 BGB"), candidates), key=lambda one: one.score)
    assert best.chunk == wanted.chunk
    assert best.trace[-1].why == "the query names its note and section"


def test_of_several_sections_the_one_with_the_fewest_other_words_comes_first() -> None:
    candidates = [section("Sourdough.md", "Shaping a second time"), section("Sourdough.md", "Shaping", score=0.1)]
    best = max(favour_names(make_plan("sourdough shaping"), candidates), key=lambda one: one.score)
    assert best.chunk.headings == ("Shaping",)


def test_a_note_with_exactly_that_name_wins_over_a_section() -> None:
    candidates = [section("Sourdough shaping.md", "Steps"), section("Sourdough.md", "Shaping")]
    raised = favour_names(make_plan("sourdough shaping"), candidates)
    assert [one.trace[-1].why for one in raised if one.score > 0.7] == ["the query is its name"]


@cases("query", ["sourdough", "shaping", "sourdough shaping twice"])
def test_a_section_is_named_only_by_its_note_and_its_heading_together(query: str) -> None:
    (one,) = favour_names(make_plan(query), [section("Sourdough.md", "Shaping")])
    assert "section" not in " ".join(step.why for step in one.trace)


def test_a_note_asked_for_by_its_name_begins_at_its_beginning(make_vault: Callable[..., Vault]) -> None:
    text = "Of winter.\n\n## Hive\n\nThe hive, the hive, beekeeping.\n\n## Year\n\nBeekeeping, all the year.\n"
    vault = make_vault({"Beekeeping year.md": text, "other.md": "A hive."})
    vault.index()
    assert vault.search("beekeeping year")[0].line == 1


def test_a_file_name_with_hyphens_is_asked_for_with_spaces(make_vault: Callable[..., Vault]) -> None:
    notes = {
        "bitwise-and-sql.md": "Returns 1 where both bits are 1.",
        "bitwise-operators-sql.md": "Bitwise operators of SQL: bitwise and, bitwise or. Bitwise operators are SQL.",
    }
    with make_vault(notes) as vault:
        vault.index()
        asked = ("bitwise and sql", "Bitwise-and-SQL", "bitwise_and_sql")
        assert [vault.search(query).hits[0].path for query in asked] == ["bitwise-and-sql.md"] * len(asked)


def test_a_note_called_by_one_word_comes_before_many_that_use_it_more(make_vault: Callable[..., Vault]) -> None:
    notes = {f"problem {number}.md": f"Leetcode, leetcode: problem {number}." for number in range(60)}
    notes["Leetcode.md"] = "Problems to practise for interviews, with what each of them teaches."
    with make_vault(notes) as vault:
        vault.index()
        assert vault.search("leetcode").hits[0].path == "Leetcode.md"


@pytest.mark.parametrize("asked", ["Swarm of May", "swarm of may", "The Latest", "Über uns", "What is it?", "Hive"])
def test_a_query_that_is_a_title_or_alias_finds_that_note_first(make_vault: Callable[..., Vault], asked: str) -> None:
    others = {f"{number}.md": f"A swarm, a swarm, the hive uns {asked} {asked}, and {number}." for number in range(9)}
    named = f"---\ntitle: {asked}\n---\nShort.", f"---\naliases: ['{asked}']\n---\nBrief."
    vault = make_vault({**others, "x.md": named[0], "y.md": named[1]})
    vault.index()
    assert {hit.path for hit in vault.search(asked, limit=2)} == {"x.md", "y.md"}
