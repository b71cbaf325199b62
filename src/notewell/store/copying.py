"""The content of one store put into another, of whatever kind: nothing is read from notes or embedded again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise

import numpy as np

from notewell.errors import StoreBusy, StoreUnreachable
from notewell.store import EMBEDDER, Files, NoteFacts, Snapshot, Store
from notewell.store.links import NOWHERE, TO_FILE, LinkEnds, NoteName
from notewell.types.note import Chunk, Link, Note, Stamp, Vectors
from notewell.types.query import EVERYTHING

# Notes that are read together, and chunks that are written with one commit: a few seconds' work, which a kill loses.
READ, WRITTEN = 200, 4_000
# How often a state is read that has changed before its files were read.
TRIES = 20
WHEN_BACK = "Try again once `notewell server nodes` shows them as running; nothing was lost"
# What NoteFacts say of a note whose day is its file's, or that has none.
NOT_OF_NOTE = ("", "file")


def copy_content(source: Store, target: Store, tell: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Put everything that a store holds into another, which may hold a part of it already; then both say the same.

    `tell` is called with the number of notes that are done, and of all.
    """
    with _unchanged(source) as (snapshot, files, reasons):
        _copy_notes(snapshot, target, files, tell)
        with target.writing() as writer:
            for path, skip in files.skipped.items():
                writer.skip(path, skip.stamp, reasons.get(path, ""), skip.again)
        _copy_derived(snapshot, target)
        _copy_encoded(snapshot, target, snapshot.within(EVERYTHING))


def copy_notes(source: Store, target: Store, paths: Collection[str]) -> None:
    """Put some notes of a store into another with their vectors, those of the encoder too; both must be locked."""
    with source.reading() as snapshot:
        stamps, there = source.files().notes, target.files().notes
        wanted = [name for name in snapshot.names() if name.path in paths and there.get(name.path) != stamps[name.path]]
        for group in _batches(snapshot, wanted):
            with target.writing() as writer:
                for note, chunks, vectors in _notes(snapshot, group, stamps):
                    writer.put(note, chunks, vectors)
        if target.state.encoder in ("", snapshot.state.encoder):
            _copy_encoded(snapshot, target, [slot for path in paths for slot in snapshot.chunks_of(path)])


@contextmanager
def _unchanged(source: Store) -> Iterator[tuple[Snapshot, Files, Mapping[str, str]]]:
    """Read one state with its files, which are read apart: again, if a writer comes in between."""
    for _ in range(TRIES):
        # What is read is checked as if it were shown: an altered row must not become a sound one elsewhere.
        with source.reading() as snapshot:
            if snapshot.state.lost:
                nodes = " and ".join(snapshot.state.lost)
                raise StoreUnreachable(f"The database cannot reach {nodes}, so a copy would be incomplete", WHEN_BACK)
            files, reasons = source.files(), source.about().skipped
            if source.state.notes_changed == snapshot.state.notes_changed:
                yield snapshot, files, reasons
                return
    raise StoreBusy("Another process is writing to the store all the time", "Wait for it to end, then try again")


def _copy_notes(snapshot: Snapshot, target: Store, files: Files, tell: Callable[[int, int], None]) -> None:
    there = target.files().notes
    gone = [path for path in there if path not in files.notes]
    names = snapshot.names()
    wanted = [name for name in names if there.get(name.path) != files.notes[name.path]]
    done = len(names) - len(wanted)
    if names:
        tell(done, len(names))
    for group in _batches(snapshot, wanted):
        with target.writing() as writer:
            for path in gone:
                writer.remove(path)
            gone = []
            for note, chunks, vectors in _notes(snapshot, group, files.notes):
                writer.put(note, chunks, vectors)
        done += len(group)
        if group:
            tell(done, len(names))


def _batches(snapshot: Snapshot, names: Sequence[NoteName]) -> Iterator[list[NoteName]]:
    """Yield the notes in groups that are written with one commit; at least one, so that an empty store is one, too."""
    group: list[NoteName] = []
    size = 0
    for name in names:
        if size >= WRITTEN:
            yield group
            group, size = [], 0
        group.append(name)
        size += len(snapshot.chunks_of(name.path))
    yield group


def _notes(
    snapshot: Snapshot, names: Sequence[NoteName], stamps: Mapping[str, Stamp]
) -> Iterator[tuple[Note, list[Chunk], Vectors]]:
    """Yield notes as they were put, with their chunks and vectors."""
    for first in range(0, len(names), READ):
        group = names[first : first + READ]
        facts, links = snapshot.notes([name.path for name in group]), snapshot.links_of([name.id for name in group])
        slots = [snapshot.chunks_of(name.path) for name in group]
        every = [slot for each in slots for slot in each]
        chunks, vectors = snapshot.chunks(every), snapshot.vectors(every, EMBEDDER)
        for name, own in zip(group, slots, strict=True):
            # Slots need not be in the order of the text, which decides which chunk is the first.
            own = sorted(own, key=lambda slot: (chunks[slot].line, chunks[slot].start, slot))
            of_note = [chunks[slot] for slot in own]
            rows = [row for slot in own if (row := vectors[slot]) is not None]
            note = _note(name, facts[name.path], links.get(name.id, ()), stamps[name.path], of_note)
            yield note, of_note, np.array(rows, np.float32).reshape(len(rows), -1)


def _note(name: NoteName, facts: NoteFacts, links: tuple[Link, ...], stamp: Stamp, chunks: Sequence[Chunk]) -> Note:
    own_day = facts.dated_by not in NOT_OF_NOTE
    return Note(
        name.path,
        "",
        stamp,
        title=name.title,
        fields=facts.fields,
        links=links,
        # With those of its fields, which come first.
        inline_tags=chunks[0].tags if chunks else (),
        day=facts.day if own_day else "",
        dated_by=facts.dated_by if own_day else "",
        properties=chunks[0].properties if chunks else "",
    )


def _copy_derived(snapshot: Snapshot, target: Store) -> None:
    """Copy where links lead and how notes stand, by the ids that notes have in the other store."""
    state = snapshot.state
    with target.reading(shown=False) as other:
        ids = other.ids()
    new_id = {old: ids[path] for path, old in snapshot.ids().items()}
    if state.links_resolved:
        with target.writing() as writer:
            writer.keep_edges(dict(_edges(snapshot, new_id)), state.site_root)
    if state.finished:
        standings = {ids[path]: standing for path, standing in snapshot.standings().items()}
        with target.writing() as writer:
            writer.keep_standings(state.standings_mark, standings)


def _edges(snapshot: Snapshot, new_id: Mapping[int, int]) -> Iterator[tuple[int, LinkEnds]]:
    edges = snapshot.edges()
    ids = {NOWHERE: NOWHERE, TO_FILE: TO_FILE, **new_id}
    targets = np.array([ids.get(target, NOWHERE) for target in edges.targets.tolist()], np.uint32)
    rows = np.stack((edges.hashes, targets), axis=1) if targets.size else np.zeros((0, 2), np.uint32)
    # The sources are in order, each with all of its links.
    bounds = np.searchsorted(edges.sources, [*edges.notes.tolist(), 1 << 32])
    for note, (start, end) in zip(edges.notes.tolist(), pairwise(bounds.tolist()), strict=True):
        yield new_id[note], rows[start:end]


def _copy_encoded(snapshot: Snapshot, target: Store, slots: Sequence[int]) -> None:
    """Copy the encoder's vectors of these chunks, as far as there are any."""
    encoder = snapshot.state.encoder
    if not encoder:
        return
    for first in range(0, len(slots), WRITTEN):
        group = slots[first : first + WRITTEN]
        found = snapshot.vectors(group, encoder)
        chunks = snapshot.chunks([*found])
        size = next((row.size for row in found.values() if row is not None), 1)
        rows = np.array([np.zeros(size) if row is None else row for row in found.values()], np.float32)
        if found:
            with target.writing() as writer:
                writer.keep_vectors(encoder, [*chunks.values()], rows.reshape(len(found), -1))
