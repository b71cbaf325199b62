"""A store is of one vault, whatever another vault's settings say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import SettingsError, StoreError

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
        return sorted(vault.store.stamps())


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
def test_a_stranger_cannot_name_the_store_of_another_vault(ours: Path, tmp_path: Path, store: str) -> None:
    strange = make(tmp_path / "strange", store)
    assert str(ours) in refused(strange).fact
    for full in (False, True):
        with Vault.open(strange, WORDS) as vault, pytest.raises(StoreError):
            vault.index(full=full)
    with Vault.open(strange, WORDS) as vault, pytest.raises(StoreError):
        vault.restore(ours / ".notewell" / "store.db")
    assert notes(ours) == ["ours.md"]


def test_nor_by_a_link_in_the_place_of_its_own(ours: Path, tmp_path: Path) -> None:
    strange = make(tmp_path / "strange")
    (strange / ".notewell").symlink_to(ours / ".notewell")
    assert str(ours) in refused(strange).fact
    assert notes(ours) == ["ours.md"]


def test_nor_by_lying_around_it(ours: Path) -> None:
    (ours.parent / "notewell.toml").write_text("[store]\npath = 'ours/.notewell/store.db'\n")
    refused(ours.parent)
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
            assert "ours.md" in vault.store.stamps()
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
        vault.restore(tmp_path / "backup.db")
    index(second, store_path=str(tmp_path / "second.db"))
    refused(first, store_path=str(tmp_path / "second.db"))


def test_a_store_that_cannot_be_written_is_read_by_its_vault(ours: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(ours, tmp_path / "copied")
    with Vault.open(ours, WORDS) as vault, vault.store.writing(), Vault.open(ours, WORDS) as other:
        assert list(other.store.stamps()) == ["ours.md"]
    # The copy is claimed while another writes to it: that is left to the next.
    with Vault.open(copied, WORDS) as vault, vault.store.writing():
        assert notes(copied) == ["ours.md"]


def test_a_vaults_file_may_name_a_free_place_in_a_folder_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "stores").mkdir()
    index(root := make(tmp_path / "notes", "../stores/notes.db"))
    index(root)
    assert notes(root) == ["notes.md"]


def test_a_vaults_file_makes_no_folder_and_takes_no_file_outside(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for number, store in enumerate(("../new/notes.db", "../empty")):
        root = make(tmp_path / f"notes{number}", store)
        with pytest.raises(SettingsError, match="outside the vault") as caught:
            Vault.open(root, WORDS)
        assert "NOTEWELL_STORE_PATH" in caught.value.hint
        # Whoever names it on their own account may.
        index(root, store_path=store)


def test_what_lies_beside_a_store_and_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text("# made by another program\n")
    refused(make(tmp_path / "notes", "../poetry"))
    assert (tmp_path / "poetry.lock").read_text() == "# made by another program\n"
