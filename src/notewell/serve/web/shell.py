"""The page itself: one HTML file for every view, and the scripts, styles and icons it loads."""

from __future__ import annotations

import hashlib
from functools import cache
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from notewell.files.safe_open import read_plain
from notewell.frozen import frozen
from notewell.serve.http.access import Sessions, cookie_of

# Addresses that a browser shows as a page; other programs get JSON there.
VIEWS = ("/search", "/node", "/graph", "/ask", "/sessions", "/status")
FILES = "/web/"
LOGIN = "/login"
KINDS = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
    }
)
# The page loads nothing from elsewhere, and runs only its own scripts. Only `rendered.js` may turn text into HTML.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types notewell"
)


@frozen
class StaticFile:
    """A file of the page, as it is sent."""

    content: bytes
    kind: str
    tag: str


@cache
def static_files() -> dict[str, StaticFile]:
    """Return the files of the page by their names; there is no way from a request to any other file."""
    folder = Path(__file__).parent / "static"
    return {
        file.name: StaticFile(content, KINDS[file.suffix], f'"{hashlib.sha256(content).hexdigest()[:20]}"')
        for file in sorted(folder.iterdir())
        for content in [read_plain(file)]
        if file.suffix in KINDS
    }


def wants_page(scope: Scope) -> bool:
    """Tell whether a browser asks for a view, to show it: the same address is JSON for programs."""
    if scope.get("method") not in ("GET", "HEAD") or "text/html" not in Headers(scope=scope).get("accept", ""):
        return False
    path = scope.get("path", "")
    return path == "/" or any(path == view or path.startswith(f"{view}/") for view in VIEWS)


def is_public(scope: Scope) -> bool:
    """Tell whether a request needs no token: the page and its files contain nothing of the notes."""
    return wants_page(scope) or str(scope.get("path", "")).startswith(FILES)


class Shell:
    """An ASGI application that serves the page, and leaves every other request to another one."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path", "") if scope["type"] == "http" else ""
        if path and wants_page(scope):
            await _send_file("index.html", scope, receive, send)
        elif path.startswith(FILES) and path.removeprefix(FILES) in static_files():
            await _send_file(path.removeprefix(FILES), scope, receive, send)
        elif path == LOGIN and scope["method"] == "POST":
            # The guard has checked the token; from now on, the browser sends the cookie by itself.
            cookie = cookie_of(scope, self._sessions.begin())
            await Response(status_code=HTTPStatus.NO_CONTENT, headers={"set-cookie": cookie})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def _send_file(name: str, scope: Scope, receive: Receive, send: Send) -> None:
    file = static_files()[name]
    headers = {"etag": file.tag, "cache-control": "no-cache", "content-security-policy": POLICY, "vary": "accept"}
    if Headers(scope=scope).get("if-none-match") == file.tag:
        await Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)(scope, receive, send)
    else:
        await Response(file.content, headers={**headers, "content-type": file.kind})(scope, receive, send)
