"""WRITE: index a folder of notes into the store, reading only what changed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from notewell.embed import Embedder
from notewell.errors import EmbedError, WorkersError
from notewell.files.machine import count_cores
from notewell.frozen import frozen
from notewell.index.changes import Changes, find_changes
from notewell.index.lent import NOTHING_LENT
from notewell.index.prepare import Batches, Here, Outcome, Preparing, Source, embedded, prepared
from notewell.index.readers.sandbox import Extraction
from notewell.index.report import Progress, Report, Stage, Tally
from notewell.index.walk import VaultFile
from notewell.store import Store, Writing

INSTALL = "Run `pip install 'notewell[workers]'`"

__all__ = ["Batches", "Changes", "Linking", "Progress", "Report", "Source", "Stage", "find_changes", "index"]


@frozen
class Linking:
    """The last two steps of indexing, which belong to the graph: where links lead, and how notes stand by them."""

    resolve: Callable[[Store], None]
    measure: Callable[[Store], None]


def index(
    source: Source,
    *,
    store: Store,
    embedder: Embedder,
    linking: Linking,
    progress: Progress,
    changes: Changes | None = None,
) -> Report:
    """Bring the store up to date with the folder, or with these changes of it, and report what changed.

    If the embedder fails, the notes stored so far stay, and the next run continues with the rest.
    """
    tally = Tally(began=time.perf_counter())
    changes = find_changes(source.root, source.walk, store, again=True) if changes is None else changes
    # Vectors that were lent are for the writer: no other process needs them.
    with _preparing(replace(source, lent=NOTHING_LENT), changes) as preparing:
        for batch in _batches(changes, store, source.batches):
            with store.writing() as opened:
                writer = source.lent.to(opened, store.state)
                # Read, redacted, parsed and chunked by `prepare`, and embedded, one by one as `_put` asks for them.
                jobs = ((found, changes.digest(found.path)) for found in batch)
                notes = prepared(jobs, preparing, source.batches.embedded)
                outcomes = embedded(notes, writer, embedder, store.state.made_for.dimensions)
                failure = _put(outcomes, writer, changes, tally, progress)
                if tally.done == len(changes.read):
                    # Last, so that a renamed note finds its vectors still there.
                    _forget(writer, changes, tally)
            # Only now, so that the notes before the failure are committed.
            if failure:
                raise failure
            if tally.interrupted:
                break
    # A run that was told to stop leaves links and standings to the next run, or to the first answer that needs them.
    if not tally.interrupted and not store.state.links_resolved:
        progress.stage("links")
        linking.resolve(store)
    if not tally.interrupted and not store.state.standings_current and not progress.stop():
        progress.stage("standings")
        linking.measure(store)
    store.tidy()
    return replace(tally.report(store.about(), total=len(changes.read)), notices=preparing.notices)


@contextmanager
def _preparing(source: Source, changes: Changes) -> Iterator[Preparing]:
    """Prepare notes in workers, in this process, or many in a second one, if it would have a core to itself."""
    with Extraction(source.walk.max_seconds) as extraction:
        here = Here(source, extraction)
        if source.batches.spread and changes.read:
            # Only a run with workers pays for it.
            try:
                from notewell.index.workers import working  # noqa: PLC0415
            except ModuleNotFoundError as error:
                raise WorkersError(f"`--workers` needs {error.name}, which is not installed", INSTALL) from error

            with working(source.batches.spread, source, here) as workers:
                yield workers
            return
        if changes.work < source.batches.alone or count_cores() < 2:
            yield here
            return
        # Most runs are short; they do not pay for this import.
        from notewell.index.ahead import Ahead  # noqa: PLC0415

        with Ahead(source, here) as ahead:
            yield ahead


def _put(
    outcomes: Iterator[Outcome], writer: Writing, changes: Changes, tally: Tally, progress: Progress
) -> EmbedError | None:
    """Store notes until told to stop.

    If the embedder fails after this batch stored a note, return the error, so that the batch is committed first.
    """
    before, total = tally.done, len(changes.read)
    try:
        for outcome in outcomes:
            outcome.store_in(writer)
            tally.add(outcome, is_new=outcome.path not in changes.known)
            progress.tell(tally.done, total)
            if progress.stop() and tally.done < total:
                tally.interrupted = True
                break
    except EmbedError as error:
        if tally.done == before:
            raise
        return error
    return None


def _forget(writer: Writing, changes: Changes, tally: Tally) -> None:
    """Remove the notes whose files are gone."""
    for path in changes.gone:
        writer.remove(path)
        tally.removed += path in changes.known


def _batches(changes: Changes, store: Store, batches: Batches) -> Iterator[Iterable[VaultFile]]:
    """Yield the files to read, one transaction's worth at a time.

    Yields one empty batch if files were only deleted, and for a new empty vault, which then counts as indexed.
    """
    files = deque(changes.read)
    if not files and (changes.gone or not store.state.indexed_at):
        yield ()
    while files:
        yield _batch(files, batches)


def _batch(files: deque[VaultFile], batches: Batches) -> Iterator[VaultFile]:
    """Take files, at least one, until a transaction has enough of them."""
    size, ends = 0, time.monotonic() + batches.seconds
    while files:
        yield files[0]
        size += files.popleft().stamp.size
        if size >= batches.bytes or time.monotonic() >= ends:
            return
