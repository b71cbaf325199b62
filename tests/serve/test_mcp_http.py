"""The same over streamable HTTP: under `notewell serve`, behind its guard."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.serve.mcp_clients import COMMAND, GUARD, HELLO, Asking, asking, environment, said, stdio
from tests.serve.serving import MANY, hold, serving, wait_until, write_many

from notewell import Vault
from notewell.serve.http import Mounted
from notewell.serve.mcp import PATH
from notewell.serve.mcp.http import make_mcp_app


@contextmanager
def serve(root: Path, *options: str) -> Iterator[int]:
    """Run `notewell serve` as its user does, and yield its port."""
    process = subprocess.Popen(
        [*COMMAND[:-1], "serve", "--port", "0", "--json", "--vault", str(root), *options],
        env=environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        (address,) = json.loads(process.stdout.readline())["addresses"]
        yield int(address.rpartition(":")[2])
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=GUARD)
    assert process.returncode == 0 and "Traceback" not in errors


@pytest.fixture(scope="module")
def port(indexed_sample: Path) -> Iterator[int]:
    with serve(indexed_sample) as port:
        yield port


@pytest.fixture(scope="module")
def session(port: int) -> Iterator[Asking]:
    with asking(f"http://127.0.0.1:{port}/mcp") as client:
        yield client


def post(port: int, headers: dict[str, str], body: str = "") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GUARD)
    kind = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", body or json.dumps(HELLO), kind | headers)
    answer = connection.getresponse()
    read = answer.status, answer.read().decode()
    connection.close()
    return read


def test_it_answers_as_over_stdio(session: Asking, indexed_sample: Path) -> None:
    questions: dict[str, dict[str, Any]] = {
        "search": {"text": "why does my loaf spread flat"},
        "read": {"place": "Garden/Varroa treatment.md"},
        "related": {"notes": ["Home"]},
        "traverse": {"note": "Home"},
        "links": {"note": "Home"},
        "status": {},
    }
    with asking(stdio(indexed_sample)) as other:
        assert session.do("list_tools").tools == other.do("list_tools").tools
        for name, given in questions.items():
            assert session.text(name, **given) == other.text(name, **given)
        listed = session.do("list_resources").resources
        assert listed == other.do("list_resources").resources
    assert session.do("read_resource", listed[0].uri).contents[0].text


def test_errors_come_through(session: Asking) -> None:
    assert "hint:" in said(session.call("read", note="Nowhere.md"))


def test_a_stranger_s_name_or_page_is_refused(port: int) -> None:
    assert post(port, {})[0] == 200
    assert post(port, {"Origin": f"http://127.0.0.1:{port}"})[0] == 200
    assert post(port, {"Host": "evil.example:80"})[0] == 421
    assert post(port, {"Host": f"127.0.0.1.evil.example:{port}"})[0] == 421
    assert post(port, {"Origin": "https://evil.example"})[0] == 403
    assert post(port, {"Origin": "null"})[0] == 403


def test_what_is_not_json_is_refused(port: int) -> None:
    assert post(port, {}, "{")[0] == 400
    for kind in ("text/plain", "", "application/jsonx"):
        status, told = post(port, {"Content-Type": kind})
        assert (status, {*json.loads(told)}) == (400, {"error", "hint"})
    assert post(port, {"Content-Type": "application/json; charset=utf-8"})[0] == 200


def test_nobody_can_hold_a_connection_by_listening(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GUARD)
    connection.request("GET", "/mcp", headers={"Accept": "text/event-stream"})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    assert "POST" in json.loads(answer.read())["error"]
    connection.close()


def test_the_command_for_stdio_has_no_server_of_its_own(run_command: Callable[..., Any], indexed_sample: Path) -> None:
    code, _, err = run_command(indexed_sample, "mcp", "--http")
    assert code == 2 and "--http" in err and "notewell mcp --help" in err
    _, told, _ = run_command(indexed_sample, "mcp", "--help")
    assert "use `notewell serve` and its /mcp" in " ".join(told.split())


@contextmanager
def served_here(vault: Vault) -> Iterator[Asking]:
    """Serve a vault from this process, and yield a client."""
    mounts = [Mounted(PATH, lambda: make_mcp_app(vault))]
    with serving(vault, mounts=mounts) as served, asking(f"http://127.0.0.1:{served.port}{PATH}") as session:
        yield session


def test_every_note_is_found_by_a_call_right_after_it_was_saved_over_either_transport(indexed: Vault) -> None:
    with served_here(indexed) as one, asking(stdio(indexed.root)) as other:
        for number in range(20):
            note = indexed.root / f"New {number}.md"
            note.write_text(f"# New\n\nWord{number}zz stands here.\n", encoding="utf-8")
            asked, twin = (one, other) if number % 2 else (other, one)
            assert note.name in asked.text("search", text=f"Word{number}zz", limit=1)
            assert note.name in twin.text("search", text=f"Word{number}zz", limit=1)


def test_one_keeper_serves_http_and_mcp(indexed: Vault) -> None:
    write_many(indexed.root)
    go_on = hold(indexed)
    with served_here(indexed) as session:
        run = indexed.freshness.reload()
        try:
            wait_until(lambda: run.progress[1] > 0)
            # How far a run is only its own keeper knows.
            assert f" of {MANY}" in session.text("status")
            assert "note: Indexing" in session.text("search", text="loaf")
        finally:
            go_on.set()
        wait_until(lambda: run.is_over)
        assert "note: Indexing" not in session.text("search", text="loaf")
