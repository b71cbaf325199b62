"""The same over streamable HTTP: on this machine alone, for those who were meant."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serve.mcp_clients import COMMAND, GUARD, Asking, asking, environment, said, stdio
from tests.serve.test_mcp_process import HELLO


@pytest.fixture(scope="module")
def port(indexed_sample: Path) -> Iterator[int]:
    process = subprocess.Popen(
        [*COMMAND, "--http", "--port", "0", "--vault", str(indexed_sample)],
        env=environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    told = process.stderr.readline()
    yield int(told.partition("127.0.0.1:")[2].partition("/")[0])
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=GUARD)
    assert out == "" and "Traceback" not in errors


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
    assert "hint:" in said(session.call("read", place="Nowhere.md"))


def test_a_stranger_s_name_or_page_is_refused(port: int) -> None:
    assert post(port, {})[0] == 200
    assert post(port, {"Origin": f"http://localhost:{port}"})[0] == 200
    assert post(port, {"Host": "evil.example:80"})[0] == 421
    assert post(port, {"Host": f"127.0.0.1.evil.example:{port}"})[0] == 421
    assert post(port, {"Origin": "https://evil.example"})[0] == 403
    assert post(port, {"Origin": "null"})[0] == 403


def test_what_is_too_large_or_no_json_is_refused(port: int) -> None:
    assert post(port, {}, "x" * (2 << 20))[0] == 413
    assert post(port, {}, "{")[0] == 400
    assert post(port, {"Content-Type": "text/plain"})[0] == 400


def test_it_listens_on_this_machine_alone(port: int) -> None:
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in (address for address in others if not str(address).startswith("127.")):
        with pytest.raises(OSError), socket.create_connection((str(address), port), timeout=5):
            pass


def test_a_port_that_is_taken_is_an_error_with_a_hint(port: int, indexed_sample: Path) -> None:
    command = [*COMMAND, "--http", "--port", str(port), "--vault", str(indexed_sample)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=GUARD)
    assert done.returncode == 1 and f"Port {port} cannot be used" in done.stderr and "--port" in done.stderr


def test_the_server_of_the_vault_has_it_too_behind_its_guard(indexed_sample: Path, session: Asking) -> None:
    command = [*COMMAND[:-1], "serve", "--port", "0", "--json", "--vault", str(indexed_sample)]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        (address,) = json.loads(process.stdout.readline())["addresses"]
        with asking(f"{address.rstrip('/')}/mcp") as client:
            question = {"text": "why does my loaf spread flat"}
            assert client.text("search", **question) == session.text("search", **question)
        there = int(address.rstrip("/").rpartition(":")[2])
        assert post(there, {"Host": "evil.example:80"})[0] == 421
        assert post(there, {"Origin": "https://evil.example"})[0] == 403
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=GUARD)
    assert process.returncode == 0 and "Traceback" not in errors
