"""What the tests of the hooks share: a hook run in this process, with a state folder of its own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from notewell.serve.hooks import Call, run_hook
from notewell.serve.hooks.limit import Limit
from notewell.serve.hooks.log import HookRun, last_runs

# No test waits for it: it is only there so that a slow machine is not late.
PATIENT = 60_000


class Hooks:
    """Hooks of one user, whose state lies in a folder."""

    def __init__(self, state: Path, vault: Path | None = None) -> None:
        self.state, self.vault = state, vault

    def run(self, hook: str, limit: int = PATIENT, **given: Any) -> str:
        """Return what a hook prints; underscores at the end of a name are for Python's sake."""
        data = json.dumps({"session_id": "one", "cwd": "/", **given}).encode()
        return self.raw(hook, data, limit)

    def raw(self, hook: str, data: bytes, limit: int = PATIENT) -> str:
        return self.told(hook, data, Limit(time.monotonic(), limit))

    def told(self, hook: str, data: bytes, limit: Limit) -> str:
        told: list[str] = []
        run_hook(Call(hook, data, self.vault, limit, self.state), told.append)
        return "".join(told)

    def answer(self, hook: str, **given: Any) -> dict[str, Any]:
        """Return what a hook answers; nothing is an empty answer."""
        text = self.run(hook, **given)
        return json.loads(text)["hookSpecificOutput"] if text else {}

    def block(self, hook: str = "prompt", **given: Any) -> str:
        return str(self.answer(hook, **given).get("additionalContext", ""))

    @property
    def last(self) -> HookRun:
        return last_runs(self.state)[-1]
