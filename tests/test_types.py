from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell import Vault
from notewell.types.candidates import Candidate, CastVote, Ranking
from notewell.types.note import Chunk, Note, RedactedSpan, Stamp, as_list
from notewell.types.query import Filters, Query
from notewell.types.results import Results, Step

CHUNK = Chunk("Garden/bees.md", "The hive hums.", 1, 1, title="Bees")
VOTE = CastVote("lexical", 1, 2.5, 1.0, 0.75)
CANDIDATE = Candidate(CHUNK, 0.5, votes=(VOTE,))


@given(st.text(st.sampled_from("ab\n\r"), max_size=60), st.integers(0, 60))
def test_the_line_of_an_offset_is_one_more_than_the_line_ends_before_it(text: str, offset: int) -> None:
    assert Note("a.md", text, Stamp(0, 0)).line_at(offset) == text.count("\n", 0, offset) + 1


def test_an_offset_is_moved_by_every_secret_before_it() -> None:
    # The source "a SECRET b LONGSECRET c" became "a [x] b [x] c".
    redactions = (RedactedSpan("x", 1, 2, 8, 2, 3), RedactedSpan("x", 1, 11, 21, 8, 3))
    source, text = "a SECRET b LONGSECRET c", "a [x] b [x] c"
    note = Note("a.md", text, Stamp(0, 0), redactions=redactions)
    assert note.source_offset(0) == 0
    assert source[note.source_offset(text.index("b"))] == "b"
    assert source[note.source_offset(text.index("c"))] == "c"
    assert note.source_offset(len(text)) == len(source)
    assert source[note.source_offset(2) : note.source_offset(5)] == "SECRET"


@cases(
    ("value", "texts"),
    [
        ("bees, rye ,", ["bees", "rye"]),
        (["bees", None, " ", 2024], ["bees", "2024"]),
        ([], []),
        (None, []),
        (2024, ["2024"]),
        (False, ["False"]),
    ],
)
def test_a_front_matter_value_is_a_list_of_texts(value: object, texts: list[str]) -> None:
    assert as_list(value) == texts


def test_a_note_without_front_matter_has_no_type_tags_or_aliases() -> None:
    note = Note("a.md", "", Stamp(0, 0), fields={"type": None, "tags": None})
    assert (note.kind, note.tags, note.aliases) == ("", (), ())


def test_a_breadcrumb_does_not_say_the_title_twice() -> None:
    assert Chunk("a.md", "", 1, 1, title="Bees", headings=("Bees", "Year")).heading == "Bees > Year"
    assert Chunk("a.md", "", 1, 1, title="Bees").heading == "Bees"
    assert Chunk("a.md", "", 1, 1, headings=("Year",)).heading == "Year"


def test_the_context_holds_all_names_of_a_note() -> None:
    chunk = Chunk("x/bees.md", "", 1, 1, title="Apiary", kind="log", tags=("garden",), aliases=("Imkerei",))
    assert chunk.context == "Apiary | x | bees | log | garden | Imkerei"
    assert Chunk("bees.md", "", 1, 1, title="Apiary").context == "Apiary | bees"


def test_the_context_holds_every_folder_above_a_note() -> None:
    assert Chunk("Garden/2024/bees.v2.md", "", 1, 1, title="Apiary").context == "Apiary | Garden | 2024 | bees.v2"


def test_what_is_embedded_does_not_hold_the_files_name() -> None:
    one, other = Chunk("a.md", "text", 1, 1, title="a"), Chunk("b.md", "text", 1, 1, title="b")
    assert one.meaning == other.meaning == "text"


def test_a_new_score_leaves_its_reason_and_the_old_candidate_as_it_was() -> None:
    rescored = CANDIDATE.rescored(0.25, by="decay", why="a year old")
    assert rescored.trace == (Step("decay", "a year old", 0.25),)
    assert (CANDIDATE.score, CANDIDATE.trace, rescored.score) == (0.5, (), 0.25)


def test_only_the_first_of_a_ranking_may_become_hits() -> None:
    assert Ranking("lexical", ((1, 3.0), (2, 2.0), (3, 1.0)), reach=2).candidates == ((1, 3.0), (2, 2.0))


def test_results_are_a_sequence_of_hits(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"bees.md": "# Bees\n\nThe hive hums.\n"})
    vault.index()
    results = vault.search("hive")
    (hit,) = results.hits
    assert (list(results), len(results), results[0]) == ([hit], 1, hit)
    assert (hit.path, hit.excerpt.text, hit.votes, results.read_as) == ("bees.md", "The hive hums.", None, None)
    assert isinstance(results, Results)


def test_a_query_is_a_text_and_what_is_asked_beside_it_or_a_query() -> None:
    query = Query.of("bees", limit=3, filters=Filters(tag="garden"))
    assert (query.text, query.limit, query.filters.tag, query.mode) == ("bees", 3, "garden", "fast")
    assert Query.of(query) is query
    with pytest.raises(TypeError, match="already holds its fields"):
        Query.of(query, limit=5)


def test_places_to_be_like_are_one_or_several() -> None:
    assert Query(like="Bees.md").places == ("Bees.md",)
    assert Query(like=["Bees.md", ""]).places == ("Bees.md",)
    assert Query().places == ()


def test_values_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        CHUNK.text = "other"  # type: ignore[misc]
