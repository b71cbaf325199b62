"""Connections: slow and silent ones are closed, and never keep others out."""

from __future__ import annotations

import socket

import pytest
from tests.serve.serving import impatient, is_open, serving, wait_until

from notewell import Vault


def test_a_client_that_does_not_read_is_given_up(indexed: Vault) -> None:
    with serving(indexed, impatient(write_seconds=0.3)) as served, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((served.host, served.port))
        # Far more answers than what lies between the two holds.
        connection.sendall(f"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode() * 400)
        connection.settimeout(0.05)

        def is_cut_off() -> bool:
            try:
                connection.sendall(b" ")
            except TimeoutError:
                return False
            except OSError:
                return True
            return False

        wait_until(is_cut_off)


@pytest.mark.parametrize("sent", ["", "GET /he", "POST /reload HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\n\r\n{{"])
def test_connections_that_wait_for_their_client_make_room_for_others(indexed: Vault, sent: str) -> None:
    with serving(indexed, impatient(connections=3)) as served:
        held = [served.send(sent.format(f"127.0.0.1:{served.port}").encode()) for _ in range(9)]
        assert [served.ask("/health").status for _ in range(4)] == [200] * 4
        wait_until(lambda: sum(map(is_open, held)) <= 3)
        for connection in held:
            connection.close()


def test_with_too_many_connections_that_all_ask_another_is_refused(indexed: Vault) -> None:
    with serving(indexed, impatient(connections=0)) as served:
        assert served.ask("/health").status == 503
