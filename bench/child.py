"""One measurement in a fresh process, so that no other measurement affects its memory or caches."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from notewell.errors import NotewellError

ROOT = Path(__file__).parents[1]
Measured = dict[str, Any]


class BenchError(NotewellError):
    """A measurement failed."""


def in_child(function: str, **arguments: str | int) -> Measured:
    """Call `module:function` of this package in a fresh process, and return what it returns."""
    command = [sys.executable, "-m", "bench.child", function, json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, env=clean_environment(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        what = ", ".join(Path(str(value)).name for value in arguments.values())
        raise BenchError(f"{function} ({what}) ended with {done.returncode}", "The lines above say why")
    measured: Measured = json.loads(done.stdout.splitlines()[-1])
    return measured


def clean_environment() -> dict[str, str]:
    """Return the environment without the settings of the person who runs this, and with the encoder off.

    Python may keep the bytecode of modules, as an installed package has it: compiling ours takes 110 ms each time.
    """
    kept = (name for name in os.environ if not name.startswith("NOTEWELL_") and name != "PYTHONDONTWRITEBYTECODE")
    others = {name: os.environ[name] for name in kept}
    return {**others, "NOTEWELL_EMBED_ENCODER": "off", "NOTEWELL_EMBED_BACKGROUND": "no", "NOTEWELL_DAEMON": "no"}


def default_environment() -> dict[str, str]:
    """Return the environment of the default install with all extras: with the encoder, and nothing encoding beside."""
    return {name: value for name, value in clean_environment().items() if name != "NOTEWELL_EMBED_ENCODER"}


def notewell_command() -> str:
    """Return the installed command that belongs to this Python."""
    script = Path(sys.executable).with_name("notewell")
    if not script.is_file():
        raise BenchError(f"There is no command {script}", "Install the project there: pip install --editable .")
    return str(script)


def memory_mb() -> dict[str, float]:
    """Return this process's peak memory, and its present own memory and mapped files."""
    status = Path("/proc/self/status")
    if not status.is_file():
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return {"peak": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)}
    # Not ru_maxrss, which on Linux includes the peak of the parent process before exec.
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    names = {"peak": "VmHWM", "own": "RssAnon", "mapped": "RssFile"}
    return {name: round(int(lines[key].split()[0]) / 1024, 1) for name, key in names.items()}


def say(text: str) -> None:
    """Print progress to stderr."""
    print(text, file=sys.stderr, flush=True)


def milliseconds(call: Callable[[str], object], argument: str) -> float:
    """Return how long a call takes."""
    began = time.perf_counter()
    call(argument)
    return (time.perf_counter() - began) * 1000


def percentiles(times: list[float]) -> dict[str, float]:
    """Return p50, p95 and p99 of times, each a value that was measured.

    >>> percentiles([float(value) for value in range(1, 101)])
    {'p50': 50.0, 'p95': 95.0, 'p99': 99.0}
    """
    ordered = sorted(times)
    places = {share: max(0, -(-share * len(ordered) // 100) - 1) for share in (50, 95, 99)}
    return {f"p{share}": round(ordered[place], 3) for share, place in places.items()}


def _main() -> None:
    module, _, function = sys.argv[1].partition(":")
    measured = getattr(import_module(f"bench.{module}"), function)(**json.loads(sys.argv[2]))
    print(json.dumps(measured))


if __name__ == "__main__":
    _main()
