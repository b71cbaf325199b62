"""The server over streamable HTTP: an ASGI app for `notewell serve`, and one on this machine alone."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Sequence

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from notewell.errors import SettingsError
from notewell.serve.cli.options import say
from notewell.serve.mcp.held import Held
from notewell.serve.mcp.server import make_server
from notewell.vault import Vault

PATH = "/mcp"
HOST = "127.0.0.1"
# What a browser that was led here by a stranger's page, or name, does not send.
HOSTS = ("127.0.0.1:*", "localhost:*", "[::1]:*")
# How long answers under way may take when the server is told to end, in seconds.
GRACE = 1
LARGEST = 1 << 20


def make_app(held: Held, hosts: Sequence[str] = HOSTS) -> Starlette:
    """Return an app that answers at `/mcp`, to requests for these hosts, and to pages from them only.

    Without hosts it asks nobody who they are: `notewell serve` has a guard of its own before it.
    """
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(hosts),
        allowed_hosts=list(hosts),
        allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
    )
    # Each request stands for itself: a server that was started again needs no new session, and none is left over.
    return make_server(held).streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, max_request_body_size=LARGEST, transport_security=security
    )


def serve_http(vault: Vault, port: int) -> None:
    """Answer on a port of this machine alone, until told to end; never returns."""
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False
    held, wire = Held(vault), _listen(port)
    config = uvicorn.Config(make_app(held), log_level="error", timeout_graceful_shutdown=GRACE)
    say(f"MCP at http://{HOST}:{wire.getsockname()[1]}{PATH}; Ctrl-C ends it")
    try:
        uvicorn.Server(config).run(sockets=[wire])
    except KeyboardInterrupt:
        pass
    finally:
        held.close()
        os._exit(0)


def _listen(port: int) -> socket.socket:
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        wire.bind((HOST, port))
    except OSError as error:
        fact = f"Port {port} cannot be used: {error.strerror}"
        raise SettingsError(fact, "Name another by --port; 0 takes one that is free") from error
    return wire
