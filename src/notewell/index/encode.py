"""Better vectors behind the first ones: a few chunks at a time, each kept at once, while search goes on."""

from __future__ import annotations

import time
from collections.abc import Sequence

from notewell.embed import Embedder
from notewell.errors import StoreBusy
from notewell.index.report import Filling, Progress
from notewell.store import Store
from notewell.types.note import Chunk, Vectors

# A second or two of work: what a kill can cost.
GROUP = 32
# Seconds between two tries while another process writes.
PAUSE = 0.5


def find_lacking(store: Store, encoder: Embedder) -> Sequence[int]:
    """Return the chunks without a vector of this encoder, one for each distinct text, the newest notes' first."""
    with store.reading() as reading:
        return reading.lacking(encoder.fingerprint)


def measure_filling(store: Store, encoder: Embedder) -> Filling:
    """Return how far this encoder is, and whether a process is encoding."""
    about, left = store.about(), len(find_lacking(store, encoder))
    made = (about.filled, about.unread) if about.encoder == encoder.fingerprint else (0, 0)
    return Filling(encoder.fingerprint, *made, left, _is_encoding(store))


def _is_encoding(store: Store) -> bool:
    try:
        with store.locked("encode"):
            return False
    except StoreBusy:
        return True


def fill(store: Store, encoder: Embedder, progress: Progress) -> int:
    """Give every chunk that lacks it the encoder's vector, the newest notes' first; return how many still do."""
    done = 0
    # Notes that come in meanwhile lack theirs, too: it is done when nothing is left to do.
    while (lacking := find_lacking(store, encoder)) and not progress.stop():
        total = done + len(lacking)
        for first in range(0, len(lacking), GROUP):
            if progress.stop():
                break
            with store.reading() as snapshot:
                # A note may have changed since, and its slot be free, or another's, which lacks a vector as well.
                chunks = [*snapshot.chunks(lacking[first : first + GROUP]).values()]
            if chunks:
                vectors = encoder.embed([chunk.meaning for chunk in chunks])
                _keep(store, encoder, chunks, vectors, progress)
            done = min(done + GROUP, total)
            progress.tell(done, total)
    return len(lacking)


def keep_searched(store: Store, encoder: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
    """Store vectors made during a search, unless those stored are another encoder's; busy stores raise at once."""
    if store.state.encoder in ("", encoder):
        with store.writing(wait=False) as writer:
            writer.keep_vectors(encoder, chunks, vectors)


def _keep(store: Store, encoder: Embedder, chunks: Sequence[Chunk], vectors: Vectors, progress: Progress) -> None:
    """Store the vectors as soon as nobody else writes: indexing may hold the store for half a minute."""
    while True:
        try:
            with store.writing() as writer:
                writer.keep_vectors(encoder.fingerprint, chunks, vectors)
        except StoreBusy:
            if progress.stop():
                return
            time.sleep(PAUSE)
        else:
            return
