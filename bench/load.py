"""Eight clients at once over HTTP, while nothing else runs, while another process indexes, and during a reload."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote, urlsplit

from bench.child import BenchError, Measured, clean_environment, in_child, say
from bench.queries import FILTERED, load_queries
from bench.vaults import BenchVault

CLIENTS = 8
SECONDS = 30.0
# Without anything beside it, shorter: it is only there to compare with.
QUIET_SECONDS = 10.0
# Notes that change before a reload.
CHANGED = 3_000
TIMEOUT = 60.0
QMD_PORT = 8499

# The method, path and body of a question.
Ask = Callable[[str], tuple[str, str, bytes]]


def measure_load(vault: BenchVault) -> Measured:
    """Serve a copy of the vault, and let clients ask it; and qmd's server, where it is installed."""
    say(f"{vault.name}: {CLIENTS} clients over HTTP")
    root = vault.root.with_name(f"{vault.root.name}-loaded")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(vault.root, root)
    _run(["index"], root)
    try:
        measured = {"notewell": _notewell(root, vault.queries), "qmd": _qmd(root, vault)}
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return {"clients": CLIENTS, **measured}


def _notewell(root: Path, queries: Path) -> Measured:
    with _serving(_command("serve", root, "--port", "0", "--rate", "0")) as (server, address):
        clients = {"address": address, "queries": str(queries), "kind": "notewell"}
        in_child("load:ask", **clients, seconds=1)
        alone = in_child("load:ask", **clients, seconds=int(QUIET_SECONDS))
        with _indexing(root):
            beside = in_child("load:ask", **clients, seconds=int(SECONDS))
        memory = {"serving": _memory(server)}
        for file in sorted(root.rglob("*.md"))[:CHANGED]:
            with file.open("a", encoding="utf-8") as stream:
                stream.write("\nA line more.\n")
        with _reloading(address) as report:
            during = in_child("load:ask", **clients, seconds=int(SECONDS))
        if report.get("changed") != CHANGED:
            raise BenchError(f"The reload took in {report}", "It should have taken in what was changed")
        memory["reload"] = _memory(server)
        return {"alone": alone, "indexing": beside, "reload": during, "reloaded": report, "memory_mb": memory}


def _qmd(root: Path, vault: BenchVault) -> Measured:
    """Measure qmd, by words alone, if the variable QMD names its command."""
    command = shutil.which(os.environ.get("QMD", "qmd"))
    if not command:
        return {"left_out": "qmd: not installed; set QMD to its command"}
    home = vault.queries.with_name("qmd-home")
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    environment = {**os.environ, **places}
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    began = time.perf_counter()
    add = [command, "collection", "add", str(root), "--name", "docs"]
    subprocess.run(add, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    index_seconds = round(time.perf_counter() - began, 1)
    serve = [command, "mcp", "--http", "--port", str(QMD_PORT)]
    address = f"http://localhost:{QMD_PORT}"
    with _serving(serve, environment, address):
        clients = {"address": address, "queries": str(vault.queries), "kind": "qmd"}
        in_child("load:ask", **clients, seconds=1)
        alone = in_child("load:ask", **clients, seconds=int(QUIET_SECONDS))
        with _indexing(root):
            beside = in_child("load:ask", **clients, seconds=int(SECONDS))
        return {"index_seconds": index_seconds, "alone": alone, "indexing": beside}


def ask(address: str, queries: str, kind: str, seconds: int) -> Measured:
    """Ask from all clients for so long; return times, in milliseconds, and what went wrong."""
    asked = {"notewell": _ask_notewell, "qmd": _ask_qmd}[kind]
    # Filters are ours; both get the same texts.
    texts = [text for name, text in load_queries(queries) if name != FILTERED]
    took: list[list[float]] = [[] for _ in range(CLIENTS)]
    wrong: list[str] = []
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=_client, args=(address, asked, texts[number::CLIENTS], end, (took[number], wrong)))
        for number in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(one for times in took for one in times)
    return {
        "requests": len(times),
        "per_second": round(len(times) / seconds, 1),
        "errors": len(wrong),
        "error": wrong[:3],
        "p50": round(statistics.median(times), 1),
        "p95": round(statistics.quantiles(times, n=100)[94], 1),
        "p99": round(statistics.quantiles(times, n=100)[98], 1),
        "worst": round(times[-1], 1),
    }


def _client(address: str, asked: Ask, texts: Sequence[str], end: float, told: tuple[list[float], list[str]]) -> None:
    parts, (took, wrong), number = urlsplit(address), told, 0
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT)
    while time.monotonic() < end:
        method, path, body = asked(texts[number % len(texts)])
        number += 1
        began = time.perf_counter()
        try:
            connection.request(method, path, body or None)
            answer = connection.getresponse()
            told_body = answer.read()
            if answer.status != 200:
                wrong.append(f"{answer.status} {told_body[:200]!r}")
        except (OSError, HTTPException) as error:
            wrong.append(repr(error))
            connection.close()
        took.append((time.perf_counter() - began) * 1000)
    connection.close()


def _ask_notewell(text: str) -> tuple[str, str, bytes]:
    return "GET", f"/search?text={quote(text)}", b""


def _ask_qmd(text: str) -> tuple[str, str, bytes]:
    asked = {"searches": [{"type": "lex", "query": text}], "limit": 10, "rerank": False}
    return "POST", "/query", json.dumps(asked).encode()


def _command(name: str, root: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "notewell", name, "--vault", str(root), *options]


def _run(arguments: list[str], root: Path) -> None:
    command = _command(arguments[0], root, *arguments[1:])
    subprocess.run(command, env=clean_environment(), stdout=subprocess.DEVNULL, check=True)


@contextmanager
def _serving(
    command: list[str], environment: dict[str, str] | None = None, address: str = ""
) -> Iterator[tuple[int, str]]:
    """Run a server; yield its process and its address, which ours prints."""
    process = subprocess.Popen(
        command,
        env=environment or clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Its own group: what a launcher starts ends with it.
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        if not address:
            address = process.stdout.readline().strip()
        _wait_for(address)
        yield process.pid, address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()


def _wait_for(address: str) -> None:
    parts, end = urlsplit(address), time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with (
            suppress(OSError),
            closing(HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT)) as connection,
        ):
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.1)
    raise BenchError(f"Nothing answers at {address}", "Start the server by hand to see why")


@contextmanager
def _indexing(root: Path) -> Iterator[None]:
    """Index the whole vault in another process, again and again."""
    stop = threading.Event()

    def go_on() -> None:
        while not stop.is_set():
            command = _command("index", root, "--full")
            process = subprocess.Popen(
                command, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            while process.poll() is None and not stop.wait(0.2):
                pass
            process.terminate()
            process.wait()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def _reloading(address: str) -> Iterator[Measured]:
    """Let the server itself index; yield what becomes its report."""
    parts, report = urlsplit(address), Measured()

    def follow() -> None:
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=600)
        connection.request("POST", "/reload")
        *_, last = connection.getresponse().read().splitlines()
        report.update(json.loads(last))
        connection.close()

    thread = threading.Thread(target=follow)
    thread.start()
    yield report
    thread.join()


def _memory(pid: int) -> dict[str, float]:
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    names = {"peak": "VmHWM", "own": "RssAnon"}
    return {name: round(int(lines[key].split()[0]) / 1024, 1) for name, key in names.items()}
