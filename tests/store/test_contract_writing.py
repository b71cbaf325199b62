"""Writing, over every store: notes put, removed, touched and skipped."""

from __future__ import annotations

import numpy as np
import pytest
from tests.store.notes import chunks_of, matching, nearest, note_of, put

from notewell.embed.words import WordsEmbedder
from notewell.store import Store
from notewell.types.note import Chunk, Link, Note, Stamp
from notewell.types.query import EVERYTHING


def test_a_new_store_is_empty(store: Store) -> None:
    about = store.about()
    assert (about.notes, about.chunks, about.links, about.skipped) == (0, 0, 0, {})
    assert about.embedder == "words/27"
    assert store.files().notes == {}
    assert matching(store, "rye") == []
    assert nearest(store, "rye") == []


def test_a_note_that_was_put_is_found_by_words_and_by_meaning(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "bread.md", "rye bread")
        put(writer, "bees.md", "bees buzz", "honey")
    assert matching(store, "rye") == ["bread.md"]
    assert nearest(store, "bees buzz")[0] == "bees.md"
    about = store.about()
    assert (about.notes, about.chunks) == (2, 3)


def test_a_chunk_comes_back_as_it_was_put(store: Store) -> None:
    chunk = Chunk(
        path="日本語/猪 'x\"\n.md",
        text="## 猪\r\nline two\n\n\ttabs",
        line=12,
        end_line=15,
        start=301,
        end=330,
        headings=("Top", "猪"),
        title='A "title"',
        kind="log",
        tags=("a/b", "ü"),
        aliases=("Boar", "Wild, pig"),
    )
    fields = {"type": "log", "tags": ["a/b", "ü"], "aliases": ["Boar", "Wild, pig"]}
    note = Note(chunk.path, chunk.text, Stamp(5, 6, "d"), title=chunk.title, fields=fields)
    with store.writing() as writer:
        writer.put(note, [chunk], WordsEmbedder().embed([chunk.text]))
    with store.reading() as snapshot:
        found = snapshot.match(["line"], EVERYTHING, 10).found
        assert list(snapshot.chunks([slot for slot, _ in found]).values()) == [chunk]
    assert store.files().notes == {chunk.path: Stamp(5, 6, "d")}


def test_putting_a_path_again_replaces_everything_it_held(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread", "wheat bread")
    with store.writing() as writer:
        put(writer, "a.md", "honey")
    assert matching(store, "rye") == matching(store, "wheat") == matching(store, "bread") == []
    assert matching(store, "honey") == ["a.md"]
    assert nearest(store, "wheat bread") == ["a.md"]
    assert (store.about().notes, store.about().chunks) == (1, 1)


def test_a_path_put_twice_in_one_batch_holds_only_the_last(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        put(writer, "a.md", "honey")
    with store.writing() as writer:
        put(writer, "b.md", "corn")
        put(writer, "c.md", "barley")
    assert matching(store, "rye") == []
    assert matching(store, "corn", "rye") == ["b.md"]
    with store.reading() as snapshot:
        once = snapshot.match(["barley"], EVERYTHING, 5).found[0][1]
        assert snapshot.match(["honey"], EVERYTHING, 5).found[0][1] == pytest.approx(once)


def test_a_note_put_and_removed_in_one_batch_leaves_nothing_behind(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        writer.remove("a.md")
        put(writer, "b.md", "honey")
    with store.writing() as writer:
        put(writer, "c.md", "corn")
    assert store.files().notes.keys() == {"b.md", "c.md"}
    assert matching(store, "rye") == []
    assert matching(store, "corn") == ["c.md"]


def test_a_removed_note_leaves_nothing_behind(store: Store) -> None:
    with store.writing() as writer:
        writer.put(
            note_of("a.md", ["rye"], links=(Link("b", 1), Link("c", 2))),
            chunks_of("a.md", ["rye"]),
            WordsEmbedder().embed(["rye"]),
        )
        put(writer, "b.md", "rye")
    assert store.about().links == 2
    with store.writing() as writer:
        writer.remove("a.md")
    about = store.about()
    assert (about.notes, about.chunks, about.links) == (1, 1, 0)
    assert matching(store, "rye") == nearest(store, "rye") == ["b.md"]
    assert store.files().notes.keys() == {"b.md"}


def test_removing_what_is_not_there_changes_nothing(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    before = store.about().generation
    with store.writing() as writer:
        writer.remove("b.md")
    assert store.about().generation == before


def test_a_note_without_chunks_is_remembered(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "empty.md")
    assert store.files().notes.keys() == {"empty.md"}
    with store.writing() as writer:
        writer.remove("empty.md")
    assert store.files().notes == {}


def test_touching_a_note_changes_its_time_and_nothing_else(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    before, stamp, touched = store.about(), store.files().notes["a.md"], store.state.touched
    with store.writing() as writer:
        writer.touch("a.md", Stamp(77, 88, "ignored"))
    assert store.state.touched > touched
    assert store.files().notes == {"a.md": Stamp(77, 88, stamp.digest)}
    assert store.about().generation == before.generation
    assert matching(store, "rye") == ["a.md"]


def test_a_skipped_note_is_forgotten_and_its_reason_kept(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
        writer.skip("b.md", Stamp(1, 2), "too large", again=False)
    assert store.about().skipped == {"a.md": "not UTF-8", "b.md": "too large"}
    assert matching(store, "rye") == []
    assert store.about().notes == 0


def test_skipping_again_for_the_same_reason_is_not_a_change(store: Store) -> None:
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
    before = store.about().generation
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
    assert store.about().generation == before
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "too large", again=False)
    assert store.about().skipped == {"a.md": "too large"}


def test_a_note_that_can_be_read_again_is_no_longer_skipped(store: Store) -> None:
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
        writer.skip("b.md", Stamp(1, 2), "not UTF-8", again=False)
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        writer.remove("b.md")
    assert store.about().skipped == {}


def test_every_change_raises_the_generation_and_a_batch_without_one_does_not(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    first = store.about().generation
    with store.writing() as writer:
        put(writer, "b.md", "rye")
        put(writer, "c.md", "rye")
    second = store.about().generation
    with store.writing():
        pass
    assert second > first
    assert store.about().generation == second


def test_a_chunk_is_lacking_until_one_with_its_headings_and_lines_is_stored(store: Store) -> None:
    chunk = Chunk("a.md", "rye", 1, 1, headings=("Bread",))
    elsewhere = Chunk("b.md", "rye", 9, 9, headings=("Bread",), title="Other")
    others = [Chunk("a.md", "rye", 1, 1), Chunk("a.md", "corn", 1, 1, headings=("Bread",))]
    with store.writing() as writer:
        assert writer.lacks(chunk)
        writer.put(note_of("a.md", ["rye"]), [chunk], WordsEmbedder().embed(["rye"]))
        assert not writer.lacks(chunk)
    with store.writing() as writer:
        assert not writer.lacks(chunk) and not writer.lacks(elsewhere)
        assert all(writer.lacks(other) for other in others)
        writer.remove("a.md")
        # A renamed note finds its vectors until the batch ends.
        assert not writer.lacks(elsewhere)
    with store.writing() as writer:
        assert writer.lacks(chunk)


def test_the_vectors_of_chunks_that_are_not_lacking_are_not_looked_at(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        writer.put(note_of("b.md", ["rye"]), chunks_of("b.md", ["rye"]), np.zeros((1, 27), dtype=np.float32))
    assert sorted(nearest(store, "rye")) == ["a.md", "b.md"]
