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


def write_intake(intake: Measured, results: Measured) -> Iterator[str]:
    """Yield the table of signals that belong to a vault, among pages of other vaults."""
    head = ["signals", "others", "note: precision", "recall", "note or queue: precision", "recall", "AUROC"]
    rows = []
    for name, one in intake.items():
        pairs = [str(one[kind][key]) for kind in ("note", "note or queue") for key in ("precision", "recall")]
        rows.append([name, str(one["signals"]), str(one["others"]), *pairs, str(one["auroc"])])
    yield from grid(["INTAKE", *head], rows)
