"""The daemon where the system has no sockets in files: as on Windows, but run here."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from notewell import Vault
from notewell.serve.daemon import client, loopback, wire
from notewell.serve.daemon.control import ask_daemon, daemon_pid

from .serving import PATIENCE, wait_until

RUN = """
from notewell.serve.daemon import wire
wire.HAS_FILE_SOCKETS = False
from notewell.serve.daemon.process import run_daemon
run_daemon()
"""


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wire, "HAS_FILE_SOCKETS", False)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "profile"))
    return tmp_path / "profile"


@pytest.fixture
def running(profile: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon that listens on loopback."""
    with subprocess.Popen([sys.executable, "-c", RUN]) as process:
        try:
            wait_until(lambda: process.poll() is not None or bool(ask_daemon("about")))
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)


def request(folder: Path) -> dict[str, bytes]:
    chosen = {name: value for name, value in os.environ.items() if name in ("HOME", "XDG_STATE_HOME")}
    return {
        "verb": b"run",
        "cwd": os.fsencode(folder),
        "arguments": b"search\0loaf",
        "environment": b"\0".join(os.fsencode(f"{name}={value}") for name, value in chosen.items()),
        "terminals": b"000",
        "encodings": b"utf-8 utf-8 utf-8",
    }


def test_it_answers_on_loopback_and_ends_when_told(
    running: subprocess.Popen[bytes], profile: Path, folder: Path
) -> None:
    with Vault.open(folder) as vault:
        vault.index()
    assert daemon_pid() == running.pid
    outcome, parts = wire.ask(request(folder), patience=PATIENCE)
    assert outcome == "done"
    assert b"Recipes/Sourdough.md" in b"".join(part for kind, part in parts if kind == wire.OUT)
    place = Path(wire.socket_path())
    assert place.is_relative_to(profile) and place.stat().st_mode & 0o077 == 0
    assert ask_daemon("stop")["pid"] == running.pid
    assert running.wait(PATIENCE) == 0
    assert not place.exists() and wire.ask({"verb": b"about"}, patience=PATIENCE) == ("absent", [])


def test_a_program_without_the_key_gets_no_answer(running: subprocess.Popen[bytes]) -> None:
    place = Path(wire.socket_path())
    port, key = place.read_text("ascii").split()
    # Whoever does not know the way gets nothing but what says nothing.
    with socket.create_connection((loopback.HOST, int(port)), timeout=PATIENCE) as stranger:
        stranger.sendall(wire.packed({"home": wire.installation(), "verb": b"about"}))
        received = b""
        with suppress(ConnectionError):
            while part := stranger.recv(100):
                received += part
    assert len(received) <= loopback.PROOF + loopback.NONCE
    place.write_text(f"{port} {'0' * len(key)}", "ascii")
    assert wire.ask({"verb": b"about"}, patience=PATIENCE)[0] == "absent"
    assert running.poll() is None
    place.write_text(f"{port} {key}", "ascii")


def test_a_program_that_took_the_port_is_not_asked(profile: Path) -> None:
    heard: list[bytes] = []
    with socket.create_server((loopback.HOST, 0)) as stranger:

        def echo() -> None:
            connection, _ = stranger.accept()
            with connection:
                heard.append(connection.recv(1000))
                connection.sendall(b"x" * (loopback.PROOF + loopback.NONCE))
                with suppress(ConnectionError):
                    heard.append(connection.recv(1000))

        thread = threading.Thread(target=echo)
        thread.start()
        place = Path(wire.socket_path())
        place.parent.mkdir(parents=True)
        place.write_text(f"{stranger.getsockname()[1]} {'ab' * loopback.KEY}", "ascii")
        assert wire.ask({"verb": b"run", "arguments": b"search\0private"}, patience=PATIENCE) == ("absent", [])
        thread.join(PATIENCE)
    assert len(heard[0]) == loopback.NONCE and heard[1:] in ([], [b""])


def test_on_windows_the_daemon_is_asked_for_and_hooks_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WINDOWS", True)
    for name in client.SWITCHES:
        monkeypatch.delenv(name, raising=False)
    assert client.without_switch(["search", "rye"]) == (["search", "rye"], False)
    monkeypatch.setenv("NOTEWELL_DAEMON", "yes")
    assert client.without_switch(["search", "rye"]) == (["search", "rye"], True)
    assert client.runs_in_daemon(["search", "rye"]) and not client.runs_in_daemon(["hook", "prompt"])
