"""What went wrong, as clients read it: a status, and `{"error": fact, "hint": hint}` with every one of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from notewell.errors import NoteError, NotewellError, SettingsError, StoreBusy

# The first that fits: what was asked for is wrong, or not there, or the vault cannot answer now.
STATUSES = (
    (SettingsError, HTTPStatus.BAD_REQUEST),
    (NoteError, HTTPStatus.NOT_FOUND),
    (NotewellError, HTTPStatus.SERVICE_UNAVAILABLE),
)
INSIDE = "Something went wrong inside Notewell"
INSIDE_HINT = "It is a mistake of ours; `notewell serve --verbose` shows where"


@dataclass(frozen=True, slots=True)
class Problem:
    """An answer that is none: its status, the fact, the hint, and headers of its own."""

    status: int
    fact: str
    hint: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        """Return it as clients read it."""
        return encoded({"error": self.fact, "hint": self.hint})


def problem_of(error: NotewellError) -> Problem:
    """Return an error of ours as an answer.

    >>> problem_of(NoteError("There is no note a.md", "Look it up")).status
    <HTTPStatus.NOT_FOUND: 404>
    """
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    # A name of a note may hold a line break, and the hint of a busy store is to wait.
    headers = {"retry-after": "1"} if isinstance(error, StoreBusy) else {}
    return Problem(status, error.fact, error.hint, headers)


def encoded(answer: Any) -> bytes:
    """Return data as JSON; half a character, as odd names of files have it, is written by its number.

    >>> encoded({"path": "caf\\udce9.md"})
    b'{"path": "caf\\\\udce9.md"}'
    """
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "backslashreplace")
