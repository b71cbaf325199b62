"""Notes on their way into the tables: collected, so that many rows go in with one statement."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from notewell.store.postgres import write_queries
from notewell.store.postgres.reader import PostgresReader
from notewell.store.tables.rows import body_digest, body_row
from notewell.types.note import Chunk

EightBit = npt.NDArray[np.int8]
# PostgreSQL keeps no character 0 in a text, and its JSON neither that nor numbers without end.
NO_TEXT, INSTEAD = "\0", "\N{REPLACEMENT CHARACTER}"
NOT_JSON = ("\\u0000", "NaN", "Infinity")


class Incoming:
    """Notes that are not in the tables yet."""

    def __init__(self) -> None:
        self.notes: list[tuple[dict[str, Any], Sequence[Chunk], EightBit]] = []
        self.paths: set[str] = set()
        self.digests: set[bytes] = set()
        self.chunks = 0

    def add(self, row: dict[str, Any], chunks: Sequence[Chunk], vectors: EightBit) -> None:
        """Add the row of a note with its chunks and their vectors."""
        self.notes.append((row, chunks, vectors))
        self.paths.add(row["path"])
        self.digests.update(map(body_digest, chunks))
        self.chunks += len(chunks)


class Outgoing:
    """Notes and chunks that are deleted, but still in the tables."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self._chunks: list[int] = []
        self._notes: list[int] = []
        # Notes to which other links than before may lead, or whose own links may be others; and those that are gone.
        self.renamed: list[int] = []
        self.relinked: list[int] = []
        self.removed: list[int] = []

    def add(self, path: str, note: int, chunks: Sequence[int]) -> None:
        """Add a note with its chunks."""
        self.paths.add(path)
        self._notes.append(note)
        self._chunks += chunks

    def statements(self) -> Iterator[tuple[str, list[int]]]:
        """Yield the statements that delete them, with the ids they need."""
        every = (
            (write_queries.REMOVE_CHUNKS, self._chunks),
            (write_queries.REMOVE_NOTES, self._notes),
            (write_queries.DROP_EDGES, self.renamed),
            (write_queries.EMPTY_EDGES, self.relinked),
            (write_queries.DROP_STANDINGS_OF, self.removed),
        )
        yield from ((statement, ids) for statement, ids in every if ids)


class Bodies:
    """The lines of incoming chunks: those that are stored, and rows for those that are not."""

    def __init__(self, reader: PostgresReader, incoming: Incoming, last_ids: list[int]) -> None:
        self.new: list[dict[str, Any]] = []
        self.vectors: list[dict[str, Any]] = []
        # How often each stored body is used once more.
        self.used: Counter[int] = Counter()
        self._new_in: dict[tuple[int, bytes], dict[str, Any]] = {}
        self._last_ids = last_ids
        self._stored: dict[tuple[int, bytes], int] = {}
        self._vector_of: dict[bytes, EightBit] = {}
        rows = reader.rows(write_queries.FOUND_BODIES, {"digests": [*incoming.digests]})
        for part, body, digest, data in rows:
            self._stored[part, digest] = body
            self._vector_of[digest] = np.frombuffer(data, np.int8)

    def use(self, part: int, written: str, data: EightBit) -> tuple[int, EightBit]:
        """Return the id and the vector of some lines in a part, which become stored if they are not yet."""
        row = body_row(written)
        digest = row["digest"]
        vector = self._vector_of.setdefault(digest, data)
        if (stored := self._stored.get((part, digest))) is not None:
            self.used[stored] += 1
            return stored, vector
        if (new := self._new_in.get((part, digest))) is not None:
            new["uses"] += 1
            return int(new["id"]), vector
        body = self._last_ids[1] = self._last_ids[1] + 1
        self._new_in[part, digest] = {"part": part, "id": body, **row, "uses": 1}
        self.new.append(self._new_in[part, digest])
        packed = vector.tobytes()
        self.vectors.append({"part": part, "body": body, "data": packed, "crc": crc32(packed)})
        return body, vector


def columns_of(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return rows as columns, which a statement binds as arrays.

    >>> columns_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}], ["a"])
    {'a': [1, 3]}
    """
    return {name: [row[name] for row in rows] for name in names}


def plain_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the one character that PostgreSQL cannot keep in a text."""
    if any(isinstance(value, str) and NO_TEXT in value for value in row.values()):
        return {key: value.replace(NO_TEXT, INSTEAD) if isinstance(value, str) else value for key, value in row.items()}
    return row


def json_safe(written: str) -> str:
    r"""Return JSON without what PostgreSQL's JSON cannot hold.

    >>> json_safe('{"a":NaN,"b":"x\\u0000"}')
    '{"a":null,"b":"x�"}'
    """
    if not any(part in written for part in NOT_JSON):
        return written
    value = _without(json.loads(written, parse_constant=lambda _: None))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {_without(key): _without(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without(inner) for inner in value]
    return value.replace(NO_TEXT, INSTEAD) if isinstance(value, str) else value
