from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.cases import cases

from notewell import Vault

from .embeddings import embeddings
from .serving import PATIENCE, Served, wait_until


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], Served]]:
    """Run `notewell serve` on any free port, as its user does; it is ended if the test does not."""
    process = subprocess.Popen(
        [sys.executable, "-m", "notewell", "serve", "--vault", folder, "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NOTEWELL_DAEMON": "no", "PYTHONWARNINGS": "default"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = urlsplit(json.loads(line)["addresses"][0] if "--json" in options else line)
        yield process, Served(address.hostname or "", address.port or 0)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
    # A test may have pressed Ctrl-C.
    assert process.returncode in (0, 130)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "config"))


def test_it_indexes_a_new_vault_serves_it_and_ends_when_told(folder: Path) -> None:
    with (
        started(folder, "--rate", "0.01") as (process, served),
        closing(HTTPConnection(served.host, served.port)) as idle,
    ):
        idle.connect()
        assert process.stderr is not None
        said = [process.stderr.readline() for _ in range(3)]
        assert said[:2] == [
            f"indexing {folder}; the server answers meanwhile\n",
            f"serving {folder}; Ctrl-C stops it\n",
        ]
        assert said[2] == "indexed 3 notes\n"
        assert served.get("/search", text="loaf")["hits"][0]["path"] == "Recipes/Sourdough.md"
        # The rate is what the command was told.
        assert served.ask("/health").status == 429
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[1] == ""
        assert process.returncode == 130


def test_it_ends_with_the_program_that_started_it(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "notewell", "serve", "--vault", folder, "--port", "0", "--json", "--until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NOTEWELL_DAEMON": "no", "NOTEWELL_SERVE_COPILOT": "yes"},
    )
    assert process.stdout is not None
    port = urlsplit(json.loads(process.stdout.readline())["addresses"][0]).port or 0
    served = Served("127.0.0.1", port)
    assert served.get("/health")["ok"] and served.get("/v0/health")["service"] == "running"
    # Its end of the pipe closes, as it does when a program is killed.
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert is_refused(served)


def test_it_answers_while_a_new_vault_is_indexed(folder: Path) -> None:
    with embeddings(answered=0) as vectors:
        vectors.use_in(folder)
        with started(folder) as (_, served):
            assert vectors.held.wait(PATIENCE)
            assert served.get("/progress")["indexed"] is False
            assert served.ask("/search?text=loaf").status == 503
            with vectors.let_go():
                wait_until(lambda: served.get("/progress")["finished"])
                assert served.get("/search", text="loaf")["hits"]


@pytest.mark.skipif(os.name != "posix", reason="the browser is a shell script")
def test_a_browser_that_stays_in_the_foreground_does_not_hold_the_server_up(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, lets_go = tmp_path / "opened", tmp_path / "lets go"
    os.mkfifo(lets_go)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{opened}"\ncat "{lets_go}"\n', "utf-8")
    browser.chmod(0o755)
    # Without an & behind it, Python waits for a browser to end.
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with started(folder, "--open") as (_, served):
        try:
            wait_until(lambda: opened.exists() and opened.read_text("utf-8"))
            assert served.get("/health")["ok"]
            assert opened.read_text("utf-8").strip() == f"http://{served.host}:{served.port}"
        finally:
            # A browser that nobody lets go would stay for ever.
            lets_go.write_bytes(b"")


def is_refused(served: Served) -> bool:
    try:
        served.send(b"").close()
    except ConnectionError:
        return True
    return False


def test_it_ends_in_the_middle_of_a_reload_and_what_was_done_is_kept(folder: Path) -> None:
    # The first notes are stored with the third request or the fourth; all of them take more than ten.
    with embeddings(answered=4) as vectors:
        vectors.use_in(folder)
        with vectors.let_go(), Vault.open(folder) as vault:
            vault.index()
        with started(folder) as (process, served):
            for one in range(120):
                text = f"# Note {one}\n\n" + f"some words of {one}\n" * 600
                (folder / f"note {one}.md").write_text(text, encoding="utf-8")
            with closing(HTTPConnection(served.host, served.port, timeout=PATIENCE)) as connection:
                connection.request("POST", "/reload")
                answer = connection.getresponse()
                assert json.loads(answer.readline())["total"] == 120
                assert vectors.held.wait(PATIENCE)
                process.terminate()
                # The run goes on when it was told to end.
                wait_until(lambda: is_refused(served))
                with vectors.let_go():
                    report = json.loads(answer.read().splitlines()[-1])
            assert report["interrupted"] and 0 < report["added"] < 120
            assert process.communicate(timeout=PATIENCE)[1] == f"serving {folder}; Ctrl-C stops it\n"
        with vectors.let_go(), Vault.open(folder) as vault:
            assert vault.status().notes == 3 + report["added"]
            assert vault.index().notes == 123


# One server for both: it takes long to start.
def test_elsewhere_the_token_is_needed_and_each_request_is_a_line_without_what_was_asked(
    notewell: Callable[..., tuple[int, str, str]], folder: Path
) -> None:
    token = notewell("serve", "--new-token")[1].strip()
    known = {"Authorization": f"Bearer {token}"}
    # While a vault is indexed for the first time, a search is refused.
    with Vault.open(folder) as vault:
        vault.index()
    # At no rate there is no limit.
    with started(folder, "--host", "0.0.0.0", "--verbose", "--json", "--rate", "0") as (process, served):
        here = Served("127.0.0.1", served.port)
        assert served.host == "127.0.0.1", "the address that is printed answers"
        assert here.ask("/search?text=my+very+private+question", known).status == 200
        assert here.ask("/node/Garden/Bees.md", known).status == 200
        for forged in (
            "/node/private",
            "/node/a%0A127.0.0.1%20GET%20/forged",
            "/private%0D%0A127.0.0.1%20GET%20/forged",
        ):
            assert here.ask(forged, known).status == 404
        assert here.ask("/health").status == 200
        assert here.ask("/status").status == 401
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1]
        requests = [line for line in said.splitlines() if " ms" in line]
        routes = [line.split()[1:4] for line in requests]
        assert routes[:2] == [["GET", "/search", "200"], ["GET", "/node/{note:path}", "200"]]
        assert len(routes) == 7 and {path for _, path, _ in routes[2:5]} <= {"/node/{note:path}", "-"}
        assert not any(word in said for word in ("private", "Bees", "forged", token))


def test_a_port_that_is_taken_is_reported(folder: Path, notewell: Callable[..., tuple[int, str, str]]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = notewell("serve", "--port", str(port))
    assert (code, out) == (1, "")
    assert f"error: Cannot listen on port {port} at 127.0.0.1: Address already in use" in err
    assert "hint: " in err and "--port" in err


@cases(
    ("options", "fact"),
    [
        (("--vault", "nowhere"), "There is no folder"),
        (("--host", "no.such.host.invalid"), "'no.such.host.invalid' is not an address of this machine"),
        (("--host", "192.0.2.1"), "'192.0.2.1' is not an address of this machine"),
        (("--host", "a" * 70), "is not an address of this machine"),
        (("--host", "0.0.0.0"), "There is no token yet"),
        (("--host", "::"), "There is no token yet"),
        (("--token",), "There is no token yet"),
        (("--token-file", "nowhere"), "The token in nowhere cannot be read"),
        (("--allow-origin", "*"), "'*' is not an origin"),
        (("--allow-host", "a/b"), "'a/b' is not a host name"),
    ],
)
def test_a_vault_that_cannot_be_served_is_reported_with_a_hint(
    notewell: Callable[..., tuple[int, str, str]], options: tuple[str, ...], fact: str
) -> None:
    code, out, err = notewell("serve", "--port", "0", *options)
    assert (code, out) == (1, "")
    assert "error: " in err and fact in err and "hint: " in err


def test_a_token_is_shown_once_and_only_its_hash_is_kept(
    notewell: Callable[..., tuple[int, str, str]], tmp_path: Path, folder: Path
) -> None:
    first, second = (notewell("serve", "--new-token")[1].strip() for _ in range(2))
    assert first != second and len(first) >= 43
    (kept,) = (tmp_path / "config" / "notewell").iterdir()
    assert second not in kept.read_text(encoding="ascii") and first not in kept.read_text(encoding="ascii")
    if os.name == "posix":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert not list(folder.rglob("*token*"))


def test_a_token_that_others_could_have_put_there_is_refused(
    notewell: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    notewell("serve", "--new-token")
    (kept,) = (tmp_path / "config" / "notewell").iterdir()
    kept.chmod(0o666)
    code, _, err = notewell("serve", "--port", "0", "--token")
    assert code == 1 and "can be written by other users" in err
    kept.chmod(0o600)
    kept.write_text("short", encoding="ascii")
    assert "does not contain the hash" in notewell("serve", "--port", "0", "--token")[2]


def test_a_token_that_could_be_guessed_is_refused(
    notewell: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("secret\n", encoding="ascii")
    code, _, err = notewell("serve", "--port", "0", "--token-file", str(tmp_path / "token"))
    assert code == 1 and "fewer than 20 characters" in err and "secret" not in err


def test_a_missing_extra_is_named_with_what_installs_it(
    notewell: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, err = notewell("serve")
    assert code == 1
    assert "uvicorn, which is not installed" in err and "pip install 'notewell[serve]'" in err


def test_other_commands_do_not_pay_for_the_server(folder: Path) -> None:
    program = (
        "import sys; from notewell.serve.cli import cli; cli(['search', 'loaf'], standalone_mode=False);"
        "print(*(name for name in sys.modules if name in ('fastapi', 'uvicorn', 'pydantic', 'starlette', 'mcp')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""
