"""The encoder's vectors, made in the background: a few chunks at a time, each stored at once, while search goes on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice

from notewell.embed import Embedder, Models
from notewell.errors import EmbedError, StoreBusy, StoreError
from notewell.files.user import home_folder, state_folder
from notewell.index.report import EncoderProgress, Progress
from notewell.index.wishes import Wishes
from notewell.store import Snapshot, Store
from notewell.store.opened import OpenedStore
from notewell.types.note import Chunk, Vectors

# Chunks encoded at once: a second or two of work, which is what a kill can cost.
GROUP = 32
# Seconds between two tries while another process writes.
PAUSE = 0.5
# How long to wait for a process that only asks whether another is encoding, in seconds.
LOOK_SECONDS = 0.1


class EncoderVectors:
    """The encoder's vectors of one vault: how many there are, and making those that are missing."""

    def __init__(self, opened: OpenedStore, models: Models) -> None:
        self._opened = opened
        self._models = models
        self.is_wished = False

    def keep(self, encoded: Iterable[tuple[Sequence[Chunk], Vectors]]) -> None:
        """Store vectors that the encoder made during a search; if the store is busy, they are made again later."""
        for chunks, vectors in encoded:
            with suppress(StoreError):
                assert self._models.encoder is not None, "an encoder made the vectors"
                keep_searched(self._opened.store, self._models.encoder.fingerprint, chunks, vectors)

    def wish(self, ids: Sequence[int]) -> None:
        """Have these chunks encoded next, by whichever process encodes the vault."""
        self.is_wished = bool(ids)
        if ids:
            self._wishes.add(ids)

    @cached_property
    def _wishes(self) -> Wishes:
        return Wishes(state_folder(os.environ, home_folder(os.environ)), self._opened.file)

    @property
    def progress(self) -> EncoderProgress:
        """Return how many vectors there are and how many are missing; nothing without an encoder."""
        if problem := self.problem:
            return EncoderProgress(problem=problem)
        encoder = self._encoder
        return measure_progress(self._opened.store, encoder) if encoder else EncoderProgress()

    @property
    def problem(self) -> str:
        """Return why the encoder cannot be used; empty if it can, or if there is none."""
        try:
            # Asking for the length of its vectors loads the model.
            _ = self._encoder and self._encoder.dimensions
        except EmbedError as error:
            return error.fact
        return ""

    @property
    def left(self) -> int:
        """Return how many chunks lack a vector of the encoder's; none without an encoder."""
        encoder = self._encoder
        return len(find_lacking(self._opened.store, encoder)) if encoder else 0

    def encode(self, progress: Progress) -> int:
        """Make the missing vectors, the newest and most linked notes' first, and return how many are still missing.

        Only one process encodes a vault at a time.
        """
        encoder = self._encoder
        if encoder is None:
            return 0
        store, stop = self._opened.store, progress.stop
        progress = replace(progress, stop=lambda: stop() or not store.in_place)
        with store.locked("encode", wait=LOOK_SECONDS):
            left = encode(store, encoder, progress, self._wishes.read)
        if not left:
            self._wishes.clear()
        return left

    @property
    def _encoder(self) -> Embedder | None:
        return self._models.encoder if self._opened.is_indexed else None


def find_lacking(store: Store, encoder: Embedder) -> Sequence[int]:
    """Return the chunks without a vector of this encoder, one for each text, the newest and most linked first."""
    with store.reading() as reading:
        return reading.lacking(encoder.fingerprint)


def measure_progress(store: Store, encoder: Embedder) -> EncoderProgress:
    """Return how many vectors of this encoder there are, and whether a process is making more."""
    left = len(find_lacking(store, encoder))
    return EncoderProgress(encoder.fingerprint, *_made(store, encoder), left, _is_encoding(store))


def _made(store: Store, encoder: Embedder) -> tuple[int, int]:
    """Return how many vectors of this encoder there are, and how many texts it skipped."""
    about = store.about()
    return (about.encoded, about.unread) if about.encoder == encoder.fingerprint else (0, 0)


def _is_encoding(store: Store) -> bool:
    try:
        # Longer than another process takes that only asks as well.
        with store.locked("encode", wait=LOOK_SECONDS):
            return False
    except StoreBusy:
        return True
    except StoreError:
        # Nobody encodes where nothing can be written.
        return False


def encode(
    store: Store,
    encoder: Embedder,
    progress: Progress,
    wished: Callable[[], Sequence[int]] = tuple,
    pause: float = PAUSE,
) -> int:
    """Store the encoder's vector of every chunk without one: those wished for, then the newest and most linked notes'.

    `pause` is how many seconds to wait between two tries while another process writes. Returns how many are missing.
    """
    # As `measure_progress` counts, so that a bar goes on where the last run ended.
    done = sum(_made(store, encoder))
    # Notes that are indexed meanwhile lack vectors, too: it is done when none is missing.
    while (lacking := find_lacking(store, encoder)) and not progress.stop():
        left, total = dict.fromkeys(lacking), done + len(lacking)
        while left and not progress.stop():
            with store.reading() as snapshot:
                ids = _next(snapshot, encoder, wished(), left)
                # A note may have changed since, so that its slot is free, or another chunk's, which lacks one as well.
                chunks = [*snapshot.chunks(ids).values()]
            if chunks:
                vectors = encoder.embed([chunk.meaning for chunk in chunks])
                _store(store, encoder, chunks, vectors, progress, pause)
            for chunk in ids:
                left.pop(chunk, None)
            done = total - len(left)
            progress.tell(done, total)
    return len(lacking)


def _next(snapshot: Snapshot, encoder: Embedder, wished: Sequence[int], left: Iterable[int]) -> list[int]:
    """Return the chunks to encode now: those wished for that have no vector yet, or else the first of those left."""
    has = snapshot.vectors(wished, encoder.fingerprint) if wished else {}
    # A wish may be older than a change of its note: a chunk that is gone cannot be encoded.
    return [*snapshot.chunks([chunk for chunk in wished if chunk not in has][:GROUP])] or [*islice(left, GROUP)]


def keep_searched(store: Store, encoder: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
    """Store vectors made during a search, unless those stored are another encoder's; busy stores raise at once."""
    if store.state.encoder in ("", encoder):
        with store.writing(wait=False) as writer:
            writer.keep_vectors(encoder, chunks, vectors)


def _store(
    store: Store, encoder: Embedder, chunks: Sequence[Chunk], vectors: Vectors, progress: Progress, pause: float
) -> None:
    """Store the vectors as soon as no other process writes: indexing may hold the store for half a minute."""
    while True:
        try:
            with store.writing() as writer:
                writer.keep_vectors(encoder.fingerprint, chunks, vectors)
        except StoreBusy:
            if progress.stop():
                return
            time.sleep(pause)
        else:
            return
