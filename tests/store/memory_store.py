"""A store in memory, as slow and as plain as it can be: it proves that the seams need nothing of SQLite's."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import numpy as np
from tests.store.memory_snapshot import Kept, MemorySnapshot, text_of

from notewell.errors import StoreBusy
from notewell.store import (
    About,
    Files,
    MadeFor,
    Skip,
    State,
)
from notewell.store.filters import count_tags
from notewell.store.links import LinkEnds, Standing
from notewell.store.vectors import eight_bit
from notewell.types.note import Chunk, Note, Stamp, Vectors


class MemoryBatch:
    """Changes to a copy of the present state."""

    def __init__(self, kept: Kept, numbers: Iterator[int]) -> None:
        self.kept = kept.copy()
        self._numbers = numbers
        self._changed = self._touched = self._resolved = self._measured = self._derived = False

    def lacks(self, chunk: Chunk) -> bool:
        return text_of(chunk) not in self.kept.vectors

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        kept, before = self.kept, self.kept.notes.get(note.path)
        number = kept.ids.get(note.path) or next(self._numbers)
        edges = kept.edges.get(number)
        standing = kept.standings.get(number)
        self._clear(note.path)
        kept.ids[note.path], kept.notes[note.path] = number, note
        if before and edges is not None and before.aliases == note.aliases:
            kept.edges[number] = edges[:0]
        if standing:
            kept.standings[number] = standing
        for chunk, vector in zip(chunks, eight_bit(vectors), strict=True):
            kept.chunks[next(self._numbers)] = chunk
            kept.vectors.setdefault(text_of(chunk), vector.astype(np.float32))
        self._changed = True

    def remove(self, path: str) -> None:
        if self.kept.standings.pop(self._clear(path), None):
            self.kept = replace(self.kept, state=replace(self.kept.state, standings_mark=""))

    def touch(self, path: str, stamp: Stamp) -> None:
        note = self.kept.notes[path]
        self.kept.notes[path] = replace(note, stamp=stamp._replace(digest=note.stamp.digest))
        self._touched = True

    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        if self.kept.skipped.get(path, (None, ""))[1] != reason:
            self.remove(path)
            self._changed = True
        self.kept.skipped[path] = Skip(stamp, again), reason

    def keep_edges(self, ends: Mapping[int, LinkEnds], site_root: str = "") -> None:
        self.kept.edges.update(ends)
        self.kept = replace(self.kept, state=replace(self.kept.state, site_root=site_root))
        self._derived = self._resolved = True
        self._step(bool(ends))

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        changed = standings is not None
        kept = replace(self.kept, standings=dict(standings)) if standings is not None else self.kept
        self.kept = replace(kept, state=replace(kept.state, standings_mark=mark, finished=True))
        self._derived = self._measured = True
        self._step(changed)

    def keep_vectors(self, kind: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        if self.kept.state.encoder != kind:
            self.kept = replace(self.kept, encoded={}, state=replace(self.kept.state, encoder=kind))
        there = {text_of(chunk) for chunk in self.kept.chunks.values()}
        found = [(text_of(chunk), row) for chunk, row in zip(chunks, eight_bit(vectors), strict=True)]
        fresh = {text: row.astype(np.float32) if row.any() else None for text, row in found if text in there}
        self.kept.encoded.update(fresh)
        self._derived = True
        self._step(bool(fresh))

    def finish(self) -> Kept:
        self._step(self._changed)
        kept, state = self.kept, self.kept.state
        used = {text_of(chunk) for chunk in kept.chunks.values()}
        resolved = self._resolved or (state.links_resolved and not self._changed)
        current = self._measured or (state.standings_current and not self._resolved)
        changed = state.generation if self._changed else state.notes_changed
        state = replace(state, links_resolved=resolved, standings_current=current, notes_changed=changed)
        state = replace(state, touched=state.touched + self._touched)
        if self._changed or self._touched or not self._derived:
            state = replace(state, indexed_at=datetime.now(UTC).isoformat(timespec="seconds"))
        return replace(
            kept,
            state=state,
            vectors={text: vector for text, vector in kept.vectors.items() if text in used},
            encoded={text: vector for text, vector in kept.encoded.items() if text in used},
        )

    def _step(self, changed: bool) -> None:
        state = self.kept.state
        self.kept = replace(self.kept, state=replace(state, generation=state.generation + changed))

    def _clear(self, path: str) -> int:
        """Delete what a path holds, and return its id."""
        kept = self.kept
        self._changed |= kept.skipped.pop(path, None) is not None or path in kept.notes
        kept.notes.pop(path, None)
        for number in [number for number, chunk in kept.chunks.items() if chunk.path == path]:
            del kept.chunks[number]
        number = kept.ids.pop(path, 0)
        kept.edges.pop(number, None)
        return number


class Shared:
    """What all stores that were opened at one place share."""

    def __init__(self, made_for: MadeFor) -> None:
        self.kept = Kept(State(made_for))
        self.numbers = count(1)
        self.writing, self.locks = threading.Lock(), {"index": threading.Lock(), "encode": threading.Lock()}
        self.beside: Shared | None = None


class MemoryStore:
    """A store whose content is gone with the process."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @property
    def state(self) -> State:
        return self._shared.kept.state

    @property
    def in_place(self) -> bool:
        return True

    def release_memory(self) -> None:
        """Keep all: memory is where this store is."""

    def about(self, *, tags: bool = False) -> About:
        kept, state = self._shared.kept, self._shared.kept.state
        encoded = [vector is not None for vector in kept.encoded.values()]
        return About(
            notes=len(kept.notes),
            chunks=len(kept.chunks),
            links=sum(len(note.links) for note in kept.notes.values()),
            tags=count_tags(tag for note in kept.notes.values() for tag in note.tags if tags),
            generation=state.generation,
            embedder=state.made_for.embedder,
            indexed_at=state.indexed_at,
            skipped={path: reason for path, (_, reason) in sorted(kept.skipped.items())},
            encoder=state.encoder,
            encoded=sum(encoded),
            unread=len(encoded) - sum(encoded),
        )

    def files(self) -> Files:
        kept = self._shared.kept
        return Files(
            {path: note.stamp for path, note in kept.notes.items()},
            {path: skip for path, (skip, _) in kept.skipped.items()},
        )

    @contextmanager
    def reading(self, *, shown: bool = True) -> Iterator[MemorySnapshot]:
        yield MemorySnapshot(self._shared.kept)

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[MemoryBatch]:
        if not self._shared.writing.acquire(timeout=1 if wait else 0):
            raise StoreBusy("Somebody else is writing", "Wait")
        try:
            batch = MemoryBatch(self._shared.kept, self._shared.numbers)
            yield batch
            self._shared.kept = batch.finish()
        finally:
            self._shared.writing.release()

    @contextmanager
    def locked(self, purpose: str = "index", *, wait: float = 0) -> Iterator[None]:
        if not self._shared.locks[purpose].acquire(timeout=wait):
            raise StoreBusy("Somebody else has the lock", "Wait")
        try:
            yield
        finally:
            self._shared.locks[purpose].release()

    def tidy(self) -> None:
        pass

    def check(self) -> list[str]:
        kept = self._shared.kept
        stray = [number for number in {*kept.edges, *kept.standings} if number not in kept.ids.values()]
        return [f"{len(stray)} edges or standings of notes that are not there"] if stray else []

    def copy_to(self, file: Path) -> None:
        file.write_bytes(pickle.dumps(self._shared.kept))

    def beside(self, content: MadeFor | Path) -> MemoryStore:
        there = self._shared.beside
        if isinstance(content, Path):
            there = Shared(self.state.made_for)
            there.kept, there.numbers = pickle.loads(content.read_bytes()), self._shared.numbers
        elif there is None or there.kept.state.made_for != content:
            there = Shared(content)
        self._shared.beside = there
        return MemoryStore(there)

    def replace_by(self, other: MemoryStore) -> None:
        new, old = other._shared.kept, self._shared.kept
        generation = max(new.state.generation, old.state.generation) + 1
        used = {text_of(chunk) for chunk in new.chunks.values()}
        encoded, encoder = new.encoded, new.state.encoder
        if not encoder:
            encoded = {text: vector for text, vector in old.encoded.items() if text in used}
            encoder = old.state.encoder
        state = replace(new.state, generation=generation, notes_changed=generation, encoder=encoder)
        self._shared.kept, self._shared.numbers = replace(new, encoded=encoded, state=state), other._shared.numbers
        self._shared.beside = None

    def close(self) -> None:
        pass
