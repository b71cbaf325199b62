"""What this process may show of a store: nothing that its own settings exclude, checked in the state that answers.

Processes with other settings share a store, and one may add at any moment what another excludes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from notewell.errors import StoreBusy, StoreError
from notewell.files.survey import WalkRules
from notewell.index.walk import left_out
from notewell.store import About, Snapshot, Store
from notewell.store.opened import OpenedStore
from notewell.types.notices import Notice
from notewell.types.results import Hit, Results

# How often excluded notes are removed that another process adds again meanwhile.
TRIES = 3
# Steps of a score whose reasons name other notes.
NAMES_NOTES = ("linked", "called")


class Shown:
    """The states of a vault's store, each without what the settings exclude; `rules` returns those of this moment."""

    def __init__(self, root: Path, rules: Callable[[], WalkRules], opened: OpenedStore) -> None:
        self._root = root
        self._rules = rules
        self._opened = opened
        # The last state that was compared with the settings, and the notes and skipped files that they exclude of it.
        self._compared: tuple[object, frozenset[str]] = (None, frozenset())

    @contextmanager
    def answering(self) -> Iterator[Snapshot]:
        """Read one state that has nothing excluded; if that cannot be removed now, there is no answer."""
        with self.searching(hides=False) as (snapshot, _):
            yield snapshot

    @contextmanager
    def searching(self, *, hides: bool = True) -> Iterator[tuple[Snapshot, frozenset[str]]]:
        """Read one state, with the paths in it that are excluded and cannot be removed now: `without` hides them.

        If the answer `hides` nothing, there is none as long as there are any.
        """
        left = TRIES
        while True:
            store = self._opened.store
            with store.reading() as snapshot:
                excluded = self._excluded_in(store, snapshot)
                if not excluded or not left:
                    if excluded and not hides:
                        fact = "Notes that the settings exclude cannot be removed from the store now"
                        raise StoreBusy(fact, "Try again later")
                    yield snapshot, excluded
                    return
            left = left - 1 if _remove(store, excluded) else 0

    def forget_excluded(self) -> None:
        """Remove what the settings exclude by now from a vault that is indexed, if the store can be written."""
        if self._opened.is_indexed:
            with self.searching():
                pass

    @property
    def store(self) -> Store:
        """Return the store itself, in which there may be more than is shown."""
        return self._opened.store

    def _excluded_in(self, store: Store, snapshot: Snapshot) -> frozenset[str]:
        """Return what the settings exclude of a state; compared once for each state of the notes and the settings."""
        rules = self._rules()
        if not rules.include and not rules.exclude and rules.territory is None:
            return frozenset()
        state = (rules, store, snapshot.state.notes_changed)
        compared, excluded = self._compared
        if compared != state:
            # The notes of this very state: the store may be further by now, and a replica not as far.
            excluded = frozenset(left_out(self._root, (*snapshot.ids(), *store.files().skipped), rules))
            self._compared = state, excluded
        return excluded


def _remove(store: Store, paths: Collection[str]) -> bool:
    """Remove these files from a store; tell whether that was possible."""
    try:
        with store.locked(), store.writing(wait=False) as writer:
            for path in sorted(paths):
                writer.remove(path)
    except StoreError:
        return False
    return True


def lag(snapshot: Snapshot) -> tuple[Notice, ...]:
    """Return notices for a state of a replica that is behind by more than usual, or of which a part is missing."""
    state, found = snapshot.state, []
    if state.newest:
        found.append(Notice("replica_behind", {"generation": state.generation, "newest": state.newest}))
    if state.lost:
        found.append(Notice("nodes_lost", {"nodes": ", ".join(state.lost), "count": state.missing}))
    return tuple(found)


def visible(about: About, excluded: Collection[str]) -> About:
    """Return the counts of a store without what they say of excluded files: their names, and any tags."""
    if not excluded:
        return about
    return replace(about, tags={}, skipped={path: why for path, why in about.skipped.items() if path not in excluded})


def without(results: Results, excluded: Collection[str]) -> Results:
    """Return results without hits in excluded notes, and without what else may come from these.

    That is the reasons of other hits, notices that suggest words or names, and how the query was read.
    """
    if not excluded:
        return results
    hits = tuple(_alone(hit, excluded) for hit in results.hits if hit.path not in excluded)
    count = len(results.hits) - len(hits)
    notices = (Notice("files_gone", {"count": count}),) if count else ()
    return replace(results, hits=hits, notices=notices, read_as=None)


def _alone(hit: Hit, excluded: Collection[str]) -> Hit:
    also = tuple(place for place in hit.also if place.rpartition(":")[0] not in excluded)
    trace = tuple(replace(step, why="") if step.by in NAMES_NOTES else step for step in hit.trace)
    return replace(hit, also=also, trace=trace)
