"""The hooks as Claude Code's settings hold them: which event and tools, which command, and how long it may take."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from notewell.config import load_settings
from notewell.errors import SettingsError
from notewell.index.place import check_folder
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.limit import LIMIT

# A hook ends itself long before; this is for a machine that does not even start it. Less, and people see warnings.
TIMEOUT = 10
# Tools before which notes may know something.
BEFORE = ("Bash", "Glob", "Grep", "Read", "WebSearch")
# A command of ours, wherever it is installed; what else a command does, or runs ours, somebody else wrote.
OPTIONS = ("--vault", "--timeout-ms")


def hooks_wanted(vault: Path | None, only: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return for each event the entry of its hook."""
    unknown = [name for name in only if name not in EVENTS]
    if unknown or not only:
        raise SettingsError(
            f"There is no hook '{unknown[0]}'" if unknown else "No hook is named", f"Name some of {', '.join(EVENTS)}"
        )
    root = Path(os.path.expanduser(vault)).absolute() if vault else None
    if root:
        check_folder(root)
    rules = load_settings(root, os.environ, {}).hook
    program, windows = notewell_program(), os.name == "nt"
    words = [f"--vault {quoted(str(root), windows=windows)}"] if root else []
    if rules.timeout_ms != LIMIT:
        # A hook's time runs before it can read the vault's settings.
        words.append(f"--timeout-ms {rules.timeout_ms}")
    before = " ".join(quoted(word, windows=windows) for word in program)
    commands = {name: " ".join((before, "hook", name, *words)) for name in EVENTS if name in only}
    return {EVENTS[name]: entry(name, command, rules.tools) for name, command in commands.items()}


def entry(hook: str, command: str, tools: Sequence[str]) -> dict[str, Any]:
    """Return what stands under an event: for which tools, and what is run."""
    matchers = {"before": BEFORE, "after": tools}
    matcher = {"matcher": "|".join(matchers[hook])} if hook in matchers else {}
    return {**matcher, "hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}


def notewell_program() -> list[str]:
    """Return how to run the command that is running now, wherever one is."""
    script = Path(sys.argv[0]).absolute()
    if script.name in ("notewell", "notewell.exe") and script.is_file():
        return [str(script)]
    return [sys.executable, "-P", "-m", "notewell"]


def quoted(word: str, *, windows: bool) -> str:
    """Return a word for the shell that Claude Code runs hooks with: on Windows a Bash, or what reads quotes as it does.

    >>> quoted("/home/ada/my notes", windows=False), quoted(r"C:\\Users\\Ada B\\notes", windows=True)
    ("'/home/ada/my notes'", '"C:/Users/Ada B/notes"')
    """
    if not windows:
        return shlex.quote(word)
    plain = word.replace("\\", "/")
    return plain if re.fullmatch(r"[\w@%+=:,./-]+", plain) else f'"{plain}"'


def is_ours(hook: object) -> bool:
    """Tell whether one hook of the settings is a command as we write it, for whatever vault.

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
