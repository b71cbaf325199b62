"""The settings of a vault from a stranger cannot name places outside of it."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import SettingsError, StoreError, VaultError
from notewell.session import save_opened
from notewell.store.sqlite.place import name_for

WORDS = {"embed.model": "words"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with a note, which is not indexed."""
    (folder := tmp_path / "strange").mkdir()
    (folder / "bees.md").write_text("# Bees\n\nThe hive hums in the orchard.\n")
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder of the user's, in which a file lies."""
    (folder := tmp_path / "outside").mkdir()
    (folder / "code.py").write_text("print()\n")
    return folder


def listed(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def index(root: Path, **settings: str) -> None:
    with Vault.open(root, WORDS | {name.replace("_", "."): value for name, value in settings.items()}) as vault:
        vault.index()


@pytest.mark.parametrize(
    "place", ["../outside/keys", "{outside}/keys", "~/keys", "a/../../outside/keys", ".", ".git/hooks/x"]
)
def test_a_vaults_file_names_a_store_in_the_vault_alone(
    root: Path, outside: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(outside))
    (root / "notewell.toml").write_text(f"[store]\npath = '{place.format(outside=outside)}'\n")
    with pytest.raises(SettingsError, match="outside the vault") as caught:
        Vault.open(root, WORDS)
    assert "store.folder" in caught.value.hint
    assert listed(outside) == ["code.py"]


def test_a_place_in_the_vault_is_taken_by_its_name(root: Path) -> None:
    (root / "notewell.toml").write_text("[store]\npath = 'a/../kept/notes.db'\n")
    index(root)
    assert listed(root) == ["bees.md", "kept", "notewell.toml"]


@pytest.mark.parametrize("path", ["way/notes.db", "in/way/notes.db", "way/../way/notes.db"])
def test_a_store_is_reached_through_no_link_of_the_vault(root: Path, outside: Path, path: str) -> None:
    (root / "in").mkdir()
    for way in (root / "way", root / "in" / "way"):
        way.symlink_to(outside)
    (root / "notewell.toml").write_text(f"[store]\npath = '{path}'\n")
    with pytest.raises(StoreError, match="is a link") as caught:
        index(root)
    assert "store.folder" in caught.value.hint
    assert listed(outside) == ["code.py"]


def test_nor_is_the_folder_that_is_ours(root: Path, outside: Path) -> None:
    (root / ".notewell").symlink_to(outside)
    with pytest.raises(StoreError, match=r"\.notewell is a link"):
        index(root)
    (outside / "store.db").touch()
    with Vault.open(root, WORDS) as vault, pytest.raises(StoreError, match="is a link"):
        vault.storage.beside(".opened")
    assert listed(outside) == ["code.py", "store.db"]


@pytest.mark.parametrize("name", ["store.db", "store.db-wal", "store.db-shm", "store.db-journal", "store.db.lock"])
@pytest.mark.parametrize("indexed", [False, True])
def test_nor_is_a_file_of_the_store(root: Path, outside: Path, name: str, indexed: bool) -> None:
    if indexed:
        index(root)
    (root / ".notewell").mkdir(exist_ok=True)
    for place in (outside / "keys", outside / "code.py"):
        (root / ".notewell" / name).unlink(missing_ok=True)
        (root / ".notewell" / name).symlink_to(place)
        with pytest.raises(StoreError, match=name) as caught:
            index(root)
        assert caught.value.hint
    assert listed(outside) == ["code.py"]
    assert (outside / "code.py").read_text() == "print()\n"


@pytest.mark.parametrize("name", ["store.db", "store.db-wal", "store.db-shm", "store.db-journal"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(root: Path, name: str) -> None:
    (root / ".notewell").mkdir()
    os.mkfifo(root / ".notewell" / name)
    with pytest.raises(StoreError, match="or not a regular file") as caught:
        index(root)
    assert caught.value.hint


STORE_FILES = ("store.db", "store.db-wal", "store.db-shm", "store.db-journal", "store.db.new", "store.db.new-wal")
LOCK_FILES = ("store.db.lock", "store.db.fill", "store.db.memory", "store.db.opened.lock")


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("content", [b"# Honey\n\nThe honey that nobody may lose.\n", b""])
@pytest.mark.parametrize("name", [*STORE_FILES, *LOCK_FILES, "store.db.opened", ".gitignore"])
def test_no_note_that_a_file_of_the_store_is_a_hard_link_to_is_changed(
    root: Path, name: str, content: bytes, indexed: bool
) -> None:
    if indexed:
        index(root)
    (root / "notewell.toml").write_text('[memory]\nfolder = "Memories"\n')
    (note := root / "honey.md").write_bytes(content)
    (root / ".notewell").mkdir(exist_ok=True)
    (ours := root / ".notewell" / name).unlink(missing_ok=True)
    os.link(note, ours)
    before = note.stat()
    for use in (Vault.index, lambda vault: vault.index(full=True), lambda vault: vault.search("hive", refresh=False)):
        with Vault.open(root, WORDS) as vault, suppress(StoreError):
            use(vault)
    with Vault.open(root, WORDS) as vault, suppress(StoreError):
        vault.remember("The orchard is quiet.")
    with suppress(StoreError), Vault.open(root, WORDS) as vault:
        save_opened(vault.storage.beside(".opened"), "bees.md:1", datetime.now(UTC))
    after = note.stat()
    assert (note.read_bytes(), after.st_mode, after.st_mtime_ns) == (content, before.st_mode, before.st_mtime_ns)


@pytest.mark.parametrize("name", ["store.db", "store.db-wal", "store.db-shm", "store.db-journal"])
def test_a_hard_link_is_named_with_what_to_do(root: Path, name: str) -> None:
    index(root)
    (ours := root / ".notewell" / name).unlink(missing_ok=True)
    os.link(root / "bees.md", ours)
    with (
        Vault.open(root, WORDS) as vault,
        pytest.raises(StoreError, match=f"{name} cannot be used: .* second name") as told,
    ):
        vault.search("hive", refresh=False)
    assert "Move it away" in told.value.hint
    ours.unlink()
    index(root)


def test_a_backup_is_read_only_if_nothing_beside_it_is_a_hard_link(root: Path, outside: Path) -> None:
    index(root)
    with Vault.open(root, WORDS) as vault:
        shutil.copy(vault.store_file, outside / "kept.db")
        os.link(root / "bees.md", outside / "kept.db-shm")
        with pytest.raises(StoreError, match="second name"):
            vault.restore(outside / "kept.db")
    assert (root / "bees.md").read_bytes().startswith(b"# Bees")


def test_what_keeps_a_store_out_of_git_is_written_through_no_link(root: Path, outside: Path) -> None:
    (root / ".notewell").mkdir()
    (root / ".notewell" / ".gitignore").symlink_to(outside / "new")
    index(root)
    assert listed(outside) == ["code.py"]


def test_a_users_folder_has_a_store_for_each_vault(root: Path, tmp_path: Path) -> None:
    other = shutil.copytree(root, tmp_path / "others" / "strange")
    folder = tmp_path / "stores" / "all"
    for vault in (root, other, root):
        index(vault, store_folder=str(folder))
    stores = [file.name for file in folder.glob("*.db")]
    assert sorted(stores) == sorted((name_for(root), name_for(other)))
    assert not (root / ".notewell").exists()
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # One file that is named wins over the folder for all.
    index(root, store_folder=str(folder), store_path=str(tmp_path / "one.db"))
    assert (tmp_path / "one.db").is_file()


def test_a_vault_that_has_two_names_has_one_store_there(root: Path, tmp_path: Path) -> None:
    (named := tmp_path / "named").symlink_to(root)
    assert name_for(named) == name_for(root)
    assert name_for(tmp_path / "x\nssh-rsa AAAA") != name_for(tmp_path / "x-ssh-rsa-AAAA")
    assert "\n" not in name_for(tmp_path / "x\nssh-rsa AAAA")


def test_a_vaults_file_cannot_name_the_folder_for_all(root: Path, outside: Path) -> None:
    (root / "notewell.toml").write_text(f"[store]\nfolder = '{outside}'\n")
    with pytest.raises(
        SettingsError, match=r"store\.folder in notewell\.toml can only be set in your own settings"
    ) as caught:
        Vault.open(root, WORDS)
    assert "NOTEWELL_STORE_FOLDER" in caught.value.hint


def test_the_folder_for_all_is_the_same_from_wherever_one_asks(root: Path) -> None:
    with pytest.raises(SettingsError, match=r"store\.folder should be"):
        Vault.open(root, {**WORDS, "store.folder": "stores"})


def test_a_vault_that_was_moved_away_is_not_created_again(root: Path, tmp_path: Path) -> None:
    index(root)
    for settings in ({}, {"store.path": "kept/notes.db"}, {"store.path": str(tmp_path / "far.db")}):
        with Vault.open(root, WORDS | settings) as vault:
            root.rename(moved := tmp_path / "moved")
            with pytest.raises(VaultError, match="no folder"):
                vault.store.about()
            assert not root.exists()
            moved.rename(root)
            vault.store.about()
