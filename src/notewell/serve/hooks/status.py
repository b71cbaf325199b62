"""How the hooks stand: where they are installed, and how their last runs went."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.install import settings_files
from notewell.serve.hooks.log import last_runs, log_file, percentile
from notewell.serve.hooks.wanted import is_ours

# As many of the last runs as one reads.
SHOWN = 10


def make_status(state: Path) -> dict[str, Any]:
    """Return where hooks are installed, where the log is, and how the last hundred runs went."""
    runs = last_runs(state)
    installed = [
        {"file": str(file), "hooks": found} for file in settings_files().values() if (found := _installed(file))
    ]
    return {
        "installed": installed,
        "log": str(log_file(state)),
        "runs": len(runs),
        "outcomes": dict(sorted(Counter(run.outcome for run in runs).items())),
        "p50_ms": percentile(runs, 0.5),
        "p95_ms": percentile(runs, 0.95),
        "last": [asdict(run) for run in runs[-SHOWN:]],
    }


def told(status: Mapping[str, Any]) -> str:
    """Return the status for a person."""
    lines = [f"installed: {place['file']}: {', '.join(place['hooks'])}" for place in status["installed"]]
    lines = lines or ["installed: nowhere here; `notewell hook install` does it"]
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in status["outcomes"].items())
    lines.append(f"last runs: {outcomes or 'none'}")
    if status["runs"]:
        lines.append(f"time:      {status['p50_ms']} ms at the median, {status['p95_ms']} ms at the 95th percentile")
    lines.append(f"log:       {status['log']}")
    for run in status["last"]:
        why = f"  {run['why']}" if run["why"] else ""
        lines.append(f"  {run['at'][:19]}  {run['hook']:6}  {run['outcome']:6}  {run['ms']:>5} ms{why}")
    return "\n".join(lines)


def _installed(file: Path) -> list[str]:
    """Return which hooks of ours a settings file has; one that cannot be read has none."""
    try:
        events = json.loads(file.read_text(encoding="utf-8")).get("hooks", {})
        return [
            name
            for name, event in EVENTS.items()
            if any(is_ours(hook) for entry in events.get(event, []) for hook in entry.get("hooks", []))
        ]
    except (OSError, ValueError, AttributeError, TypeError):
        return []
