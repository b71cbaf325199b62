"""The process of an MCP session: it answers soon, and ends with the program that started it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.serve.embeddings import embeddings
from tests.serve.mcp_clients import COMMAND, GUARD, HELLO, asking, environment, stdio
from tests.serve.serving import hold, kept_up, write_many

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.serve.mcp.server import make_server
from notewell.types.note import Vectors

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of POSIX")

READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = {"jsonrpc": "2.0", "id": "last", "method": "ping"}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"text": "loaf"}},
}
# Two requests to a server of embeddings, which embeds 64 texts at a time.
MANY = 100
# Lines that get an error, and the next request its answer.
MALFORMED = {
    "deep": "[" * 200_000,
    "nested": '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":'
    + '{"a":' * 5_000
    + "1"
    + "}" * 5_000
    + "}}",
    "half an id": r'{"jsonrpc":"2.0","id":"\ud800","method":"tools/call","params":{"x":"\ud800"}}',
    "a truth for an id": r'{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"x":"\ud800"}}',
    "an endless id": '{"jsonrpc":"2.0","id":' + "9" * 5_000 + r',"method":"tools/call","params":{"x":"\ud800"}}',
    "no message": "this is no message",
}
# What a client may send in the place of any value.
ODD: tuple[Any, ...] = (None, True, -1, 1e300, "", "\0", "x" * 100_000, [], [None], {}, {"requestId": []}, [[{}]])
NOTIFICATIONS = ("cancelled", "progress", "initialized", "roots/list_changed", "message", "\0", "")
# A parent that starts the server, and a child beside it that keeps the pipe open.
PARENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[1].encode())
server.stdin.flush()
server.stdout.readline()
beside = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, pass_fds=[server.stdin.fileno()])
print(server.pid, beside.pid, flush=True)
time.sleep(600)
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


def answered(process: subprocess.Popen[str], *lines: str, until: Any = 2) -> dict[Any, dict[str, Any]]:
    """Send lines; return the answers by their ids, up to the one with the id `until`."""
    assert process.stdin and process.stdout
    process.stdin.write("".join(lines))
    process.stdin.flush()
    answers: dict[Any, dict[str, Any]] = {}
    while until not in answers:
        answer = json.loads(process.stdout.readline())
        answers[answer["id"]] = answer
    return answers


def test_stdout_holds_the_protocol_alone_and_stderr_nothing_whatever_is_sent(
    server: Callable[..., subprocess.Popen[str]],
) -> None:
    process = server()
    greet(process)
    failed = []
    for number, (name, bad) in enumerate(MALFORMED.items(), 10):
        answers = answered(process, f"{bad}\n", line({**SEARCH, "id": number}), until=number)
        wrong = [answer for key, answer in answers.items() if key != number and "error" in answer]
        if len(wrong) != 1 or "Sourdough" not in str(answers[number].get("result", {}).get("structuredContent")):
            failed.append((name, answers))
    assert not failed
    half = {**SEARCH, "id": "half", "params": {"name": "search", "arguments": {"text": "loaf \ud800"}}}
    answers = answered(process, line(half), line(SEARCH))
    assert "A lone surrogate" in answers["half"]["error"]["message"]
    assert "Sourdough" in str(answers[2]["result"]["structuredContent"])
    # A closed stdin ends it, but what was asked just before is not lost in silence.
    last: list[dict[str, Any]] = [{**SEARCH, "id": f"last {number}"} for number in range(5)]
    rest, errors = process.communicate("".join(line(one) for one in (*last, PING)), timeout=GUARD)
    ended = {answer["id"]: answer.get("result") for answer in map(json.loads, rest.splitlines())}
    assert ended.pop(PING["id"]) == {} and len(ended) == 5
    assert all("Sourdough" in str(result["structuredContent"]) for result in ended.values())
    assert errors == "" and process.returncode == 0


@pytest.mark.parametrize("field", ["params", "requestId", "progressToken", "_meta"])
def test_no_notification_ends_it_whatever_is_in_it(server: Callable[..., subprocess.Popen[str]], field: str) -> None:
    process = server()
    greet(process)
    odd = [value if field == "params" else {field: value, "progress": value} for value in ODD]
    sent = [
        {"jsonrpc": "2.0", "method": f"notifications/{name}", "params": value}
        for name in NOTIFICATIONS
        for value in odd
    ]
    answers = answered(process, *map(line, sent), line(SEARCH))
    assert "Sourdough" in str(answers[2]["result"]["structuredContent"])


def test_a_closed_stdin_ends_it_while_it_indexes(server: Callable[..., subprocess.Popen[str]], folder: Path) -> None:
    for number in range(MANY):
        (folder / f"{number}.md").write_text(f"# {number}\n\nzebra {number}\n")
    with embeddings(answered=1) as vectors:
        vectors.use_in(folder)
        process = server()
        greet(process)
        assert process.stdin
        process.stdin.write(line(SEARCH))
        process.stdin.flush()
        # In the middle of the run: of two requests, one is answered.
        assert vectors.held.wait(GUARD)
        assert process.stdout
        # A client that still reads would get its answer.
        process.stdout.close()
        process.stdin.close()
        assert process.wait(GUARD) == 0
        with Vault.open(folder) as vault:
            assert vault.status().notes < MANY
            assert vault.doctor().problems == ()


def test_a_signal_ends_it(server: Callable[..., subprocess.Popen[str]]) -> None:
    processes = {number: server() for number in (signal.SIGTERM, signal.SIGINT)}
    for number, process in processes.items():
        greet(process)
        process.send_signal(number)
    ended = {number: process.wait(GUARD) for number, process in processes.items()}
    assert ended == {signal.SIGTERM: 143, signal.SIGINT: 130}
    assert [process.stderr and process.stderr.read() for process in processes.values()] == ["", ""]


def test_it_ends_with_its_parent_even_if_another_holds_the_pipe(folder: Path) -> None:
    command = [sys.executable, "-c", PARENT, line(HELLO), *COMMAND, "--vault", str(folder)]
    parent = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    pid, beside = map(int, parent.stdout.readline().split())
    try:
        assert is_there(pid)
        parent.kill()
        parent.wait(GUARD)
        assert is_there(beside) and gone(pid)
    finally:
        parent.kill()
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


def test_a_client_of_the_library_is_answered(folder: Path) -> None:
    with asking(stdio(folder)) as session:
        assert session.do("list_resources").resources == []
        assert "not indexed yet" in session.text("status")
        assert not (folder / ".notewell" / "store.db").exists()
        assert "Sourdough.md" in session.text("search", text="loaf")
        assert len(session.do("list_resources").resources) == 3


def test_a_new_vault_is_indexed_with_the_first_question_and_reports_progress(folder: Path) -> None:
    for number in range(60):
        (folder / f"{number}.md").write_text(f"# {number}\n\nzebra {number}\n")
    vault, go_on = Vault.open(folder), threading.Event()
    vault.models.embedder = Held(go_on)
    with kept_up(vault) as kept, asking(make_server(kept, GUARD)) as session:
        session.on_progress = lambda _: go_on.set()
        assert "Sourdough.md" in session.text("search", text="loaf")
        assert session.progress and session.progress == sorted(session.progress)
        assert len(session.do("list_resources").resources) == 50


class Held(WordsEmbedder):
    """Waits before it embeds anything."""

    def __init__(self, go_on: threading.Event) -> None:
        self.go_on = go_on

    def embed(self, texts: Sequence[str]) -> Vectors:
        assert self.go_on.wait(GUARD)
        return super().embed(texts)


def test_a_large_vault_says_how_far_it_is_instead_of_keeping_a_client_waiting(folder: Path) -> None:
    vault, go_on = Vault.open(folder), threading.Event()
    vault.models.embedder = Held(go_on)
    with kept_up(vault) as kept, asking(make_server(kept, patience=0.0)) as session:
        try:
            error = session.error("search", text="zebra")
            assert "being indexed for the first time" in error and "Ask again" in error
            # What the owner excluded is known from the index alone.
            assert "being indexed for the first time" in session.error("read", note="7.md")
        finally:
            go_on.set()
        kept.freshness.close(GUARD)
        assert kept.freshness.progress is None


def test_an_indexed_vault_answers_while_a_run_goes_on_behind(indexed: Vault) -> None:
    write_many(indexed.root)
    go_on = hold(indexed)
    # A call that waited for the run would not come back: the run ends only after the answer.
    with kept_up(indexed) as kept, asking(make_server(kept, GUARD * 2)) as session:
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
    settings = '[index]\nexclude = ["Private/"]\n[embed]\nmodel = "words"\n'
    (folder / "notewell.toml").write_text(settings, encoding="utf-8")
    if ready:
        with Vault.open(folder) as vault:
            vault.index()
    with kept_up(Vault.open(folder)) as kept, asking(make_server(kept, GUARD)) as session:
        assert "Private/Diary.md" in session.error("read", note="Private/Diary.md")
        with pytest.raises(MCPError, match="Diary"):
            session.do("read_resource", "notewell:///Private/Diary.md")
        assert "loaf" in session.text("read", note="Sourdough.md")


def test_a_stdin_that_is_closed_from_the_start_is_an_error(folder: Path) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "--vault", str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=GUARD)
    assert done.returncode == 1 and "stdin or stdout is closed" in done.stderr and "Traceback" not in done.stderr


def test_a_vault_that_is_not_there_is_an_error_at_once(folder: Path, notewell: Callable[..., Any]) -> None:
    code, out, err = notewell("mcp", "--vault", str(folder / "nowhere"))
    assert (code, out) == (1, "") and "There is no folder" in err
