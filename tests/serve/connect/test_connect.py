from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases

from notewell.serve.connect import toml_table
from notewell.serve.connect.clients import CLIENTS, Machine, vault_of
from notewell.serve.connect.jsonc import parse

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NOTEWELL_DAEMON", "no")
    return tmp_path


def file_of(client: str, home: Path) -> Path:
    return CLIENTS[client].file(Machine(sys.platform, home, {}))


def everything(home: Path) -> Mapping[str, bytes]:
    return {str(file): file.read_bytes() for file in home.rglob("*") if file.is_file() and "notes" not in file.parts}


def test_every_agent_is_connected_listed_and_disconnected_without_a_trace(
    notewell: Command, home: Path, folder: Path
) -> None:
    before = everything(home)
    for client in CLIENTS:
        code, out, err = notewell("connect", client, "--vault", str(folder), "--yes")
        assert (code, "+" in out, "installed here?" in err) == (0, True, True), err
        assert str(folder) in file_of(client, home).read_text("utf-8")
    listed = json.loads(notewell("connect", "--list", "--json")[1])
    assert {one["client"]: one["vault"] for one in listed} == dict.fromkeys(CLIENTS, str(folder))
    for client in CLIENTS:
        code, out, err = notewell("connect", client, "--undo", "--yes")
        assert (code, "did not exist before" in err) == (0, True), err
    assert everything(home) == before
    assert notewell("connect")[1].count("not connected") == len(CLIENTS)


@cases(
    ("client", "text"),
    [
        ("claude-code", '{\n    // mine\n    "theme": "ÄÖÜ"\n}\n'),
        ("opencode", "{\n  // mine\n}\n"),
        ("cursor", '{\n  "mcpServers": { // mine\n  }\n}'),
        ("vscode", '\ufeff{\r\n  "servers": {\r\n    "mine": {"command": "x"},\r\n  }\r\n}\r\n'),
        ("codex", 'model = "o3" # mine\n'),
        ("codex", '\ufeffmodel = "o3" # mine\r\n[tui]\r\ntheme = "x"'),
    ],
)
def test_a_file_that_was_there_is_restored_byte_for_byte(
    notewell: Command, tmp_path: Path, folder: Path, client: str, text: str
) -> None:
    file = file_of(client, tmp_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    file.chmod(0o640)
    notewell("connect", client, "--vault", str(folder), "--yes")
    assert "mine" in file.read_text("utf-8") and str(folder) in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o640
    code, out, err = notewell("connect", client, "--vault", str(folder), "--yes")
    assert (code, out) == (0, "") and "nothing to change" in err
    assert "restored" in notewell("connect", client, "--undo", "--yes")[2]
    assert file.read_bytes() == text.encode()
    file.unlink()


@cases(
    ("client", "text"), [("cursor", ""), ("gemini", " \r\n"), ("vscode", "\ufeff"), ("codex", "\n\n"), ("codex", "")]
)
def test_an_empty_file_is_empty_again_after_undo(
    notewell: Command, tmp_path: Path, folder: Path, client: str, text: str
) -> None:
    file = file_of(client, tmp_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    assert notewell("connect", client, "--vault", str(folder), "--yes")[0] == 0
    assert str(folder) in file.read_text("utf-8")
    assert "restored" in notewell("connect", client, "--undo", "--yes")[2]
    assert file.read_bytes() == text.encode()
    file.unlink()


def test_what_was_written_meanwhile_stays(notewell: Command, home: Path, folder: Path) -> None:
    file = file_of("cursor", home)
    notewell("connect", "cursor", "--vault", str(folder), "--yes")
    settings = json.loads(file.read_text("utf-8"))
    settings["mcpServers"]["files"] = {"command": "files"}
    file.write_text(json.dumps(settings), "utf-8")
    assert "without Notewell" in notewell("connect", "cursor", "--undo", "--yes")[2]
    assert json.loads(file.read_text("utf-8")) == {"mcpServers": {"files": {"command": "files"}}}


@cases(
    ("client", "text"),
    [
        ("cursor", '{"mcpServers": {"notewell": {"command": "/my/wrapper", "env": {"KEY": "mine"}}}}'),
        ("cursor", '{"mcpServers": {"notewell": {"url": "http://127.0.0.1:8483/mcp"}}}'),
        ("codex", '[mcp_servers.notewell]\ncommand = "/my/wrapper"\n'),
    ],
)
def test_an_entry_that_somebody_else_made_is_left_to_them(
    notewell: Command, tmp_path: Path, folder: Path, client: str, text: str
) -> None:
    file = file_of(client, tmp_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    for more in (["--vault", str(folder)], ["--undo"]):
        code, out, err = notewell("connect", client, *more, "--yes")
        assert (code, out) == (1, "") and "is not one that `notewell connect` makes" in err
    assert file.read_text("utf-8") == text
    (listed,) = (one for one in json.loads(notewell("connect", "--list", "--json")[1]) if one["client"] == client)
    assert listed["vault"] == "" and "is not one that" in listed["problem"]
    file.unlink()


@cases("client", ["cursor", "codex"])
def test_what_was_added_to_our_entry_by_hand_stays(
    notewell: Command, tmp_path: Path, folder: Path, client: str
) -> None:
    file = file_of(client, tmp_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    ours = {
        "cursor": '{"mcpServers": {"notewell": {"command": "uvx", "args": ["notewell", "mcp"], "env": {"A": "b"}}}}',
        "codex": '[mcp_servers.notewell]\ncommand = "notewell"\nargs = ["mcp"]\nstartup_timeout_sec = 60\n'
        '[mcp_servers.notewell.env]\nA = "b"\n',
    }
    file.write_text(ours[client], "utf-8")
    assert "its entry names no vault" in notewell("connect", "--list")[1]
    assert notewell("connect", client, "--vault", str(folder), "--yes")[0] == 0
    value = toml_table.parse(file.read_text("utf-8")) if client == "codex" else json.loads(file.read_text("utf-8"))
    entry = value[CLIENTS[client].servers]["notewell"]
    assert entry["env"] == {"A": "b"} and vault_of(entry) == str(folder)
    assert notewell("connect", client, "--undo", "--yes")[0] == 0
    assert "notewell" not in file.read_text("utf-8")
    file.unlink()


def test_without_the_servers_packages_nothing_is_connected_that_could_not_start(
    notewell: Command, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, _, err = notewell("connect", "cursor", "--vault", str(folder), "--yes")
    assert code == 1 and "`notewell mcp` needs mcp" in err and "pip install 'notewell[serve]'" in err
    assert not file_of("cursor", home).exists()
    assert notewell("connect", "cursor", "--undo")[0] == 0


def test_without_a_terminal_and_without_yes_nothing_is_written(notewell: Command, home: Path, folder: Path) -> None:
    code, out, err = notewell("connect", "gemini", "--vault", str(folder))
    assert code == 0 and '+    "notewell": {' in out and "--yes" in err
    asked = json.loads(notewell("connect", "gemini", "--vault", str(folder), "--json")[1])
    assert (asked["changes"], asked["written"], asked["vault"]) == (True, False, "")
    assert not file_of("gemini", home).exists()


@cases(
    ("text", "fact"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"mcpServers": []}', "'mcpServers' is not in the form that Cursor uses"),
    ],
)
def test_a_file_that_is_not_understood_is_left_as_it_is(
    notewell: Command, home: Path, folder: Path, text: str, fact: str
) -> None:
    file = file_of("cursor", home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    code, out, err = notewell("connect", "cursor", "--vault", str(folder), "--yes")
    assert (code, out) == (1, "") and fact in err and "hint: " in err
    assert file.read_text("utf-8") == text


def test_a_table_that_cannot_be_edited_is_left_to_its_user(notewell: Command, home: Path, folder: Path) -> None:
    file = file_of("codex", home)
    file.parent.mkdir(parents=True)
    text = 'mcp_servers = { notewell = { command = "notewell", args = ["mcp"] } }\n'
    file.write_text(text, "utf-8")
    code, _, err = notewell("connect", "codex", "--vault", str(folder), "--yes")
    assert code == 1 and "hint: Fix it by hand" in err
    assert file.read_text("utf-8") == text


def test_the_entry_starts_a_server_from_any_folder(notewell: Command, home: Path, folder: Path) -> None:
    notewell("connect", "claude-code", "--vault", str(folder), "--yes")
    entry = parse(file_of("claude-code", home).read_text("utf-8")).value["mcpServers"]["notewell"]
    assert vault_of(entry) == str(folder)
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ},
        timeout=300,
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "notewell", done.stderr


HOME = Path("/home/ada")
WINDOWS = {"APPDATA": "/c/Users/Ada/AppData/Roaming"}


@cases(
    ("client", "platform", "environment", "file"),
    [
        ("claude-code", "linux", {}, "/home/ada/.claude.json"),
        ("claude-code", "linux", {"CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"),
        ("claude-desktop", "darwin", {}, "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", WINDOWS, "/c/Users/Ada/AppData/Roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", {}, "/home/ada/AppData/Roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", {"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json"),
        ("cursor", "win32", WINDOWS, "/home/ada/.cursor/mcp.json"),
        ("codex", "linux", {"CODEX_HOME": "/x"}, "/x/config.toml"),
        ("gemini", "linux", {"GEMINI_CLI_HOME": "/x"}, "/x/.gemini/settings.json"),
        ("opencode", "win32", WINDOWS, "/home/ada/.config/opencode/opencode.json"),
        ("vscode", "darwin", {}, "/home/ada/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", WINDOWS, "/c/Users/Ada/AppData/Roaming/Code/User/mcp.json"),
    ],
)
def test_each_agent_has_its_file_on_every_system(
    client: str, platform: str, environment: dict[str, Any], file: str
) -> None:
    assert CLIENTS[client].file(Machine(platform, HOME, environment)).as_posix() == file


def test_claude_desktop_for_windows_reads_the_file_of_its_package(tmp_path: Path) -> None:
    roaming, local = tmp_path / "Roaming", tmp_path / "Local"
    machine = Machine("win32", tmp_path, {"APPDATA": str(roaming), "LOCALAPPDATA": str(local)})
    file = Path("Claude", "claude_desktop_config.json")
    (local / "Packages" / "Claudette_x").mkdir(parents=True)
    assert CLIENTS["claude-desktop"].file(machine) == roaming / file
    packaged = local / "Packages" / "Claude_abc" / "LocalCache" / "Roaming" / file
    (local / "Packages" / "Claude_abc").mkdir()
    assert CLIENTS["claude-desktop"].file(machine) == packaged
    for there in (roaming / file, packaged):
        # The package reads the usual file until it has its own.
        there.parent.mkdir(parents=True)
        there.write_text("{}", "utf-8")
        assert CLIENTS["claude-desktop"].file(machine) == there
