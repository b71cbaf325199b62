"""Rows to chunks."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence

import apsw
import numpy as np

from notewell.store.sqlite import queries
from notewell.types import Chunk


def load_chunks(db: apsw.Connection, ids: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
    """Yield the chunks with these ids, lowest id first."""
    if not ids:
        return
    wanted = apsw.carray(np.asarray(ids, dtype=np.int64))
    for slot, path, text, line, end_line, start, end, headings, title, kind, tags, aliases in db.execute(
        queries.CHUNKS, {"ids": wanted}
    ):
        yield (
            slot,
            Chunk(
                path=path,
                text=zlib.decompress(text).decode("utf-8"),
                line=line,
                end_line=end_line,
                start=start,
                end=end,
                headings=tuple(json.loads(headings)),
                title=title,
                kind=kind,
                tags=tuple(json.loads(tags)),
                aliases=tuple(json.loads(aliases)),
            ),
        )
