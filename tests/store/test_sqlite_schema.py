"""Opening a SQLite file: older formats are migrated, and files that are not ours are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreDamaged, StoreError
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.store.sqlite.schema import MIGRATIONS, VERSION
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING


def put_all(store: SqliteStore, notes: dict[str, str]) -> None:
    with store.writing() as writer:
        for path, text in notes.items():
            texts = text.split("\n")
            chunks = [Chunk(path, line, number, number) for number, line in enumerate(texts, start=1)]
            writer.put(Note(path, text, Stamp(1, len(text), text)), chunks, WordsEmbedder().embed(texts))


MADE_FOR = MadeFor("words/27", 27, "1")


def made(file: Path, made_for: MadeFor = MADE_FOR) -> SqliteStore:
    return SqliteStore(file, lambda: made_for)


def opened(file: Path) -> SqliteStore:
    """Open a store that is there: nobody is asked what to make it for."""

    def unasked() -> MadeFor:
        pytest.fail("a store that is there was asked what it is made for")

    return SqliteStore(file, unasked)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(made(tmp_path / "store.db")) as store:
        yield store


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a second writer give up at once."""
    monkeypatch.setattr("notewell.store.sqlite.connection.BUSY_MS", 1)


def paths(store: SqliteStore, term: str) -> list[str]:
    with store.reading() as snapshot:
        found = snapshot.match([term], EVERYTHING, 100).found
        return [chunk.path for chunk in snapshot.chunks([slot for slot, _ in found]).values()]


# Formats


def test_an_older_format_is_brought_up_to_date_step_by_step(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_all(store, {"a.md": "rye"})
    store.close()
    monkeypatch.setattr("notewell.store.sqlite.schema.VERSION", VERSION + 2)
    steps = {VERSION: "create table one (x)", VERSION + 1: "alter table one rename to two"}
    monkeypatch.setattr("notewell.store.sqlite.schema.MIGRATIONS", steps)
    with closing(opened(store.file)) as migrated:
        assert migrated.db.pragma("user_version") == VERSION + 2
        assert list(migrated.db.execute("select name from sqlite_schema where name in ('one', 'two')")) == [("two",)]
        assert paths(migrated, "rye") == ["a.md"]


def test_a_migration_that_fails_leaves_the_store_as_it_was(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put_all(store, {"a.md": "rye"})
    store.close()
    with monkeypatch.context() as patched:
        patched.setattr("notewell.store.sqlite.schema.VERSION", VERSION + 2)
        steps = {VERSION: "create table one (x)", VERSION + 1: "drop table nowhere"}
        patched.setattr("notewell.store.sqlite.schema.MIGRATIONS", steps)
        with pytest.raises(StoreError):
            opened(store.file)
    with closing(opened(store.file)) as same:
        assert same.db.pragma("user_version") == VERSION
        assert list(same.db.execute("select name from sqlite_schema where name = 'one'")) == []
        assert paths(same, "rye") == ["a.md"]


def test_every_older_format_has_its_migration() -> None:
    assert set(MIGRATIONS) == set(range(1, VERSION))


# Refusals


def test_a_store_of_a_newer_notewell_is_refused_and_left_as_it_is(store: SqliteStore) -> None:
    put_all(store, {"a.md": "rye"})
    store.db.pragma("user_version", 99)
    store.close()
    before = store.file.read_bytes()
    with pytest.raises(StoreError) as caught:
        opened(store.file)
    assert "newer" in caught.value.fact
    assert "pip install -U notewell" in caught.value.hint
    assert store.file.read_bytes() == before


def test_a_file_that_is_not_a_store_is_refused_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / ".notewell").mkdir()
    # Elsewhere it may be anybody's, and is not called damaged.
    for file in (tmp_path / "store.db", tmp_path / ".notewell" / "store.db"):
        file.write_bytes(b"this is not a database at all, " * 100)
    with pytest.raises(StoreError, match="in the way"):
        opened(tmp_path / "store.db")
    with pytest.raises(StoreDamaged) as caught:
        opened(file)
    assert "damaged" in caught.value.fact
    assert "notewell index" in caught.value.hint


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "calibre.db"
    with closing(apsw.Connection(str(file))) as db:
        db.execute("create table book (title text)")
    before = file.read_bytes()
    with pytest.raises(StoreError):
        made(file)
    assert file.read_bytes() == before


def test_a_damaged_page_is_an_error_with_a_hint(store: SqliteStore) -> None:
    put_all(store, {f"{number}.md": f"rye word{number}" for number in range(200)})
    store.close()
    data = bytearray(store.file.read_bytes())
    # Everything after the first page, which holds the header and the schema.
    data[4096:] = b"\xff" * (len(data) - 4096)
    store.file.write_bytes(bytes(data))
    with pytest.raises(StoreDamaged) as caught, closing(opened(store.file)) as damaged:
        paths(damaged, "rye")
    assert caught.value.hint


def test_a_folder_in_the_place_of_the_store_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        made(tmp_path)
    assert caught.value.hint
