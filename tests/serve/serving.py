"""A real server of a vault on any free port, and a plain client for it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from notewell import Vault
    from notewell.serve.http import GuardRules, Mounted
    from notewell.types.note import Vectors

PATIENCE = 300.0
# Notes of a run that takes a while.
MANY = 30


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A running server."""

    host: str
    port: int
    vault: Any = None

    def ask(
        self, path: str, headers: Mapping[str, str] | None = None, *, method: str = "GET", body: bytes | None = None
    ) -> Reply:
        connection = HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **asked: Any) -> Any:
        """Return the answer to a question that is answered."""
        reply = self.ask(f"{quote(path)}?{urlencode(asked, doseq=True)}")
        assert reply.status == 200, reply.data
        return reply.data

    def send(self, raw: bytes) -> socket.socket:
        """Return a connection on which these bytes were sent."""
        connection = socket.create_connection((self.host, self.port), timeout=PATIENCE)
        connection.sendall(raw)
        return connection


def read_all(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    received = b""
    with connection:
        while True:
            try:
                data = connection.recv(65_536)
            except ConnectionResetError:
                data = b""
            if not data:
                return received
            received += data


@contextmanager
def kept_up(vault: Vault, **policy: Any) -> Iterator[Vault]:
    """Keep a vault up to date as servers do, with the models that a test has put into it."""
    from notewell.serve.answering import SERVED  # noqa: PLC0415
    from notewell.vault import Vault  # noqa: PLC0415

    opening = SERVED._replace(policy=SERVED.policy._replace(**policy))
    with Vault(vault.root, vault.settings_files, opening) as kept:
        kept.models.__dict__.update(vault.models.__dict__)
        try:
            yield kept
        finally:
            kept.freshness.close(PATIENCE)


@contextmanager
def serving(
    vault: Vault, rules: GuardRules | None = None, host: str = "127.0.0.1", mounts: Sequence[Mounted] = ()
) -> Iterator[Served]:
    """Serve a vault from a thread of its own; nothing of it is left at the end."""
    from notewell.serve.answering import SERVED  # noqa: PLC0415
    from notewell.serve.http import GuardRules, make_app  # noqa: PLC0415
    from notewell.serve.http.listen import Server, bind  # noqa: PLC0415

    vault.freshness.policy = SERVED.policy
    app, sockets = make_app(vault, rules or GuardRules(), mounts=mounts), bind(host, 0)
    server = Server(app, vault)
    thread = threading.Thread(target=server.run, args=(sockets,))
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield Served(host, sockets[0].getsockname()[1], vault)
    finally:
        server.should_exit = True
        vault.freshness.close()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def impatient(**limits: float) -> GuardRules:
    """Rules whose limits a test reaches quickly."""
    from notewell.serve.http.guard import GuardRules, Limits  # noqa: PLC0415

    return GuardRules(limits=Limits(**limits))  # type: ignore[arg-type]


def wait_until(true: Any) -> None:
    """Wait for something that happens soon."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def hold(vault: Vault) -> threading.Event:
    """Let a vault's embedder wait before the second group of notes it gets; return what lets it go on."""
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

    go_on, groups = threading.Event(), []

    class Held(WordsEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            # A search embeds a few sentences; those are let through.
            groups.extend([len(texts)] if len(texts) > MANY else [])
            if len(groups) > 1 and len(texts) > MANY:
                assert go_on.wait(PATIENCE)
            return super().embed(texts)

    vault.models.embedder = Held()
    return go_on


def write_many(root: Path) -> None:
    """Write notes of three groups."""
    for one in range(MANY):
        (root / f"note {one}.md").write_text(f"# Note {one}\n\n" + f"word{one} of it\n" * 1_600, encoding="utf-8")


def is_open(connection: socket.socket) -> bool:
    """Tell whether the other side has not closed a connection."""
    connection.settimeout(0.01)
    try:
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False
