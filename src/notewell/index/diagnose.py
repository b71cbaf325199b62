"""What is wrong with a store: damage, rows that differ from those derived again, and secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from notewell.embed import Embedder, Models, is_instant
from notewell.errors import StoreDamaged, StoreUnfit
from notewell.index.secrets import find_leaks
from notewell.index.walk import stamp_of
from notewell.store import Files, Snapshot, Store
from notewell.store.opened import OpenedStore
from notewell.store.texts import stored_texts
from notewell.store.vectors import eight_bit

# Chunks embedded together.
GROUP = 1_000
# Numbers of a vector may differ by this much: another version of a library may round differently.
ROUNDED = 1


def find_problems(opened: OpenedStore, models: Models, check_links: Callable[[Store], Sequence[str]]) -> Iterator[str]:
    """Yield what is wrong with a vault's store, one sentence each; vectors are derived again if that is quick."""
    try:
        store = opened.store
        yield from store.check()
        yield from _wrong_stamps(opened.root, store.files())
        yield from check_links(store)
        # Closed even if interrupted, so that no snapshot outlives the store.
        with store.reading(shown=False) as snapshot, closing(stored_texts(snapshot)) as texts:
            yield from _wrong_vectors(snapshot, models.embedder)
            yield from find_leaks(texts)
    except (StoreDamaged, StoreUnfit) as error:
        yield error.fact


def _wrong_stamps(root: Path, files: Files) -> Iterator[str]:
    """Yield a sentence if files have another time or size than stored, though they did not change since."""
    wrong = 0
    for path, stored in {**files.notes, **{path: skip.stamp for path, skip in files.skipped.items()}}.items():
        with suppress(OSError):
            now = stamp_of((root / path).stat())
            wrong += now.ctime_ns == stored.ctime_ns and not now.same_file(stored)
    if wrong:
        yield f"{wrong:,} files whose times or sizes are not those that are stored"


def _wrong_vectors(snapshot: Snapshot, embedder: Embedder) -> Iterator[str]:
    if not is_instant(embedder) or snapshot.state.made_for.embedder != embedder.fingerprint:
        return
    wrong, ids = 0, [chunk for path in snapshot.ids() for chunk in snapshot.chunks_of(path)]
    for first in range(0, len(ids), GROUP):
        chunks = snapshot.chunks(ids[first : first + GROUP])
        stored = snapshot.vectors([*chunks])
        made = eight_bit(embedder.embed([chunk.meaning for chunk in chunks.values()])).astype(np.float32)
        for chunk, vector in zip(chunks, made, strict=True):
            found = stored.get(chunk)
            wrong += found is None or found.shape != vector.shape or bool(np.abs(found - vector).max() > ROUNDED)
    if wrong:
        yield f"{wrong:,} chunks whose vector is not that of their text"
