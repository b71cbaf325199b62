"""What the page shows of a whole vault, computed once for each state of the store."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from notewell.vault import Vault

Made = TypeVar("Made")


class Kept(Generic[Made]):
    """The result of a function of a vault; it is called again when the store has changed, or after some seconds."""

    def __init__(self, make: Callable[[Vault], Made], seconds: float = float("inf")) -> None:
        self._make = make
        self._seconds = seconds
        self._lock = Lock()
        self._kept: tuple[object, float, Made] | None = None

    def of(self, vault: Vault) -> Made:
        """Return the result for the present state; requests that come meanwhile wait for it."""
        with self._lock:
            state, kept = _state_of(vault), self._kept
            if kept is None or kept[0] != state or time.monotonic() - kept[1] > self._seconds:
                self._kept = kept = state, time.monotonic(), self._make(vault)
            return kept[2]


def _state_of(vault: Vault) -> object:
    """Return what tells the present state from others, and from the same one while a node cannot be reached."""
    if not vault.indexed:
        return None
    # What the settings exclude by now is removed first, which is a change.
    with vault.shown.searching() as (snapshot, _):
        return snapshot.state.id, snapshot.state.generation, snapshot.state.lost
