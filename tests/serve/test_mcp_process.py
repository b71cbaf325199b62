"""The process of an MCP session: it answers soon, and ends with the program that started it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.serve.mcp_clients import COMMAND, GUARD, asking, environment, stdio
from tests.serve.serving import kept_up
from tests.serve.test_http_reload import hold, write_many

from notewell import Vault

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of POSIX")

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"text": "loaf"}},
}
MANY = 2_000
# A parent that starts the server, and a child beside it that keeps the pipe open.
PARENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[1].encode())
server.stdin.flush()
server.stdout.readline()
beside = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL, pass_fds=[server.stdin.fileno()])
print(server.pid, beside.pid, flush=True)
time.sleep(60)
"""


def line(message: dict[str, Any]) -> str:
    return json.dumps(message) + "\n"


def is_there(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text() if Path("/proc").is_dir() else ""
        os.kill(pid, 0)
    except OSError:
        return False
    return " Z " not in stat


def gone(pid: int) -> bool:
    """Wait for a process to be gone; a guard, not a measure."""
    ends = time.monotonic() + GUARD
    while is_there(pid) and time.monotonic() < ends:
        time.sleep(0.02)
    return not is_there(pid)


@pytest.fixture
def server(folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, "--vault", str(folder)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                if pipe:
                    pipe.close()


def greet(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdin and process.stdout
    process.stdin.write(line(HELLO) + line(READY))
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def slow_to_index(folder: Path) -> None:
    """Make the vault one that takes some seconds to index."""
    for number in range(MANY):
        (folder / f"{number}.md").write_text(f"# {number}\n\nzebra {number}\n" * 100)


def test_stdout_holds_the_protocol_alone_and_stderr_nothing(server: Callable[..., subprocess.Popen[str]]) -> None:
    process = server()
    greet(process)
    assert process.stdin and process.stdout
    process.stdin.write("this is no message\n" + line(SEARCH))
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["id"] == 2 and "Sourdough" in str(answer["result"]["structuredContent"])
    rest, errors = process.communicate(timeout=GUARD)
    assert rest == "" and errors == "" and process.returncode == 0


def test_half_a_character_is_answered_with_an_error_and_the_next_call_as_ever(
    server: Callable[..., subprocess.Popen[str]],
) -> None:
    process = server()
    greet(process)
    assert process.stdin and process.stdout
    half = {**SEARCH, "id": "half", "params": {"name": "search", "arguments": {"text": "loaf \ud800"}}}
    process.stdin.write(line(half) + line(SEARCH))
    process.stdin.flush()
    answers: dict[Any, Any] = {}
    while 2 not in answers:
        answer = json.loads(process.stdout.readline())
        answers[answer["id"]] = answer
    assert "A lone surrogate" in answers["half"]["error"]["message"]
    assert "Sourdough" in str(answers[2]["result"]["structuredContent"])


@pytest.mark.parametrize(
    "bad",
    [
        "[" * 200_000,
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":'
        + '{"a":' * 5_000
        + "1"
        + "}" * 5_000
        + "}}",
        r'{"jsonrpc":"2.0","id":"\ud800","method":"tools/call","params":{"x":"\ud800"}}',
        r'{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"x":"\ud800"}}',
        '{"jsonrpc":"2.0","id":' + "9" * 5_000 + r',"method":"tools/call","params":{"x":"\ud800"}}',
    ],
    ids=["deep", "nested", "half an id", "a truth for an id", "an endless id"],
)
def test_a_line_that_no_server_can_answer_leaves_the_next_call_as_ever(
    server: Callable[..., subprocess.Popen[str]], bad: str
) -> None:
    process = server()
    greet(process)
    assert process.stdin and process.stdout
    process.stdin.write(f"{bad}\n{line(SEARCH)}")
    process.stdin.flush()
    answer: dict[str, Any] = {}
    while answer.get("id") != 2:
        answer = json.loads(process.stdout.readline())
    assert "Sourdough" in str(answer["result"]["structuredContent"])


def test_a_closed_stdin_ends_it(server: Callable[..., subprocess.Popen[str]]) -> None:
    process = server()
    greet(process)
    assert process.stdin
    process.stdin.close()
    assert process.wait(GUARD) == 0


def test_a_closed_stdin_ends_it_while_it_indexes(server: Callable[..., subprocess.Popen[str]], folder: Path) -> None:
    slow_to_index(folder)
    process = server()
    greet(process)
    assert process.stdin
    process.stdin.write(line(SEARCH))
    process.stdin.flush()
    while not (folder / ".notewell" / "store.db").exists():
        time.sleep(0.02)
    process.stdin.close()
    assert process.wait(GUARD) == 0
    with Vault.open(folder) as vault:
        assert vault.status().notes < MANY
        assert vault.doctor().problems == ()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(server: Callable[..., subprocess.Popen[str]], number: int) -> None:
    process = server()
    greet(process)
    process.send_signal(number)
    assert process.wait(GUARD) == 128 + number
    assert process.stderr and process.stderr.read() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_its_parent_even_if_another_holds_the_pipe(folder: Path, number: int) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, line(HELLO), *COMMAND, "--vault", str(folder)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout
    pid, beside = map(int, parent.stdout.readline().split())
    try:
        assert is_there(pid)
        parent.send_signal(number)
        parent.wait(GUARD)
        assert is_there(beside) and gone(pid)
    finally:
        parent.stdout.close()
        os.kill(beside, signal.SIGKILL)


def test_an_answer_that_nobody_takes_does_not_keep_it(
    server: Callable[..., subprocess.Popen[str]], folder: Path
) -> None:
    # Larger than any pipe.
    (folder / "Long.md").write_text("lorem ipsum\n" * 20_000)
    asked = {"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "notewell:///Long.md"}}
    process = server()
    greet(process)
    assert process.stdin and process.stdout
    process.stdin.write(line(asked) * 5)
    process.stdin.flush()
    process.stdout.read(10)
    process.stdin.close()
    assert process.wait(GUARD) == 0


def test_what_was_asked_before_the_end_is_not_lost_in_silence(server: Callable[..., subprocess.Popen[str]]) -> None:
    out, _ = server().communicate(line(HELLO) + line(READY), timeout=GUARD)
    assert json.loads(out.split("\n")[0])["result"]["serverInfo"]["name"] == "notewell"


def test_a_new_vault_is_indexed_with_the_first_question_and_reports_progress(folder: Path) -> None:
    for number in range(300):
        (folder / f"{number}.md").write_text(f"# {number}\n\nzebra {number}\n")
    with asking(stdio(folder)) as session:
        assert session.do("list_resources").resources == []
        assert "not indexed yet" in session.text("status")
        assert not (folder / ".notewell" / "store.db").exists()
        assert "Sourdough.md" in session.text("search", text="loaf")
        assert session.progress and session.progress == sorted(session.progress)
        assert len(session.do("list_resources").resources) == 50


def test_a_large_vault_says_how_far_it_is_instead_of_keeping_a_client_waiting(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from notewell.serve.mcp import server  # noqa: PLC0415

    monkeypatch.setattr(server, "PATIENCE", 0.0)
    slow_to_index(folder)
    with kept_up(Vault.open(folder)) as kept:
        with asking(server.make_server(kept)) as session:
            error = session.error("search", text="zebra")
            assert "being indexed for the first time" in error and "Ask again" in error
            # What the owner excluded is known from the index alone.
            assert "being indexed for the first time" in session.error("read", place="7.md")
        kept.freshness.close(GUARD)
        assert kept.freshness.progress is None


def test_an_indexed_vault_answers_while_a_run_goes_on_behind(indexed: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    from notewell.serve.mcp import server  # noqa: PLC0415

    # A call that waited for the run would not come back: the run ends only after the answer.
    monkeypatch.setattr(server, "PATIENCE", GUARD * 2)
    write_many(indexed.root)
    go_on = hold(indexed)
    with kept_up(indexed) as kept, asking(server.make_server(kept)) as session:
        kept.freshness.reload()
        try:
            assert "note: Indexing" in session.text("search", text="bees")
            assert kept.freshness.progress is not None
        finally:
            go_on.set()


@pytest.mark.parametrize("ready", [True, False])
def test_what_is_excluded_is_not_read_either(folder: Path, ready: bool) -> None:
    (folder / "Private").mkdir()
    (folder / "Private/Diary.md").write_text("# Diary\n\nxylophone\n", encoding="utf-8")
    (folder / "notewell.toml").write_text('[index]\nexclude = ["Private/"]\n', encoding="utf-8")
    if ready:
        with Vault.open(folder) as vault:
            vault.index()
    with asking(stdio(folder)) as session:
        assert "Private/Diary.md" in session.error("read", place="Private/Diary.md")
        with pytest.raises(MCPError, match="Diary"):
            session.do("read_resource", "notewell:///Private/Diary.md")
        assert "loaf" in session.text("read", place="Sourdough.md")


def test_a_stdin_that_is_closed_from_the_start_is_an_error(folder: Path) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "--vault", str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=GUARD)
    assert done.returncode == 1 and "stdin or stdout is closed" in done.stderr and "Traceback" not in done.stderr


def test_a_vault_that_is_not_there_is_an_error_at_once(folder: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--vault", str(folder / "nowhere")], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stdout == "" and "There is no folder" in done.stderr
