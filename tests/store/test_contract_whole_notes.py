"""Matching, over every store: what a whole note has counts for each of its chunks."""

from __future__ import annotations

import pytest
from tests.store.notes import put

from notewell.embed.words import WordsEmbedder
from notewell.store import Store
from notewell.types.query import EVERYTHING


def paths(store: Store, *terms: str) -> list[str]:
    """Return the notes of the chunks that hold any of the terms, the best first, each once."""
    with store.reading() as snapshot:
        chunks = snapshot.chunks([slot for slot, _ in snapshot.match(terms, EVERYTHING, 99).found])
    return list(dict.fromkeys(chunk.path for chunk in chunks.values()))


def test_a_note_with_one_chunk_scores_as_that_chunk(store: Store) -> None:
    with store.writing() as writer:
        for number in range(9):
            put(writer, f"{number}.md", f"rye {'wheat ' * number}")
    with store.reading() as snapshot:
        ranking = snapshot.match(["rye", "wheat"], EVERYTHING, 9)
    assert all(ranking.of_notes[chunk] == pytest.approx(0.7 * score, rel=1e-3) for chunk, score in ranking.found)


def test_a_note_about_it_comes_before_a_note_that_mentions_it(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "about.md", "the bees", "a hive and its bees, and a queen of bees", "how a hive is kept in winter")
        put(
            writer,
            "mentions.md",
            "bread of rye in the oven",
            "flour, a hive, bees",
            "wheat and its flour for the bread",
        )
        put(writer, "other.md", "bread", "rye", "oven")
    assert paths(store, "hive", "bee")[0] == "about.md"


def test_a_note_that_begins_with_it_comes_before_one_that_ends_with_it(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "end.md", "bread of rye in the oven", "wheat and flour for the bread", "a hive and its bees")
        put(writer, "beginning.md", "a hive and its bees", "wheat and flour for the bread", "bread of rye in the oven")
    assert paths(store, "hive", "bee") == ["beginning.md", "end.md"]


def test_which_notes_have_every_term_is_known(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "both.md", "rye bread", "wheat")
        put(writer, "one.md", "rye bread")
    with store.reading() as snapshot:
        ranking = snapshot.match(["rye", "wheat"], EVERYTHING, 9)
        complete = {chunk.path for chunk in snapshot.chunks(sorted(ranking.complete)).values()}
    assert (len(ranking.found), len(ranking.complete), complete) == (3, 2, {"both.md"})


def test_rankings_name_the_first_chunk_of_each_chunks_note(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "both.md", "rye bread", "wheat")
        put(writer, "one.md", "rye")
    with store.reading() as snapshot:
        by_words = snapshot.match(["rye", "wheat"], EVERYTHING, 9)
        by_meaning = snapshot.nearest(WordsEmbedder().embed_query("rye wheat"), EVERYTHING, 9)
        texts = {number: chunk.text for number, chunk in snapshot.chunks(snapshot.within(EVERYTHING)).items()}
    for ranking in (by_words, by_meaning):
        assert {texts[number]: texts[first] for number, first in ranking.firsts.items()} == {
            "rye bread": "rye bread",
            "wheat": "rye bread",
            "rye": "rye",
        }


def test_an_item_that_begins_with_a_link_yields_to_the_note_it_names(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "list.md", "- [[Rye bread]]\n- [[Wheat]]")
        put(writer, "note.md", "How to make rye bread with wheat")
    assert paths(store, "rye", "bread") == ["note.md", "list.md"]


def test_a_page_about_it_comes_before_a_line_that_mentions_it(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "line.md", "look at the hive")
        put(writer, "page.md", f"a hive and its bees {'in winter and spring ' * 30} and how a hive is kept")
        for number in range(5):
            put(writer, f"{number}.md", "bread of rye in the oven " * 30)
    assert paths(store, "hive") == ["page.md", "line.md"]


def test_a_long_note_is_no_measure_of_short_ones(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "words.md", "hive " + "rye " * 60)
        put(writer, "more.md", "hive " + "rye " * 90)
        put(writer, "most.md", "hive " + "rye " * 400)
        put(writer, "book.md", "oven " * 4_000)
    with store.reading() as snapshot:
        scores = [score for _, score in snapshot.match(["hive"], EVERYTHING, 9).found]
    assert scores[0] == scores[1] > scores[2]


def test_a_short_section_of_a_long_note_keeps_its_length(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "sections.md", "hive", "rye " * 300, "hive " + "rye " * 40)
        put(writer, "other.md", "oven " * 300)
    with store.reading() as snapshot:
        ranking = snapshot.match(["hive"], EVERYTHING, 9)
        texts = [chunk.text[:9] for chunk in snapshot.chunks([slot for slot, _ in ranking.found]).values()]
    assert texts == ["hive", "hive rye "]
    assert ranking.found[0][1] > ranking.found[1][1]
