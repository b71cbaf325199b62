"""JSON that was written by others: loaded if it can be, and each value taken only if it is of the kind expected."""

from __future__ import annotations

import json
from typing import Any


def loaded(text: str) -> object:
    """Return the value of a JSON text; nothing, if it is not JSON."""
    try:
        return json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        return None


def text_in(value: object) -> str:
    """Return a value that is a text; no text for any other."""
    return value if isinstance(value, str) else ""


def dict_in(value: object) -> dict[str, Any]:
    """Return a value that is a mapping; an empty one for any other."""
    return value if isinstance(value, dict) else {}


def dicts_in(value: object) -> list[dict[str, Any]]:
    """Return those of a list that are mappings."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
