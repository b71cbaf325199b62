"""Nodes that cannot be reached: what they have is missing from answers, until they are back."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import suppress

import psycopg

from notewell.errors import StoreDamaged, StoreUnreachable
from notewell.store.postgres.catalogue import Found
from notewell.store.postgres.marks import MARKS
from notewell.store.postgres.spread import HOME

# Seconds for which a node that cannot be reached is not asked again.
REST = 5.0
# How long a reader waits for nodes to have the same state, and how long between two looks, in seconds: servers commit
# within milliseconds of each other.
SETTLED, PAUSE = 5.0, 0.01


class Lost:
    """The nodes that a process could not reach lately."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def names(self) -> frozenset[str]:
        """Return the nodes that are not asked now."""
        now = time.monotonic()
        return frozenset(name for name, until in self._until.items() if until > now)

    def look(self, db: psycopg.Connection, found: Found) -> bool:
        """Ask every node of a store whether it is there; tell whether one is not that seemed to be."""
        before = self.names()
        for node in found.nodes:
            if node != HOME and node not in before and (parts := found.here_on(node)) and not _answers(db, parts):
                self._until[node] = time.monotonic() + REST
        return self.names() > before


def _answers(db: psycopg.Connection, parts: Sequence[int]) -> bool:
    with suppress(psycopg.OperationalError):
        db.execute(MARKS.encode(), (list(parts),), prepare=False)
        return True
    return False


def check_whole(lost: Collection[str], place: str) -> None:
    """Raise an error if nodes are lost."""
    if lost:
        names = " and ".join(map(short, sorted(lost)))
        raise StoreUnreachable(
            f"The database at {place} cannot reach {names}, so part of the vault is missing",
            "Try again once `notewell server nodes` shows it as running; nothing was lost",
        )


def short(node: str) -> str:
    """Return the name of a node for people.

    >>> short("notewell_node1"), short(HOME)
    ('node1', 'home')
    """
    return "home" if node == HOME else node.removeprefix("notewell_")


def torn(place: str) -> StoreDamaged:
    """Return the error for parts that stay in different states."""
    return StoreDamaged(
        f"The nodes of the database at {place} have different states of this vault",
        "A commit was cut off, or a node was removed as lost. Run `notewell server nodes balance`; if that does not "
        "help, `notewell index --full`",
    )
