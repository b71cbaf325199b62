"""The input of a hook: one JSON object from Claude Code, none of which is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from notewell.frozen import frozen

# Larger than any output that Claude Code hands over.
LARGEST = 8 << 20


class NothingToSay(Exception):
    """A hook has no answer; the text is the reason for the log, and quotes neither notes nor prompts."""


class TooLate(NothingToSay):
    """A hook has an answer, but nobody waits for it any more."""


@frozen
class Payload:
    """One object from Claude Code; a part that is missing or of another type is empty."""

    prompt: str = ""
    session: str = ""
    cwd: Path | None = None
    tool: str = ""
    tool_input: Mapping[str, Any] = field(default_factory=dict)
    response: Any = None

    def text(self, key: str) -> str:
        """Return a part of the tool's input if it is text, else an empty text."""
        value = self.tool_input.get(key)
        return value if isinstance(value, str) and "\0" not in value else ""


def read_payload(data: bytes) -> Payload:
    """Return the payload; raise `NothingToSay` if the data is not a JSON object, or is too large.

    >>> read_payload(b'{"prompt": "rye", "session_id": 7, "tool_input": null}')
    Payload(prompt='rye', session='', cwd=None, tool='', tool_input={}, response=None)
    """
    if len(data) > LARGEST:
        raise NothingToSay("the input is too large")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NothingToSay("the input is not JSON") from error
    if not isinstance(value, dict):
        raise NothingToSay("the input is not a JSON object")
    cwd, tool_input = _text(value, "cwd"), value.get("tool_input")
    return Payload(
        prompt=_text(value, "prompt"),
        session=_text(value, "session_id"),
        cwd=Path(cwd) if cwd and "\0" not in cwd else None,
        tool=_text(value, "tool_name"),
        tool_input=tool_input if isinstance(tool_input, dict) else {},
        response=value.get("tool_response"),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""
