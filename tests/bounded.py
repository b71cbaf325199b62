"""Programs that must end within some processor time, which is the same on a busy machine."""

from __future__ import annotations

import subprocess
import sys

# `go_on(name)` before a step: one alone may take a few seconds, many times what any takes that is as it should be.
LIMITED = """
import resource, signal
resource.setrlimit(resource.RLIMIT_CPU, ({0}, {0}))
def go_on(name):
    print(name, flush=True)
    signal.setitimer(signal.ITIMER_PROF, 3)
"""


def run_within(seconds: int, program: str, *arguments: str, given: str = "") -> None:
    """Run a program that the system kills after this many seconds of processor time.

    In a process of its own: a pattern that runs away cannot be stopped from inside.
    """
    command = [sys.executable, "-c", LIMITED.format(seconds) + program, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    last = (done.stdout.splitlines() or ["its beginning"])[-1]
    assert done.returncode == 0, f"ended by {done.returncode} after {last}\n{done.stderr}"
