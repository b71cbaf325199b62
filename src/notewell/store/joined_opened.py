"""The stores of several domains, opened on first use, where a vault without domains has its one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from notewell.errors import StoreError
from notewell.files.safe_open import exists
from notewell.store import MadeFor, Store
from notewell.store.joined import JoinedStore
from notewell.store.opened import Found, OpenedStore
from notewell.store.tables.join import FindAcross
from notewell.types.notices import Notice


class JoinedStorage(OpenedStore):
    """The stores of several domains; each has a file of its own, whose name has the domain's."""

    def __init__(
        self,
        parts: Mapping[str, OpenedStore],
        file: Path,
        domain_of: Callable[[str], str],
        find_across: FindAcross,
    ) -> None:
        """Take the opened stores by domain; `file` is where one store for all of them would be."""
        root = next(iter(parts.values())).root
        super().__init__(file, root, lambda: MadeFor("", 0, ""))
        self.parts = parts
        opens = {name: _opener(name, part) for name, part in parts.items()}
        self._joined = JoinedStore(opens, domain_of, find_across, lambda: self.exists)

    @property
    def place(self) -> str:
        """Return where the stores are, for people."""
        return ", ".join(part.place for part in self.parts.values())

    @property
    def bytes(self) -> int:
        """Return how large the files are."""
        return sum(part.bytes for part in self.parts.values())

    @property
    def is_remote(self) -> bool:
        """Tell whether the stores are on a server."""
        return any(part.is_remote for part in self.parts.values())

    @property
    def store(self) -> JoinedStore:
        """Return the stores as one; those that are missing are created."""
        return self._joined

    @property
    def stores(self) -> tuple[Store, ...]:
        """Return the stores themselves."""
        return self._joined.stores

    def retried(self, search: Callable[[], Found]) -> Found:
        """Return what a search finds; if its server is lost meanwhile, repeat it on another."""
        return next(iter(self.parts.values())).retried(search)

    def repaired(self) -> Store:
        """Return the stores, each opened if it can be."""
        return self._joined

    @property
    def exists(self) -> bool:
        """Tell whether every domain has a store."""
        return all(part.exists for part in self.parts.values())

    @property
    def is_foreign(self) -> bool:
        """Tell whether a store was made elsewhere or altered."""
        return any(part.is_foreign for part in self.parts.values())

    @property
    def is_made_here(self) -> bool:
        """Tell whether every store says that it was made for this folder."""
        return all(part.is_made_here for part in self.parts.values())

    def check_indexed(self) -> None:
        """Raise an error if a domain was never indexed, or if its store cannot be trusted."""
        for part in self.parts.values():
            part.check_indexed()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return what the user should know before a run."""
        return tuple(dict.fromkeys(notice for part in self.parts.values() for notice in part.notices))

    def drop_build(self) -> None:
        """Delete builds that nobody uses any more."""
        for part in self.parts.values():
            part.drop_build()

    def backup(self, file: Path) -> tuple[Path, ...]:
        """Write each store to a file of its own beside `file`, with the domain's name in its name."""
        if taken := next(filter(exists, self.backups(file)), None):
            raise StoreError(f"{taken} exists already", "Choose a new name: a backup never overwrites a file")
        self.check_indexed()
        for part, copy in zip(self.parts.values(), self.backups(file), strict=True):
            part.backup(copy)
        return self.backups(file)

    def restore(self, file: Path, wait: float, *, force: bool = False) -> Path | None:
        """Replace each store by its backup; one that is missing or damaged is found out before any is replaced."""
        files = self.backups(file)
        if missing := next((copy for copy in files if not exists(copy)), None):
            raise StoreError(
                f"There is no file {missing}", "Domains have a backup each: restore one alone with `--domain NAME`"
            )
        for part, copy in zip(self.parts.values(), files, strict=True):
            part.check_backup(copy, force=force)
        owners = [part.restore(copy, wait, force=force) for part, copy in zip(self.parts.values(), files, strict=True)]
        return next(filter(None, owners), None)

    def backups(self, file: Path) -> tuple[Path, ...]:
        """Return the file of each domain's backup."""
        return tuple(of_domain(file, name) for name in self.parts)

    def take_over(self, source: Store, tell: Callable[[int, int], None], wait: float) -> Sequence[str]:
        """Replace each store by its domain's of another kind; return what is wrong with the copies."""
        assert isinstance(source, JoinedStore), "both have the same domains"
        pairs = zip(self.parts.values(), source.stores, strict=True)
        problems: Iterable[Sequence[str]] = [part.take_over(store, tell, wait) for part, store in pairs]
        return [problem for each in problems for problem in each]

    def close(self) -> None:
        """Close all stores; the next use opens them again."""
        self._joined.close()
        for part in self.parts.values():
            part.close()


def _opener(name: str, part: OpenedStore) -> Callable[[], Store]:
    """Return a function that opens a store, and makes none: that is for the runs of its domain."""

    def store() -> Store:
        if not part.exists:
            raise StoreError(f"The domain '{name}' has no store", "Run `notewell index`")
        return part.store

    return store


def of_domain(file: Path, domain: str) -> Path:
    """Return the file of a domain, beside the file for all.

    >>> of_domain(Path("notes/store.db"), "fitness").name, of_domain(Path("backup"), "fitness").name
    ('store.fitness.db', 'backup.fitness')
    """
    return file.with_name(f"{file.stem}.{domain}{file.suffix}") if domain else file
