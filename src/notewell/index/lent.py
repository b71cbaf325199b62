"""Vectors of notes that move from one store to another: lent by the store that loses them, so nothing is embedded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from notewell.frozen import frozen
from notewell.store import EMBEDDER, Snapshot, State, Writing
from notewell.store.links import LinkEnds, Standing
from notewell.store.tables.rows import body_digest
from notewell.types.note import Chunk, Note, Stamp, Vectors


@frozen
class Lent:
    """Vectors by a hash of their texts, and the models that made them."""

    embedder: str = ""
    encoder: str = ""
    by_text: Mapping[bytes, tuple[Vectors, Vectors | None]] | None = None
    """The embedder's vector of each text, and the encoder's, if it has one; zeros for a text that it cannot read."""

    def to(self, writer: Writing, state: State) -> Writing:
        """Return a writer that takes these vectors, as far as its store's models made them."""
        if not self.by_text or state.made_for.embedder != self.embedder:
            return writer
        return Borrowing(writer, self, takes_encoded=state.encoder in ("", self.encoder))


NOTHING_LENT = Lent()


def lend(snapshot: Snapshot, paths: Sequence[str]) -> Lent:
    """Return the vectors of the notes at these paths."""
    encoder = snapshot.state.encoder
    return Lent(snapshot.state.made_for.embedder, encoder, dict(_vectors(snapshot, paths, encoder)))


def _vectors(
    snapshot: Snapshot, paths: Sequence[str], encoder: str
) -> Iterator[tuple[bytes, tuple[Vectors, Vectors | None]]]:
    for path in paths:
        ids = snapshot.chunks_of(path)
        own, fine = snapshot.vectors(ids, EMBEDDER), snapshot.vectors(ids, encoder) if encoder else {}
        size = next((row.size for row in fine.values() if row is not None), 1)
        unread = np.zeros(size, dtype=np.float32)
        for slot, chunk in snapshot.chunks(ids).items():
            if (vector := own.get(slot)) is not None:
                encoded = fine.get(slot)
                yield body_digest(chunk), (vector, (unread if encoded is None else encoded) if slot in fine else None)


class Borrowing:
    """A writer that takes vectors from what was lent, and lacks none of them."""

    def __init__(self, writer: Writing, lent: Lent, *, takes_encoded: bool) -> None:
        self._writer = writer
        self._by_text = lent.by_text or {}
        self._encoder = lent.encoder if takes_encoded else ""

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether a chunk has to be embedded."""
        return body_digest(chunk) not in self._by_text and self._writer.lacks(chunk)

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note with the vectors that were lent."""
        rows, encoded = vectors.copy(), []
        for place, chunk in enumerate(chunks):
            if (found := self._by_text.get(body_digest(chunk))) is not None:
                rows[place] = found[0]
                encoded += [(chunk, found[1])] if found[1] is not None else []
        self._writer.put(note, chunks, rows)
        if self._encoder and encoded:
            size = max(row.size for _, row in encoded)
            fine = np.array([row if row.size == size else np.zeros(size) for _, row in encoded], np.float32)
            self._writer.keep_vectors(self._encoder, [chunk for chunk, _ in encoded], fine)

    def remove(self, path: str) -> None:
        """Delete a note."""
        self._writer.remove(path)

    def touch(self, path: str, stamp: Stamp) -> None:
        """Store a new stamp for a note."""
        self._writer.touch(path, stamp)

    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Keep why a file cannot be indexed."""
        self._writer.skip(path, stamp, reason, again)

    def keep_edges(self, ends: Mapping[int, LinkEnds], site_root: str = "") -> None:
        """Store where links lead."""
        self._writer.keep_edges(ends, site_root)

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Store how notes stand."""
        self._writer.keep_standings(mark, standings)

    def keep_vectors(self, kind: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors."""
        self._writer.keep_vectors(kind, chunks, vectors)
