"""The time of a hook as Claude Code calls it: a shell line with JSON on stdin, with and without the daemon."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from bench.child import BenchError, Measured, notewell_command
from bench.processes import stop_daemon, wait_for_daemon
from bench.queries import load_queries
from bench.timing import Timing, summary, timed
from bench.vaults import BenchVault
from notewell.files.user import state_folder
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.log import last_runs

RUNS = 40
# Each waits for the daemon that it started, and stops it.
COLD_RUNS = 10
# `start` prints nothing, and opens the vault for the others.
ANSWERING = [hook for hook in EVENTS if hook != "start"]
PROMPTS = Path(__file__).with_name("prompts.txt")
# As long as the output of a test suite.
LOG_LINES = 400


class HookInput(NamedTuple):
    """A hook, and its input beyond what every hook gets."""

    hook: str
    given: dict[str, Any]


def measure_calls(vault: BenchVault, environment: Mapping[str, str], pid: int) -> Measured:
    """Call every hook with input that it answers and input that it does not, and Python alone, in turn."""
    timings: dict[str, list[Timing]] = {}
    for number, group in enumerate(zip(*(islice(cycle(asked), RUNS) for asked in _asked(vault)), strict=True)):
        alone = timed([sys.executable, "-c", "pass"], environment, pid)
        timings.setdefault("python alone", []).append(alone)
        for place, asked in enumerate(group):
            # A new session each time, since nothing is shown twice in a session.
            one = _call(vault, asked, f"bench-{number}-{place}", environment, pid)
            answered = "with an answer" if one.printed else "without"
            timings.setdefault(f"{asked.hook}, {answered}", []).append(one)
    if missing := [f"{hook}, with an answer" for hook in ANSWERING if f"{hook}, with an answer" not in timings]:
        raise BenchError(f"There is no call to time: {', '.join(missing)}", "Look at `notewell hook status`")
    kinds = {name: summary(timings[name]) for name in sorted(timings)}
    hooks = [one for name, one in kinds.items() if name != "python alone"]
    return {"kinds": kinds, "slowest": {key: max(one[key] for one in hooks) for key in ("p50", "p95")}}


def measure_cold_calls(vault: BenchVault, environment: Mapping[str, str]) -> Measured:
    """Call the prompt hook without a daemon: it has to answer in time by itself, and starts one."""
    own = next(iter(_asked(vault)))
    timings, outcomes = [], Counter[str]()
    for number, asked in enumerate(islice(cycle(own), COLD_RUNS)):
        stop_daemon(environment)
        timings.append(_call(vault, asked, f"bench-cold-{number}", environment, 0))
        wait_for_daemon(environment)
        *_, last = last_runs(state_folder(environment, Path.home()))
        outcomes[f"{last.outcome}: {last.why}" if last.why else last.outcome] += 1
    return {**summary(timings), "answered": sum(bool(one.printed) for one in timings), "outcomes": dict(outcomes)}


def _call(vault: BenchVault, asked: HookInput, session: str, environment: Mapping[str, str], pid: int) -> Timing:
    line = f"{shlex.quote(notewell_command())} hook {asked.hook} --vault {shlex.quote(str(vault.root))}"
    given = {"session_id": session, "cwd": str(vault.root), "hook_event_name": EVENTS[asked.hook], **asked.given}
    return timed(line, environment, pid, json.dumps(given))


def _asked(vault: BenchVault) -> Iterator[list[HookInput]]:
    """Yield the inputs of each hook, first those the notes can answer, then those they cannot."""
    texts: dict[str, list[str]] = {}
    for kind, text in load_queries(vault.queries):
        texts.setdefault(kind, []).append(text)
    yield [HookInput("prompt", {"prompt": text}) for text in texts["sentence"]]
    yield [HookInput("prompt", {"prompt": line}) for line in PROMPTS.read_text(encoding="utf-8").splitlines() if line]
    yield [HookInput("before", _tool("Grep", pattern=text)) for text in texts["identifier"]]
    yield [HookInput("before", _tool("Bash", command="make build"))]
    yield [HookInput("after", _ran("pytest -v", _log()))]
    yield [HookInput("after", _ran("git commit -m done", "1 file changed"))]


def _tool(name: str, **given: str) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": given}


def _ran(command: str, output: str) -> dict[str, Any]:
    response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    return {**_tool("Bash", command=command), "tool_response": response}


def _log() -> str:
    tests = (f"tests/test_{number // 20}.py::test_case_{number} PASSED [{number // 4}%]" for number in range(LOG_LINES))
    return "\n".join((*tests, f"===== {LOG_LINES} passed in 12.34s ====="))
