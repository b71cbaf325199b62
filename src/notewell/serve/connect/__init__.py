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
from notewell.serve.connect.clients import CLIENTS, NAME, Client, Machine, vault_of
from notewell.serve.file_change import FIX, FileChange, read_settings
from notewell.serve.hooks.install import notewell_program
from notewell.serve.hooks.sessions import short_hash

__all__ = ["CLIENTS", "Connected", "Connection", "connections", "this_machine"]

FOREIGN = f"its entry '{NAME}' is not one that `notewell connect` makes"


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
    """Why its settings cannot be read, or its entry not used."""


def this_machine() -> Machine:
    """Return the facts that decide where settings are on this machine."""
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
        entry = servers.get(NAME) if isinstance(servers, dict) else None
        if entry is None:
            return Connected(self.name, str(self.file))
        vault = vault_of(entry)
        problem = FOREIGN if vault is None else "" if vault else "its entry names no vault"
        return Connected(self.name, str(self.file), vault or "", problem)

    def plan(self, vault: Path) -> FileChange:
        """Return the change that connects the agent to a vault; what else our entry says stays."""
        before = read_settings(self.file)
        expected = self._parsed(before)
        servers = expected.setdefault(self.client.servers, {})
        if not isinstance(servers, dict):
            raise SettingsError(
                f"{self.file}: '{self.client.servers}' is not in the form that {self.client.title} uses", FIX
            )
        there = self._ours(servers)
        entry = {**there, **self.client.entry([*notewell_program(), "mcp", "--vault", str(vault)])}
        if there == entry:
            return FileChange(self.file, before, before)
        servers[NAME] = entry
        text = _filled(before) or self._empty
        return self._changed(before, lambda: self._edit.put(text, self.client.keys, entry), expected)

    def plan_undo(self) -> FileChange:
        """Return the change that removes our entry, and what was made for it."""
        before = read_settings(self.file)
        expected = self._parsed(before)
        servers = expected.get(self.client.servers)
        if before is None or not isinstance(servers, dict) or not self._ours(servers):
            return FileChange(self.file, before, before)
        made = self._made()
        del servers[NAME]
        keys: tuple[str, ...] = self.client.keys
        if not servers and (made.get("servers") or self._edit is toml_table):
            del expected[self.client.servers]
            keys = keys if self._edit is toml_table else keys[:1]
        if not expected and made.get("file"):
            return FileChange(self.file, before, None)
        if not expected and isinstance(made.get("blank"), str):
            return FileChange(self.file, before, made["blank"])
        edge = [made["edge"]] if isinstance(made.get("edge"), str) else []
        return self._changed(before, lambda: self._edit.remove(before, keys, *edge), expected)

    def write(self, change: FileChange, *, undo: bool) -> None:
        """Write a change; remember what was made, until it is undone."""
        change.check()
        servers = self._parsed(change.before).get(self.client.servers)
        if not undo and not (servers and NAME in servers and self._made()):
            made: dict[str, Any] = {
                "file": change.before is None,
                "servers": servers is None,
                "before": _digest(change.before),
            }
            if text := _filled(change.before):
                made["edge"] = self._edit.edge(text, self.client.keys)
            else:
                made["blank"] = change.before
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

    def _ours(self, servers: dict[str, Any]) -> dict[str, Any]:
        """Return our entry, empty if there is none; one that is not ours is an error."""
        entry = servers.get(NAME, {})
        if entry != {} and vault_of(entry) is None:
            raise SettingsError(f"{self.file}: {FOREIGN}", "Rename or remove it there; Notewell has not changed it")
        return dict(entry)

    def _changed(self, before: str | None, edit: Callable[[], str], expected: dict[str, Any]) -> FileChange:
        """Return a change whose result was read again: it has our entry, and everything else as it was."""
        after = edit()
        with suppress(SettingsError):
            if self._parsed(after) == expected:
                return FileChange(self.file, before, after)
        raise SettingsError(f"{self.file} is written in a way that Notewell cannot edit", FIX)

    def _parsed(self, text: str | None) -> dict[str, Any]:
        text = _filled(text) or self._empty
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


def _filled(text: str | None) -> str:
    """Return the text of a file; empty if there is no file, or nothing in it."""
    return text if text is not None and text.removeprefix("\ufeff").strip() else ""


def _digest(text: str | None) -> str:
    """Return a digest of a file's text, which may hold keys of other programs: no copy of it is kept."""
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()
