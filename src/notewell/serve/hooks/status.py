"""How the hooks stand: where they are installed, how their last runs went, and what to do about those that failed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from notewell.serve.daemon.client import LATE
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.entries import is_ours
from notewell.serve.hooks.install import settings_files
from notewell.serve.hooks.limit import OUT_OF_TIME
from notewell.serve.hooks.log import Run, last_runs, log_file, percentile
from notewell.serve.hooks.payload import NEVER_ENDED

# As many of the last runs as one reads.
SHOWN = 10
# What the plugin is called, whatever marketplace it is from.
PLUGIN = "notewell@"
LONGER = "raise hook.timeout_ms, and install again"
# What can be done about a reason; one that names a setting says it itself.
REMEDIES = {
    LATE: f"{LONGER}; if it hangs, run `notewell daemon stop`",
    OUT_OF_TIME: LONGER,
    NEVER_ENDED: "whatever runs the hook has to close its stdin",
    "nobody reads what it says": "whatever runs the hook closed its stdout",
    "the vault was never indexed": "run `notewell index` there",
}
# What the log has of an error that is none of ours to expect.
MISTAKE = re.compile(r"\w+ in \S+:\d+ on Python [\d.]+")
OUTCOMES = {"shown": "showed something", "none": "had nothing to say", "failed": "failed"}


def make_status(state: Path) -> dict[str, Any]:
    """Return where hooks are installed, where the log is, how the last hundred runs went, and what was wrong."""
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


def told(status: Mapping[str, Any]) -> str:
    """Return the status for a person."""
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
        yield "installed: nowhere here; `notewell hook install` does it"
    elif hooks and status["plugins"]:
        yield "           each hook runs twice: take one of them out"
    elif "prompt" in hooks and "start" not in hooks:
        yield "           `start` is missing: a session's first prompt may come too early; installing again adds it"


def _problems(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return what failed, and what else can be mended, the most frequent first."""
    wrong = [run for run in runs if run.outcome == "failed" or run.why in REMEDIES]
    last = {run.why: run.at for run in wrong}
    return [
        {"why": why, "runs": number, "last": last[why], "remedy": _remedy(why)}
        for why, number in Counter(run.why for run in wrong).most_common()
    ]


def _remedy(why: str) -> str:
    return "a mistake of Notewell's: please report this line" if MISTAKE.fullmatch(why) else REMEDIES.get(why, "")


def _local(at: str) -> str:
    """Return a time of the log by the clock on the wall; what is none, as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at[:19]


def _read(file: Path) -> dict[str, Any]:
    """Return a settings file; one that cannot be read says nothing."""
    try:
        # What is no file, a pipe for one, may never end.
        value = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _installed(settings: Mapping[str, Any]) -> list[str]:
    """Return which hooks of ours some settings have."""
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
    """Return the plugins of ours that are switched on; what a project's settings say counts more than the user's."""
    enabled: dict[str, Any] = {}
    for settings in every:
        named = settings.get("enabledPlugins")
        enabled |= named if isinstance(named, dict) else {}
    return [name for name, on in enabled.items() if name.startswith(PLUGIN) and on is True]
