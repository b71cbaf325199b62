"""WRITE: a folder of notes into the store, only what changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from notewell.embed import Embedder
from notewell.errors import NoteError
from notewell.index.changes import Changes, find_changes
from notewell.index.chunk import Chunking
from notewell.index.readers import read, reader_of
from notewell.index.walk import Found, Walk
from notewell.redact import redact
from notewell.store import Store, Writer
from notewell.types import Chunk, Note, Vectors

__all__ = ["Changes", "Chunking", "Progress", "Report", "Rules", "Walk", "find_changes", "index", "prepare"]

# Bytes of notes in one transaction: what a kill can cost (seconds of work), and what a batch holds in memory.
BATCH_BYTES = 24 << 20
# Bytes embedded at once, in a thread beside the reading of the next notes.
GROUP_BYTES = 256 << 10

NO_VECTORS: Vectors = np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Rules:
    """Which files are read, how large they may be, and how they are cut."""

    walk: Walk = Walk()
    chunking: Chunking = Chunking()
    max_bytes: int = 16 << 20


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run tells while it goes on, and how it is told to stop after the note at hand."""

    tell: Callable[[int, int], None] = lambda done, total: None
    stop: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Report:
    """What a run did."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0
    redacted: list[tuple[str, int, str]] = field(default_factory=list)
    warned: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One file, read: a note with its chunks and vectors, an unchanged note, or the reason there is none."""

    found: Found
    note: Note | None = None
    chunks: Sequence[Chunk] = ()
    vectors: Vectors = field(default_factory=lambda: NO_VECTORS)
    same: bool = False
    reason: str = ""


def index(root: Path, *, store: Store, embedder: Embedder, rules: Rules, progress: Progress) -> Report:
    """Bring the store up to date with the folder, and report what changed."""
    began = time.perf_counter()
    report = Report()
    changes = find_changes(root, rules.walk, store, again=True)
    done = 0
    for batch in _batches(changes, store):
        with store.writing() as writer:
            for outcome in _embedded(_prepared(root, batch, changes, rules), writer, embedder):
                _keep(outcome, writer, changes, report)
                done += 1
                progress.tell(done, len(changes.read))
                if progress.stop() and done < len(changes.read):
                    report.interrupted = True
                    break
            if done == len(changes.read):
                # Last, so that a renamed note finds its vectors still there.
                _remove(writer, changes, report)
        if report.interrupted:
            break
    report.seconds = time.perf_counter() - began
    return report


def prepare(root: Path, found: Found, known: str, rules: Rules) -> Outcome:
    """Read one file, take its secrets out, parse and chunk it; `known` is the digest it had before."""
    try:
        note = read(root, found, rules.max_bytes)
    except NoteError as error:
        return Outcome(found, reason=error.fact)
    if note.stamp.digest == known:
        return Outcome(found, note, same=True)
    reader = reader_of(found.path)
    note = reader.parse(redact(note))
    return Outcome(found, note, reader.chunk(note, rules.chunking))


def _prepared(root: Path, batch: Sequence[Found], changes: Changes, rules: Rules) -> Iterator[list[Outcome]]:
    for group in _by_size(batch, GROUP_BYTES):
        yield [prepare(root, found, changes.digest(found.path), rules) for found in group]


def _batches(changes: Changes, store: Store) -> Iterator[list[Found]]:
    """Yield the files to read, a transaction's worth at a time; one empty batch where only others are gone."""
    batches = list(_by_size(changes.read, BATCH_BYTES))
    yield from batches or ([[]] if changes.gone or not store.indexed_at else [])


def _embedded(groups: Iterator[list[Outcome]], writer: Writer, embedder: Embedder) -> Iterator[Outcome]:
    """Yield the outcomes with the vectors that the store lacks, embedding one group while the next is read."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        ahead = None
        for group in groups:
            lacking = [[writer.lacks(chunk) for chunk in outcome.chunks] for outcome in group]
            coming = thread.submit(_embed, group, lacking, embedder)
            if ahead is not None:
                yield from ahead.result()
            ahead = coming
        if ahead is not None:
            yield from ahead.result()


def _embed(group: list[Outcome], lacking: list[list[bool]], embedder: Embedder) -> list[Outcome]:
    chunks = [chunk for outcome in group for chunk in outcome.chunks]
    wanted = np.array([lacks for each in lacking for lacks in each], dtype=np.bool_)
    vectors = np.zeros((len(chunks), embedder.dimensions), dtype=np.float32)
    if wanted.any():
        vectors[wanted] = embedder.embed([chunk.meaning for chunk, lacks in zip(chunks, wanted, strict=True) if lacks])
    ends = np.cumsum([len(outcome.chunks) for outcome in group])
    return [replace(outcome, vectors=part) for outcome, part in zip(group, np.split(vectors, ends[:-1]), strict=True)]


def _remove(writer: Writer, changes: Changes, report: Report) -> None:
    for path in changes.gone:
        writer.remove(path)
        report.removed += path in changes.known


def _keep(outcome: Outcome, writer: Writer, changes: Changes, report: Report) -> None:
    path = outcome.found.path
    if outcome.note is None:
        writer.skip(path, outcome.found.stamp, outcome.reason)
        return
    if outcome.same:
        writer.touch(path, outcome.note.stamp)
        report.touched += 1
        return
    writer.put(outcome.note, outcome.chunks, outcome.vectors)
    if path in changes.known:
        report.changed += 1
    else:
        report.added += 1
    report.redacted += [(path, redaction.line, redaction.rule) for redaction in outcome.note.redactions]
    if outcome.note.warnings:
        report.warned[path] = "; ".join(outcome.note.warnings)


def _by_size(files: Sequence[Found], size: int) -> Iterator[list[Found]]:
    """Yield runs of files of about `size` bytes together."""
    run: list[Found] = []
    total = 0
    for found in files:
        run.append(found)
        total += found.stamp.size
        if total >= size:
            yield run
            run, total = [], 0
    if run:
        yield run
