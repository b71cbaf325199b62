"""What is wrong with a store: with its file, with what is derived from the notes again, and with secrets in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from notewell.errors import StoreDamaged
from notewell.index.secrets import find_leaks
from notewell.store.opened import OpenedStore
from notewell.store.texts import stored_texts


def find_problems(opened: OpenedStore) -> Iterator[str]:
    """Yield what is wrong with a vault's store, one sentence each."""
    try:
        store = opened.store
        yield from store.check()
        # Closed even if interrupted, so that no snapshot outlives the store.
        with store.reading(shown=False) as snapshot, closing(stored_texts(snapshot)) as texts:
            yield from find_leaks(texts)
    except StoreDamaged as error:
        yield error.fact
