"""What the tests of the encoder share: how far it is, as `notewell status` tells it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Notewell = Callable[..., tuple[int, str, str]]

NONE = {"encoder": "", "filled": 0, "unread": 0, "left": 0, "under_way": False, "problem": ""}


def encoding(notewell: Notewell) -> dict[str, Any]:
    """Return what `status` tells of the encoder."""
    told: dict[str, Any] = json.loads(notewell("status", "--json")[1])["filling"]
    return told
