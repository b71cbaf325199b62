"""The time of commands and hooks with the daemon and without it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bench.child import Measured, default_environment, notewell_command, say
from bench.hook_calls import measure_calls, measure_cold_calls
from bench.processes import own_daemon
from bench.queries import load_queries
from bench.timing import summary, timed
from bench.vaults import BenchVault

RUNS = 40


def measure_warm(vault: BenchVault) -> Measured:
    """Run search, read and the hooks in turn, with the daemon and without."""
    say(f"{vault.name}: the command with the daemon")
    queries = [text for _, text in load_queries(vault.queries)]
    with own_daemon(vault, default_environment()) as (environment, pid):
        commands = _commands(vault, queries, environment, pid)
        say(f"{vault.name}: hooks as Claude Code calls them")
        hooks = measure_calls(vault, environment, pid)
        say(f"{vault.name}: hooks without the daemon")
        return {"runs": RUNS, "commands": commands, "hooks": hooks, "cold_hook": measure_cold_calls(vault, environment)}


def _commands(vault: BenchVault, queries: Sequence[str], environment: dict[str, str], pid: int) -> Measured:
    """Time the installed command and `python -m notewell`, each with and without the daemon."""
    note = next(file for file in sorted(vault.root.rglob("*.md")) if ".notewell" not in file.parts)
    cold, of_vault = {**environment, "NOTEWELL_DAEMON": "no"}, ("--vault", str(vault.root))
    installed, module = [notewell_command()], [sys.executable, "-m", "notewell"]
    rounds = []
    for number in range(RUNS):
        # A different query each time, so that no cache answers.
        search = ["search", *of_vault, "--", queries[number % len(queries)]]
        read = ["read", str(note.relative_to(vault.root)), *of_vault]
        rounds.append(
            {
                "python alone": timed([sys.executable, "-c", "pass"], cold, pid),
                "search, daemon": timed([*installed, *search], environment, pid),
                "search, daemon, python -m": timed([*module, *search], environment, pid),
                "search, cold": timed([*installed, *search], cold, pid),
                "read, daemon": timed([*installed, *read], environment, pid),
                "read, cold": timed([*installed, *read], cold, pid),
            }
        )
    return {name: summary([one[name] for one in rounds]) for name in rounds[0]}
