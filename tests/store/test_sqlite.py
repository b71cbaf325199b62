"""What the SQLite store promises beyond the contract: one file, one writer, clear refusals."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.store.sqlite_files import MADE_FOR, made, opened, paths, put_all

from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreBusy, StoreError
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.store.sqlite.checked import SqliteReader
from notewell.store.sqlite.files import delete_beside
from notewell.store.sqlite.schema import VERSION
from notewell.store.tables.arrays import Blocks
from notewell.store.tables.postings import BLOCK, unpack
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING, Filter, Scope


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(made(tmp_path / "store.db")) as store:
        yield store


# One file


def test_a_closed_store_is_one_file_that_can_be_copied(store: SqliteStore, tmp_path: Path) -> None:
    put_all(store, {"a.md": "rye"})
    store.close()
    copy = tmp_path / "copy" / "elsewhere.db"
    copy.parent.mkdir()
    copy.write_bytes(store.file.read_bytes())
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["store.db"]
    with closing(opened(copy)) as copied:
        assert paths(copied, "rye") == ["a.md"]
        assert copied.state.made_for == MADE_FOR


def test_opening_a_store_again_keeps_what_it_was_made_for(store: SqliteStore) -> None:
    put_all(store, {"a.md": "rye"})
    with closing(made(store.file, MadeFor("other", 99, "2"))) as again:
        assert again.state.made_for == MADE_FOR
        assert paths(again, "rye") == ["a.md"]


def test_every_thread_keeps_no_more_in_memory_than_it_may(store: SqliteStore) -> None:
    store.limit_cache(1_234)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: store.db.pragma("cache_size")).result() == -1_234
    assert store.db.pragma("cache_size") == -1_234


def test_the_file_says_what_it_is(store: SqliteStore) -> None:
    assert store.db.pragma("application_id") == int.from_bytes(b"NWel", "big")
    assert store.db.pragma("user_version") == VERSION
    assert store.db.pragma("journal_mode") == "wal"


def test_freed_slots_are_taken_again(store: SqliteStore) -> None:
    put_all(store, {f"{number}.md": "rye" for number in range(300)})
    with store.writing() as writer:
        for number in range(300):
            writer.remove(f"{number}.md")
    put_all(store, {f"{number}.md": "rye" for number in range(300, 400)})
    (highest,) = store.db.execute("select max(id) from chunk").fetchone() or (-1,)
    assert highest == 99


def test_a_key_that_a_json_path_cannot_contain_is_not_found(store: SqliteStore) -> None:
    note = Note("a.md", "rye", Stamp(1, 1, "rye"), fields={'q"uote': "x", "plain": "x"})
    with store.writing() as writer:
        writer.put(note, [Chunk("a.md", "rye", 1, 1)], WordsEmbedder().embed(["rye"]))
    with store.reading() as snapshot:
        assert snapshot.within(Scope(filters=(Filter("field", ("x",), key='q"uote'),))) == []
        assert len(snapshot.within(Scope(filters=(Filter("field", ("x",), key="plain"),)))) == 1


# One writer


def test_a_second_writer_is_told_that_the_store_is_busy(tmp_path: Path) -> None:
    with closing(made(tmp_path / "store.db")) as store, closing(made(tmp_path / "store.db")) as other:
        other.db.set_busy_timeout(1)
        with store.writing(), pytest.raises(StoreBusy) as caught, other.writing():
            pytest.fail("two writers at once")
        assert "store.db" in caught.value.fact
        assert caught.value.hint
        put_all(other, {"a.md": "rye"})
        assert paths(store, "rye") == ["a.md"]


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    with closing(made(tmp_path / "store.db")) as store, closing(made(tmp_path / "store.db")) as other:
        put_all(store, {"a.md": "rye"})
        with store.writing() as writer:
            writer.remove("a.md")
            assert paths(other, "rye") == ["a.md"]
            assert other.about().notes == 1


# One store in place of another


def test_a_replacement_is_seen_at_once_and_raises_the_generation(store: SqliteStore, tmp_path: Path) -> None:
    put_all(store, {"a.md": "rye"})
    put_all(store, {"b.md": "rye"})
    with closing(opened(store.file)) as other, closing(made(tmp_path / "new.db")) as fresh:
        assert sorted(paths(other, "rye")) == sorted(paths(store, "rye")) == ["a.md", "b.md"]
        before = store.about().generation
        put_all(fresh, {"c.md": "rye and honey"})
        store.replace_by(fresh)
        assert paths(store, "rye") == paths(other, "rye") == ["c.md"]
        assert paths(other, "honey") == ["c.md"]
        assert store.about().generation == other.about().generation == before + 1


def test_a_replacement_brings_its_own_embedder_and_dimensions(store: SqliteStore, tmp_path: Path) -> None:
    put_all(store, {"a.md": "rye"})
    with closing(made(tmp_path / "new.db", MadeFor("tiny/2", 2, "2"))) as fresh:
        with fresh.writing() as writer:
            vectors = np.array([[0.6, 0.8]], dtype=np.float32)
            writer.put(Note("b.md", "rye", Stamp(1, 3, "d")), [Chunk("b.md", "rye", 1, 1)], vectors)
        store.replace_by(fresh)
    assert store.state.made_for == MadeFor("tiny/2", 2, "2")
    with store.reading() as snapshot:
        ((_, cosine),) = snapshot.nearest(np.array([0.6, 0.8], dtype=np.float32), EVERYTHING, 5).found
    assert cosine == pytest.approx(1, abs=0.01)


def test_a_reader_keeps_the_old_state_while_a_store_is_replaced(tmp_path: Path) -> None:
    with (
        closing(made(tmp_path / "store.db")) as store,
        closing(made(tmp_path / "store.db")) as other,
        closing(made(tmp_path / "new.db")) as fresh,
    ):
        put_all(store, {"a.md": "rye"})
        put_all(fresh, {"b.md": "rye"})
        with other.reading() as snapshot:
            store.replace_by(fresh)
            found = snapshot.match(["rye"], EVERYTHING, 5).found
            assert [chunk.path for chunk in snapshot.chunks([slot for slot, _ in found]).values()] == ["a.md"]
        assert paths(other, "rye") == ["b.md"]


def test_a_store_that_is_being_written_is_not_replaced(tmp_path: Path) -> None:
    with (
        closing(made(tmp_path / "store.db")) as store,
        closing(made(tmp_path / "store.db")) as other,
        closing(made(tmp_path / "new.db")) as fresh,
    ):
        put_all(store, {"a.md": "rye"})
        put_all(fresh, {"b.md": "rye"})
        store.db.set_busy_timeout(1)
        with other.writing(), pytest.raises(StoreBusy):
            store.replace_by(fresh)
        assert paths(store, "rye") == ["a.md"]


def test_a_replacement_deletes_the_file_it_came_from(store: SqliteStore, tmp_path: Path) -> None:
    fresh = store.beside(MADE_FOR)
    put_all(fresh, {"b.md": "rye"})
    assert fresh.file.parent == tmp_path
    store.replace_by(fresh)
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]


def test_a_damaged_half_built_store_is_started_again_in_our_own_folder(tmp_path: Path) -> None:
    (folder := tmp_path / ".notewell").mkdir()
    with closing(made(folder / "store.db")) as store:
        store.beside(MADE_FOR).close()
        (folder / "store.db.new").write_bytes(b"no database at all, " * 100)
        with closing(store.beside(MADE_FOR)) as fresh:
            assert fresh.files().notes == {}


def test_a_file_without_our_mark_is_not_deleted_outside_our_folder(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "store.db.new").write_bytes(b"no database at all, " * 100)
    with pytest.raises(StoreError, match="cannot be used") as caught:
        store.beside(MADE_FOR)
    assert caught.value.hint
    delete_beside(store.file)
    assert (tmp_path / "store.db.new").read_bytes() == b"no database at all, " * 100


# Copies


def test_a_copy_is_one_file_with_the_same_state(store: SqliteStore, tmp_path: Path) -> None:
    put_all(store, {"a.md": "rye", "b.md": "honey"})
    (folder := tmp_path / "copies").mkdir()
    store.copy_to(folder / "copy.db")
    assert [file.name for file in folder.iterdir()] == ["copy.db"]
    put_all(store, {"c.md": "rye"})
    with closing(opened(folder / "copy.db")) as copied:
        assert paths(copied, "rye") == ["a.md"]
        assert copied.state.made_for == MADE_FOR
        assert content(copied).keys() == {("a.md", 1), ("b.md", 1)}


def test_a_copy_is_taken_while_another_writes(store: SqliteStore, tmp_path: Path) -> None:
    put_all(store, {"a.md": "rye"})
    with closing(opened(store.file)) as other, other.writing() as writer:
        writer.remove("a.md")
        store.copy_to(tmp_path / "copy.db")
    with closing(opened(tmp_path / "copy.db")) as copied:
        assert paths(copied, "rye") == ["a.md"]


# The lock


def test_the_lock_names_its_holder_and_stays_empty_after_use(store: SqliteStore, tmp_path: Path) -> None:
    with store.locked(wait=0), closing(opened(store.file)) as other:
        with pytest.raises(StoreBusy) as caught, other.locked(wait=0):
            pytest.fail("two hold the lock")
        assert f"Process {os.getpid()}, since 20" in caught.value.fact
    assert (tmp_path / "store.db.lock").read_bytes() == b""


def test_a_lock_that_an_ended_process_left_is_free(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "store.db.lock").write_text('{"pid": 1, "since": "2020-01-01T00:00:00+00:00"}')
    with store.locked(wait=0):
        pass


# What lies in it


def rows_of(store: SqliteStore, statement: str) -> list[Any]:
    return list(store.db.execute(statement))


def content(store: SqliteStore) -> dict[tuple[str, int], tuple[object, ...]]:
    """Return, for each chunk by path and line, its text, postings, length, code and vector."""
    rows = rows_of(store, "select chunk.id, path, line from chunk join note on note.id = note")
    blocks = Blocks.load(SqliteReader(store.db), 27)
    postings: dict[int, dict[str, int]] = {slot: {} for slot, *_ in rows}
    for term, block, data in rows_of(store, "select term, block, data from posting"):
        places, counts = unpack(data)
        assert places.size, f"an empty posting list is kept for {term}"
        assert (np.diff(places.astype(int)) > 0).all(), f"places of {term} are not in order"
        for place, count in zip(places.tolist(), counts.tolist(), strict=True):
            assert block * BLOCK + place in postings, f"{term} stands in a free slot"
            postings[block * BLOCK + place][term] = count
    bodies = dict(rows_of(store, "select id, uses from body"))
    assert bodies == dict(rows_of(store, "select body, count(*) from chunk group by body"))
    assert bodies.keys() == {body for (body,) in rows_of(store, "select body from vector")}
    joined = "select chunk.id, data from chunk join vector on vector.body = chunk.body"
    vectors: dict[int, bytes] = dict(rows_of(store, joined))
    assert vectors.keys() == postings.keys()
    assert set(np.flatnonzero(blocks.lengths).tolist()) == postings.keys()
    return {
        (path, line): (postings[slot], int(blocks.lengths[slot]), tuple(blocks.codes[:, slot].tolist()), vectors[slot])
        for slot, path, line in rows
    }


lines = st.lists(st.sampled_from(["rye", "rye bread", "bees", "honey bees", "rye rye", ""]), min_size=0, max_size=3)
names = st.sampled_from(["a.md", "b.md", "c/d.md", "e.md"])
# A path and its new text; no text removes it.
changes = st.lists(st.tuples(names, st.none() | lines.map("\n".join)), max_size=4)


class AnyHistory(RuleBasedStateMachine):
    """Whatever is put, replaced and removed, the store holds what a fresh one with the last notes would."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = made(Path(self.folder.name) / "store.db")
        self.notes: dict[str, str] = {}

    @rule(changes=changes)
    def change(self, changes: list[tuple[str, str | None]]) -> None:
        with self.store.writing() as writer:
            for path, text in changes:
                if text is None:
                    writer.remove(path)
                    self.notes.pop(path, None)
                else:
                    texts = text.split("\n")
                    chunks = [Chunk(path, line, number, number) for number, line in enumerate(texts, start=1)]
                    writer.put(Note(path, text, Stamp(1, 1, text)), chunks, WordsEmbedder().embed(texts))
                    self.notes[path] = text

    @rule(path=names)
    def fail(self, path: str) -> None:
        with pytest.raises(ZeroDivisionError), self.store.writing() as writer:
            writer.remove(path)
            raise ZeroDivisionError

    @invariant()
    def holds_the_last_notes(self) -> None:
        with tempfile.TemporaryDirectory() as folder, closing(made(Path(folder) / "store.db")) as fresh:
            put_all(fresh, self.notes)
            assert content(self.store) == content(fresh)

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=25, stateful_step_count=8, deadline=None)


def test_what_is_taken_out_of_a_note_is_not_left_in_the_file(tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    for number in range(20):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\nSome words of note {number}, and more.\n")
    note = tmp_path / "router.md"
    with Vault.open(tmp_path, {"embed.model": "words"}) as vault:
        note.write_text("# Router\n\nilse / Zanzibarquux\n")
        vault.index()
        assert b"zanzibarquux" in b"".join(file.read_bytes() for file in vault.store_file.parent.iterdir())
        note.write_text("# Router\n\nilse / in the safe\n")
        vault.index()
    assert b"zanzibarquux" not in b"".join(file.read_bytes() for file in vault.store_file.parent.iterdir())
