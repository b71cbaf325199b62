"""Opening a SQLite file: older formats are migrated, and files that are not ours are refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.store.sqlite_files import FIXTURES, made, opened, paths, put_all

from notewell.errors import StoreDamaged, StoreError
from notewell.store.sqlite import SqliteStore
from notewell.store.sqlite.schema import MIGRATIONS, VERSION


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(made(tmp_path / "store.db")) as store:
        yield store


# Formats


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    file = Path(shutil.copyfile(FIXTURES / "schema-1.db", tmp_path / "store.db"))
    # The third step makes a table of this name.
    with closing(apsw.Connection(str(file))) as db:
        db.execute("create table edge (x)")
        before = db.execute("select name, sql from sqlite_schema order by name").fetchall()
    with pytest.raises(StoreError):
        opened(file)
    with closing(apsw.Connection(str(file))) as db:
        assert db.pragma("user_version") == 1
        assert db.execute("select name, sql from sqlite_schema order by name").fetchall() == before


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
    with pytest.raises(StoreError, match="cannot be used"):
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
