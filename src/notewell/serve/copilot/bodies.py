"""What Copilot sends: the fields of a body, and filters by time."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException

from notewell.frozen import frozen
from notewell.serve.copilot.stamps import Stamps

Keep = Callable[[Stamps], bool]
COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
# From here on, a time is in milliseconds: as seconds, it would be the year 5138.
MILLISECONDS = 1e11
# No time is as large, in milliseconds, either.
LARGEST = 1e18
MOST_TEXTS = 256


def refused(fact: str) -> HTTPException:
    """Return the error of a body that is not understood."""
    return HTTPException(HTTPStatus.BAD_REQUEST, fact)


@frozen
class Body:
    """The fields of a request."""

    method: str
    value: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a text that must be given."""
        found = self.optional(name)
        if not found.strip():
            raise refused(f"'{name}' is missing")
        return found

    def optional(self, name: str) -> str:
        """Return a text, or an empty one if it is null or not given."""
        found = self.value.get(name)
        if found is None:
            return ""
        if not isinstance(found, str):
            raise refused(f"'{name}' must be a string")
        return found

    def texts(self, name: str) -> list[str]:
        """Return one text or several as a list."""
        found = self.value.get(name)
        texts = [found] if isinstance(found, str) else found
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise refused(f"'{name}' must be a string, or a list of strings")
        if len(texts) > MOST_TEXTS:
            raise refused(f"'{name}' has more than {MOST_TEXTS} texts")
        return texts

    def number(self, name: str, default: int, most: int) -> int:
        """Return a whole number from 1 on."""
        found = self.value.get(name)
        if found is None:
            return default
        if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= most:
            raise refused(f"'{name}' must be a whole number from 1 to {most}")
        return found


def read_body(method: str, body: bytes) -> Body:
    """Return the fields of a body, which must be a JSON object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise refused("The body is not JSON") from error
    if not isinstance(value, dict):
        raise refused("The body is not a JSON object")
    return Body(method, value)


def seconds(time: float) -> float:
    """Return a time in seconds.

    >>> seconds(1700000000), seconds(1700000000000)
    (1700000000, 1700000000.0)
    """
    return time / 1000 if time > MILLISECONDS else time


def check_filters(filters: Any) -> list[Keep]:
    """Return what the filters of a body keep, by the times of a note's file.

    >>> (keep,) = check_filters([{"field": "mtime", "gte": 1700000000, "lt": 1800000000}])
    >>> keep(Stamps(1700000000, 0)), keep(Stamps(1800000000, 0))
    (True, False)
    """
    if filters is None:
        return []
    if not isinstance(filters, list):
        raise refused("'filters' must be a list")
    return [_keep(one) for one in filters]


def _keep(given: Any) -> Keep:
    if not isinstance(given, dict) or given.get("field") not in Stamps._fields:
        raise refused("A filter is by 'mtime' or 'ctime'; for properties, write where=key=value into the query")
    bounds = [(compared, given[name]) for name, compared in COMPARED.items() if given.get(name) is not None]
    if not bounds or not all(_is_time(bound) for _, bound in bounds):
        raise refused("A filter needs a number for gt, gte, lt or lte")
    name = str(given["field"])

    def keep(stamps: Stamps) -> bool:
        time = getattr(stamps, name)
        return all(compared(time, seconds(bound)) for compared, bound in bounds)

    return keep


def _is_time(value: Any) -> bool:
    """Tell whether a value is a number that can be compared with times; some integers are too large for that."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
