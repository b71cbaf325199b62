"""Checks that every store in tables is sound: what can be derived is derived again, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta

import numpy as np

from notewell.errors import StoreDamaged
from notewell.store.bm25 import WEIGHING, stored_length, weigh_terms
from notewell.store.tables.arrays import LEADS, Blocks, one_bit, slot_notes
from notewell.store.tables.checked import UNREADABLE
from notewell.store.tables.links import TableLinked
from notewell.store.tables.postings import Postings, pack
from notewell.store.tables.reader import Reader, fetch_one
from notewell.store.tables.rows import body_digest, load_chunks, unpack
from notewell.store.tables.rows import pack as pack_text

# Notes or chunks read together.
GROUP = 2_000
# Clocks differ, but not by so much.
AHEAD = timedelta(days=1)


def derived_problems(db: Reader, dimensions: int) -> Iterator[str]:
    """Yield what differs from what its chunks give: arrays, postings, texts and links."""
    try:
        yield from _array_problems(db, dimensions)
        yield from _packing_problems(db)
        _read_all_links(db)
    except StoreDamaged as error:
        yield error.fact
    except UNREADABLE:
        # Bytes that cannot be unpacked, or arrays of the wrong size.
        yield "something in it cannot be read"


def is_ahead(indexed: object, now: datetime) -> bool:
    """Tell whether the time of the last run is in the future; what is no time is another problem.

    >>> now = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    >>> is_ahead("2026-01-03T00:00:00+00:00", now), is_ahead("2026-01-01T12:00:00+00:00", now), is_ahead("", now)
    (True, False, False)
    """
    with suppress(TypeError, ValueError):
        return bool(indexed) and datetime.fromisoformat(str(indexed)) > now + AHEAD
    return False


def unresolved_edges(db: Reader) -> Iterator[str]:
    """Yield which links were never resolved, or lead to a note that is not there."""
    linked = TableLinked(db)
    edges, notes = linked.edges(), [name.id for name in linked.names()]
    if unresolved := len(notes) - edges.notes.size:
        yield f"{unresolved:,} notes whose links were never resolved"
    if astray := int((~np.isin(edges.to_notes.targets, notes)).sum()):
        yield f"{astray:,} links that lead to a note that is not there"


def _packing_problems(db: Reader) -> Iterator[str]:
    """Yield a sentence if a few texts are packed differently than today; if most are, another zlib packed them."""
    wrong = total = last = 0
    while rows := db.fetch("BODIES", {"last": last, "limit": GROUP}):
        wrong += sum(pack_text(unpack(data)) != data for _, data in rows)
        total, last = total + len(rows), rows[-1][0]
    if 0 < wrong < total / 2:
        yield f"{wrong:,} texts whose bytes were changed"


def _read_all_links(db: Reader) -> None:
    """Read the links of every note; those that cannot be unpacked raise an error."""
    linked = TableLinked(db)
    notes = [name.id for name in linked.names()]
    for first in range(0, len(notes), GROUP):
        linked.links_of(notes[first : first + GROUP])


def _array_problems(db: Reader, dimensions: int) -> Iterator[str]:
    blocks = Blocks.load(db, dimensions)
    ids = [slot for (slot,) in db.fetch("ALL_CHUNKS")]
    if np.flatnonzero(blocks.lengths).tolist() != ids:
        yield "the arrays name other chunks than the table"
        return
    if blocks.codes[:, blocks.lengths == 0].any():
        yield "free slots have codes"
    if (np.where(blocks.leads, blocks.notes | LEADS, blocks.notes) != slot_notes(db, blocks.lengths.size)).any():
        yield "the arrays have other notes for some chunks than the table"
    # A store of an older version weighs terms otherwise, until it is built again.
    comparable = fetch_one(db, "META", {"key": "weighing"}) == WEIGHING
    postings = Postings()
    wrong_lengths = wrong_codes = wrong_lines = 0
    for first in range(0, len(ids), GROUP):
        group = ids[first : first + GROUP]
        digests: dict[int, bytes] = dict(db.fetch("BODY_DIGESTS", {"ids": group}))
        for slot, chunk in load_chunks(db, group):
            wrong_lines += digests[slot] != body_digest(chunk)
            if comparable:
                weights = weigh_terms(chunk)
                postings.add(slot, weights)
                wrong_lengths += int(blocks.lengths[slot]) != stored_length(weights)
        wrong_codes += _wrong_codes(db, group, blocks)
    if wrong_lengths:
        yield f"{wrong_lengths:,} chunks whose length is wrong"
    if wrong_lines:
        yield f"{wrong_lines:,} chunks whose lines are not those that were stored"
    if wrong_codes:
        yield f"{wrong_codes:,} chunks whose code is not that of their vector"
    if comparable:
        yield from _posting_problems(db, postings)


def _wrong_codes(db: Reader, group: list[int], blocks: Blocks) -> int:
    rows = db.fetch("VECTORS", {"ids": group})
    vectors = np.frombuffer(b"".join(data for _, data in rows), np.int8).reshape(len(group), -1)
    return int((one_bit(vectors) != blocks.codes[:, group].T).any(axis=1).sum())


def _posting_problems(db: Reader, postings: Postings) -> Iterator[str]:
    stored = iter(db.fetch("ALL_POSTINGS"))
    expected = ((change.term, change.block, pack(change.places, change.counts)) for change in postings.changes())
    # Both are sorted by term: stores sort by bytes, which for UTF-8 is Python's order.
    missing = sum(one != other for one, other in zip(expected, stored, strict=False))
    left = sum(1 for _ in expected) + sum(1 for _ in stored)
    if missing or left:
        yield f"{missing + left:,} posting lists that differ from the chunks' terms"
