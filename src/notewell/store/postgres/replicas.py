"""Replicas: standbys of the server that answer searches, if they can be reached and are not behind by too much."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack

from notewell.errors import StoreError
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.meta import Meta
from notewell.store.postgres.reader import PostgresReader

# Seconds for which a replica that cannot be used is left alone, and one that is behind is not waited for.
REST = 5.0
# How long an answer waits for a change to arrive, and how long between two looks, in seconds: most take milliseconds.
WAIT, PAUSE = 0.25, 0.01
# Sooner than for the primary, which has nobody to stand in for it. A server that is no standby would be another store.
STANDBY: dict[str, str | int] = {"connect_timeout": 2, "target_session_attrs": "standby"}

Opened = tuple[PostgresReader, Meta]
# Opens the present state of a server.
Open = Callable[[Connections], AbstractContextManager[Opened]]


class Replica:
    """One standby, and since when it is not as it should be."""

    def __init__(self, url: str) -> None:
        self.connections = Connections(url, STANDBY)
        self.rests_until = 0.0
        self._behind_until = 0.0

    def enter(self, stack: ExitStack, read: Open, newest: Meta | None, own: Meta | None) -> Opened | None:
        """Open its state, once it has the `newest` or after a while; None if it then lacks our `own` changes."""
        began = time.monotonic()
        # As long as it is behind, only one answer in a while waits.
        until = began if began < self._behind_until else began + WAIT
        while True:
            with ExitStack() as opening:
                opened = opening.enter_context(read(self.connections))
                lacks, is_last = is_behind(opened[1], newest), time.monotonic() >= until
                if not lacks or is_last:
                    self._behind_until = max(self._behind_until, began + REST) if lacks else 0.0
                    if lacks and is_behind(opened[1], own):
                        return None
                    stack.push(opening.pop_all())
                    return opened
            time.sleep(PAUSE)


class Replicas:
    """The replicas of one server. A process keeps to the first that answers, so that its arrays stay those of one."""

    def __init__(self, urls: Sequence[str] = ()) -> None:
        # In an order of its own for each process, which spreads them.
        self._all = [Replica(url) for url in random.sample(urls, len(urls))]

    def enter(self, stack: ExitStack, read: Open, newest: Meta | None = None, own: Meta | None = None) -> Opened | None:
        """Open a state on a replica until the stack is closed; None if the primary has to answer."""
        for replica in self._all:
            if time.monotonic() < replica.rests_until:
                continue
            try:
                if opened := replica.enter(stack, read, newest, own):
                    return opened
            except StoreError:
                # It cannot be reached, or does not have the vault yet.
                replica.rests_until = time.monotonic() + REST
        return None

    def close(self) -> None:
        """Close the connections."""
        for replica in self._all:
            replica.connections.close()


NO_REPLICAS = Replicas()


def is_behind(meta: Meta, newest: Meta | None) -> bool:
    """Tell whether a state lacks changes of another one.

    >>> old, new = Meta({"id": "a", "generation": 4}), Meta({"id": "a", "generation": 5})
    >>> is_behind(old, new), is_behind(new, old), is_behind(old, None)
    (True, False, False)
    """
    if newest is None:
        return False
    # One that was made anew counts from the start.
    return meta["id"] != newest["id"] or any(meta.number(key) < newest.number(key) for key in ("generation", "touched"))
