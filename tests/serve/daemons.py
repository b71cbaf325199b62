"""A daemon for one test, in a folder of its own, and commands that ask it."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.vaults import same_user

from notewell.serve.daemon import wire

COMMAND = (sys.executable, "-P", "-m", "notewell")
# Far longer than anything here takes, also on a busy machine.
LONG = 300.0
# The same command, which waits for a daemon however busy the machine is.
PATIENT = (sys.executable, "-P", "-c", f"from notewell.serve.daemon.client import main; main(patience={LONG})")


class DaemonRunner:
    """Runs commands by one daemon, started when a test wants it."""

    def __init__(self, runtime: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self.runtime = runtime
        self.folder = folder
        self.command = PATIENT
        self.environment = {**environment, "XDG_RUNTIME_DIR": str(runtime), "PYTHONUTF8": "1"}
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process and wait until it answers."""
        process = self.launch()
        self.wait_for(lambda: bool(self.about()))
        return process

    def launch(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*COMMAND, "daemon", "run"],
            cwd="/",
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        given: bytes = b"",
    ) -> tuple[int, str, str]:
        """Run a command as a user would: exit code, stdout and stderr."""
        # All of stdin is there when the command starts: a pipe is filled only when this process has its next turn.
        with tempfile.TemporaryFile() as stdin:
            stdin.write(given)
            stdin.seek(0)
            done = subprocess.run(
                [*self.command, *arguments],
                cwd=cwd or self.folder,
                env={**self.environment, **(environment or {})},
                stdin=stdin,
                capture_output=True,
                timeout=LONG,
                check=False,
            )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def on_terminal(self, *arguments: str, **environment: str) -> str:
        """Run a command on a terminal and return what it shows there."""
        ours, theirs = pty.openpty()
        variables = {**self.environment, "TERM": "xterm", **environment}
        process = subprocess.Popen(
            [*self.command, *arguments], cwd=self.folder, env=variables, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65_536):
                shown += part
        except OSError:
            # Linux says so when the other end is closed.
            pass
        os.close(ours)
        process.wait()
        return shown.decode()

    def about(self) -> dict[str, Any]:
        """Return what the process says of itself; nothing, if it does not run."""
        try:
            parts = self.say({"verb": b"about"})
        except OSError:
            return {}
        told: dict[str, Any] = json.loads(parts[0][1])
        return told

    def ask(self, *arguments: str, cwd: Path | None = None) -> str:
        """Return what the process itself has a command print, without the time that starting one takes."""
        parts = self.say(
            {
                "verb": b"run",
                "program": b"notewell",
                "cwd": os.fsencode(cwd or self.folder),
                "arguments": b"\0".join(map(os.fsencode, arguments)),
                "environment": b"NOTEWELL_EMBED_BACKGROUND=no\0XDG_STATE_HOME="
                + os.fsencode(self.environment["XDG_STATE_HOME"]),
                "terminals": b"000",
                "encodings": b"utf-8 utf-8 utf-8",
            }
        )
        assert parts[0] == (wire.BEGUN, b""), parts
        return b"".join(part for kind, part in parts if kind != wire.CODE).decode()

    def say(self, fields: dict[str, bytes]) -> list[tuple[bytes, bytes]]:
        """Send a request and return the parts of the answer."""
        with self.connect() as connection:
            connection.sendall(wire.packed({"home": wire.installation(), **fields}))
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        parts = []
        while answer:
            end = 5 + int.from_bytes(answer[1:5], "big")
            parts.append((answer[:1], answer[5:end]))
            answer = answer[end:]
        return parts

    @property
    def path(self) -> Path:
        return next(iter(self.runtime.glob("notewell/*.socket")), self.runtime / "notewell" / "none.socket")

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(LONG)
        try:
            connection.connect(str(self.path))
        except OSError:
            connection.close()
            raise
        return connection

    def wait_for(self, true: Any) -> None:
        deadline = time.monotonic() + LONG
        while not true():
            assert time.monotonic() < deadline, "it did not come about"
            time.sleep(0.05)

    def end(self) -> None:
        """End every process that came of this, and see that they are gone."""
        with suppress(OSError):
            self.say({"verb": b"stop"})
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
            process.wait(LONG)
        self.wait_for(lambda: not list(self.runtime.glob("notewell/*.socket")))


@contextmanager
def daemon_for(folder: Path) -> Iterator[DaemonRunner]:
    """Yield a runner with a folder for its socket, whose path must be short."""
    runtime = Path(tempfile.mkdtemp(prefix="nw", dir="/tmp"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOTEWELL_")}
    quiet = {
        "NOTEWELL_EMBED_BACKGROUND": "no",
        "NO_COLOR": "",
        "COLUMNS": "100",
        "XDG_STATE_HOME": same_user(runtime / "state"),
    }
    made = DaemonRunner(runtime, folder, {**environment, **quiet})
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(runtime)


@contextmanager
def begun_by_nobody(
    daemon: DaemonRunner, *arguments: str, monkeypatch: pytest.MonkeyPatch, given: Path = Path(os.devnull)
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Run a command whose request is accepted, and yield it with the other end of its connection."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(daemon.runtime))
    Path(wire.socket_folder()).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(wire.socket_path())
        listener.listen(1)
        with given.open("rb") as stdin:
            pipes: dict[str, Any] = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            command = subprocess.Popen(
                [*daemon.command, *arguments], cwd=daemon.folder, env=daemon.environment, **pipes
            )
        connection, _ = listener.accept()
        with command, connection:
            connection.sendall(wire.frame(wire.BEGUN))
            yield command, connection
    Path(wire.socket_path()).unlink()


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended, also if nobody waited for it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
