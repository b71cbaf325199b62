"""Adds the MCP server of a vault to the settings of an agent, and removes it; everything else stays as it is."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from notewell.errors import SettingsError
from notewell.files.safe_open import read_plain
from notewell.files.user import home_folder, write_private
from notewell.frozen import frozen
from notewell.serve.connect import jsonc, toml_table
from notewell.serve.connect.clients import CLIENTS, Client, Machine, vault_of
from notewell.serve.file_change import FIX, FileChange, read_settings
from notewell.serve.hooks.install import notewell_program
from notewell.serve.hooks.sessions import short_hash

__all__ = ["CLIENTS", "Connected", "Connection", "connections", "this_machine"]


@frozen
class Connected:
    """Whether an agent is connected."""

    client: str
    """Its name."""
    file: str
    """Its settings file, which need not exist."""
    vault: str = ""
    """The vault it is connected to; empty if to none."""
    problem: str = ""
    """Why its settings cannot be read."""


def this_machine() -> Machine:
    """Return what decides where settings are on this machine."""
    return Machine(sys.platform, home_folder(os.environ), os.environ)


def connections(machine: Machine) -> list[Connected]:
    """Return whether each agent is connected, and to which vault."""
    return [Connection(name, machine, Path()).state() for name in CLIENTS]


class Connection:
    """The entry for Notewell in the settings of one agent; `state` is the user's folder of state."""

    def __init__(self, name: str, machine: Machine, state: Path) -> None:
        self.name = name
        self.client: Client = CLIENTS[name]
        # A link stays a link; its target is written.
        self.file = Path(os.path.realpath(self.client.file(machine)))
        self._saved = state / "connected" / f"{short_hash(str(self.file))}.json"
        self._edit: ModuleType = toml_table if self.file.suffix == ".toml" else jsonc

    def state(self) -> Connected:
        """Return whether the agent is connected."""
        try:
            servers = self._parsed(read_settings(self.file)).get(self.client.servers)
        except SettingsError as error:
            return Connected(self.name, str(self.file), problem=error.fact)
        entry = servers.get(self.client.keys[1]) if isinstance(servers, dict) else None
        return Connected(self.name, str(self.file), vault_of(entry) or "")

    def plan(self, vault: Path) -> FileChange:
        """Return the change that connects the agent to a vault."""
        before = read_settings(self.file)
        entry = self.client.entry([*notewell_program(), "mcp", "--vault", str(vault)])
        expected = self._parsed(before)
        servers = expected.setdefault(self.client.servers, {})
        if not isinstance(servers, dict):
            raise SettingsError(
                f"{self.file}: '{self.client.servers}' is not in the form that {self.client.title} uses", FIX
            )
        if servers.get(self.client.keys[1]) == entry:
            return FileChange(self.file, before, before)
        servers[self.client.keys[1]] = entry
        text = before if before is not None and before.strip() else self._empty
        return self._changed(before, lambda: self._edit.put(text, self.client.keys, entry), expected)

    def plan_undo(self) -> FileChange:
        """Return the change that removes our entry, and what was made for it."""
        before = read_settings(self.file)
        expected = self._parsed(before)
        servers = expected.get(self.client.servers)
        if before is None or not isinstance(servers, dict) or self.client.keys[1] not in servers:
            return FileChange(self.file, before, before)
        made = self._made()
        del servers[self.client.keys[1]]
        keys: tuple[str, ...] = self.client.keys
        if not servers and (made.get("servers") or self._edit is toml_table):
            del expected[self.client.servers]
            keys = keys if self._edit is toml_table else keys[:1]
        if not expected and made.get("file"):
            return FileChange(self.file, before, None)
        return self._changed(before, lambda: self._edit.remove(before, keys), expected)

    def write(self, change: FileChange, *, undo: bool) -> None:
        """Write a change; remember what was made, until it is undone."""
        change.check()
        if not undo and not self._made():
            servers = self._parsed(change.before).get(self.client.servers)
            made = {"file": change.before is None, "servers": servers is None, "before": _digest(change.before)}
            with suppress(OSError):
                # Without it, an empty object may stay behind.
                write_private(self._saved, json.dumps(made).encode())
        change.write()
        if undo:
            self.forget()

    def restores(self, change: FileChange) -> bool:
        """Tell whether a change restores the file as it was before it was connected, byte for byte."""
        return self._made().get("before") == _digest(change.after)

    def forget(self) -> None:
        """Forget what was made: our entry is no longer there."""
        with suppress(OSError):
            self._saved.unlink()
            # Only if it is empty.
            self._saved.parent.rmdir()

    @property
    def _empty(self) -> str:
        return "" if self._edit is toml_table else "{}\n"

    def _changed(self, before: str | None, edit: Callable[[], str], expected: dict[str, Any]) -> FileChange:
        """Return a change whose result was read again: it has our entry, and everything else as it was."""
        after = edit()
        if self._parsed(after) != expected:
            raise SettingsError(f"{self.file} is written in a way that Notewell cannot edit", FIX)
        return FileChange(self.file, before, after)

    def _parsed(self, text: str | None) -> dict[str, Any]:
        text = text if text is not None and text.strip() else self._empty
        try:
            found = self._edit.parse(text)
            value = found if isinstance(found, dict) else found.value
        except (ValueError, RecursionError) as error:
            kind = "TOML" if self._edit is toml_table else "JSON"
            raise SettingsError(f"{self.file} is not {kind}: {error}", FIX) from error
        if not isinstance(value, dict):
            raise SettingsError(f"{self.file} is not a JSON object", FIX)
        return value

    def _made(self) -> dict[str, Any]:
        try:
            value = json.loads(read_plain(self._saved))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


def _digest(text: str | None) -> str:
    """Return a digest of a file's text, which may hold keys of other programs: no copy of it is kept."""
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()
