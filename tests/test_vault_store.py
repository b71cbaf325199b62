"""A vault and its store: where it lies, who may write it, and runs that end half way."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.database import database
from tests.vaults import NOTES, found, opened, stop_after

from notewell import Vault
from notewell.errors import StoreBusy, StoreDamaged, StoreError
from notewell.freshness import Opening
from notewell.index import Batches, Progress
from notewell.store.sqlite import SqliteStore
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]


def store_files(file: Path) -> list[str]:
    return sorted(other.name for other in file.parent.iterdir())


def test_the_store_is_one_file_that_git_does_not_see(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    vault.close()
    assert store_files(vault.store_file) == [".gitignore", "store.db", "store.db.lock"]
    assert (vault.root / ".notewell" / ".gitignore").read_text() == "*\n"
    assert (vault.root / ".notewell" / "store.db.lock").read_bytes() == b""


def test_the_store_can_lie_elsewhere(make_vault: MakeVault, tmp_path: Path) -> None:
    place = tmp_path / "far" / "away.db"
    vault = make_vault(NOTES, {"store.path": str(place)})
    vault.index()
    vault.index(full=True)
    assert found(vault, "loaf") == ["bread.md"]
    vault.close()
    assert store_files(place) == ["away.db", "away.db.lock"]
    assert not (vault.root / ".notewell").exists()


def test_a_store_path_is_taken_from_the_vaults_root(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, {"store.path": "inside/notes.db"})
    vault.index()
    assert (vault.root / "inside" / "notes.db").is_file()


def test_a_store_that_cannot_be_made_is_an_error_with_a_hint(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, {"store.path": "bread.md/store.db"})
    with pytest.raises(StoreError) as caught:
        vault.index()
    assert "store.path" in caught.value.hint


def test_two_openings_of_one_vault_see_the_same(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    with opened(vault.root) as other:
        assert found(other, "loaf") == ["bread.md"]
        (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
        vault.index()
        assert found(other, "zebra") == ["new.md"]
        vault.index(full=True)
        assert found(other, "zebra") == ["new.md"]


def test_indexing_while_another_does_says_so(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    with opened(vault.root) as other:
        database(other.store).set_busy_timeout(1)
        with vault.store.writing(), pytest.raises(StoreBusy):
            other.index()
        other.index()
    assert found(vault, "zebra") == ["new.md"]


def test_a_run_waits_for_another_and_is_told_who_holds_the_store(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    with opened(vault.root) as other:
        with vault.store.locked(wait=0):
            with pytest.raises(StoreBusy) as caught:
                other.index(wait=0)
            assert f"Process {os.getpid()}, since 20" in caught.value.fact
            assert other.refresh() == (Notice("being_indexed"),)
            assert found(other, "loaf") == ["bread.md"]
        locked, done = threading.Event(), threading.Event()

        def hold() -> None:
            with vault.store.locked(wait=0):
                locked.set()
                done.wait(300)

        holder = threading.Thread(target=hold)
        holder.start()
        assert locked.wait(300)
        threading.Timer(0.2, done.set).start()
        began = time.monotonic()
        assert other.index(wait=10).added == 1
        assert time.monotonic() - began >= 0.1
        holder.join()


def test_a_damaged_store_is_rebuilt_by_a_full_run_and_only_by_that(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    vault.close()
    data = bytearray(vault.store_file.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    vault.store_file.write_bytes(bytes(data))
    with opened(vault.root) as damaged:
        with pytest.raises(StoreDamaged) as caught:
            damaged.index()
        assert "`notewell index --full`" in caught.value.hint
        report = damaged.index(full=True)
        assert (report.added, [notice.code for notice in report.notices]) == (len(NOTES), ["store_repaired"])
        assert found(damaged, "loaf") == ["bread.md"]
    assert store_files(vault.store_file) == [".gitignore", "store.db", "store.db.lock"]


def test_a_file_in_the_stores_place_that_is_not_ours_is_left_alone(make_vault: MakeVault, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("Dear diary, " * 500)
    vault = make_vault(NOTES, {"store.path": str(tmp_path / "diary.txt")})
    with pytest.raises(StoreError) as caught:
        vault.index(full=True)
    assert caught.value.hint
    assert (tmp_path / "diary.txt").read_text() == "Dear diary, " * 500


def test_a_vault_closes_its_store_and_can_be_used_again(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
    assert store_files(vault.store_file) == [".gitignore", "store.db", "store.db.lock"]
    assert found(vault, "loaf") == ["bread.md"]
    vault.close()
    vault.close()
    assert store_files(vault.store_file) == [".gitignore", "store.db", "store.db.lock"]


def test_a_vault_that_was_only_opened_makes_no_store(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        assert not vault.indexed
    assert not vault.store_file.parent.exists()


def test_an_interrupted_run_keeps_what_it_did_and_the_next_goes_on(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number}.md": f"# {number}\n\nThe hive of number {number} hums.\n" for number in range(20)})
    report = vault.index(progress=stop_after(7))
    assert (report.interrupted, report.added, vault.store.about().notes) == (True, 7, 7)
    report = vault.index()
    assert (report.interrupted, report.added, vault.store.about().notes) == (False, 13, 20)


def test_a_slow_run_keeps_what_it_did_after_a_while(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, opening=Opening(batches=Batches(seconds=0.0)))
    kept: list[int] = []

    def look(done: int, total: int) -> None:
        with opened(vault.root) as other:
            kept.append(other.store.about().notes)

    assert vault.index(progress=Progress(tell=look)).added == 3
    assert (kept, vault.store.about().notes) == ([0, 1, 2], 3)


def test_an_interrupted_full_run_leaves_the_old_store_in_place(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    before = vault.store.about()
    assert vault.index(full=True, progress=stop_after(1)).interrupted
    assert vault.store.about() == before
    assert found(vault, "loaf") == ["bread.md"]
    report = vault.index(full=True)
    assert (report.interrupted, report.added) == (False, len(NOTES) - 1)
    assert vault.store.about().notes == len(NOTES)
    vault.close()
    assert store_files(vault.store_file) == [".gitignore", "store.db", "store.db.lock"]


def test_the_seconds_of_a_run_are_those_until_the_new_store_is_in_place(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, now = make_vault(NOTES), [0.0]
    vault.index()
    replace_by = SqliteStore.replace_by

    def take_seven_seconds(store: SqliteStore, other: SqliteStore) -> None:
        replace_by(store, other)
        now[0] += 7

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(SqliteStore, "replace_by", take_seven_seconds)
    assert vault.index(full=True).seconds == 7


def test_other_chunk_sizes_rebuild_the_store(make_vault: MakeVault) -> None:
    long = "# Long\n\n" + "\n\n".join(f"Paragraph {number} says that the hive hums." for number in range(30))
    vault = make_vault({"long.md": long})
    vault.index()
    assert vault.store.about().chunks == 1
    with opened(vault.root, {"chunk.max_chars": 300}) as other:
        assert other.index().added == 1
        assert other.store.about().chunks > 3


# Staleness
