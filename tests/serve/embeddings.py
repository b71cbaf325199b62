"""A server of embeddings that holds the run which asks it, at a point that a test chooses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# Far longer than anything here takes, also on a busy machine.
LONG = 300.0


class Embeddings(ThreadingHTTPServer):
    """Answers the first requests, of up to 64 texts each, and holds the next ones until it is let go."""

    daemon_threads = True

    def __init__(self, answered: int) -> None:
        super().__init__(("127.0.0.1", 0), Embedding)
        self.places = threading.Semaphore(answered)
        self.held, self.is_let_go = threading.Event(), threading.Event()

    @contextmanager
    def let_go(self) -> Iterator[None]:
        """Answer everything for a while."""
        self.is_let_go.set()
        yield
        self.is_let_go.clear()
        self.held.clear()

    def use_in(self, folder: Path) -> None:
        """Let a vault take its vectors from here."""
        settings = f'[embed]\nmodel = "ollama:any"\nurl = "http://127.0.0.1:{self.server_port}"\n'
        (folder / "notewell.toml").write_text(settings, encoding="utf-8")


class Embedding(BaseHTTPRequestHandler):
    """One request."""

    server: Embeddings

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if not self.server.is_let_go.is_set() and not self.server.places.acquire(blocking=False):
            self.server.held.set()
            self.server.is_let_go.wait(LONG)
        with suppress(OSError):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"embeddings": [[1.0, 0.0] for _ in texts]}).encode())


@contextmanager
def embeddings(answered: int) -> Iterator[Embeddings]:
    """Yield a server that answers so many requests; at the end nobody waits for it."""
    made = Embeddings(answered)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    try:
        yield made
    finally:
        made.is_let_go.set()
        made.shutdown()
        made.server_close()
        thread.join()
