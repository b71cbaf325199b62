"""Hooks into Claude Code's settings and out again: everything else in the file stays, and what was can be put back."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from difflib import unified_diff
from pathlib import Path
from typing import Any

from notewell.config import here
from notewell.errors import SettingsError
from notewell.files.user import PRIVATE_FILE, home_folder, write_private, write_whole
from notewell.serve.hooks.entries import is_ours
from notewell.serve.hooks.sessions import digest

Entries = Mapping[str, Mapping[str, Any]]
MEND = "Mend it by hand; it was not touched"
HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of a settings file: none before or after means that there is no file."""

    file: Path
    before: str | None
    after: str | None
    backup: Path
    # Whether hooks are taken out: then nothing of ours is to stay.
    undone: bool = False
    # Whether the file becomes what it was before the hooks, to the byte.
    restored: bool = False

    @property
    def differs(self) -> bool:
        """Tell whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """Return the change as a diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(old, new, f"{self.file} (now)", f"{self.file} (then)")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def settings_files() -> dict[str, Path]:
    """Return Claude Code's settings files, by whose they are."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or home_folder(os.environ) / ".claude"
    project = here() / ".claude"
    return {
        "user": Path(home) / "settings.json",
        "project": project / "settings.json",
        "local": project / "settings.local.json",
    }


def plan_change(where: str, hooks: Entries, state: Path) -> Change:
    """Return what installing these hooks changes; without any, those of ours are taken out."""
    # A link is followed, so that what it leads to is written, and it stays a link.
    file = Path(os.path.realpath(settings_files()[where]))
    backup = state / "backups" / f"{digest(str(file))}.json"
    before, former = _read(file), _former(backup)
    if not hooks and former and former["after"] == before:
        return Change(file, before, former["before"], backup, undone=True, restored=True)
    settings = _parsed(before or "{}", file)
    changed = with_hooks(settings, hooks, file)
    if not hooks and not changed and settings and former and former["before"] is None:
        # There was no file before the hooks, and nobody else wrote anything into it.
        return Change(file, before, None, backup, undone=True, restored=True)
    after = before if changed == settings else _dumped(changed, before)
    return Change(file, before, after, backup, undone=not hooks)


def with_hooks(settings: Mapping[str, Any], hooks: Entries, file: Path) -> dict[str, Any]:
    """Return the settings with these hooks in place of any of ours; other entries keep their order.

    >>> with_hooks({"model": "opus"}, {}, Path("settings.json"))
    {'model': 'opus'}
    """
    events = settings.get("hooks", {})
    if not isinstance(events, dict) or not all(isinstance(entries, list) for entries in events.values()):
        raise SettingsError(f"{file}: 'hooks' is not as Claude Code writes it", MEND)
    names = dict.fromkeys((*events, *hooks))
    changed = {name: _placed(events.get(name, []), hooks.get(name)) for name in names}
    # What was empty before was somebody else's.
    kept = {name: entries for name, entries in changed.items() if entries or events.get(name) == []}
    others = {key: value for key, value in settings.items() if key != "hooks"}
    if not kept and events:
        return others
    return {**settings, "hooks": kept} if kept or "hooks" in settings else others


def _placed(entries: list[Any], ours: Mapping[str, Any] | None) -> list[Any]:
    """Return the entries of an event, ours where one of ours was, or at the end."""
    placed: list[Any] = []
    for entry in entries:
        hooks = entry.get("hooks") if isinstance(entry, dict) else None
        others = [hook for hook in hooks if not is_ours(hook)] if isinstance(hooks, list) else hooks
        if others == hooks:
            placed.append(entry)
            continue
        if others:
            placed.append({**entry, "hooks": others})
        if ours and ours not in placed:
            placed.append(dict(ours))
    return placed if not ours or ours in placed else [*placed, dict(ours)]


def write_change(change: Change) -> None:
    """Write the file in one step, with the mode it had; what it was is kept until the hooks are taken out."""
    if _read(change.file) != change.before:
        raise SettingsError(f"{change.file} was changed meanwhile", "Run the command again")
    former = _former(change.backup)
    # Installed twice, what was there before the first time is put back.
    first = former["before"] if former and former["after"] == change.before else change.before
    try:
        if not change.undone:
            write_private(change.backup, json.dumps({"before": first, "after": change.after}).encode())
        _write(change)
    except OSError as error:
        raise SettingsError(
            f"{change.file} cannot be written: {error.strerror or error}", "Check its permissions, and HOME"
        ) from error
    if change.undone:
        forget_backup(change)


def forget_backup(change: Change) -> None:
    """Delete what was kept of the file: no hooks of ours are in it any more."""
    with suppress(OSError):
        change.backup.unlink()
        # Only if nothing else is in it.
        change.backup.parent.rmdir()


def _write(change: Change) -> None:
    file = change.file
    if change.after is None:
        file.unlink()
        with suppress(OSError):
            # Only if nothing else is in it.
            file.parent.rmdir()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = PRIVATE_FILE if change.before is None else stat.S_IMODE(file.stat().st_mode)
    write_whole(file, change.after.encode(), mode=mode)


def _former(backup: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(backup.read_bytes())
        return value if {"before", "after"} <= value.keys() else None
    except (OSError, ValueError, AttributeError):
        return None


def _read(file: Path) -> str | None:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            # A pipe may never end.
            raise SettingsError(f"{file} is no regular file", "Move it away; it was not touched")
        with file.open(encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}", MEND) from error


def _parsed(text: str, file: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            raise ValueError("a key stands there twice")
        return value

    try:
        plain = text.removeprefix("\ufeff") or "{}"
        value = json.loads(plain, object_pairs_hook=once, parse_float=_exact, parse_constant=_exact)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{file} is no JSON: {error}", MEND) from error
    if not isinstance(value, dict):
        raise SettingsError(f"{file} holds no JSON object", MEND)
    return value


def _exact(number: str) -> float:
    """Return a number that is written again as the same; one that is too large or too long is not."""
    value = float(number)
    if not math.isfinite(value) or Decimal(repr(value)) != Decimal(number):
        raise ValueError(f"the number {number[:40]} cannot be kept as it is")
    return value


def _dumped(settings: Mapping[str, Any], before: str | None) -> str:
    """Return the settings as text, indented and ended as the file was."""
    text = before or "{\n  \n}\n"
    indent = re.search(r"\n([ \t]+)\S", text)
    dumped = json.dumps(settings, ensure_ascii=False, indent=indent[1] if indent else "  ")
    # Half of a sign, which JSON may hold and UTF-8 may not, is written as it was.
    dumped = HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", dumped)
    ended = dumped + "\n" if text.endswith("\n") else dumped
    return ended.replace("\n", "\r\n") if "\r\n" in text else ended
