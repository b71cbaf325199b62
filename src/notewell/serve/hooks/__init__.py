"""Hooks of Claude Code: each reads one JSON object and answers with another, or with nothing; none ever fails."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.frozen import frozen
from notewell.serve.hooks.limit import Limit
from notewell.serve.hooks.log import HookRun, record
from notewell.serve.hooks.payload import NothingToSay, TooLate, read_payload
from notewell.serve.mistakes import describe_mistake

if TYPE_CHECKING:
    from notewell.vault import Vault

# The event of each hook, as Claude Code calls it.
EVENTS = {"start": "SessionStart", "prompt": "UserPromptSubmit", "before": "PreToolUse", "after": "PostToolUse"}


@frozen
class Call:
    """One call of a hook: its input, the vault that the command names, and its time limit."""

    hook: str
    input: bytes
    vault: Path | None
    limit: Limit
    # The folder of the log and the sessions.
    state: Path
    # Opens a vault, or returns it if it is open already; None opens it anew.
    open_vault: Callable[[Path, dict[str, Any]], Vault] | None = None
    # Whether the daemon runs the hook, and keeps the vault open.
    in_daemon: bool = False


def run_hook(call: Call, show: Callable[[str], None]) -> None:
    """Run a hook, pass its answer, if any, to `show` as one line of JSON, and log the run whatever happens."""
    shown = ""
    try:
        payload = read_payload(call.input)
        # Each hook loads only what it needs.
        with import_module(f"notewell.serve.hooks.{call.hook}").answer(payload, call) as answer:
            text = json.dumps({"hookSpecificOutput": {"hookEventName": EVENTS[call.hook], **answer}}, ensure_ascii=True)
            call.limit.claim()
            show(text)
            # Leaving the block marks the notes as shown, and only then are they.
            shown = text
        outcome, why = "shown", ""
    except TooLate as reason:
        outcome, why = "failed", str(reason)
    except NothingToSay as reason:
        outcome, why = "none", str(reason)
    except Exception as error:
        # Whatever is wrong here, the prompt or the tool goes on as if there were no hook.
        outcome, why = "failed", _reason(error)
    # The log is written whole, too.
    call.limit.end()
    took = round((time.monotonic() - call.limit.began) * 1000)
    if call.limit.awaited:
        record(call.state, HookRun(call.hook, outcome, why, took, len(shown)))


def _reason(error: Exception) -> str:
    """Return the fact of a Notewell error; for any other error, which may quote text, its type and place."""
    if fact := getattr(error, "fact", ""):
        # It may quote a setting. Only a hook that logs a fact needs the rules for secrets.
        from notewell.redact import redact_text  # noqa: PLC0415

        return redact_text(str(fact))[0]
    return f"{describe_mistake(error)} on Python {sys.version_info.major}.{sys.version_info.minor}"
