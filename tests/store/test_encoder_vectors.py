"""The encoder's vectors at rest: whose they are, which lines have one, and what becomes of them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreBusy
from notewell.index.encode import keep_searched, measure_filling
from notewell.index.report import Filling
from notewell.store import MadeFor, Snapshot
from notewell.store.sqlite import SqliteStore
from notewell.store.sqlite.schema import VERSION
from notewell.store.vectors import cosines, cosines_by_id, rounded
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING

SCHEMA_1 = Path(__file__).parent / "fixtures" / "schema-1.db"
ENCODER = WordsEmbedder.fingerprint
RYE, BEES = "rye bread rises", "bees buzz by"
NOTES = {
    "bread.md": "# Bread\n\nThe loaf collapsed because the oven was too cold.\n",
    "bees.md": "# Bees\n\nThe hive hums in the warm evening of a summer day.\n",
}


def made(file: Path, made_for: MadeFor | None = None) -> SqliteStore:
    return SqliteStore(file, lambda: made_for or MadeFor("words/27", 27, "1"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(made(tmp_path / "store.db")) as store:
        yield store


def chunk_of(path: str, text: str, line: int = 1) -> Chunk:
    return Chunk(path, text, line, line)


def put(store: SqliteStore, notes: Mapping[str, str], mtime_ns: int = 1) -> list[Chunk]:
    """Store notes of one chunk for each line, and return the chunks."""
    stored = []
    with store.writing() as writer:
        for path, text in notes.items():
            lines = text.split("\n")
            chunks = [chunk_of(path, line, number) for number, line in enumerate(lines, start=1)]
            writer.put(Note(path, text, Stamp(mtime_ns, len(text), text)), chunks, WordsEmbedder().embed(lines))
            stored += chunks
    return stored


def keep(store: SqliteStore, *chunks: Chunk, encoder: str = ENCODER) -> None:
    with store.writing() as writer:
        writer.keep_vectors(encoder, chunks, WordsEmbedder().embed([chunk.meaning for chunk in chunks]))


def closeness(snapshot: Snapshot, text: str, *terms: str) -> dict[str, float | None]:
    """Return the cosine of each chunk that holds a term and was given to the encoder, by path and line."""
    ids = [slot for slot, _ in snapshot.match(terms, EVERYTHING, 100).found]
    known = cosines_by_id(WordsEmbedder().embed_query(text), snapshot.vectors(ids, ENCODER))
    places = {slot: f"{chunk.path}:{chunk.line}" for slot, chunk in snapshot.chunks(ids).items()}
    return {places[slot]: cosine for slot, cosine in known.items()}


def unfilled(store: SqliteStore, encoder: str = ENCODER) -> list[str]:
    with store.reading() as snapshot:
        return [f"{chunk.path}:{chunk.line}" for chunk in snapshot.chunks(snapshot.lacking(encoder)).values()]


# Kept by what a chunk says


def test_the_vector_of_a_chunk_is_its_cosine_to_a_query(store: SqliteStore) -> None:
    (rye, bees, _) = put(store, {"a.md": RYE, "b.md": BEES, "c.md": "rye"})
    keep(store, rye, bees)
    with store.reading() as snapshot:
        assert snapshot.state.encoder == ENCODER
        near = closeness(snapshot, "rabbit by", "rye", "bee")
    # Of the words' first letters: r b r against r b, and b b b against r b.
    assert near == pytest.approx({"a.md:1": 3 / 10**0.5, "b.md:1": 1 / 2**0.5}, abs=0.01)


def test_what_a_vector_will_be_read_as_is_known_before_it_is_stored(store: SqliteStore) -> None:
    texts = [f"{first} bees see {first} red hares" for first in ("an", "few", "rye")]
    chunks = put(store, {f"{number}.md": text for number, text in enumerate(texts)})
    query, vectors = WordsEmbedder().embed_query("red bees sleep"), WordsEmbedder().embed(texts)
    foretold = cosines(query, rounded(vectors))
    with store.writing() as writer:
        writer.keep_vectors(ENCODER, chunks, vectors)
    with store.reading() as snapshot:
        ids = [slot for slot, _ in sorted(snapshot.match(["bee"], EVERYTHING, 9).found)]
        assert list(cosines_by_id(query, snapshot.vectors(ids, ENCODER)).values()) == foretold.tolist()


def test_chunks_with_the_same_lines_share_one_vector_and_a_renamed_note_keeps_it(store: SqliteStore) -> None:
    (rye, _) = put(store, {"a.md": RYE, "copy.md": RYE})
    keep(store, rye)
    with store.reading() as snapshot:
        assert closeness(snapshot, "rye", "rye").keys() == {"a.md:1", "copy.md:1"}
    assert (store.about().filled, store.about().unread, unfilled(store)) == (1, 0, [])
    with store.writing() as writer:
        writer.remove("a.md")
        writer.remove("copy.md")
        writer.put(Note("new.md", RYE, Stamp(2, 1, RYE)), [chunk_of("new.md", RYE)], WordsEmbedder().embed([RYE]))
    assert (store.about().filled, unfilled(store)) == (1, [])


def test_the_vector_of_lines_that_are_gone_is_not_kept(store: SqliteStore) -> None:
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})
    keep(store, rye)
    with store.writing() as writer:
        writer.remove("b.md")
    before = store.about()
    keep(store, bees)
    assert store.about() == before
    assert store.check() == []


def test_lines_that_are_dropped_take_their_vector_with_them(store: SqliteStore) -> None:
    chunks = put(store, {"a.md": f"{RYE}\n{BEES}", "b.md": BEES})
    keep(store, *chunks)
    assert store.about().filled == 2
    put(store, {"a.md": "rye no more"})
    assert (store.about().filled, unfilled(store)) == (1, ["a.md:1"])
    with store.writing() as writer:
        writer.remove("b.md")
    assert store.about().filled == 0
    assert store.check() == []


def test_a_vector_of_zeros_says_that_the_lines_are_not_read_and_is_close_to_nothing(store: SqliteStore) -> None:
    (rye,) = put(store, {"a.md": RYE})
    with store.writing() as writer:
        writer.keep_vectors(ENCODER, [rye], np.zeros((1, 27), dtype=np.float32))
    with store.reading() as snapshot:
        assert closeness(snapshot, RYE, "rye") == {"a.md:1": None}
    assert (store.about().filled, store.about().unread, unfilled(store)) == (0, 1, [])
    assert measure_filling(store, WordsEmbedder()) == Filling(ENCODER, filled=0, unread=1, left=0)
    assert store.check() == []


def test_a_later_vector_of_the_same_lines_takes_the_place_of_the_first(store: SqliteStore) -> None:
    (rye,) = put(store, {"a.md": RYE})
    with store.writing() as writer:
        writer.keep_vectors(ENCODER, [rye], WordsEmbedder().embed([BEES]))
    keep(store, rye)
    with store.reading() as snapshot:
        assert closeness(snapshot, RYE, "rye")["a.md:1"] == pytest.approx(1, abs=0.01)
    assert store.about().filled == 1


# Whose they are


def test_the_vectors_of_another_encoder_take_the_place_of_all(store: SqliteStore) -> None:
    chunks = put(store, {"a.md": RYE, "b.md": BEES})
    keep(store, *chunks)
    with store.writing() as writer:
        writer.keep_vectors("narrow/2", chunks[:1], np.eye(1, 2, dtype=np.float32))
    assert (store.about().encoder, store.about().filled) == ("narrow/2", 1)
    assert unfilled(store, "narrow/2") == ["b.md:1"]
    assert unfilled(store) == ["a.md:1", "b.md:1"]
    with store.reading() as snapshot:
        assert snapshot.state.encoder == "narrow/2"
    assert store.check() == []


def test_a_new_store_has_nobodys_vectors_and_lacks_all(store: SqliteStore) -> None:
    put(store, {"a.md": RYE, "b.md": BEES})
    assert (store.about().encoder, store.about().filled, store.about().unread) == ("", 0, 0)
    assert unfilled(store) == ["a.md:1", "b.md:1"]


# What lacks one


def test_of_those_that_lack_a_vector_the_newest_notes_come_first(store: SqliteStore) -> None:
    (first,) = put(store, {"first.md": "a note that is filled"}, mtime_ns=5)
    keep(store, first)
    put(store, {"old.md": RYE}, mtime_ns=1)
    put(store, {"new.md": f"{BEES}\nand dogs bark"}, mtime_ns=9)
    put(store, {"between.md": "cats mew"}, mtime_ns=4)
    assert unfilled(store) == ["new.md:1", "new.md:2", "between.md:1", "old.md:1"]


def test_lines_that_many_chunks_have_are_named_once_and_are_as_new_as_the_newest(store: SqliteStore) -> None:
    (first,) = put(store, {"first.md": "a note that is filled"})
    keep(store, first)
    put(store, {"old.md": RYE}, mtime_ns=1)
    put(store, {"between.md": BEES}, mtime_ns=4)
    put(store, {"copy.md": RYE}, mtime_ns=9)
    assert unfilled(store) == ["old.md:1", "between.md:1"]


def test_for_a_new_encoder_too_the_newest_come_first_and_the_same_lines_once(store: SqliteStore) -> None:
    for path, text, mtime_ns in (("old.md", RYE, 1), ("new.md", BEES, 9), ("copy.md", RYE, 5)):
        put(store, {path: text}, mtime_ns)
    assert unfilled(store) == unfilled(store, "another/2") == ["new.md:1", "old.md:1"]
    keep(store, chunk_of("old.md", RYE), chunk_of("new.md", BEES))
    assert (unfilled(store), unfilled(store, "another/2")) == ([], ["new.md:1", "old.md:1"])
    assert measure_filling(store, WordsEmbedder()) == Filling(ENCODER, filled=2)
    with store.writing() as writer:
        writer.keep_vectors("another/2", [chunk_of("old.md", RYE)], np.eye(1, 2, dtype=np.float32))
    assert measure_filling(store, WordsEmbedder()) == Filling(ENCODER, left=2)


def test_what_a_search_made_is_kept_only_beside_its_own_encoders_vectors(store: SqliteStore, tmp_path: Path) -> None:
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})
    vectors = WordsEmbedder().embed([RYE])
    keep_searched(store, ENCODER, [rye], vectors)
    keep_searched(store, "another/27", [bees], vectors)
    assert (store.about().encoder, store.about().filled, unfilled(store)) == (ENCODER, 1, ["b.md:1"])
    with closing(made(tmp_path / "store.db")) as other:
        other.db.execute("begin immediate")
        began = time.monotonic()
        with pytest.raises(StoreBusy):
            keep_searched(store, ENCODER, [bees], vectors)
        assert time.monotonic() - began < 1
    keep_searched(store, ENCODER, [bees], vectors)
    assert store.about().filled == 2


# One state and the next


def test_every_change_raises_the_generation_and_the_arrays_are_not_loaded_again(store: SqliteStore) -> None:
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})

    def loaded() -> object:
        with store.reading() as snapshot:
            snapshot.counts(["rye"])
        return store._arrays

    arrays = loaded()
    seen = [store.about().generation]
    for chunk in (rye, bees):
        keep(store, chunk)
        with store.reading() as snapshot:
            seen.append(snapshot.state.generation)
        assert loaded() is arrays
    assert seen == sorted(set(seen))
    put(store, {"c.md": "cats mew"})
    assert loaded() is not arrays


def test_a_reader_keeps_its_state_while_vectors_come_in(store: SqliteStore, tmp_path: Path) -> None:
    (rye, _) = put(store, {"a.md": RYE, "b.md": BEES})
    with closing(made(tmp_path / "store.db")) as other, other.reading() as snapshot:
        assert closeness(snapshot, "rye", "rye") == {}
        keep(store, rye)
        assert (snapshot.state.encoder, closeness(snapshot, "rye", "rye")) == ("", {})
    with store.reading() as snapshot:
        assert closeness(snapshot, "rye", "rye").keys() == {"a.md:1"}


# From one store to the next


def test_a_store_made_anew_has_the_vectors_of_the_lines_that_stayed(store: SqliteStore) -> None:
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})
    keep(store, rye, bees)
    with closing(store.beside(MadeFor("words/27", 27, "2"))) as fresh:
        put(fresh, {"c.md": "cats mew", "other.md": RYE})
        store.replace_by(fresh)
    assert (store.about().encoder, store.about().filled) == (ENCODER, 1)
    with store.reading() as snapshot:
        assert closeness(snapshot, RYE, "rye") == {"other.md:1": pytest.approx(1, abs=0.01)}
    assert unfilled(store) == ["c.md:1"]
    assert store.check() == []


def test_a_full_run_with_other_chunks_keeps_what_it_can(make_vault: Callable[..., Vault]) -> None:
    paragraphs = "\n\n".join(f"Paragraph {number} says that the hive hums." for number in range(30))
    with make_vault({**NOTES, "long.md": f"# Long\n\n{paragraphs}\n"}, {"embed.encoder": "words"}) as vault:
        vault.index()
        assert vault.fill() == 0
        before = vault.store.db.execute(
            "select digest, data from fine join body on body = id order by digest"
        ).fetchall()
        vault.index(full=True)
        after = vault.store.db.execute(
            "select digest, data from fine join body on body = id order by digest"
        ).fetchall()
        assert (after, vault.unfilled) == (before, 0)
    small = {"embed.model": "words", "embed.encoder": "words", "chunk.max_chars": 300}
    with Vault.open(vault.root, small) as other:
        other.index()
        assert (other.store.about().filled, other.unfilled) == (2, other.store.about().chunks - 2)
        assert other.doctor().problems == ()


def test_a_backup_brings_its_vectors_back(make_vault: Callable[..., Vault], tmp_path: Path) -> None:
    with make_vault(NOTES, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.fill()
        vault.backup(tmp_path / "copy.db")
        shutil.rmtree(vault.root / ".notewell")
        vault.restore(tmp_path / "copy.db")
        assert (vault.store.about().encoder, vault.store.about().filled, vault.unfilled) == (ENCODER, 2, 0)


# Proof and formats


def test_doctor_finds_a_vector_that_belongs_to_no_lines(make_vault: Callable[..., Vault]) -> None:
    with make_vault(NOTES, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.fill()
        assert vault.doctor().problems == ()
        vault.store.db.execute("insert into fine (body, data) values (4711, x'00')")
        assert vault.doctor().problems == (
            "1 better vectors of another length than most",
            "1 better vectors without lines",
        )
        assert vault.doctor(repair=True).repaired
        assert (vault.doctor().problems, vault.unfilled) == ((), 0)


def test_a_vector_that_was_damaged_neither_breaks_search_nor_escapes_doctor(make_vault: Callable[..., Vault]) -> None:
    notes = {f"{number}.md": f"# Hive {number}\n\nThe hive of number {number} hums.\n" for number in range(5)}
    with make_vault(notes, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.fill()
        vault.store.db.execute("update fine set data = x'0102' where body = (select min(body) from fine)")
        results = vault.search("the hive hums")
        assert (len(results), results.notices) == (5, ())
        assert sorted(excerpt.hit.ranks["fine"] is None for excerpt in results) == [False] * 4 + [True]
        assert vault.doctor().problems == ("1 better vectors of another length than most",)


def test_a_store_of_the_first_format_gets_the_table_and_can_be_filled(tmp_path: Path) -> None:
    (tmp_path / ".notewell").mkdir()
    shutil.copyfile(SCHEMA_1, tmp_path / ".notewell" / "store.db")
    with Vault.open(tmp_path, {"embed.model": "words", "embed.encoder": "words"}) as vault:
        about = vault.store.about()
        assert (about.encoder, about.filled, vault.unfilled) == ("", 0, about.chunks)
        assert vault.store.db.pragma("user_version") == VERSION
        assert vault.fill() == 0
        assert vault.store.about().filled == about.chunks
        assert vault.search("hive")[0].hit.ranks["fine"] is not None
        assert vault.doctor().problems == ()


def test_a_store_that_was_brought_up_to_date_has_the_tables_of_a_new_one(store: SqliteStore, tmp_path: Path) -> None:
    shutil.copyfile(SCHEMA_1, tmp_path / "old.db")
    with closing(made(tmp_path / "old.db")) as old:
        listed = "select name, replace(replace(sql, ' ', ''), char(10), '') from sqlite_schema order by name"
        keys = "select key from meta order by key"
        assert dict(old.db.execute(listed)) == dict(store.db.execute(listed))
        assert list(old.db.execute(keys)) == list(store.db.execute(keys))
