"""Hooks of Claude Code: each reads one JSON object, and answers with another or with nothing; none ever fails."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from notewell.serve.hooks.given import Late, Nothing, read_given
from notewell.serve.hooks.log import Run, record

# The event of each hook, as Claude Code calls it.
EVENTS = {"prompt": "UserPromptSubmit", "before": "PreToolUse", "after": "PostToolUse"}
# In milliseconds; what a vault's settings say comes later, and this is for what comes before them.
LIMIT = 300


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a hook: what came in, the vault that was named, and by which clock it has to be done."""

    hook: str
    given: bytes
    vault: Path | None
    began: float
    # Milliseconds that the command line gave; none leaves it to the settings.
    limit: int | None
    # Where to keep what sessions were shown, and the log.
    state: Path
    # Where something watches the time: moves the moment at which the process is ended, and says that it is done.
    until: Callable[[float], None] = lambda deadline: None
    done: Callable[[], None] = lambda: None

    def allow(self, milliseconds: int) -> float:
        """Take the limit that the settings name, unless the command line named one; return the deadline."""
        deadline = self.began + (self.limit or milliseconds) / 1000
        self.until(deadline)
        return deadline


def run_hook(call: Call) -> str:
    """Return what a hook prints: a line of JSON, or nothing; what happened is in the log, whatever happens."""
    try:
        given = read_given(call.given)
        # Each hook loads what it needs, and nothing of the others.
        answer = import_module(f"notewell.serve.hooks.{call.hook}").answer(given, call)
        text = json.dumps({"hookSpecificOutput": {"hookEventName": EVENTS[call.hook], **answer}}, ensure_ascii=True)
        outcome, why = "shown", ""
    except Late as reason:
        text, outcome, why = "", "failed", str(reason)
    except Nothing as reason:
        text, outcome, why = "", "none", str(reason)
    except Exception as error:
        # Whatever is wrong here, the prompt or the tool goes on as if there were no hook.
        text, outcome, why = "", "failed", _reason(error)
    # From here on it is told, and printed, whole.
    call.done()
    took = round((time.monotonic() - call.began) * 1000)
    record(call.state, Run(call.hook, outcome, why, took, len(text)))
    return text


def _reason(error: Exception) -> str:
    """Return what went wrong: the fact of an error of ours; of any other, which text may quote, its kind and place."""
    if fact := getattr(error, "fact", ""):
        return str(fact)
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = f" in {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else ""
    return f"{type(error).__name__}{place} on Python {sys.version_info.major}.{sys.version_info.minor}"
