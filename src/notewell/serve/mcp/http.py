"""The server over streamable HTTP: an ASGI app that `notewell serve` mounts behind its guard."""

from __future__ import annotations

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from notewell.serve.http.guard import Limits
from notewell.serve.mcp.server import make_server
from notewell.serve.upkeep import Upkeep

PATH = "/mcp"


def make_app(upkeep: Upkeep) -> Starlette:
    """Return an app that answers at `/mcp`; it asks nobody who they are, which the guard before it does."""
    # Each request stands for itself: a server that was started again needs no new session, and none is left over.
    app = make_server(upkeep).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=Limits().body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.add_middleware(PostsOnly)
    return app


class PostsOnly:
    """Refuses whoever wants to listen: nothing is ever sent unasked, and who waits for it would hold a connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let requests through; the protocol has 405 for a server that does not speak by itself."""
        if scope["type"] != "http" or scope["method"] == "POST":
            await self._app(scope, receive, send)
            return
        told = {"error": "MCP is asked here by POST alone", "hint": "Point a program that speaks MCP at this address"}
        await JSONResponse(told, 405, {"Allow": "POST"})(scope, receive, send)
