"""Several states as one: the stores of some domains, each in its own file, searched with statistics over all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock

import numpy as np

from notewell.store import EMBEDDER, Linked, Snapshot, State
from notewell.store.links import LinkEnds
from notewell.store.tables.arrays import Arrays
from notewell.store.tables.joined import JoinedReader, Part, place_parts
from notewell.store.tables.links import TableLinked
from notewell.store.tables.seal import NO_SEALS, Seals
from notewell.store.tables.snapshot import TableSnapshot
from notewell.types.note import Vectors


class JoinedSnapshot(TableSnapshot):
    """One state of several stores. Ranks, words and filters are those of one store with all of their notes."""

    domains: tuple[str, ...] = ()
    parts: Sequence[Part] = ()
    states: Sequence[TableSnapshot] = ()

    def domain_of(self, chunk: int) -> str:
        """Return the name of the store that holds a chunk."""
        return self.domains[self._place_of(chunk)]

    def apart(self) -> dict[str, tuple[Snapshot, int]]:
        """Return the states of stores whose vectors another embedder made."""
        every = zip(self.domains, self.parts, self.states, strict=True)
        return {name: (state, part.slots) for name, part, state in every if not part.is_near}

    def vectors(self, ids: Sequence[int], kind: str = EMBEDDER) -> dict[int, Vectors | None]:
        """Return vectors; those of another embedder are as far as can be from all others."""
        is_mixed = kind == EMBEDDER and not all(part.is_near for part in self.parts)
        far = {chunk for chunk in ids if not self.parts[self._place_of(chunk)].is_near} if is_mixed else set[int]()
        found = super().vectors([chunk for chunk in ids if chunk not in far], kind)
        nothing = np.zeros(self.state.made_for.dimensions, dtype=np.float32)
        return dict(sorted({**found, **dict.fromkeys(far, nothing)}.items())) if far else found

    def _place_of(self, chunk: int) -> int:
        return bisect_right(self.parts, chunk, key=lambda part: part.slots) - 1


# Finds the links between stores in a state of all of them, which a name tells from others.
FindAcross = Callable[[Linked, str], Mapping[int, LinkEnds]]


class Join:
    """What the searches of several stores share, as `SqliteStore` has it for one."""

    def __init__(self, find_across: FindAcross = lambda linked, made: {}) -> None:
        self._lock = Lock()
        self._seals: Seals | None = None
        self._arrays: tuple[object, Arrays] | None = None
        self._find_across = find_across
        self._across: tuple[object, Mapping[int, LinkEnds]] | None = None

    def of(self, states: Mapping[str, TableSnapshot]) -> JoinedSnapshot:
        """Return states of stores, by the name of each, as one."""
        snapshots = [*states.values()]
        state = joined_state([snapshot.state for snapshot in snapshots])
        parts = [*_comparable(snapshots, state)]
        seals = self._seals_of(snapshots)
        # Without what is on a lost node, a store ends at another slot, and those after it begin elsewhere.
        made = tuple((own.state.id, own.state.notes_changed, own.state.lost) for own in snapshots)

        def across() -> Mapping[int, LinkEnds]:
            # Until all links are resolved, none between stores is known.
            linked = TableLinked(JoinedReader(parts), seals, state.generation)
            return self._load_across(linked, made) if state.links_resolved else {}

        reader = JoinedReader(parts, across)
        joined = JoinedSnapshot(reader, state, lambda: self._load_arrays(made, reader, state), seals)
        joined.domains, joined.parts, joined.states = tuple(states), parts, snapshots
        return joined

    def _load_across(self, linked: Linked, made: object) -> Mapping[int, LinkEnds]:
        if self._across is None or self._across[0] != made:
            self._across = made, self._find_across(linked, repr(made))
        return self._across[1]

    def _seals_of(self, snapshots: Sequence[TableSnapshot]) -> Seals:
        if snapshots[0].seals is NO_SEALS:
            return NO_SEALS
        self._seals = self._seals or snapshots[0].seals.again()
        return self._seals

    def _load_arrays(self, made: object, reader: JoinedReader, state: State) -> Arrays:
        with self._lock:
            if self._arrays is None or self._arrays[0] != made:
                arrays = Arrays.load(reader, state.notes_changed, state.made_for.dimensions)
                # Nothing is near to a vector that cannot be compared.
                far = [
                    np.arange(part.slots, part.slots + part.last_slot + 1) for part in reader.parts if not part.is_near
                ]
                self._arrays = made, arrays._replace(dead=np.concatenate((arrays.dead, *far))) if far else arrays
            return self._arrays[1]

    def release(self) -> None:
        """Free the memory that searches have filled."""
        with self._lock:
            self._arrays = None


def _comparable(snapshots: Sequence[TableSnapshot], state: State) -> Iterator[Part]:
    """Yield the stores with their places, and which of their vectors can be compared."""
    words = -(-state.made_for.dimensions // 64)
    for part, snapshot in zip(place_parts([each.reader for each in snapshots]), snapshots, strict=True):
        own = snapshot.state
        is_near = own.made_for.embedder == state.made_for.embedder
        yield replace(part, words=words, is_near=is_near, is_encoded=own.encoder == state.encoder)


def joined_state(states: Sequence[State]) -> State:
    """Return the states of several stores as that of one: finished, resolved and own only if all are."""
    first = states[0]
    indexed = [state.indexed_at for state in states]
    return State(
        made_for=first.made_for,
        generation=sum(state.generation for state in states),
        notes_changed=sum(state.notes_changed for state in states),
        touched=sum(state.touched for state in states),
        indexed_at=max(indexed) if all(indexed) else "",
        encoder=next((state.encoder for state in states if state.encoder), ""),
        links_resolved=all(state.links_resolved for state in states),
        # Communities are those of one store each.
        standings_current=False,
        finished=all(state.finished for state in states),
        origin=next((state.origin for state in states if state.origin != "own"), "own"),
        newest=sum(state.newest or state.generation for state in states) if any(s.newest for s in states) else 0,
        lost=tuple(sorted({node for state in states for node in state.lost})),
        missing=sum(state.missing for state in states),
        id="".join(state.id for state in states),
    )
