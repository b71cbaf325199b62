"""Messages that are not JSON-RPC, and the error that each gets, so that no client waits for an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from pydantic import ValidationError

# The id of a message that cannot be parsed, if it stands before anything nested.
ID = re.compile(r'\s*\{(?:[^{}\[\]"]|"[^"\\]*")*?"id"\s*:\s*(?:(-?\d{1,18})|"([^"\\]{1,200})")\s*[,}]')
# Every notification of the protocol begins with it; anything else asks for an answer.
NOTIFICATIONS = "notifications/"
NOT_JSON = "The message is not valid JSON. A lone surrogate such as \\ud800 is not a character"
NOT_A_REQUEST = "The message is not a JSON-RPC 2.0 request with a method, and a number or string as its id"
WRONG_PARAMS = "The params of a request have to be an object"

Id = int | str | None


def read_message(data: bytes) -> types.JSONRPCMessage | types.JSONRPCError:
    """Return a message, or the error that answers it."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(data, by_name=False)
    except ValidationError as error:
        return refusal(error) or _refused(types.INVALID_REQUEST, NOT_A_REQUEST, None)
    return refusal(message) or message


def refusal(message: object) -> types.JSONRPCError | None:
    """Return the error that answers a message; None if the message is valid, or a malformed response."""
    if isinstance(message, types.JSONRPCNotification) and not message.method.startswith(NOTIFICATIONS):
        # A request whose id the protocol does not allow: the library dropped the id.
        return _refused(types.INVALID_REQUEST, NOT_A_REQUEST, None)
    if not isinstance(message, ValidationError):
        return None
    wrong = message.errors(include_url=False)
    if wrong[0]["type"] == "json_invalid":
        return _refused(types.PARSE_ERROR, NOT_JSON, _written_id(wrong[0]["input"]))
    # Of the kinds of message, at least one lacks a field; that error has the whole message.
    whole = next((one["input"] for one in wrong if one["type"] == "missing"), None)
    return _wrong_request(whole) if isinstance(whole, dict) else _refused(types.INVALID_REQUEST, NOT_A_REQUEST, None)


def _wrong_request(asked: Mapping[str, Any]) -> types.JSONRPCError | None:
    if "method" not in asked and asked.keys() & {"result", "error"}:
        # An answer to a wrong response could be answered in turn, without end.
        return None
    number = asked.get("id")
    known = number if isinstance(number, str) or type(number) is int else None
    only_params = known is not None and asked.get("jsonrpc") == "2.0" and isinstance(asked.get("method"), str)
    code, fact = (types.INVALID_PARAMS, WRONG_PARAMS) if only_params else (types.INVALID_REQUEST, NOT_A_REQUEST)
    return _refused(code, fact, known)


def _written_id(line: str | bytes) -> Id:
    """Return the id in text that is not valid JSON, or None if it cannot be found.

    >>> _written_id('{"jsonrpc": "2.0", "id": 7, "method'), _written_id('{"params": {"id": 7')
    (7, None)
    """
    found = ID.match(line if isinstance(line, str) else line.decode("utf-8", "replace"))
    return None if found is None else int(found[1]) if found[1] else found[2]


def _refused(code: int, fact: str, number: Id) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=fact))
