"""Answers that are read line by line, byte for byte as servers send them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Event, Thread

from tests.cases import cases

from notewell.remote.address import ServerAddress
from notewell.remote.exchange import Request
from notewell.remote.stream import Limits, Stream

# Ends a hang that would be a failure; no test waits for it.
GUARD = 30.0
PATIENT = Limits(connect=GUARD, silence=GUARD, whole=GUARD)
CLOSING = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"


@contextmanager
def serving(data: bytes, *, then: bytes = b"") -> Iterator[ServerAddress]:
    """Send these bytes to whoever asks; then others again and again while the client is there, or hang up."""
    done = Event()

    def serve() -> None:
        with closing(listener.accept()[0]) as connection:
            # Hanging up on bytes that nobody read would reset the connection, and the client would lose what was sent.
            asked = b""
            while not asked.endswith(b"{}"):
                asked += connection.recv(65_536)
            connection.sendall(data)
            try:
                while then and not done.wait(0.01):
                    connection.sendall(then)
            except OSError:
                done.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield ServerAddress("http", "127.0.0.1", listener.getsockname()[1], "/")
        done.set()
        thread.join(GUARD)
        assert not thread.is_alive()


def stream(address: ServerAddress, limits: Limits = PATIENT) -> Stream:
    return Stream(address, Request("POST", {}, b"{}"), limits)


WHOLE = {
    "until it closes": CLOSING + b"one\ntwo\r\n\nthree",
    "old": b"HTTP/1.0 200 OK\r\n\r\none\ntwo\r\n\nthree",
    "with a length": b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\none\ntwo\r\n\nthree",
    "in chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\non\r\nd\r\ne\ntwo\r\n\nthree\r\n0\r\n\r\n",
}


@cases("form", WHOLE)
def test_lines_are_the_same_in_every_form_of_http(form: str) -> None:
    with serving(WHOLE[form]) as address:
        answer = stream(address)
        assert answer.open().status == 200
        assert list(answer) == [b"one", b"two", b"", b"three"]
        assert answer.failed is None and not answer.is_closed


CUT = {
    "before its length": b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\none\ntwo",
    "in a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\none\nt",
    "between chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n",
    "with a wrong chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\nzz\r\n",
}


@cases("where", CUT)
def test_an_answer_that_is_cut_is_a_failure(where: str) -> None:
    with serving(CUT[where]) as address:
        answer = stream(address)
        assert answer.open().status == 200
        first, *_ = answer
        assert first == b"one"
        assert answer.failed is not None and answer.failed.cause == "cut"
        assert answer.failed.reason == "breaks off in the middle of its answer"


@cases("head", [CLOSING, b"HTTP/1.1 200 OK\r\nX-Long: "])
def test_a_byte_now_and_then_does_not_save_an_answer_from_its_limit(head: bytes) -> None:
    with serving(head, then=b"x") as address:
        answer = stream(address, replace(PATIENT, whole=0.2))
        failed = answer.open()
        if failed.status == 200:
            assert list(answer) == []
            assert answer.failed is not None
            failed = answer.failed
        assert (failed.cause, failed.reason) == ("slow", "does not finish within 0.2 s")


@cases(
    ("limits", "reason"),
    [
        (replace(PATIENT, line=100), "answers with a line of more than 100 bytes"),
        (replace(PATIENT, total=100), "answers with more than 100 bytes"),
    ],
)
def test_an_answer_without_an_end_is_given_up(limits: Limits, reason: str) -> None:
    with serving(CLOSING + b"one\n", then=b"x" * 60) as address:
        answer = stream(address, limits)
        assert answer.open().status == 200
        assert list(answer) == [b"one"]
        assert answer.failed is not None and answer.failed.reason == reason


def test_another_thread_can_end_an_answer_of_a_server_that_will_close_the_connection() -> None:
    with serving(CLOSING + b"one\n", then=b"x") as address:
        answer = stream(address)
        assert answer.open().status == 200
        lines = iter(answer)
        assert next(lines) == b"one"
        reader = Thread(target=list, args=[lines], daemon=True)
        reader.start()
        answer.close()
        reader.join(GUARD)
        assert not reader.is_alive() and answer.is_closed and answer.failed is None


def test_a_refusal_is_read_only_as_far_as_its_message() -> None:
    with serving(b"HTTP/1.1 400 No\r\nConnection: close\r\n\r\n" + b"no " * 30_000) as address:
        refusal = stream(address).open()
    assert refusal.status == 400 and len(refusal.body) == 65_536


def test_what_is_not_http_is_told() -> None:
    with serving(b"220 mail.example.org ESMTP ready\r\n") as address:
        assert stream(address).open().reason == "does not speak HTTP"
