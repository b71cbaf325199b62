"""Eight HTTP clients at once: alone, while another process indexes, and during a reload."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote, urlsplit

from bench.child import BenchError, Measured, clean_environment, in_child, notewell_command, percentiles, say
from bench.indexing import ensure_index
from bench.processes import memory_of, serve_command, serving
from bench.queries import FILTERED, load_queries
from bench.vaults import BenchVault

CLIENTS = 8
SECONDS = 30
# Unmeasured first requests, so that everything the server opens lazily is open.
WARM_UP = 1
# How many notes change before a reload, if the vault has that many.
CHANGED = 3_000
TIMEOUT = 60.0
QMD_PORT = 8499

# The method, path and body of a request.
Ask = Callable[[str], tuple[str, str, bytes]]


def measure_load(vault: BenchVault) -> Measured:
    """Serve a copy of the vault to the clients, and measure qmd's server too if it is installed."""
    root = vault.root.with_name(f"{vault.root.name}-loaded")
    shutil.rmtree(root, ignore_errors=True)
    say(f"{vault.name}: copying it, and bringing its index up to date")
    shutil.copytree(vault.root, root)
    try:
        ensure_index(root)
        ours, its = _notewell(root, vault), _qmd(root, vault)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    both = [phase for phase in ours if "per_second" in its.get(phase, {})]
    ratios = {phase: round(ours[phase]["per_second"] / its[phase]["per_second"], 2) for phase in both}
    return {"clients": CLIENTS, "seconds": SECONDS, "notewell": ours, "qmd": its, "ours_over_qmd": ratios}


def _notewell(root: Path, vault: BenchVault) -> Measured:
    with serving(serve_command(root)) as (server, address):
        measured = _alone_and_beside("notewell", root, vault, address)
        memory = {"serving": memory_of(server)}
        changed = sorted(root.rglob("*.md"))[:CHANGED]
        for file in changed:
            with file.open("a", encoding="utf-8") as stream:
                stream.write("\nA line more.\n")
        say(f"{vault.name}: notewell, while it indexes {len(changed):,} changed notes, {SECONDS} s")
        with _reloading(address) as report:
            during = _asked("notewell", vault, address)
        if report.get("changed") != len(changed):
            raise BenchError(f"The reload indexed {report}", "It should have indexed the changed notes")
        memory["reload"] = memory_of(server)
        return {**measured, "reload": during, "reloaded": report, "memory_mb": memory}


def _qmd(root: Path, vault: BenchVault) -> Measured:
    """Measure qmd, by words alone, if the variable QMD names its command."""
    command = shutil.which(os.environ.get("QMD", "qmd"))
    if not command:
        return {"left_out": "qmd: not installed; set QMD to its command"}
    try:
        return _installed_qmd(command, root, vault)
    except (BenchError, subprocess.CalledProcessError) as error:
        # Our own results are kept.
        return {"left_out": f"qmd: {error}"}


def _installed_qmd(command: str, root: Path, vault: BenchVault) -> Measured:
    home = vault.queries.with_name("qmd-home")
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    environment = {**os.environ, **places}
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    say(f"{vault.name}: qmd, indexing")
    began = time.perf_counter()
    add = [command, "collection", "add", str(root), "--name", "docs"]
    subprocess.run(add, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    index_seconds = round(time.perf_counter() - began, 1)
    serve = [command, "mcp", "--http", "--port", str(QMD_PORT)]
    with serving(serve, environment, f"http://localhost:{QMD_PORT}") as (_, address):
        return {"index_seconds": index_seconds, **_alone_and_beside("qmd", root, vault, address)}


def _alone_and_beside(kind: str, root: Path, vault: BenchVault, address: str) -> Measured:
    """Query a server while nothing else runs, then while another process indexes the vault."""
    _asked(kind, vault, address, WARM_UP)
    say(f"{vault.name}: {kind}, nothing beside it, {SECONDS} s")
    alone = _asked(kind, vault, address)
    say(f"{vault.name}: {kind}, while another process indexes, {SECONDS} s")
    with _indexing(root):
        return {"alone": alone, "indexing": _asked(kind, vault, address)}


def _asked(kind: str, vault: BenchVault, address: str, seconds: int = SECONDS) -> Measured:
    asked = in_child("load:ask", address=address, queries=str(vault.queries), kind=kind, seconds=seconds)
    for error in asked["error"]:
        say(f"{vault.name}: {kind}: {error}")
    return asked


def ask(address: str, queries: str, kind: str, seconds: int, clients: int = CLIENTS) -> Measured:
    """Query from all clients for a time; return the latencies in milliseconds, and the errors."""
    asked = {"notewell": _ask_notewell, "qmd": _ask_qmd}[kind]
    # Without filters, which only we have: both get the same texts.
    texts = [text for name, text in load_queries(queries) if name != FILTERED]
    took: list[list[float]] = [[] for _ in range(clients)]
    wrong: list[str] = []
    began = time.monotonic()
    end = began + seconds
    threads = [
        threading.Thread(target=_client, args=(address, asked, texts[number::clients], end, (took[number], wrong)))
        for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The last answers arrive after the end; they count, with their time.
    lasted = time.monotonic() - began
    times = [one for times in took for one in times]
    if not times:
        raise BenchError(f"No request was answered: {wrong[:1]}", "Start the server by hand to see why")
    return {
        "requests": len(times),
        "per_second": round(len(times) / lasted, 1),
        "errors": len(wrong),
        "error": wrong[:3],
        **percentiles(times),
        "worst": round(max(times), 1),
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
            if answer.status == 200:
                took.append((time.perf_counter() - began) * 1000)
            else:
                wrong.append(f"{answer.status} {told_body[:200]!r}")
        except (OSError, HTTPException) as error:
            wrong.append(repr(error))
            connection.close()
    connection.close()


def _ask_notewell(text: str) -> tuple[str, str, bytes]:
    return "GET", f"/search?text={quote(text)}", b""


def _ask_qmd(text: str) -> tuple[str, str, bytes]:
    asked = {"searches": [{"type": "lex", "query": text}], "limit": 10, "rerank": False}
    return "POST", "/query", json.dumps(asked).encode()


@contextmanager
def _indexing(root: Path) -> Iterator[None]:
    """Index the whole vault in another process, again and again; a failure would leave the clients alone."""
    stop = threading.Event()
    failed: list[int] = []

    def go_on() -> None:
        while not stop.is_set() and not failed:
            command = [notewell_command(), "index", str(root), "--full"]
            process = subprocess.Popen(
                command, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            while process.poll() is None and not stop.wait(0.2):
                pass
            if process.poll():
                failed.append(process.returncode)
            process.terminate()
            process.wait()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    if failed:
        raise BenchError(f"notewell index --full ended with {failed[0]} beside the clients", "Run it by hand")


@contextmanager
def _reloading(address: str) -> Iterator[Measured]:
    """Let the server index; yield its report once it is done."""
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
