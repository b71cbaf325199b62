"""Better vectors behind the first ones: a few chunks at a time, each kept at once, while search goes on."""

from __future__ import annotations

import time
from collections.abc import Sequence

from notewell.embed import Embedder
from notewell.errors import StoreBusy
from notewell.index.report import Progress
from notewell.store import Store
from notewell.types.note import Chunk, Vectors

# A second or two of work: what a kill can cost.
GROUP = 32
# Seconds between two tries while another process writes.
PAUSE = 0.5


def fill(store: Store, encoder: Embedder, progress: Progress) -> int:
    """Give every chunk that lacks it the encoder's vector, the newest notes' first; return how many still do."""
    done = 0
    # Notes that come in meanwhile lack theirs, too: it is done when nothing is left to do.
    while (lacking := store.unfilled(encoder.fingerprint)) and not progress.stop() and store.in_place:
        total = done + len(lacking)
        for first in range(0, len(lacking), GROUP):
            if progress.stop() or not store.in_place:
                break
            with store.reading() as snapshot:
                # A note may have changed since, and its slot be free, or another's, which lacks a vector as well.
                chunks = [chunk for _, chunk in snapshot.present(lacking[first : first + GROUP])]
            if chunks:
                vectors = encoder.embed([chunk.meaning for chunk in chunks])
                _keep(store, encoder, chunks, vectors, progress)
            done = min(done + GROUP, total)
            progress.tell(done, total)
    return len(lacking)


def _keep(store: Store, encoder: Embedder, chunks: Sequence[Chunk], vectors: Vectors, progress: Progress) -> None:
    """Store the vectors as soon as nobody else writes: indexing may hold the store for half a minute."""
    while True:
        try:
            store.keep_fine(encoder.fingerprint, chunks, vectors)
        except StoreBusy:
            if progress.stop():
                return
            time.sleep(PAUSE)
        else:
            return
