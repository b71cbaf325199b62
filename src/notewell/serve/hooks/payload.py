"""What Claude Code gives a hook: one JSON object, of which nothing is taken on trust."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Larger than any output that Claude Code hands over; what is larger is not worth its time.
LARGEST = 8 << 20
# What the log says of a hook that waited for it in vain.
NEVER_ENDED = "its input did not end in time"


class Nothing(Exception):
    """A hook has nothing to say; the text says why, for the log, and quotes neither notes nor prompts."""


class Late(Nothing):
    """A hook has something to say, but whoever asked does not wait or listen any more."""


@dataclass(frozen=True, slots=True)
class Given:
    """One object from Claude Code, each part of the type it should have, or empty."""

    prompt: str = ""
    session: str = ""
    cwd: Path | None = None
    tool: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
    response: Any = None

    def text(self, key: str) -> str:
        """Return what the tool was given under a name, if that is text."""
        value = self.asked.get(key)
        return value if isinstance(value, str) and "\0" not in value else ""


def read_given(data: bytes) -> Given:
    """Read the object; what is none, or too large, gives nothing.

    >>> read_given(b'{"prompt": "rye", "session_id": 7, "tool_input": null}')
    Given(prompt='rye', session='', cwd=None, tool='', asked={}, response=None)
    """
    if len(data) > LARGEST:
        raise Nothing("the input is too large")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Nothing("the input is no JSON") from error
    if not isinstance(value, dict):
        raise Nothing("the input is no JSON object")
    cwd, asked = _text(value, "cwd"), value.get("tool_input")
    return Given(
        prompt=_text(value, "prompt"),
        session=_text(value, "session_id"),
        cwd=Path(cwd) if cwd and "\0" not in cwd else None,
        tool=_text(value, "tool_name"),
        asked=asked if isinstance(asked, dict) else {},
        response=value.get("tool_response"),
    )


def is_waited_for(number: int) -> bool:
    """Tell whether a stream has neither ended nor anything to read; where that cannot be told, it is so."""
    # Only a hook that is late asks.
    import select  # noqa: PLC0415

    try:
        return not select.select((number,), (), (), 0)[0]
    except (OSError, ValueError):
        return True


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""
