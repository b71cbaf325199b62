"""The status of the hooks: where they are installed, how the last runs went, and how to fix those that failed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from notewell.files.safe_open import read_plain
from notewell.serve.daemon.client import LATE
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.install import is_ours, settings_files
from notewell.serve.hooks.limit import OUT_OF_TIME, STDIN_OPEN, STDOUT_CLOSED
from notewell.serve.hooks.log import HookRun, last_runs, log_file, percentile
from notewell.serve.hooks.vaults import NOT_INDEXED

# How many of the last runs are listed.
SHOWN = 10
# The name of the plugin, from any marketplace.
PLUGIN = "notewell@"
LONGER = "raise hook.timeout_ms and reinstall the hooks"
# How to fix a problem, by its reason; a reason that names a setting needs none.
REMEDIES = {
    LATE: f"{LONGER}; if the daemon hangs, run `notewell daemon stop`",
    OUT_OF_TIME: LONGER,
    STDIN_OPEN: "the program that runs the hook must close its stdin",
    STDOUT_CLOSED: "the program that runs the hook must read its stdout",
    NOT_INDEXED: "run `notewell index` there",
}
# How the log names an error in Notewell itself.
BUG = re.compile(r"\w+ in \S+:\d+ on Python [\d.]+")
OUTCOMES = {"shown": "showed something", "none": "had nothing to say", "failed": "failed"}


def make_status(state: Path) -> dict[str, Any]:
    """Return where the hooks are installed, how the last hundred runs went, and what went wrong."""
    runs = last_runs(state)
    settings = {file: _read(file) for file in settings_files().values()}
    installed = [{"file": str(file), "hooks": found} for file in settings if (found := _installed(settings[file]))]
    return {
        "installed": installed,
        "plugins": _plugins(settings.values()),
        "log": str(log_file(state)),
        "runs": len(runs),
        "outcomes": dict(sorted(Counter(run.outcome for run in runs).items())),
        "p50_ms": percentile(runs, 0.5),
        "p95_ms": percentile(runs, 0.95),
        "problems": _problems(runs),
        "last": [asdict(run) for run in runs[-SHOWN:]],
    }


def status_text(status: Mapping[str, Any]) -> str:
    """Return the status as text for a terminal."""
    counts = status["outcomes"]
    outcomes = ", ".join(f"{counts[name]} {words}" for name, words in OUTCOMES.items() if name in counts)
    lines = [*_places(status), f"last runs: {outcomes or 'none'}"]
    if status["runs"]:
        lines.append(f"time:      {status['p50_ms']} ms at the median, {status['p95_ms']} ms at the 95th percentile")
    for problem in status["problems"]:
        times = f"{problem['runs']} times, the last " if problem["runs"] > 1 else ""
        lines.append(f"problem:   {problem['why']} ({times}{_local(problem['last'])})")
        if problem["remedy"]:
            lines.append(f"           {problem['remedy']}")
    lines.append(f"log:       {status['log']}")
    for run in status["last"]:
        why = f"  {run['why']}" if run["why"] else ""
        lines.append(f"  {_local(run['at'])}  {run['hook']:6}  {run['outcome']:6}  {run['ms']:>5} ms{why}")
    return "\n".join(lines)


def _places(status: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"installed: {place['file']}: {', '.join(place['hooks'])}" for place in status["installed"])
    yield from (f"installed: the plugin {name}" for name in status["plugins"])
    hooks = {hook for place in status["installed"] for hook in place["hooks"]}
    if not hooks and not status["plugins"]:
        yield "installed: no hooks; `notewell hook install` adds them"
    elif hooks and status["plugins"]:
        yield "           each hook runs twice: remove the plugin or the hooks"
    elif "prompt" in hooks and "start" not in hooks:
        yield "           `start` is missing, so the first prompt of a session may get nothing: reinstall to add it"


def _problems(runs: Sequence[HookRun]) -> list[dict[str, Any]]:
    """Return the problems that failed runs had, the most frequent first."""
    failed = [run for run in runs if run.outcome == "failed" or run.why in REMEDIES]
    last = {run.why: run.at for run in failed}
    return [
        {"why": why, "runs": number, "last": last[why], "remedy": _remedy(why)}
        for why, number in Counter(run.why for run in failed).most_common()
    ]


def _remedy(why: str) -> str:
    return "a bug in Notewell: please report this line" if BUG.fullmatch(why) else REMEDIES.get(why, "")


def _local(at: str) -> str:
    """Return a time of the log in local time; any other text as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at[:19]


def _read(file: Path) -> dict[str, Any]:
    """Return a settings file; an empty object if it cannot be read."""
    try:
        value = json.loads(read_plain(file).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _installed(settings: Mapping[str, Any]) -> list[str]:
    """Return the names of our hooks in some settings."""
    try:
        events = settings.get("hooks", {})
        return [
            name
            for name, event in EVENTS.items()
            if any(is_ours(hook) for entry in events.get(event, []) for hook in entry.get("hooks", []))
        ]
    except (AttributeError, TypeError):
        return []


def _plugins(every: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return our plugins that are enabled; the settings of a project override those of the user."""
    enabled: dict[str, Any] = {}
    for settings in every:
        named = settings.get("enabledPlugins")
        enabled |= named if isinstance(named, dict) else {}
    return [name for name, on in enabled.items() if name.startswith(PLUGIN) and on is True]
