from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace

import apsw
import numpy as np
import pytest
from tests.cases import cases
from tests.store.sqlite_files import MADE_FOR, made

from notewell.errors import REPAIR, StoreBusy, StoreDamaged, StoreError
from notewell.store.sqlite import SqliteStore
from notewell.store.sqlite.connection import explained
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING


def put(store: SqliteStore, path: str, text: str) -> None:
    with store.writing() as writer:
        vectors = np.eye(1, 27, dtype=np.float32)
        writer.put(Note(path, text, Stamp(1, len(text), text[:9])), [Chunk(path, text, 1, 1)], vectors)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A store in a folder that nobody may write: for root, one on a disk that is mounted to be read."""
    (folder := tmp_path / "read # only?").mkdir()
    root = os.getuid() == 0
    if root:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=True)
    with closing(made(folder / "store.db")) as store:
        put(store, "a.md", "rye bread")
    if root:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    else:
        folder.chmod(0o555)
    yield folder / "store.db"
    if root:
        subprocess.run(["umount", "-l", str(folder)], check=True)
    else:
        folder.chmod(0o755)


def test_a_store_that_may_only_be_read_is_read(read_only: Path) -> None:
    with closing(made(read_only)) as store:
        assert store.state.made_for == MADE_FOR
        with store.reading() as snapshot:
            ((slot, _),) = snapshot.match(["rye"], EVERYTHING, 5).found
            assert snapshot.chunks([slot])[0].path == "a.md"
        assert store.check() == []
        with pytest.raises(StoreError, match="cannot be written") as caught:
            put(store, "b.md", "honey")
        assert caught.value.hint
        with pytest.raises(StoreError, match="cannot be written"), store.locked(wait=0):
            pytest.fail("a lock in a folder that may not be written")
    assert [file.name for file in read_only.parent.iterdir()] == ["store.db"]


def test_a_file_that_may_not_grow_is_an_error_with_a_hint_and_keeps_its_state(tmp_path: Path) -> None:
    with closing(made(tmp_path / "store.db")) as store:
        put(store, "a.md", "rye bread")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 10, limits[1]))
        try:
            with pytest.raises(StoreError) as caught:
                put(store, "b.md", " ".join(Random(number).randbytes(6).hex() for number in range(50_000)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert caught.value.hint
        assert not isinstance(caught.value, StoreDamaged)
        assert store.files().notes.keys() == {"a.md"}
        assert store.check() == []
        put(store, "b.md", "honey")
        assert store.files().notes.keys() == {"a.md", "b.md"}


@cases(
    ("error", "kind", "hint"),
    [
        (apsw.BusyError("x"), StoreBusy, "Wait for it to end"),
        (apsw.CantOpenError("x"), StoreError, "permissions"),
        (apsw.ReadOnlyError("x"), StoreError, "permissions"),
        (apsw.FullError("x"), StoreError, "Free some space"),
        (apsw.IOError("x"), StoreError, "Check the disk"),
        (apsw.NotADBError("x"), StoreDamaged, REPAIR),
        (apsw.CorruptError("x"), StoreDamaged, REPAIR),
        (apsw.SQLError("x"), StoreDamaged, REPAIR),
    ],
)
def test_an_error_of_sqlite_becomes_a_fact_about_the_file_and_a_hint(
    error: Exception, kind: type[StoreError], hint: str
) -> None:
    with pytest.raises(kind) as caught, explained(Path("store.db")):
        raise error
    assert "store.db" in caught.value.fact
    assert hint in caught.value.hint
    assert type(caught.value) is kind


@pytest.mark.parametrize("error", [apsw.ReadOnlyError("x"), apsw.CantOpenError("x"), apsw.FullError("x")])
def test_a_full_disk_is_called_full(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell.store.sqlite.connection.disk_usage", lambda _: SimpleNamespace(free=4_096))
    with pytest.raises(StoreError, match="The disk is full") as caught, explained(tmp_path / "store.db"):
        raise error
    # A backup is written to a folder that is gone afterwards.
    assert str(tmp_path) not in caught.value.fact


@pytest.mark.parametrize("suffix", ["-shm", "-wal"])
def test_companions_that_were_made_while_the_store_was_read_only_do_not_stay_so(tmp_path: Path, suffix: str) -> None:
    with closing(made(tmp_path / "store.db")) as store:
        put(store, "a.md", "rye bread")
        companion = tmp_path / f"store.db{suffix}"
        companion.chmod(0o444)
        with closing(made(tmp_path / "store.db")) as other:
            assert companion.stat().st_mode & 0o777 == (tmp_path / "store.db").stat().st_mode & 0o777
            put(other, "b.md", "honey")


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), explained(Path("store.db")):
        raise ZeroDivisionError
