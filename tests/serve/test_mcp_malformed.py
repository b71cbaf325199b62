"""Whatever a client sends, it is a message, or gets an error by its id: no client waits for an answer."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.serve.mcp.malformed import read_message

REQUEST = {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {}}
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
values = st.recursive(scalars, lambda some: st.lists(some, max_size=2) | st.dictionaries(st.text(), some, max_size=2))
# A request with some of its parts left out, and others of any kind.
requests = st.fixed_dictionaries({}, optional={name: st.just(value) | values for name, value in REQUEST.items()})


def is_number(value: Any) -> bool:
    return isinstance(value, str) or type(value) is int


@given(requests)
def test_a_malformed_request_gets_an_error_by_its_id(asked: dict[str, Any]) -> None:
    read = read_message(json.dumps(asked).encode())
    number = asked.get("id") if is_number(asked.get("id")) else None
    if isinstance(read, types.JSONRPCError):
        assert read.id == number and read.error.code in (types.INVALID_REQUEST, types.INVALID_PARAMS)
    elif isinstance(read, types.JSONRPCRequest):
        assert read.id == number and asked["jsonrpc"] == "2.0"
    else:
        # A notification, whatever its id.
        assert isinstance(read, types.JSONRPCNotification) and read.method.startswith("notifications/")


@given(st.text(max_size=20) | values.map(json.dumps))
def test_what_is_no_object_gets_an_error_without_an_id(line: str) -> None:
    read = read_message(line.encode())
    assert isinstance(read, types.JSONRPCError) and read.id is None


@given(st.integers(1, len(json.dumps(REQUEST)) - 1))
def test_a_request_that_is_cut_off_gets_an_error_by_its_id_if_that_is_there(length: int) -> None:
    sent = json.dumps(REQUEST)[:length]
    read = read_message(sent.encode())
    assert isinstance(read, types.JSONRPCError) and read.error.code == types.PARSE_ERROR
    assert read.id == (7 if '"id": 7,' in sent else None)


@cases(
    ("sent", "number", "code"),
    [
        (r'{"jsonrpc":"2.0","id":"a","method":"x","params":{"t":"\ud800"}}', "a", types.PARSE_ERROR),
        (r'{"jsonrpc":"2.0","id":"\ud800","method":"x","params":{"t":"\ud800"}}', None, types.PARSE_ERROR),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":' + '{"a":' * 5_000 + "1" + "}" * 5_001, 7, types.PARSE_ERROR),
        ('{"params":{"id":3},"id":7,"method":"\0"}', None, types.PARSE_ERROR),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":[1]}', 7, types.INVALID_PARAMS),
        ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', None, types.INVALID_REQUEST),
        ('[{"jsonrpc":"2.0","id":7,"method":"ping"}]', None, types.INVALID_REQUEST),
    ],
)
def test_an_error_says_what_is_wrong(sent: str, number: int | str | None, code: int) -> None:
    read = read_message(sent.encode())
    assert isinstance(read, types.JSONRPCError) and (read.id, read.error.code) == (number, code)
