"""The server over streamable HTTP: an ASGI app that `notewell serve` mounts behind its guard."""

from __future__ import annotations

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from notewell.serve.http.guard import MOST_BODY_BYTES
from notewell.serve.mcp.server import make_server
from notewell.serve.upkeep import Upkeep

PATH = "/mcp"


def make_app(upkeep: Upkeep) -> Starlette:
    """Return an app that answers at `/mcp`; it asks nobody who they are, which the guard before it does."""
    # Each request stands for itself: a server that was started again needs no new session, and none is left over.
    return make_server(upkeep).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
