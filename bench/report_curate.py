"""The tables on curation: tags proposed for notes, and signals that enter the vault."""

from __future__ import annotations

from collections.abc import Iterator

from bench.child import Measured
from bench.tables import grid


def write_tags(tags: Measured, results: Measured) -> Iterator[str]:
    """Yield the table of proposed tags."""
    head = ["notes", "tags", "precision", "recall", "first right"]
    yield from grid(
        ["HIDDEN TAGS, proposed", *head], [[name, *(str(one[key]) for key in head)] for name, one in tags.items()]
    )
