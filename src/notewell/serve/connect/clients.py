"""The agents that can be connected: where each keeps its settings, and how it names an MCP server."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from notewell.frozen import frozen

NAME = "notewell"


@frozen
class Machine:
    """The facts that decide where settings are: the system (`sys.platform`), the home, and the environment."""

    platform: str
    home: Path
    environment: Mapping[str, str]

    def folder(self, variable: str, default: Path) -> Path:
        """Return the folder that a variable names, or else the usual one."""
        named = Path(self.environment.get(variable, ""))
        return named if named.is_absolute() else default

    @property
    def of_apps(self) -> Path:
        """Return the folder in which desktop programs keep their settings."""
        if self.platform == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")


def _entry(program: Sequence[str]) -> dict[str, Any]:
    return {"command": program[0], "args": list(program[1:])}


def _typed_entry(program: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_entry(program)}


def _local_entry(program: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(program), "enabled": True}


@frozen
class Client:
    """An agent: its files, the first that is there or else the last, and its entry for a program."""

    title: str
    files: Callable[[Machine], Sequence[Path]]
    servers: str = "mcpServers"
    entry: Callable[[Sequence[str]], dict[str, Any]] = _entry

    @property
    def keys(self) -> tuple[str, str]:
        """Return the keys that lead to our entry."""
        return self.servers, NAME

    def file(self, machine: Machine) -> Path:
        """Return the settings file of the user, which need not exist."""
        files = self.files(machine)
        return next((one for one in files if one.exists()), files[-1])


def _claude_desktop(machine: Machine) -> list[Path]:
    file = Path("Claude", "claude_desktop_config.json")
    usual = machine.of_apps / file
    if machine.platform != "win32":
        return [usual]
    # There it is a package, which reads a file of its own; without one, it reads the usual file if that is there.
    packages = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
    own = [package / "LocalCache" / "Roaming" / file for package in sorted(packages.glob("Claude_*"))]
    return [*own, usual, *own[:1]]


def _opencode(machine: Machine) -> list[Path]:
    # On Windows, too, it uses ~/.config.
    folder = machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    return [folder / "opencode.jsonc", folder / "opencode.json"]


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        "Claude Code",
        lambda machine: [machine.folder("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"],
        entry=_typed_entry,
    ),
    "claude-desktop": Client("Claude Desktop", _claude_desktop),
    "cursor": Client("Cursor", lambda machine: [machine.home / ".cursor" / "mcp.json"]),
    "codex": Client(
        "Codex", lambda machine: [machine.folder("CODEX_HOME", machine.home / ".codex") / "config.toml"], "mcp_servers"
    ),
    "gemini": Client(
        "Gemini CLI", lambda machine: [machine.folder("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"]
    ),
    "opencode": Client("opencode", _opencode, "mcp", _local_entry),
    "vscode": Client(
        "VS Code", lambda machine: [machine.of_apps / "Code" / "User" / "mcp.json"], "servers", _typed_entry
    ),
}


def vault_of(entry: Any) -> str | None:
    """Return the vault that an entry serves, empty if it names none, or None if the entry is not one of ours.

    >>> vault_of({"command": "/bin/notewell", "args": ["mcp", "--vault", "/notes"]}), vault_of({"command": "other"})
    ('/notes', None)
    """
    if not isinstance(entry, dict):
        return None
    command, more = entry.get("command"), entry.get("args")
    words = [*(command if isinstance(command, list) else [command]), *(more if isinstance(more, list) else [])]
    if not all(isinstance(word, str) for word in words):
        return None
    # Behind a program that starts ours, such as uvx, and with the path of either system.
    names = [re.split(r"[/\\]", word)[-1].removesuffix(".exe") for word in words]
    if ("notewell", "mcp") not in pairwise(names):
        return None
    given = [word.removeprefix("--vault=") for word in words if word.startswith("--vault=")]
    given += [word for option, word in pairwise(words) if option == "--vault"]
    return given[0] if given else ""
