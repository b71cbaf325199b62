"""The log of the hooks: a line for each run, without a word of notes or prompts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from notewell.files.safe_open import NO_LINK, open_plain, read_plain
from notewell.files.user import PRIVATE_FILE, private_folder
from notewell.frozen import frozen

FILE = "hooks.log"
# Two files of at most this many bytes, some two thousand runs each.
LARGEST = 256 * 1024
# Longer reasons are cut.
LONGEST = 200
# How many runs `hook status` counts.
LAST = 100


@frozen
class HookRun:
    """One run of a hook: its outcome (`shown`, `none` or `failed`), the reason, and how long it took."""

    hook: str
    outcome: str
    why: str
    ms: int
    chars: int
    at: str = ""


def log_file(state: Path) -> Path:
    """Return the path of the log."""
    return state / FILE


def record(state: Path, run: HookRun) -> None:
    """Add a run to the log; do nothing where it cannot be written."""
    file = log_file(state)
    line = asdict(run) | {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "why": run.why[:LONGEST]}
    with suppress(OSError, ValueError):
        private_folder(state)
        with suppress(FileNotFoundError):
            if file.stat().st_size > LARGEST:
                file.replace(file.with_name(f"{FILE}.1"))
        number = open_plain(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_LINK, PRIVATE_FILE)
        try:
            # One write, so that the lines of two hooks do not mix.
            os.write(number, (json.dumps(line, ensure_ascii=True) + "\n").encode())
        finally:
            os.close(number)


def last_runs(state: Path, most: int = LAST) -> list[HookRun]:
    """Return the last runs, newest last, without lines that cannot be read."""
    runs: list[HookRun] = []
    file = log_file(state)
    for part in (file.with_name(f"{FILE}.1"), file):
        with suppress(OSError):
            lines = read_plain(part, 2 * LARGEST).decode("utf-8", "replace").splitlines()
            runs += [run for line in lines if (run := _read(line))]
    return runs[-most:]


def percentile(runs: Sequence[HookRun], share: float) -> int:
    """Return the milliseconds within which this share of the runs ended; 0 without runs.

    >>> percentile([HookRun("prompt", "none", "", ms, 0) for ms in (30, 10, 20, 40)], 0.5)
    20
    """
    times = sorted(run.ms for run in runs)
    return times[max(0, -(-len(times) * int(share * 100) // 100) - 1)] if times else 0


def _read(line: str) -> HookRun | None:
    try:
        value: Any = json.loads(line)
        hook, outcome, why, at = (str(value[key]) for key in ("hook", "outcome", "why", "at"))
        return HookRun(hook, outcome, why, int(value["ms"]), int(value["chars"]), at)
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return None
