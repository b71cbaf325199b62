"""WRITE: a folder of notes into the store, only what changed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from notewell.embed import Embedder
from notewell.errors import EmbedError
from notewell.index.changes import Changes, find_changes
from notewell.index.encode import fill
from notewell.index.prepare import IndexRules, Outcome, embedded, prepared
from notewell.index.readers.sandbox import Extraction
from notewell.index.report import Progress, Report, forget, keep
from notewell.index.walk import Found
from notewell.store import Store, Writer

__all__ = ["Changes", "IndexRules", "Progress", "Report", "fill", "find_changes", "index"]

# Bytes of notes in one transaction, which a batch holds in memory, and seconds after which it takes in no more: what a
# kill can cost, with a slow embedder too.
BATCH_BYTES = 24 << 20
BATCH_SECONDS = 30.0


def index(
    root: Path,
    *,
    store: Store,
    embedder: Embedder,
    rules: IndexRules,
    progress: Progress,
    changes: Changes | None = None,
) -> Report:
    """Bring the store up to date with the folder, or with these changes of it, and report what changed.

    When the embedder fails, the notes before are kept, and the next run goes on with the others.
    """
    began = time.perf_counter()
    dimensions = store.made_for.dimensions
    changes = find_changes(root, rules.walk, store, again=True) if changes is None else changes
    report = Report(total=len(changes.read))
    with Extraction(rules.walk.max_seconds) as extraction:
        for batch in _batches(changes, store):
            with store.writing() as writer:
                groups = prepared(root, batch, changes, rules, extraction)
                failure = _keep_all(embedded(groups, writer, embedder, dimensions), writer, changes, report, progress)
                if report.done == report.total:
                    # Last, so that a renamed note finds its vectors still there.
                    forget(writer, changes, report)
            if failure:
                raise failure
            if report.interrupted:
                break
    store.tidy()
    report.seconds = time.perf_counter() - began
    return report


def _keep_all(
    outcomes: Iterator[Outcome], writer: Writer, changes: Changes, report: Report, progress: Progress
) -> EmbedError | None:
    """Keep what became of notes, until somebody says stop; return what ended it, once there is something to keep."""
    before = report.done
    try:
        for outcome in outcomes:
            keep(outcome, writer, changes, report)
            progress.tell(report.done, report.total)
            if progress.stop() and report.done < report.total:
                report.interrupted = True
                break
    except EmbedError as error:
        if report.done == before:
            raise
        return error
    return None


def _batches(changes: Changes, store: Store) -> Iterator[Iterable[Found]]:
    """Yield the files to read, a transaction's worth at a time.

    One empty batch where notes are only gone, and where an empty vault is to count as indexed.
    """
    files = deque(changes.read)
    if not files and (changes.gone or not store.indexed_at):
        yield ()
    while files:
        yield _batch(files)


def _batch(files: deque[Found]) -> Iterator[Found]:
    """Take files, at least one, until a transaction has enough of them."""
    size, ends = 0, time.monotonic() + BATCH_SECONDS
    while files:
        yield files[0]
        size += files.popleft().stamp.size
        if size >= BATCH_BYTES or time.monotonic() >= ends:
            return
