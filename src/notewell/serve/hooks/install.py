"""Installs hooks into the settings of Claude Code and removes them; everything else in the file stays as it is."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from notewell.config import here, load_settings
from notewell.errors import SettingsError
from notewell.files.safe_open import check_folder, read_plain
from notewell.files.user import home_folder, write_private
from notewell.frozen import frozen
from notewell.serve.file_change import FIX, FileChange, read_settings
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.limit import LIMIT
from notewell.serve.hooks.sessions import short_hash

Entries = Mapping[str, Mapping[str, Any]]
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Seconds after which Claude Code ends a hook. A hook ends itself long before, except on a machine too busy to start it;
# with a shorter time, people see warnings.
TIMEOUT = 10
# Tools whose subject notes may know something about.
TOOLS_BEFORE = ("Bash", "Glob", "Grep", "Read", "WebSearch")
# The options that we write; a command with any other, or in a pipe, is somebody else's.
OPTIONS = ("--vault", "--timeout-ms")


@frozen
class Change(FileChange):
    """A change of the settings of Claude Code."""

    backup: Path
    # Whether the hooks are removed.
    uninstalls: bool = False
    # Whether the file is restored as it was before the hooks, byte for byte.
    restored: bool = False


def settings_files() -> dict[str, Path]:
    """Return the settings files of Claude Code: those of the user, the project, and the user's own for the project."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or home_folder(os.environ) / ".claude"
    project = here() / ".claude"
    return {
        "user": Path(home) / "settings.json",
        "project": project / "settings.json",
        "local": project / "settings.local.json",
    }


def plan_change(where: str, hooks: Entries, state: Path) -> Change:
    """Return the change that installs these hooks; without any, the change that removes ours."""
    # A link stays a link; its target is written.
    file = Path(os.path.realpath(settings_files()[where]))
    backup = state / "backups" / f"{short_hash(str(file))}.json"
    before, saved = read_settings(file), _saved(backup)
    # What was saved may have older hooks of ours: the file was changed by hand, and the hooks installed again.
    restores = not hooks and saved is not None and saved["after"] == before
    base = saved["before"] if restores and saved else before
    settings = _parsed(base or "{}", file)
    changed = with_hooks(settings, hooks, file)
    if not hooks and not changed and settings and saved and saved["before"] is None:
        # There was no file before the hooks, and nothing else was written into it.
        return Change(file, before, None, backup, uninstalls=True, restored=True)
    after = base if changed == settings else _dumped(changed, base)
    return Change(file, before, after, backup, uninstalls=not hooks, restored=restores and changed == settings)


def with_hooks(settings: Mapping[str, Any], hooks: Entries, file: Path) -> dict[str, Any]:
    """Return the settings with these hooks instead of ours that are there; other entries keep their order.

    >>> with_hooks({"model": "opus"}, {}, Path("settings.json"))
    {'model': 'opus'}
    """
    events = settings.get("hooks", {})
    if not isinstance(events, dict) or not all(isinstance(entries, list) for entries in events.values()):
        raise SettingsError(f"{file}: 'hooks' is not in the form that Claude Code uses", FIX)
    names = dict.fromkeys((*events, *hooks))
    changed = {name: _placed(events.get(name, []), hooks.get(name)) for name in names}
    # A list that was empty before is somebody else's.
    kept = {name: entries for name, entries in changed.items() if entries or events.get(name) == []}
    others = {key: value for key, value in settings.items() if key != "hooks"}
    if not kept and events:
        return others
    return {**settings, "hooks": kept} if kept or "hooks" in settings else others


def _placed(entries: list[Any], ours: Mapping[str, Any] | None) -> list[Any]:
    """Return the entries of an event with ours where one of ours was, or at the end."""
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
    """Write the file in one step with its old mode, and keep its old text until the hooks are removed."""
    change.check()
    saved = _saved(change.backup)
    # After two installations, uninstalling restores the file as it was before the first.
    first = saved["before"] if saved and saved["after"] == change.before else change.before
    if not change.uninstalls:
        _save(change.backup, {"before": first, "after": change.after})
    change.write()
    if change.uninstalls:
        forget_backup(change)


def forget_backup(change: Change) -> None:
    """Delete the saved file: our hooks are no longer in it."""
    with suppress(OSError):
        change.backup.unlink()
        # Only if it is empty.
        change.backup.parent.rmdir()


def _save(backup: Path, value: Mapping[str, Any]) -> None:
    try:
        write_private(backup, json.dumps(value).encode())
    except OSError as error:
        raise SettingsError(
            f"{backup} cannot be written: {error.strerror or error}", "Check its permissions and HOME"
        ) from error


def _saved(backup: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(read_plain(backup))
        return value if {"before", "after"} <= value.keys() else None
    except (OSError, ValueError, AttributeError):
        return None


def _parsed(text: str, file: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            raise ValueError("a key occurs twice")
        return value

    try:
        plain = text.removeprefix("\ufeff") or "{}"
        value = json.loads(plain, object_pairs_hook=once, parse_float=_exact, parse_constant=_exact)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{file} is not JSON: {error}", FIX) from error
    if not isinstance(value, dict):
        raise SettingsError(f"{file} is not a JSON object", FIX)
    return value


def _exact(number: str) -> float:
    """Return a number; raise ValueError for one that would be written in another way."""
    value = float(number)
    if not math.isfinite(value) or Decimal(repr(value)) != Decimal(number):
        raise ValueError(f"the number {number[:40]} cannot be written back as it is")
    return value


def _dumped(settings: Mapping[str, Any], before: str | None) -> str:
    """Return the settings as text, with the indentation and line ends of the file."""
    text = before or "{\n  \n}\n"
    indent = re.search(r"\n([ \t]+)\S", text)
    dumped = json.dumps(settings, ensure_ascii=False, indent=indent[1] if indent else "  ")
    # JSON may hold half a character, which UTF-8 may not: it stays escaped.
    dumped = LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", dumped)
    ended = dumped + "\n" if text.endswith("\n") else dumped
    return ended.replace("\n", "\r\n") if "\r\n" in text else ended


def entries_for(vault: Path | None, only: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the entry of each hook, by its event."""
    unknown = [name for name in only if name not in EVENTS]
    if unknown or not only:
        raise SettingsError(
            f"There is no hook '{unknown[0]}'" if unknown else "No hook is named", f"Choose from {', '.join(EVENTS)}"
        )
    root = Path(os.path.expanduser(vault)).absolute() if vault else None
    if root:
        check_folder(root)
    settings = load_settings(root, os.environ, {}).hook
    program, windows = notewell_program(), os.name == "nt"
    words = [f"--vault {shell_quoted(str(root), windows=windows)}"] if root else []
    if settings.timeout_ms != LIMIT:
        # The time of a hook runs before it can read the settings of the vault.
        words.append(f"--timeout-ms {settings.timeout_ms}")
    run = " ".join(shell_quoted(word, windows=windows) for word in program)
    commands = {name: " ".join((run, "hook", name, *words)) for name in EVENTS if name in only}
    return {EVENTS[name]: entry(name, command, settings.tools) for name, command in commands.items()}


def entry(hook: str, command: str, tools: Sequence[str]) -> dict[str, Any]:
    """Return the entry of a hook: its tools and its command."""
    matchers = {"before": TOOLS_BEFORE, "after": tools}
    matcher = {"matcher": "|".join(matchers[hook])} if hook in matchers else {}
    return {**matcher, "hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}


def notewell_program() -> list[str]:
    """Return the program and arguments that run this installation of Notewell from anywhere."""
    script = Path(sys.argv[0]).absolute()
    if script.name in ("notewell", "notewell.exe") and script.is_file():
        return [str(script)]
    return [sys.executable, "-P", "-m", "notewell"]


def shell_quoted(word: str, *, windows: bool) -> str:
    """Return a word quoted for the shell that runs hooks: on Windows Bash, or one with the same quotes.

    >>> shell_quoted("/home/ada/my notes", windows=False), shell_quoted(r"C:\\Users\\Ada B\\notes", windows=True)
    ("'/home/ada/my notes'", '"C:/Users/Ada B/notes"')
    """
    if not windows:
        return shlex.quote(word)
    plain = word.replace("\\", "/")
    return plain if re.fullmatch(r"[\w@%+=:,./-]+", plain) else f'"{plain}"'


def is_ours(hook: object) -> bool:
    """Tell whether a hook of the settings is a command as we write it, for any vault.

    >>> is_ours({"command": "/usr/bin/notewell hook prompt --vault '/my notes'"})
    True
    >>> is_ours({"command": "my-wrapper notewell hook prompt"}), is_ours({"command": "notewell hook prompt | tee log"})
    (False, False)
    """
    command = hook.get("command") if isinstance(hook, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    if "hook" not in words:
        return False
    place = words.index("hook")
    program, name, options = words[:place], words[place + 1 : place + 2], words[place + 2 :]
    return (
        _is_program(program)
        and bool(EVENTS.keys() & name)
        and all(option in OPTIONS for option in options[::2])
        and len(options) % 2 == 0
    )


def _is_program(words: Sequence[str]) -> bool:
    if len(words) == 1:
        return re.split(r"[/\\]", words[0])[-1] in ("notewell", "notewell.exe")
    return list(words[1:]) == ["-P", "-m", "notewell"]
