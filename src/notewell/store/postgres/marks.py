"""Which state of the chunks each part of a store has: servers commit one after the other, and a reader sees it."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from notewell.store.postgres.catalogue import Found
from notewell.store.postgres.spread import HOME
from notewell.store.postgres.write_queries import ADD_MARKS, DROP_MARKS, on_node

# Every node is asked, so that all of them keep their present state for the transaction.
MARKS = """
select part, made
from mark
where part = any (%s::smallint[])
"""


def write_marks(db: psycopg.Connection, found: Found, made: int) -> None:
    """Write down that all parts of a store have this state."""
    db.execute(DROP_MARKS.encode())
    for node in found.nodes:
        if parts := found.here_on(node):
            there = ADD_MARKS if node == HOME else on_node(ADD_MARKS, node)
            db.execute(there.encode(), {"store": found.store, "part": parts, "made": [made] * len(parts)})


def agree(marks: Sequence[tuple[int, int]], here: Sequence[int], made: int) -> bool:
    """Tell whether each part has this state, and is on one server only.

    >>> agree([(1, 7), (0, 7)], [0, 1], 7), agree([(0, 7), (1, 6)], [0, 1], 7), agree([(0, 7), (0, 7)], [0], 7)
    (True, False, False)
    """
    return sorted(marks) == [(part, made) for part in sorted(here)]
