from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell import Vault
from notewell.files.user import state_folder, user_folder, write_private
from notewell.serve.daemon import wire

Command = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the folders of this test are those of Linux and macOS")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with something of every kind that Notewell leaves behind, and something of others beside each."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("NOTEWELL_DAEMON", "no")
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    for place, text in {
        ".config/other/settings": "mine",
        ".cursor/mcp.json": '{\n  "mcpServers": { "files": { "command": "files" } }\n}\n',
        ".config/fish/completions/notewell.fish": "my own script",
        "elsewhere/.notewell/store.db": "a store that nobody named",
    }.items():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(text, "utf-8")
    return home


def everything(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def leave_things(notewell: Command, home: Path, folder: Path) -> None:
    """Use all of Notewell that leaves something."""
    with Vault.open(folder) as vault:
        vault.index()
    write_private(state_folder({}, home) / "sessions" / "one.json", b"{}")
    write_private(Path(wire.socket_folder()) / "socket", b"")
    for client in ("cursor", "codex"):
        assert notewell("connect", client, "--vault", str(folder), "--yes")[0] == 0
    assert notewell("hook", "install", "--user", "--vault", str(folder), "--yes")[0] == 0
    assert notewell("serve", "--new-token")[0] == 0
    script = notewell("completion", "bash")[1]
    place = home / ".local/share/bash-completion/completions/notewell"
    place.parent.mkdir(parents=True)
    place.write_text(script, "utf-8")


def test_a_folder_that_is_not_there_is_an_error_and_nothing_is_removed(
    notewell: Command, home: Path, folder: Path
) -> None:
    leave_things(notewell, home, folder)
    left = everything(home)
    for option in ("--vault", "--search"):
        code, out, err = notewell("self", "uninstall-notes", "--yes", option, str(home / "nowhere"))
        assert (code, out) == (1, "") and "There is no folder" in err
    assert everything(home) == left


def test_hooks_are_removed_once_where_the_home_is_the_project(
    notewell: Command, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_things(notewell, home, folder)
    monkeypatch.chdir(home)
    code, out, err = notewell("self", "uninstall-notes", "--yes", "--vault", str(folder))
    assert code == 0 and "still there" not in err, err
    assert [line.split()[0] for line in out.splitlines()].count("hooks") == 1


def test_everything_is_listed_then_removed_and_nothing_else(notewell: Command, home: Path, folder: Path) -> None:
    before, notes = everything(home), everything(folder)
    leave_things(notewell, home, folder)
    left = everything(home)
    code, out, err = notewell("self", "uninstall-notes", "--dry-run")
    assert code == 0, err
    kinds = [line.split()[0] for line in out.splitlines()]
    assert "0.0 MB" not in out
    assert kinds == [*["connection"] * 2, "hooks", "completion", "store", "socket", "state", "settings"]
    assert notewell("self", "uninstall-notes")[0] == 0
    assert everything(home) == left, "without a terminal and without --yes, nothing is removed"
    code, out, err = notewell("self", "uninstall-notes", "--yes", "--json")
    assert code == 0, err
    said = json.loads(out)
    assert said["removed"] and {one["problem"] for one in said["leftovers"]} == {""}
    assert everything(home) == before
    assert everything(folder) == notes
    assert not user_folder({}, home).exists() and not state_folder({}, home).exists()
    assert "nothing of Notewell was found" in notewell("self", "uninstall-notes", "--dry-run")[2]


def test_stores_that_nobody_remembers_are_found_below_a_folder(notewell: Command, home: Path, folder: Path) -> None:
    (home / "link").mkdir()
    (home / "link" / ".notewell").symlink_to(home / "elsewhere")
    code, out, _ = notewell("self", "uninstall-notes", "--search", str(home), "--yes")
    assert code == 0 and str(home / "elsewhere" / ".notewell") in out
    assert not (home / "elsewhere" / ".notewell").exists() and (home / "elsewhere").exists()
    assert "kept: it is a link" in out and (home / "link" / ".notewell").is_symlink()


def test_what_cannot_be_removed_is_named(notewell: Command, home: Path, folder: Path) -> None:
    leave_things(notewell, home, folder)
    file = home / ".cursor" / "mcp.json"
    file.chmod(0o444)
    code, _, err = notewell("self", "uninstall-notes", "--yes")
    assert code == 1 and f"{file} is still there: {file} is read-only" in err
    assert not state_folder({}, home).exists()


def uninstall(notewell: Command, *more: str) -> dict[str, str]:
    """Remove what there is, and return why each store, connection or folder was kept."""
    code, out, err = notewell("self", "uninstall-notes", "--yes", "--json", *more)
    assert code == 0, err
    return {one["path"]: one["kept"] for one in json.loads(out)["leftovers"]}


def test_notes_in_a_folder_with_our_name_stay(notewell: Command, home: Path, folder: Path) -> None:
    with Vault.open(folder) as vault:
        vault.index()
    note, settings = folder / ".notewell" / "Ideas.md", user_folder({}, home) / "Plans.md"
    for file in (note, settings):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# Mine\n", "utf-8")
    kept = uninstall(notewell)
    assert kept[str(note.parent)] == "it has files that Notewell did not make, which stay: Ideas.md"
    assert everything(note.parent) == {"Ideas.md": b"# Mine\n"}
    assert everything(settings.parent) == {"Plans.md": b"# Mine\n"}
    vault_there = state_folder({}, home) / "notes"
    (vault_there / "sub").mkdir(parents=True)
    assert uninstall(notewell, "--vault", str(vault_there))[str(vault_there.parent)] == "a vault is in it"
    assert (vault_there / "sub").exists()


def test_stores_are_found_where_settings_put_them(
    notewell: Command, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = home / "stores"
    user_folder({}, home).mkdir(parents=True)
    (user_folder({}, home) / "notewell.toml").write_text(f'[store]\nfolder = "{stores}"\n', "utf-8")
    with Vault.open(folder) as vault:
        vault.index()
    (stores / "mine.db").write_text("mine", "utf-8")
    named = home / "named"
    named.mkdir()
    (named / "store.md").write_text("# A note\n", "utf-8")
    (named / "notewell.toml").write_text('[store]\npath = "store"\n', "utf-8")
    with Vault.open(named) as vault:
        vault.index()
    notes = everything(named).keys() - {"store", "store.lock"}
    assert (named / "store").exists() and len(everything(stores)) > 1
    remote = home / "remote"
    remote.mkdir()
    # The address of a server may come from the user alone.
    kept = uninstall(notewell, "--vault", str(named))
    assert kept[str(named / "store")] == "" and everything(named).keys() == notes
    assert kept[str(stores)].endswith("stay: mine.db") and everything(stores) == {"mine.db": b"mine"}
    monkeypatch.setenv("NOTEWELL_STORE_URL", "postgresql://127.0.0.1:1/none")
    assert "PostgreSQL" in uninstall(notewell, "--vault", str(remote))[str(remote)]


def test_settings_that_nobody_can_edit_are_named(notewell: Command, home: Path, folder: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.write_text('{"mcpServers": {"notewell": ', "utf-8")
    assert "is not JSON" in uninstall(notewell)[str(file)]
    assert file.read_text("utf-8") == '{"mcpServers": {"notewell": '
