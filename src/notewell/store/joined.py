"""The stores of several domains as one: each stays a file of its own, and only their answers come together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self, cast

import numpy as np

from notewell.errors import StoreAltered, StoreError
from notewell.store import About, Files, MadeFor, Snapshot, State, Store, Writing
from notewell.store.filters import count_tags
from notewell.store.links import LinkEnds, Standing
from notewell.store.tables.join import FindAcross, Join, joined_state
from notewell.store.texts import stored_texts
from notewell.types.note import Chunk, Note, Stamp, Vectors

if TYPE_CHECKING:
    from notewell.store.tables.snapshot import TableSnapshot

# Opens or returns the store of a domain.
Opens = Mapping[str, Callable[[], Store]]


class JoinedStore:
    """Several stores, by the names of their domains; `domain_of` tells to which of them a path belongs."""

    def __init__(self, stores: Opens, domain_of: Callable[[str], str], find_across: FindAcross) -> None:
        self._stores = stores
        self._domain_of = domain_of
        self._join = Join(find_across)

    @property
    def stores(self) -> tuple[Store, ...]:
        """Return the stores, each open."""
        return tuple(store() for store in self._stores.values())

    @property
    def in_place(self) -> bool:
        """Tell whether this is still what is stored: each store is opened again by itself if it was replaced."""
        return True

    @property
    def state(self) -> State:
        """Return the present state of all."""
        return joined_state([store.state for store in self.stores])

    def about(self, *, tags: bool = False) -> About:
        """Return the counts and sizes of all."""
        abouts = [store.about(tags=tags) for store in self.stores]
        state = self.state
        return About(
            notes=sum(about.notes for about in abouts),
            chunks=sum(about.chunks for about in abouts),
            links=sum(about.links for about in abouts),
            tags=count_tags(tag for about in abouts for tag, notes in about.tags.items() for _ in range(notes)),
            generation=state.generation,
            embedder=" and ".join(dict.fromkeys(about.embedder for about in abouts)),
            indexed_at=state.indexed_at,
            skipped={path: why for about in abouts for path, why in about.skipped.items()},
            bytes=sum(about.bytes for about in abouts),
            encoder=state.encoder,
            encoded=sum(about.encoded for about in abouts if about.encoder == state.encoder),
            unread=sum(about.unread for about in abouts if about.encoder == state.encoder),
        )

    def files(self) -> Files:
        """Return every indexed and skipped file of all."""
        every = [store.files() for store in self.stores]
        return Files(
            {path: stamp for files in every for path, stamp in files.notes.items()},
            {path: skip for files in every for path, skip in files.skipped.items()},
        )

    @contextmanager
    def reading(self, *, shown: bool = True) -> Iterator[Snapshot]:
        """Read one state of each, as one."""
        altered: StoreAltered | None = None
        with ExitStack() as stack:
            states = {name: stack.enter_context(store().reading(shown=shown)) for name, store in self._stores.items()}
            try:
                # Every store that ships has tables.
                yield self._join.of(cast("Mapping[str, TableSnapshot]", states))
            except StoreAltered as error:
                altered = error
        if altered is not None:
            self._disown()
            raise altered

    def _disown(self) -> None:
        """Read all of each store by itself, so that only the one that was altered is disowned and rebuilt."""
        for store in self.stores:
            with suppress(StoreAltered), store.reading() as snapshot:
                for _ in stored_texts(snapshot):
                    pass

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[JoinedBatch]:
        """Collect changes, and commit those of each store together."""
        with ExitStack() as stack:
            yield JoinedBatch(
                self._stores, lambda name: stack.enter_context(self._stores[name]().writing(wait=wait)), self._domain_of
            )

    @contextmanager
    def locked(self, purpose: str = "index", *, wait: float = 0) -> Iterator[None]:
        """Hold the locks of all, always in the same order."""
        with ExitStack() as stack:
            for store in self.stores:
                stack.enter_context(store.locked(purpose, wait=wait))
            yield

    def tidy(self) -> None:
        """Do the maintenance that is due."""
        for store in self.stores:
            store.tidy()

    def check(self) -> Sequence[str]:
        """Return what is wrong with any of them."""
        return [problem for store in self.stores for problem in store.check()]

    def copy_to(self, file: Path) -> None:
        """Refuse: a copy is of one store."""
        one_by_one()

    def beside(self, content: MadeFor | Path) -> Self:
        """Refuse: a store is built for one domain."""
        one_by_one()

    def replace_by(self, other: Self) -> None:
        """Refuse: a store is replaced for one domain."""
        one_by_one()

    def release_memory(self) -> None:
        """Free the memory that searches have filled."""
        self._join.release()
        for store in self.stores:
            store.release_memory()

    def close(self) -> None:
        """Forget what searches share; the stores are closed where they were opened."""
        self._join.release()


class JoinedBatch:
    """Changes of several stores: those of each are in one transaction, which begins with the first of them."""

    def __init__(self, names: Iterable[str], begin: Callable[[str], Writing], domain_of: Callable[[str], str]) -> None:
        self._names = tuple(names)
        self._begin = begin
        self._domain_of = domain_of
        self._begun: dict[str, Writing] = {}

    def _of(self, path: str) -> Writing:
        return self._in(self._domain_of(path))

    def _in(self, name: str) -> Writing:
        if name not in self._begun:
            self._begun[name] = self._begin(name)
        return self._begun[name]

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether the store of the chunk's domain lacks its vector."""
        return self._of(chunk.path).lacks(chunk)

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in the store of its domain."""
        self._of(note.path).put(note, chunks, vectors)

    def remove(self, path: str) -> None:
        """Delete a note, in whichever store it is."""
        for name in self._names:
            self._in(name).remove(path)

    def touch(self, path: str, stamp: Stamp) -> None:
        """Store a new stamp for a note."""
        self._of(path).touch(path, stamp)

    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Keep why a file cannot be indexed."""
        self._of(path).skip(path, stamp, reason, again)

    def keep_edges(self, ends: Mapping[int, LinkEnds], site_root: str = "") -> None:
        """Refuse: a store keeps only links within it."""
        one_by_one()

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Refuse: notes stand as the links within their store have it."""
        one_by_one()

    def keep_vectors(self, kind: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors, each where its chunk is."""
        owners = np.array([self._domain_of(chunk.path) for chunk in chunks])
        for name in dict.fromkeys(owners.tolist()):
            places = np.flatnonzero(owners == name)
            self._in(name).keep_vectors(kind, [chunks[place] for place in places.tolist()], vectors[places])


def one_by_one() -> NoReturn:
    """Raise the error for what is done with one store at a time."""
    raise StoreError("Several domains have no store in common", "Name one of them with `--domain`")
