"""Keeping, over every store: states, locks, copies, and one store in place of another."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.cases import cases
from tests.store.notes import OpenStore, chunks_of, ends, matching, nearest, places, put, put_linked

from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreBusy
from notewell.store import Keeping, Linked, MadeFor, Matching, Skip, Store, Writing
from notewell.store.links import NOWHERE, Standing
from notewell.types.note import Link, Stamp
from notewell.types.query import EVERYTHING

# States


def test_a_failed_batch_leaves_everything_as_it_was(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye", "wheat")
    before = store.about(), store.files().notes, matching(store, "rye"), nearest(store, "rye")
    with pytest.raises(ZeroDivisionError), store.writing() as writer:
        put(writer, "b.md", "rye")
        writer.remove("a.md")
        writer.skip("c.md", Stamp(1, 1), "bad", again=False)
        raise ZeroDivisionError
    assert (store.about(), store.files().notes, matching(store, "rye"), nearest(store, "rye")) == before
    with store.writing() as writer:
        put(writer, "b.md", "rye")
    # A note that is about nothing else comes first.
    assert matching(store, "rye") == ["b.md", "a.md"]


def test_a_batch_is_seen_all_at_once_when_it_ends(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        assert other.about().notes == 0
        put(writer, "b.md", "rye")
        assert matching(other, "rye") == []
    assert matching(other, "rye") == ["a.md", "b.md"]


def test_a_snapshot_keeps_its_state_while_a_writer_commits(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye bread")
        put(writer, "b.md", "rye")
    with store.reading() as snapshot:
        before = snapshot.match(["rye"], EVERYTHING, 10)
        with other.writing() as writer:
            writer.remove("a.md")
            put(writer, "c.md", "rye", "rye", "rye")
        assert snapshot.match(["rye"], EVERYTHING, 10) == before
        assert [path for path, _ in places(snapshot, before)] == ["b.md", "a.md"]
        assert len(snapshot.nearest(WordsEmbedder().embed(["rye"])[0], EVERYTHING, 10).found) == 2
        held = snapshot.state.generation
    with store.reading() as snapshot:
        assert snapshot.state.generation > held
    assert sorted(matching(store, "rye")) == ["b.md", "c.md", "c.md", "c.md"]


def test_a_state_says_when_notes_last_changed(open_store: OpenStore) -> None:
    store = open_store()
    seen = [store.state.notes_changed]
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    seen.append(store.state.notes_changed)
    with store.writing() as writer:
        writer.skip("b.md", Stamp(1, 2), "too large", again=False)
    seen.append(store.state.notes_changed)
    with store.reading() as snapshot:
        chunks = [*snapshot.chunks(snapshot.chunks_of("a.md")).values()]
    with store.writing() as writer:
        writer.keep_vectors("encoder", chunks, WordsEmbedder().embed(["rye"]))
    assert store.state.notes_changed == seen[-1]
    with store.writing() as writer:
        writer.remove("a.md")
    seen.append(store.state.notes_changed)
    assert seen == sorted({*seen})


def test_two_stores_open_at_once_see_each_others_changes(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with other.writing() as writer:
        put(writer, "b.md", "rye")
    assert matching(store, "rye") == matching(other, "rye") == ["a.md", "b.md"]
    assert store.about().generation == other.about().generation


def test_threads_share_a_store(store: Store) -> None:
    found: list[list[str]] = []
    with store.writing() as writer:
        put(writer, "a.md", "rye")

    def work(number: int) -> None:
        with store.writing() as writer:
            put(writer, f"{number}.md", "rye")
        found.append(matching(store, "rye"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(paths) for paths in found)[-1] == 5
    assert len(matching(store, "rye")) == 5


def test_a_store_says_what_it_was_made_for_and_when_it_was_indexed(store: Store) -> None:
    assert store.state.made_for == MadeFor("words/27", 27, "1")
    assert store.state.indexed_at == store.about().indexed_at == ""
    with store.writing():
        pass
    assert store.state.indexed_at == store.about().indexed_at != ""


# One writer, and one store in place of another


def test_a_store_is_locked_by_one_at_a_time(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.locked(wait=0):
        with pytest.raises(StoreBusy) as caught, other.locked(wait=0.1):
            pytest.fail("two hold the lock")
        assert caught.value.hint
        with store.writing() as writer:
            put(writer, "a.md", "rye")
        assert matching(other, "rye") == ["a.md"]
    with other.locked(wait=0):
        pass


def test_a_lock_is_free_after_a_failed_run(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with pytest.raises(ZeroDivisionError), store.locked(wait=0):
        raise ZeroDivisionError
    with other.locked(wait=0):
        pass


def test_a_store_built_beside_is_taken_over(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    before = store.about().generation
    fresh = store.beside(MadeFor("words/27", 27, "2"))
    with fresh.writing() as writer:
        put(writer, "b.md", "rye")
    assert matching(store, "rye") == ["a.md"]
    store.replace_by(fresh)
    assert matching(store, "rye") == matching(other, "rye") == ["b.md"]
    assert store.state.made_for == other.state.made_for == MadeFor("words/27", 27, "2")
    assert store.about().generation == other.about().generation > before
    again = store.beside(MadeFor("words/27", 27, "2"))
    assert again.files().notes == {}
    again.close()


def test_what_an_interrupted_build_left_is_taken_up_again_if_it_is_for_the_same(store: Store) -> None:
    fresh = store.beside(MadeFor("words/27", 27, "2"))
    with fresh.writing() as writer:
        put(writer, "b.md", "rye")
    fresh.close()
    same = store.beside(MadeFor("words/27", 27, "2"))
    assert same.files().notes.keys() == {"b.md"}
    same.close()
    other = store.beside(MadeFor("words/27", 27, "3"))
    assert (other.files().notes, other.state.made_for) == ({}, MadeFor("words/27", 27, "3"))
    other.close()


# Copies and checks


def test_a_copy_takes_the_place_of_a_store(store: Store, tmp_path: Path) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    store.copy_to(tmp_path / "copy")
    before = (tmp_path / "copy").read_bytes()
    with store.writing() as writer:
        put(writer, "b.md", "rye")
    generation = store.state.generation
    store.replace_by(store.beside(tmp_path / "copy"))
    assert matching(store, "rye") == ["a.md"]
    assert store.state.generation > generation
    assert (tmp_path / "copy").read_bytes() == before


def test_a_store_is_sound_after_any_kind_of_change(store: Store) -> None:
    one = put_linked(store, "a.md", Link("b", 1))
    with store.writing() as writer:
        put(writer, "b.md", "rye", "bees")
        writer.skip("c.md", Stamp(1, 2), "too large", again=True)
        writer.keep_edges({one: ends((7, NOWHERE))})
        writer.keep_standings("mark", {one: Standing(1.0, 1.0, 0)})
        writer.keep_vectors("words/27", chunks_of("b.md", ["rye"]), WordsEmbedder().embed(["rye"]))
    assert (store.state.links_resolved, store.state.standings_current) == (True, True)
    with store.writing() as writer:
        writer.remove("b.md")
    store.tidy()
    assert list(store.check()) == []
    notes, skipped = store.files()
    assert (list(notes), skipped) == (["a.md"], {"c.md": Skip(Stamp(1, 2), again=True)})


# The seams


@cases("seam", [Matching, Linked, Writing, Keeping])
def test_a_seam_has_at_most_a_dozen_members(seam: type) -> None:
    assert 1 < len([name for name in vars(seam) if not name.startswith("_")]) <= 12


def test_only_derived_data_does_not_count_as_indexing(store: Store) -> None:
    with store.writing() as writer:
        writer.keep_edges({})
    assert store.state.indexed_at == ""
    with store.writing():
        pass
    assert store.state.indexed_at
