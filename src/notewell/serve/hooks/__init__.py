"""Hooks of Claude Code: each reads one JSON object, and answers with another or with nothing; none ever fails."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.serve.hooks.limit import Limit
from notewell.serve.hooks.log import Run, record
from notewell.serve.hooks.payload import Late, Nothing, read_given
from notewell.serve.mistakes import told_mistake

if TYPE_CHECKING:
    from notewell.vault import Vault

# The event of each hook, as Claude Code calls it.
EVENTS = {"start": "SessionStart", "prompt": "UserPromptSubmit", "before": "PreToolUse", "after": "PostToolUse"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a hook: what came in, the vault that was named, and by when it has to be done."""

    hook: str
    given: bytes
    vault: Path | None
    limit: Limit
    # Where to keep what sessions were shown, and the log.
    state: Path
    # What has vaults open already, if anything has.
    opening: Callable[[Path, dict[str, Any]], Vault] | None = None
    # Whether this process stays when the hook is done, with what it has open.
    stays: bool = False


def run_hook(call: Call, tell: Callable[[str], None]) -> None:
    """Tell what a hook says, a line of JSON, or nothing; what happened is in the log, whatever happens."""
    told = ""
    try:
        given = read_given(call.given)
        # Each hook loads what it needs, and nothing of the others.
        with import_module(f"notewell.serve.hooks.{call.hook}").answer(given, call) as answer:
            text = json.dumps({"hookSpecificOutput": {"hookEventName": EVENTS[call.hook], **answer}}, ensure_ascii=True)
            call.limit.claim()
            tell(text)
            # What is kept of it, behind the answer, is kept of what was told.
            told = text
        outcome, why = "shown", ""
    except Late as reason:
        outcome, why = "failed", str(reason)
    except Nothing as reason:
        outcome, why = "none", str(reason)
    except Exception as error:
        # Whatever is wrong here, the prompt or the tool goes on as if there were no hook.
        outcome, why = "failed", _reason(error)
    # From here on it is told whole in the log, too.
    call.limit.end()
    took = round((time.monotonic() - call.limit.began) * 1000)
    if call.limit.awaited:
        record(call.state, Run(call.hook, outcome, why, took, len(told)))


def _reason(error: Exception) -> str:
    """Return what went wrong: the fact of an error of ours; of any other, which text may quote, its kind and place."""
    if fact := getattr(error, "fact", ""):
        # It may quote a setting. Only who keeps a text has to know secrets.
        from notewell.redact import redact_text  # noqa: PLC0415

        return redact_text(str(fact))[0]
    return f"{told_mistake(error)} on Python {sys.version_info.major}.{sys.version_info.minor}"
