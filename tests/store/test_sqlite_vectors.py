"""Vectors and slots in the SQLite file: arrays in memory, the cache, borders of blocks, damage, the first format."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.database import database
from tests.store.notes import chunks_of, matching, put
from tests.store.sqlite_files import FIXTURES, made

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore, queries
from notewell.store.sqlite.checked import SqliteReader
from notewell.store.tables.arrays import Blocks
from notewell.store.tables.postings import BLOCK
from notewell.store.tables.vectors import VectorCache
from notewell.types.note import Chunk, Note, Stamp, Vectors
from notewell.types.query import EVERYTHING, Scope

SCHEMA_1 = FIXTURES / "schema-1.db"
ENCODER = WordsEmbedder.fingerprint
NOTES = {
    "bread.md": "# Bread\n\nThe loaf collapsed because the oven was too cold.\n",
    "bees.md": "# Bees\n\nThe hive hums in the warm evening of a summer day.\n",
}
HIVES = {f"{number}.md": f"# Note {number}\n\nThe bees of hive {number} sleep." for number in range(20)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(made(tmp_path / "store.db")) as store:
        yield store


def test_every_change_raises_the_generation_and_the_arrays_are_not_loaded_again(store: SqliteStore) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye", "bees")

    def loaded() -> object:
        with store.reading() as snapshot:
            snapshot.counts(["rye"])
        return store._arrays

    arrays = loaded()
    seen = [store.about().generation]
    for chunk in chunks_of("a.md", ["rye", "bees"]):
        with store.writing() as writer:
            writer.keep_vectors("words/27", [chunk], WordsEmbedder().embed([chunk.text]))
        with store.reading() as snapshot:
            seen.append(snapshot.state.generation)
        assert loaded() is arrays
    assert seen == sorted(set(seen))
    with store.writing() as writer:
        put(writer, "c.md", "cats mew")
    assert loaded() is not arrays


def test_a_full_run_with_other_chunks_keeps_what_it_can(make_vault: Callable[..., Vault]) -> None:
    paragraphs = "\n\n".join(f"Paragraph {number} says that the hive hums." for number in range(30))
    with make_vault({**NOTES, "long.md": f"# Long\n\n{paragraphs}\n"}, {"embed.encoder": "words"}) as vault:
        vault.index()
        assert vault.encode() == 0
        before = (
            database(vault.store)
            .execute("select digest, data from fine join body on body = id order by digest")
            .fetchall()
        )
        vault.index(full=True)
        after = (
            database(vault.store)
            .execute("select digest, data from fine join body on body = id order by digest")
            .fetchall()
        )
        assert (after, vault.encoder.left) == (before, 0)
    small = {"embed.model": "words", "embed.encoder": "words", "chunk.max_chars": 300}
    with Vault.open(vault.root, small) as other:
        other.index()
        assert (other.store.about().encoded, other.encoder.left) == (2, other.store.about().chunks - 2)
        assert other.doctor().problems == ()


def test_a_backup_brings_its_vectors_back(make_vault: Callable[..., Vault], tmp_path: Path) -> None:
    with make_vault(NOTES, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.encode()
        vault.backup(tmp_path / "copy.db")
        shutil.rmtree(vault.root / ".notewell")
        vault.restore(tmp_path / "copy.db")
        assert (vault.store.about().encoder, vault.store.about().encoded, vault.encoder.left) == (ENCODER, 2, 0)


# Proof and formats


def test_doctor_finds_a_vector_that_belongs_to_no_lines(make_vault: Callable[..., Vault]) -> None:
    with make_vault(NOTES, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.encode()
        assert vault.doctor().problems == ()
        database(vault.store).execute("insert into fine (body, data) values (4711, x'00')")
        assert vault.doctor().problems == (
            "1 encoder vectors of another length than most",
            "1 encoder vectors without lines",
        )
        assert vault.doctor(repair=True).repaired
        assert (vault.doctor().problems, vault.encoder.left) == ((), 0)


def test_a_vector_that_was_damaged_neither_breaks_search_nor_escapes_doctor(make_vault: Callable[..., Vault]) -> None:
    notes = {f"{number}.md": f"# Hive {number}\n\nThe hive of number {number} hums.\n" for number in range(5)}
    with make_vault(notes, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.encode()
        database(vault.store).execute("update fine set data = x'0102' where body = (select min(body) from fine)")
        results = vault.search("the hive hums")
        assert (len(results), results.notices) == (5, ())
        assert sorted(excerpt.retrievers["fine"] is None for excerpt in results) == [False] * 4 + [True]
        length, number = "encoder vectors of another length than most", "encoder vectors whose checksum is wrong"
        assert vault.doctor().problems == (f"1 {length}", f"1 {number}")


def test_a_store_without_a_mark_is_rebuilt_and_keeps_the_vectors_of_the_encoder(
    make_vault: Callable[..., Vault],
) -> None:
    with make_vault(NOTES, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.encode()
        encoded = vault.store.about().encoded
        database(vault.store).execute("update meta set value = null where key = 'mark'")
        assert vault.store.about().encoded == encoded
        assert [notice.code for notice in vault.index().notices] == ["store_rebuilt"]
        assert (vault.store.about().encoded, vault.encoder.left, vault.doctor().problems) == (encoded, 0, ())


def test_a_store_that_was_brought_up_to_date_has_the_tables_of_a_new_one(store: SqliteStore, tmp_path: Path) -> None:
    shutil.copyfile(SCHEMA_1, tmp_path / "old.db")
    with closing(made(tmp_path / "old.db")) as old:
        listed = "select name, replace(replace(sql, ' ', ''), char(10), '') from sqlite_schema order by name"
        keys = "select key from meta order by key"
        assert dict(old.db.execute(listed)) == dict(store.db.execute(listed))
        assert list(old.db.execute(keys)) == list(store.db.execute(keys))


def test_a_vector_read_before_is_the_one_that_was_read(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault(HIVES, {"embed.model": "static"})
    vault.index()
    query = vault.models.embedder.embed_query("bees asleep in hive 3")
    with vault.store.reading() as snapshot:
        first, again = (snapshot.nearest(query, EVERYTHING, 10) for _ in range(2))
    assert first == again and len(first.found) == 10


def test_a_changed_note_is_searched_by_its_new_vector(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault(HIVES, {"embed.model": "static"})
    vault.index()
    vault.search("bees")
    (vault.root / "7.md").write_text("# Ledger\n\nInvoices and taxes of the year.", encoding="utf-8")
    vault.index()
    query = vault.models.embedder.embed_query("invoices, taxes")
    with vault.store.reading() as snapshot:
        best, _ = snapshot.nearest(query, EVERYTHING, 1).found[0]
        assert snapshot.chunks([best])[best].path == "7.md"


def test_slots_read_before_and_slots_that_were_not_come_in_one_order(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault(HIVES, {"embed.model": "static"})
    vault.index()
    db, size = SqliteReader(database(vault.store)), len(HIVES)
    seen, fresh = VectorCache(256, vault.models.embedder.dimensions), VectorCache(256, vault.models.embedder.dimensions)
    seen.rows(db, np.arange(3, 9))
    (rows, lengths), (others, their) = seen.rows(db, np.arange(size)), fresh.rows(db, np.arange(size))
    assert np.array_equal(rows, others) and np.array_equal(lengths, their)


# Slots


def test_chunks_on_both_sides_of_a_border_between_blocks_are_distinguished(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "store.db", lambda: MadeFor("words/8", 8, "1"))) as store:
        vectors = np.random.default_rng(5).standard_normal((500, 8)).astype(np.float32)
        lines = [f"w{number % 40} {'!' * number}" if number != 400 else "zz ?" for number in range(500)]
        put_vectors(store, "first.md", ["zz"], vectors[:1])
        occupy(store, BLOCK - 200)
        put_vectors(store, "big.md", lines, vectors)
        put_vectors(store, "last.md", ["zz w1"], vectors[:1])
        assert sorted(matching(store, "zz")) == ["big.md", "first.md", "last.md"]
        with store.reading() as snapshot:
            assert len(snapshot.match(["w1"], EVERYTHING, 999).found) == 14
            ((found, _),) = snapshot.nearest(vectors[400] / np.linalg.norm(vectors[400]), Scope("big.md"), 1).found
            assert (found > BLOCK, snapshot.chunks([found])[found].line) == (True, 401)
            # Chunks of the same length with the same word score the same, on either side, but for their notes.
            needles = snapshot.match(["zz"], EVERYTHING, 3)
            own = sorted(score - needles.of_notes[chunk_id] for chunk_id, score in needles.found)
            assert own[1] == pytest.approx(own[2])
        with store.writing() as writer:
            writer.remove("big.md")
        assert sorted(matching(store, "zz")) == ["first.md", "last.md"]
        assert matching(store, "w1") == ["last.md"]
        put_vectors(store, "new.md", ["zz"], vectors[:1])
        assert sorted(matching(store, "zz")) == ["first.md", "last.md", "new.md"]


def put_vectors(store: SqliteStore, path: str, lines: list[str], vectors: Vectors) -> None:
    chunks = [Chunk(path, line, number, number) for number, line in enumerate(lines, start=1)]
    with store.writing() as writer:
        writer.put(Note(path, "", Stamp(1, 1, path)), chunks, vectors)


def occupy(store: SqliteStore, slots: int) -> None:
    """Fill the first slots with imaginary chunks, which is faster than storing as many."""
    blocks = Blocks.load(SqliteReader(store.db), 8)
    used = blocks.lengths.size
    blocks.lengths = np.concatenate((blocks.lengths, np.ones(slots - used, np.uint16)))
    blocks.lengths[:used] = np.maximum(blocks.lengths[:used], 1)
    blocks.codes = np.concatenate((blocks.codes, np.zeros((1, slots - used), np.uint64)), axis=1)
    blocks.notes = np.concatenate((blocks.notes, np.arange(1000, 1000 + slots - used, dtype=np.uint32)))
    blocks.leads = np.concatenate((blocks.leads, np.ones(slots - used, np.bool_)))
    blocks._dirty = {0}
    (block,), _ = blocks.changed()
    store.db.execute(queries.SET_BLOCK, block._asdict())
