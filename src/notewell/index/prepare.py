"""One file on its way to the store: read, redacted, parsed, chunked, embedded."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from notewell.embed import Embedder, check_length
from notewell.errors import NoteError, NoteOutOfReach
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index.chunk import ChunkRules
from notewell.index.dates import DateRules, date_note
from notewell.index.lent import NOTHING_LENT, Lent
from notewell.index.properties import property_text
from notewell.index.readers import load, read
from notewell.index.readers.loading import shape_of
from notewell.index.readers.sandbox import Extraction
from notewell.index.spread import Spread
from notewell.index.walk import VaultFile
from notewell.redact import redact, redact_parsed, rules_digest
from notewell.store import Writing
from notewell.types.note import Chunk, Note, Outline, Vectors
from notewell.types.notices import Notice

if TYPE_CHECKING:
    from concurrent.futures import Future

# Grows when terms, or the text that is embedded, change in a way that old stores do not have.
RECIPE = 7
NO_VECTORS: Vectors = np.zeros((0, 0), dtype=np.float32)

# A file to prepare, and the digest that the store has for it.
Job = tuple[VaultFile, str]


@frozen
class Batches:
    """How much is done at once: a batch of notes is one transaction, which is what a kill can cost."""

    bytes: int = 24 << 20
    """Bytes of notes in one batch, all of which it holds in memory."""
    seconds: float = 30.0
    """Seconds after which a batch takes no more notes, with a slow embedder."""
    embedded: int = 256 << 10
    """Bytes of notes embedded at once, in a thread, while the next notes are read."""
    alone: int = 8 << 20
    """Bytes of notes that one process prepares and stores; with more to do, a second one prepares them."""
    spread: Spread | None = None
    """Workers that prepare and embed instead."""


@frozen
class Source:
    """The folder to index, which of its files are notes, how they are cut into chunks, and where to find dates."""

    root: Path
    walk: WalkRules = WalkRules()
    chunk: ChunkRules = ChunkRules()
    batches: Batches = Batches()
    dates: DateRules = DateRules()
    lent: Lent = field(default=NOTHING_LENT, compare=False, repr=False)
    """Vectors of notes that come from other stores."""

    @property
    def recipe(self) -> str:
        """Return what, beside the embedder, decides what is stored of a note; a store of another recipe is outdated."""
        # A store made before a rule against secrets was added may hold what that rule takes out.
        # Formats of a vault are only compared: what stands in them is not for the store.
        dates = hashlib.blake2b(repr(self.dates).encode(), digest_size=8).hexdigest()
        return f"{RECIPE} {rules_digest()} {self.chunk} {dates}"


@frozen
class Outcome:
    """One file, read: a note with its chunks and vectors, an unchanged note, or the reason there is none.

    `again` asks the next run to try the file again, though it did not change.
    """

    found: VaultFile
    note: Note | None = None
    chunks: Sequence[Chunk] = ()
    vectors: Vectors = field(default_factory=lambda: NO_VECTORS)
    same: bool = False
    reason: str = ""
    again: bool = False

    @property
    def path(self) -> str:
        """Return the file's path from the root."""
        return self.found.path

    def store_in(self, writer: Writing) -> None:
        """Store the note, or why there is none."""
        if self.note is None:
            writer.skip(self.path, self.found.stamp, self.reason, self.again)
        elif self.same:
            writer.touch(self.path, self.note.stamp)
        else:
            writer.put(self.note, self.chunks, self.vectors)


def prepare(found: VaultFile, known: str, source: Source, extraction: Extraction) -> Outcome:
    """Read one file, take its secrets out, parse and chunk it; `known` is the digest the store has for it."""
    try:
        data, stamp = load(source.root, found, source.walk)
        if stamp.digest == known:
            return Outcome(found, Note(found.path, "", stamp), same=True)
        return parse_and_chunk(found, redact(read(found.path, data, stamp, extraction)), source)
    except NoteError as error:
        return Outcome(found, reason=error.fact, again=isinstance(error, NoteOutOfReach))
    except Exception as error:
        # A bug of ours in one format must not cost the user the other notes; the report names the file. The error's
        # own message may quote the note, secrets included, so only its type is shown.
        return Outcome(found, reason=f"cannot be parsed ({type(error).__name__})")


def parse_and_chunk(found: VaultFile, note: Note, source: Source) -> Outcome:
    """Parse a note that has no secrets any more, and cut it into chunks."""
    shape = shape_of(found.path)
    note = date_note(redact_parsed(shape.parse(note)), source.dates)
    note = replace(note, properties=property_text(note.fields))
    return Outcome(found, note, shape.chunk(note, source.chunk))


def without_text(outcome: Outcome) -> Outcome:
    """Return an outcome without what only cutting its note into chunks needed."""
    note = outcome.note and replace(outcome.note, text="", outline=Outline(), parts=())
    return replace(outcome, note=note)


class Preparing(Protocol):
    """Prepares groups of files, in this process or in others."""

    @property
    def depth(self) -> int:
        """Return how many groups may be begun before the first of them is needed."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return what the user should know when the run is over."""

    def begin(self, jobs: Sequence[Job]) -> Callable[[], list[Outcome]]:
        """Begin a group, and return a function that waits for it."""


class Here:
    """Prepares each group in this process, when it is needed."""

    depth = 0
    notices: tuple[Notice, ...] = ()

    def __init__(self, source: Source, extraction: Extraction) -> None:
        self._source = source
        self._extraction = extraction

    def begin(self, jobs: Sequence[Job]) -> Callable[[], list[Outcome]]:
        """Return a function that prepares a group."""
        return lambda: [prepare(*job, self._source, self._extraction) for job in jobs]


def prepared(jobs: Iterable[Job], preparing: Preparing, size: int) -> Iterator[list[Outcome]]:
    """Yield the outcomes of files in their order, in groups of `size` bytes of files."""
    begun: deque[Callable[[], list[Outcome]]] = deque()
    for group in _groups(jobs, size):
        begun.append(preparing.begin(group))
        if len(begun) > preparing.depth:
            yield begun.popleft()()
    while begun:
        yield begun.popleft()()


def _groups(jobs: Iterable[Job], size: int) -> Iterator[list[Job]]:
    group: list[Job] = []
    held = 0
    for job in jobs:
        group.append(job)
        held += job[0].stamp.size
        if held >= size:
            yield group
            group, held = [], 0
    if group:
        yield group


def embedded(
    groups: Iterator[list[Outcome]], writer: Writing, embedder: Embedder, dimensions: int
) -> Iterator[Outcome]:
    """Yield the outcomes with the vectors that the store lacks, embedding one group while the next is read.

    Those that workers have embedded stay as they are.
    """
    # Most commands write nothing; they do not pay for this import.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(max_workers=1) as thread:
        ahead: Future[list[Outcome]] | None = None
        for group in groups:
            lacking = [writer.lacks(chunk) for outcome in group for chunk in _unembedded(outcome)]
            coming = thread.submit(_embed, group, lacking, embedder, dimensions, ahead)
            if ahead is not None:
                yield from ahead.result()
            ahead = coming
        if ahead is not None:
            yield from ahead.result()


def _embed(
    group: list[Outcome],
    lacking: list[bool],
    embedder: Embedder,
    dimensions: int,
    before: Future[list[Outcome]] | None,
) -> list[Outcome]:
    if before is not None:
        # There is one thread, so it is done by now. If it failed, do not ask the server in vain for this group too.
        before.result()
    wanted = np.array(lacking, dtype=np.bool_)
    vectors = np.zeros((wanted.size, dimensions), dtype=np.float32)
    if wanted.any():
        chunks = (chunk for outcome in group for chunk in _unembedded(outcome))
        texts = [chunk.meaning for chunk, lacks in zip(chunks, lacking, strict=True) if lacks]
        vectors[wanted] = check_length(embedder.embed(texts), dimensions, embedder)
    ends = np.cumsum([len(_unembedded(outcome)) for outcome in group])
    parts = zip(group, np.split(vectors, ends[:-1]), strict=True)
    return [outcome if len(outcome.vectors) else replace(outcome, vectors=part) for outcome, part in parts]


def _unembedded(outcome: Outcome) -> Sequence[Chunk]:
    """Return the chunks of an outcome that no worker has embedded."""
    return () if len(outcome.vectors) else outcome.chunks
