"""The MCP server over streamable HTTP: an ASGI application that `notewell serve` mounts behind its guard."""

from __future__ import annotations

import mcp_types as types
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from notewell.serve.http.guard import Limits, replay
from notewell.serve.mcp import PATH
from notewell.serve.mcp.malformed import read_message
from notewell.serve.mcp.server import make_server
from notewell.vault import Vault


def make_mcp_app(vault: Vault) -> Starlette:
    """Return an application that answers at `/mcp`; the guard in front of it checks who may send requests."""
    # Without sessions, clients survive a restart of the server, and none is left over.
    app = make_server(vault).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=Limits().body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.add_middleware(WellFormed)
    app.add_middleware(PostsOnly)
    return app


class PostsOnly:
    """Refuses requests other than POST: the server never sends anything unasked, so nobody should wait for it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass POST on; the protocol has 405 for a server that sends nothing by itself."""
        if scope["type"] != "http" or scope["method"] == "POST":
            await self._app(scope, receive, send)
            return
        refusal = {"error": "MCP accepts only POST here", "hint": "Use this address in an MCP client"}
        await JSONResponse(refusal, 405, {"Allow": "POST"})(scope, receive, send)


class WellFormed:
    """Refuses messages that are not JSON-RPC, with their id, which the library leaves out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a message on, or answer it with an error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            refusal = {"error": "An MCP message is JSON", "hint": "Send the header 'Content-Type: application/json'"}
            await JSONResponse(refusal, 400)(scope, receive, send)
            return
        body = await request.body()
        message = read_message(body)
        if isinstance(message, types.JSONRPCError):
            await JSONResponse(message.model_dump(exclude_unset=True), 400)(scope, receive, send)
        else:
            await self._app(scope, replay(body, receive), send)
