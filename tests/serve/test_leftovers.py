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


def test_everything_is_listed_then_removed_and_nothing_else(notewell: Command, home: Path, folder: Path) -> None:
    before, notes = everything(home), everything(folder)
    leave_things(notewell, home, folder)
    left = everything(home)
    code, out, err = notewell("self", "uninstall-notes", "--dry-run")
    assert code == 0, err
    kinds = [line.split()[0] for line in out.splitlines()]
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
