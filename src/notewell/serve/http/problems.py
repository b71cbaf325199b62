"""Errors as clients receive them: a status, and always the JSON `{"error": fact, "hint": hint}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from http import HTTPStatus

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from notewell.errors import CurateError, NoteError, NotewellError, SettingsError, StoreBusy
from notewell.frozen import frozen
from notewell.serve.http.arguments import SEE, body_fields, fields_of
from notewell.serve.json_data import as_data, json_bytes

# The first class that matches decides.
STATUSES = (
    (SettingsError, HTTPStatus.BAD_REQUEST),
    (CurateError, HTTPStatus.BAD_REQUEST),
    (NoteError, HTTPStatus.NOT_FOUND),
    (NotewellError, HTTPStatus.SERVICE_UNAVAILABLE),
)


BODY = "Send {{{}}} with the header Content-Type: application/json"


@frozen
class Failure:
    """An error."""

    error: str
    """What is wrong."""
    hint: str
    """What to do about it."""


@frozen
class Problem:
    """A refusal: its status, what is wrong, what to do, and extra headers."""

    status: int
    fact: str
    hint: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        """Return the JSON that clients receive."""
        return json_bytes(as_data(Failure(self.fact, self.hint)))

    @property
    def detail(self) -> str:
        """Return what is wrong and what to do as one text."""
        return f"{self.fact}. {self.hint}"

    def response(self, headers: Mapping[str, str] | None = None, *, detailed: bool = False) -> Response:
        """Return the response, with more headers if given; `detailed` for clients that read `{"detail": text}`."""
        body = json_bytes({"detail": self.detail}) if detailed else self.body
        return Response(body, self.status, {**self.headers, **(headers or {})}, "application/json")


INTERNAL = Problem(
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Something went wrong inside Notewell",
    "This is a bug in Notewell; `notewell serve --verbose` shows where it happened",
)


def problem_of(error: NotewellError) -> Problem:
    """Return one of our errors as a refusal.

    >>> problem_of(NoteError("There is no note a.md", "Look it up")).status
    <HTTPStatus.NOT_FOUND: 404>
    """
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    # A busy store is free again soon.
    headers = {"retry-after": "1"} if isinstance(error, StoreBusy) else {}
    return Problem(status, error.fact, error.hint, headers)


async def _explained(_: Request, error: Exception) -> Response:
    assert isinstance(error, NotewellError)
    return problem_of(error).response()


async def _wrong_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    if first["loc"][0] == "body" and (first["type"] == "json_invalid" or not where):
        # What the route needs, or nothing at all.
        named = next((f'"{name}": "…"' for name, one in body_fields(request).items() if one.is_required()), "")
        return Problem(HTTPStatus.BAD_REQUEST, "The body is not a JSON object", BODY.format(named)).response()
    if first["type"] == "extra_forbidden":
        return Problem(HTTPStatus.BAD_REQUEST, f"There is no parameter '{where[:40]}' here", SEE).response()
    parameter = {**fields_of(request), **body_fields(request)}.get(first["loc"][1])
    hint = parameter.description if parameter and parameter.description else SEE
    fact = f"{where} cannot be read" if first["type"] == "string_pattern_mismatch" else f"{where}: {first['msg']}"
    return Problem(HTTPStatus.BAD_REQUEST, fact, hint).response()


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    fact = f"There is no {request.method} {request.url.path}"
    return Problem(error.status_code, fact, SEE, error.headers or {}).response()


async def _unexpected(_: Request, error: Exception) -> Response:
    return INTERNAL.response()


HANDLERS = {
    NotewellError: _explained,
    RequestValidationError: _wrong_parameter,
    HTTPException: _no_route,
    Exception: _unexpected,
}
