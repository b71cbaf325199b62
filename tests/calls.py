"""Which calls of a function are made, for tests of work that is done once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def calls_of(function: Callable[..., object]) -> Iterator[list[dict[str, Any]]]:
    """Collect the arguments of each call that this thread makes of a function written in Python."""
    seen: list[dict[str, Any]] = []

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is function.__code__:
            seen.append(dict(frame.f_locals))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield seen
    finally:
        sys.setprofile(before)
