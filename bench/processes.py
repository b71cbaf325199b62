"""Daemons and servers started for one measurement and stopped after it, and their memory."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from bench.child import BenchError, Measured, clean_environment, notewell_command
from bench.vaults import BenchVault
from notewell.files.user import KEY, home_folder, state_folder

UNTIL_STARTED = 60.0
# A new daemon starts watching the folder in its first idle moment.
SETTLED = 2.0


@contextmanager
def own_daemon(vault: BenchVault, environment: Mapping[str, str]) -> Iterator[tuple[dict[str, str], int]]:
    """Let a first search start a daemon for this run alone; yield the environment that finds it, and its id."""
    with tempfile.TemporaryDirectory(prefix="nw") as folder:
        # The hooks' log and session state also belong to this run alone.
        own = {**environment, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder}
        own.pop("NOTEWELL_DAEMON", None)
        _copy_key(own)
        subprocess.run(search_command(vault, "first"), env=own, stdout=subprocess.DEVNULL, check=True)
        try:
            pid = wait_for_daemon(own)
            time.sleep(SETTLED)
            yield own, pid
        finally:
            stop_daemon(own)


def _copy_key(environment: Mapping[str, str]) -> None:
    """Give a folder of state the key of this one: without it, the vault's store would be another user's."""
    own, other = (state_folder(each, home_folder(each)) for each in (os.environ, environment))
    other.mkdir(parents=True, mode=0o700)
    shutil.copy(own / KEY, other / KEY)


def wait_for_daemon(environment: Mapping[str, str]) -> int:
    """Wait for the daemon and return its process id."""
    command, deadline = [notewell_command(), "daemon", "status", "--json"], time.monotonic() + UNTIL_STARTED
    while time.monotonic() < deadline:
        status = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
        if status["running"]:
            return int(status["pid"])
        time.sleep(0.1)
    raise BenchError("The daemon did not start", "Run `notewell daemon run` to see why")


def stop_daemon(environment: Mapping[str, str]) -> None:
    """Stop the daemon, if there is one."""
    subprocess.run([notewell_command(), "daemon", "stop"], env=environment, stderr=subprocess.DEVNULL, check=False)


def search_command(vault: BenchVault, text: str) -> list[str]:
    """Return the command line that searches a vault; the text may begin like an option."""
    return [notewell_command(), "search", "--vault", str(vault.root), "--", text]


def serve_command(root: Path) -> list[str]:
    """Return the command line that serves a vault on a free port, without a rate limit."""
    return [notewell_command(), "serve", "--vault", str(root), "--port", "0", "--rate", "0"]


@contextmanager
def serving(
    command: list[str], environment: Mapping[str, str] | None = None, address: str = ""
) -> Iterator[tuple[int, str]]:
    """Run a server; yield its process and the address that it prints."""
    process = subprocess.Popen(
        command,
        env=environment or clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Its own process group, so that children end with it.
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        if not address:
            address = process.stdout.readline().strip()
        _wait_for(address, process)
        yield process.pid, address
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate()


def memory_of(pid: int) -> Measured:
    """Return a process's memory in MB: `rss` with all mapped files, `pss` with its share of them, `peak` of `rss`."""
    if sys.platform != "linux":
        return {}
    sizes = {**_fields(pid, "status"), **_fields(pid, "smaps_rollup")}
    names = {"rss": "VmRSS", "pss": "Pss", "own": "RssAnon", "peak": "VmHWM"}
    return {name: round(int(sizes[key].split()[0]) / 1024, 1) for name, key in names.items()}


def processor_of(pid: int) -> float:
    """Return the processor time of a process with its children, those that have ended too, in seconds; 0 elsewhere."""
    if sys.platform != "linux":
        return 0.0
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK") + sum(processor_of(int(child)) for child in children)


def _fields(pid: int, file: str) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def _wait_for(address: str, process: subprocess.Popen[str]) -> None:
    parts, end = urlsplit(address), time.monotonic() + UNTIL_STARTED
    while parts.hostname and process.poll() is None and time.monotonic() < end:
        with suppress(OSError), closing(HTTPConnection(parts.hostname, parts.port, timeout=UNTIL_STARTED)) as asked:
            asked.request("GET", "/health")
            if asked.getresponse().status == 200:
                return
        time.sleep(0.1)
    raise BenchError(f"No server answers at '{address}'", "Start it by hand to see why")
