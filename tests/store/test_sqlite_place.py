"""A store belongs to one vault, whatever another vault's settings say."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import StoreError
from notewell.session import save_opened

WORDS = {"embed.model": "words"}


def make(root: Path, store: str = "") -> Path:
    """Make a folder with a note, and a file of settings that names the store."""
    root.mkdir(parents=True)
    (root / f"{root.name}.md").write_text(f"# {root.name}\n\nThe hive of {root.name} hums.\n")
    if store:
        (root / "notewell.toml").write_text(f"[store]\npath = '{store}'\n")
    return root


def index(root: Path, **settings: str) -> None:
    with Vault.open(root, WORDS | {name.replace("_", "."): value for name, value in settings.items()}) as vault:
        vault.index()


def notes(root: Path, **settings: str) -> list[str]:
    with Vault.open(root, WORDS | {name.replace("_", "."): value for name, value in settings.items()}) as vault:
        return sorted(vault.store.files().notes)


def refused(root: Path, **settings: str) -> StoreError:
    with pytest.raises(StoreError) as caught:
        index(root, **settings)
    assert caught.value.hint
    return caught.value


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """Return a vault of the user's, indexed."""
    index(root := make(tmp_path / "ours"))
    return root


@pytest.mark.parametrize("store", ["../ours/.notewell/store.db", "../ours/.notewell/../.notewell/store.db"])
def test_nobody_can_name_the_store_of_another_vault(ours: Path, tmp_path: Path, store: str) -> None:
    strange, named = make(tmp_path / "strange"), {**WORDS, "store.path": store}
    assert str(ours) in refused(strange, store_path=store).fact
    for full in (False, True):
        with Vault.open(strange, named) as vault, pytest.raises(StoreError):
            vault.index(full=full)
    with Vault.open(strange, named) as vault, pytest.raises(StoreError):
        vault.restore(ours / ".notewell" / "store.db")
    assert notes(ours) == ["ours.md"]


def test_nor_by_lying_around_it(ours: Path) -> None:
    refused(ours.parent, store_path="ours/.notewell/store.db")
    assert notes(ours) == ["ours.md"]


def test_two_vaults_cannot_share_a_store_whoever_names_it(tmp_path: Path) -> None:
    store = str(tmp_path / "shared.db")
    index(first := make(tmp_path / "first"), store_path=store)
    refused(second := make(tmp_path / "second"), store_path=store)
    assert notes(first, store_path=store) == ["first.md"]
    # It is free when its vault is gone.
    shutil.rmtree(first)
    index(second, store_path=store)
    assert notes(second, store_path=store) == ["second.md"]


def test_a_vault_that_was_moved_copied_or_has_two_names_keeps_its_store(ours: Path, tmp_path: Path) -> None:
    shutil.copytree(ours, copied := tmp_path / "copied")
    shutil.copytree(ours, inner := ours / "inner" / "ours")
    (named := tmp_path / "named").symlink_to(ours)
    for root in (copied, inner, named, ours):
        with Vault.open(root, WORDS) as vault:
            assert "ours.md" in vault.store.files().notes
            vault.index()
    ours.rename(moved := tmp_path / "moved")
    assert "ours.md" in notes(moved)


def test_a_store_is_its_vaults_after_a_rebuild_and_after_a_restore(tmp_path: Path) -> None:
    store = str(tmp_path / "first.db")
    first, second = make(tmp_path / "first"), make(tmp_path / "second")
    index(first, store_path=store)
    with Vault.open(first, {**WORDS, "store.path": store}) as vault:
        vault.index(full=True)
        refused(second, store_path=store)
        vault.backup(tmp_path / "backup.db")
    with Vault.open(second, {**WORDS, "store.path": str(tmp_path / "second.db")}) as vault:
        vault.restore(tmp_path / "backup.db", force=True)
    index(second, store_path=str(tmp_path / "second.db"))
    refused(first, store_path=str(tmp_path / "second.db"))


def test_a_store_that_cannot_be_written_is_read_by_its_vault(ours: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(ours, tmp_path / "copied")
    with Vault.open(ours, WORDS) as vault, vault.store.writing(), Vault.open(ours, WORDS) as other:
        assert list(other.store.files().notes) == ["ours.md"]
    # The copy is claimed while another writes to it: that is left to the next.
    with Vault.open(copied, WORDS) as vault, vault.store.writing():
        assert notes(copied) == ["ours.md"]


THEIRS = [
    *("-journal", "-wal", "-shm", ".lock", ".fill", ".memory", ".opened", ".opened.lock"),
    *(".new", ".new-journal", ".new-wal", ".new-shm"),
]


@pytest.mark.parametrize("suffix", THEIRS)
@pytest.mark.parametrize("text", ["My trades of this year\n", '{"pid": 4711, "my": "state"}\n', '{"at": 3}'])
def test_what_lies_beside_a_new_store_and_is_not_ours_is_left_alone(tmp_path: Path, suffix: str, text: str) -> None:
    (beside := tmp_path / f"trading{suffix}").write_text(text)
    root = make(tmp_path / "notes")
    assert f"trading{suffix} cannot be used" in refused(root, store_path="../trading").fact
    assert beside.read_text() == text
    assert sorted(file.name for file in tmp_path.iterdir()) == ["notes", beside.name]


def test_nor_is_what_lies_beside_a_file_that_is_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "trading").write_text("Not yet written\n")
    (tmp_path / "trading-journal").write_text("My trades of this year\n")
    refused(make(tmp_path / "notes"), store_path="../trading")
    assert (tmp_path / "trading-journal").read_text() == "My trades of this year\n"


def test_what_a_store_left_behind_is_not_an_obstacle_to_a_new_one(tmp_path: Path) -> None:
    root, file = make(tmp_path / "notes"), tmp_path / "kept.db"
    with Vault.open(root, {**WORDS, "store.path": str(file)}) as vault:
        vault.index()
        save_opened(vault.storage.beside(".opened"), "notes.md:1", datetime.now(UTC))
        # As a process that is killed leaves it.
        for name in ("kept.db-wal", "kept.db-shm"):
            shutil.copy(tmp_path / name, tmp_path / f"copy-of-{name}")
        shutil.copy(file, tmp_path / "kept.db.new")
    for name in ("kept.db-wal", "kept.db-shm"):
        (tmp_path / f"copy-of-{name}").rename(tmp_path / name)
    (tmp_path / "kept.db.fill").write_text('{"pid": 1, "since": "2026-05-01T12:00:00+00:00"}')
    file.unlink()
    index(root, store_path=str(file))
    assert notes(root, store_path=str(file)) == ["notes.md"]


def test_a_store_that_was_killed_in_its_first_moment_is_made(tmp_path: Path) -> None:
    (tmp_path / "kept.db").touch()
    (tmp_path / "kept.db-journal").touch()
    index(root := make(tmp_path / "notes"), store_path="../kept.db")
    assert notes(root, store_path="../kept.db") == ["notes.md"]
