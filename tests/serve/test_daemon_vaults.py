"""Vaults that the daemon keeps open: what changes in the folder or under the store is seen at once."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from tests.database import database
from tests.serve.daemons import COMMAND, daemon_for

from notewell.serve.daemon import wire
from notewell.serve.daemon.health import memory_mb
from notewell.serve.daemon.process import ENCODER_MB, WORTH_IT, Daemon
from notewell.serve.daemon.vaults import KEPT, Vaults
from notewell.vault import Vault

# Folders that were listed while this is not None; the hook itself cannot be taken out again.
listed: list[str] | None = None


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event == "os.scandir" and listed is not None:
        listed.append(str(arguments[0]))


sys.addaudithook(_hear)


@pytest.fixture
def looked_through() -> Iterator[Callable[[Path], bool]]:
    """Tell whether a folder was listed since this was last asked."""
    global listed
    listed = []

    def was_listed(root: Path) -> bool:
        found = str(root) in (listed or ())
        (listed or []).clear()
        return found

    yield was_listed
    listed = None


@pytest.fixture
def indexed(folder: Path) -> Path:
    with Vault.open(folder) as vault:
        vault.index()
    return folder


@pytest.fixture
def vaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vaults]:
    monkeypatch.delenv("NOTEWELL_DAEMON")
    made = Vaults()
    yield made
    made.keep_only(0)


@pytest.fixture
def kept(vaults: Vaults, indexed: Path, tmp_path: Path) -> Vault:
    """A vault whose folder is watched."""
    vault = vaults.open(indexed, {})
    vault.refresh()
    (marks := tmp_path / "marks").mkdir()
    vaults.keep_up(marks)
    return vault


def paths(vault: Vault, text: str) -> list[str]:
    """Return the notes that hold this very text."""
    return [hit.path for hit in vault.search(f'"{text}"', refresh=True)]


def test_a_note_is_found_the_moment_it_is_saved_fifty_times(indexed: Path) -> None:
    with daemon_for(indexed) as daemon:
        daemon.start()
        daemon.ask("search", "loaf")
        # The first are saved before the folder is watched, the others afterwards.
        for number in range(50):
            (indexed / f"New {number}.md").write_text(f"# New\n\nWord{number}zz stands here.\n", encoding="utf-8")
            assert f"New {number}.md" in daemon.ask("search", f"Word{number}zz", "-n", "1")


def test_an_unchanged_folder_is_not_walked_again(kept: Vault, looked_through: Callable[[Path], bool]) -> None:
    assert kept.refresh() == ()
    assert not looked_through(kept.root)
    (kept.root / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
    assert paths(kept, "zeppelin") == ["New.md"]
    assert looked_through(kept.root)
    assert paths(kept, "zeppelin") == ["New.md"]
    assert not looked_through(kept.root)


@pytest.mark.parametrize("change", ["edit", "rename", "delete", "move a folder away", "a new folder"])
def test_every_kind_of_change_is_seen(kept: Vault, tmp_path: Path, change: str) -> None:
    bees = kept.root / "Garden" / "Bees.md"
    if change == "edit":
        bees.write_text("A zeppelin.\n", encoding="utf-8")
    elif change == "rename":
        bees.rename(bees.with_name("Zeppelin.md"))
    elif change == "delete":
        bees.unlink()
    elif change == "move a folder away":
        bees.parent.rename(tmp_path / "v1.2")
    else:
        (kept.root / "New" / "Deep").mkdir(parents=True)
        (kept.root / "New" / "Deep" / "Zeppelin.md").write_text("Up.\n", encoding="utf-8")
    assert ("Garden/Bees.md" in paths(kept, "hums")) == (change == "a new folder")
    zeppelin = {"edit": ["Garden/Bees.md"], "rename": ["Garden/Zeppelin.md"], "a new folder": ["New/Deep/Zeppelin.md"]}
    assert paths(kept, "zeppelin")[:1] == zeppelin.get(change, [])


def test_changes_of_our_own_files_are_none(kept: Vault, looked_through: Callable[[Path], bool]) -> None:
    (kept.store_file.with_name("store.db.opened")).write_text("{}", encoding="utf-8")
    kept.refresh()
    assert not looked_through(kept.root)


def test_other_settings_of_the_index_have_the_folder_walked_again(
    kept: Vault, vaults: Vaults, looked_through: Callable[[Path], bool]
) -> None:
    with (kept.root / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write('[index]\nexclude = ["Garden/"]\n')
    assert vaults.open(kept.root, {}) is kept
    assert "Garden/Bees.md" not in paths(kept, "hums")


def test_what_another_process_indexes_is_there(kept: Vault) -> None:
    (kept.root / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
    subprocess.run([*COMMAND, "index", "--full"], cwd=kept.root, check=True, capture_output=True)
    assert paths(kept, "zeppelin") == ["New.md"]


def test_a_backup_in_the_stores_place_is_brought_up_to_date(kept: Vault, tmp_path: Path) -> None:
    with Vault.open(kept.root) as other:
        other.backup(tmp_path / "backup.db")
        (kept.root / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
        assert paths(kept, "zeppelin") == ["New.md"]
        # The time of a state has whole seconds.
        database(other.store).execute("update meta set value = '2020-01-01' where key = 'indexed_at'")
        kept.refresh()
        other.restore(tmp_path / "backup.db")
    assert paths(kept, "zeppelin") == ["New.md"]


def test_a_store_that_was_deleted_is_left_to_the_command_to_make(kept: Vault) -> None:
    shutil.rmtree(kept.store_file.parent)
    with pytest.raises(wire.Declined, match="never indexed"):
        kept.refresh()


def test_another_folder_in_the_same_place_is_another_vault(kept: Vault, vaults: Vaults, tmp_path: Path) -> None:
    copy = shutil.copytree(kept.root, tmp_path / "copy")
    (copy / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
    kept.root.rename(tmp_path / "before")
    copy.rename(kept.root)
    assert paths(kept, "zeppelin") == ["New.md"]
    vaults.keep_up(tmp_path / "marks")
    (kept.root / "Newer.md").write_text("A dirigible.\n", encoding="utf-8")
    assert paths(kept, "dirigible") == ["Newer.md"]


def test_a_vault_that_is_gone_is_let_go_of(kept: Vault, vaults: Vaults, tmp_path: Path) -> None:
    kept.root.rename(tmp_path / "elsewhere")
    vaults.keep_up(tmp_path / "marks")
    assert vaults.roots == []


def test_where_nothing_can_be_watched_the_folder_is_walked_every_time(
    vaults: Vaults, indexed: Path, tmp_path: Path
) -> None:
    vault = vaults.open(indexed, {})
    vault.refresh()
    vaults.keep_up(tmp_path / "no such folder")
    assert not vaults.is_due and not vault.freshness.watch.is_on
    (indexed / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
    assert paths(vault, "zeppelin") == ["New.md"]


def test_the_vault_that_was_asked_least_lately_goes_first(vaults: Vaults, tmp_path: Path) -> None:
    for number in range(KEPT + 1):
        (tmp_path / str(number)).mkdir()
        vaults.open(tmp_path / str(number), {})
        vaults.open(tmp_path / "0", {})
    assert vaults.roots == [str(tmp_path / number) for number in ("0", "4", "3", "2")]


@pytest.mark.parametrize("section", ["embed", "llm"])
def test_a_servers_key_is_not_kept(
    vaults: Vaults, indexed: Path, monkeypatch: pytest.MonkeyPatch, section: str
) -> None:
    monkeypatch.setenv(f"NOTEWELL_{section.upper()}_URL", "http://127.0.0.1:9")
    monkeypatch.setenv(f"NOTEWELL_{section.upper()}_KEY", "made-up")
    assert getattr(vaults.open(indexed, {}).settings, section).key
    assert vaults.roots == []


def test_a_process_over_its_limit_closes_vaults_and_ends_only_if_it_grew(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NOTEWELL_DAEMON")
    with (indexed / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nmax_mb = 1\n")
    other = shutil.copytree(indexed, tmp_path / "other")
    listener, wake = socket.socketpair()
    with listener, wake:
        process = Daemon(listener, wake)
        process.vaults.open(other, {})
        process.answer_first(searching(indexed))
        assert process.vaults.roots == [str(indexed)]
        # A new one would be as large, and as far over the limit.
        process.requests = WORTH_IT
        process.answer_first(searching(indexed))
        assert not process.ending
        grown = b"x" * int(process.needed_mb * (1 << 20))
        process.requests += WORTH_IT
        process.answer_first(searching(indexed))
        assert process.ending, len(grown)
        process.vaults.keep_only(0)


@pytest.mark.parametrize(("encoder", "kept"), [("off", 1), ("words", 2)])
def test_what_an_encoder_takes_is_not_what_vaults_may_gather(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: str, kept: int
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NOTEWELL_DAEMON")
    other = shutil.copytree(indexed, tmp_path / "other")
    # So little that the process is over the limit, and under it by what an encoder may have.
    little = int(memory_mb() or 0) - ENCODER_MB // 4
    set_to = {"NOTEWELL_DAEMON_MAX_MB": str(little), "NOTEWELL_EMBED_ENCODER": encoder}
    listener, wake = socket.socketpair()
    with listener, wake:
        process = Daemon(listener, wake)
        process.vaults.open(other, {})
        process.answer_first(searching(indexed, set_to))
        assert len(process.vaults.roots) == kept
        process.vaults.keep_only(0)


def searching(vault: Path, set_to: Mapping[str, str] = MappingProxyType({})) -> bytes:
    """Return a search in a vault as the process is sent it, its beginning taken off."""
    environment = {"NOTEWELL_EMBED_BACKGROUND": "no", "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"], **set_to}
    fields = {
        "cwd": os.fsencode(vault),
        "arguments": b"search\0loaf",
        "environment": "\0".join(f"{name}={value}" for name, value in environment.items()).encode(),
        "terminals": b"000",
        "encodings": b"utf-8 utf-8 utf-8",
    }
    return wire.packed(fields)[len(wire.MAGIC) + wire.LENGTH :]


def test_a_vault_that_was_never_indexed_is_not_up_to_date_because_nothing_changed(
    vaults: Vaults, folder: Path, tmp_path: Path
) -> None:
    (marks := tmp_path / "marks").mkdir()
    vault = vaults.open(folder, {})
    for _ in range(3):
        with pytest.raises(wire.Declined, match="never indexed"):
            vault.refresh()
        vault.freshness.keep_up(marks)
