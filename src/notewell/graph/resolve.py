"""Where a link leads: to which note of the vault, as Obsidian decides it, and as a site of the same files would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from notewell.names.paths import FRONT_PAGES, SUFFIX, Paths, fold, hash_of, last_name, spellings
from notewell.store.links import NOWHERE, TO_FILE, NoteName
from notewell.types.note import Link

# A site's own top folder is not the vault's; less than this of an address, without it, would say nothing.
LEAST_NAMES = 2


@dataclass(frozen=True, slots=True)
class Address:
    """What a link says of its target: a folded path, and whether it is counted from the note, the root, or nowhere.

    A link within its own note has the base `here`.
    """

    path: str
    base: str
    kind: str

    @property
    def name(self) -> str:
        """Return the last name in it, which the target must have."""
        return last_name(self.path)


class Written(Protocol):
    """A link, as far as its address goes."""

    @property
    def target(self) -> str:
        """Return what it names."""

    @property
    def kind(self) -> str:
        """Return how it is written: wiki, markdown, file."""


def read_address(link: Written, source: str) -> Address | None:
    """Return where a link in the note at `source` points; nothing, if out of the vault.

    >>> read_address(Link("../Bees.md", 1, "markdown"), "garden/hive/a.md")
    Address(path='garden/bees.md', base='path', kind='markdown')
    >>> read_address(Link("Bees", 1), "garden/a.md").base, read_address(Link("/Bees", 1), "garden/a.md").base
    ('name', 'root')
    """
    target = fold(link.target.strip().replace("\\", "/"))
    if not target:
        return Address(fold(source), "here", link.kind)
    if target.startswith(("./", "../")) or target in (".", ".."):
        path = _joined(fold(source).rpartition("/")[0], target)
        return None if path is None else Address(path, "path", link.kind)
    base = "root" if target.startswith(("/", "~/")) else "name"
    path = _joined("", target.removeprefix("~") if base == "root" else target)
    if path is None and link.kind == "markdown":
        path, base = _joined(fold(source).rpartition("/")[0], target), "path"
    return None if path is None else Address(path, base, link.kind)


def _joined(folder: str, target: str) -> str | None:
    """Return a path from the root; nothing, if it leads above it."""
    if not folder and "./" not in target and "//" not in target and not target.endswith("."):
        return target.strip("/")
    names = folder.split("/") if folder else []
    for name in target.split("/"):
        if name == ".." and not names:
            return None
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)


class Resolver:
    """The notes of a vault, and its other files, to be asked where a link leads."""

    def __init__(self, names: Sequence[NoteName], files: Callable[[], Iterable[str]]) -> None:
        """Take the notes' names; `files` lists the vault's other files, if a link looks like one's."""
        self._ids = {named.path: named.id for named in names}
        self._notes = Paths(self._ids)
        self._list_files = files
        self._aliases: dict[str, str] = {}
        for named in sorted(
            (named for named in names if named.aliases), key=lambda named: (len(named.path), named.path)
        ):
            for alias in named.aliases:
                self._aliases.setdefault(fold(alias), named.path)

    @cached_property
    def _files(self) -> Paths:
        return Paths(self.others)

    @cached_property
    def others(self) -> Sequence[str]:
        """Return the files of the vault that are no notes."""
        return tuple(self._list_files())

    @cached_property
    def _folders(self) -> Mapping[str, str]:
        folders = {path.rpartition("/")[0] for path in (*self._ids, *self.others)}
        above = {folder[:at] for folder in folders for at, sign in enumerate(folder) if sign == "/"}
        return {fold(folder): folder for folder in sorted(folders | above)}

    def ends(self, link: Link, source: str) -> tuple[int, int]:
        """Return what is stored of a link: the hash of the name it gives, and the note it leads to."""
        address = read_address(link, source)
        if address is None:
            return 0, NOWHERE
        path = self.note_at(address, source)
        target = self._ids[path] if path else TO_FILE if self.file_at(address, source) else NOWHERE
        return hash_of(address.name), target

    def note_at(self, address: Address, source: str) -> str:
        """Return the note that an address in the note at `source` leads to, or nothing."""
        if address.base == "here":
            return source
        path = _found(self._notes, address, source)
        if path or address.base != "name" or address.kind == "markdown":
            return path
        return self._aliases.get(address.path, "")

    def file_at(self, address: Address, source: str) -> str:
        """Return the file that is no note to which an address leads, or nothing."""
        return _found(self._files, address, source) if SUFFIX.search(address.path) else ""

    def folder_at(self, address: Address, source: str) -> str:
        """Return the folder to which an address leads, ending in a slash, or nothing; wikilinks lead to none."""
        if address.kind == "wiki":
            return ""
        beside = f"{fold(source).rpartition('/')[0]}/{address.path}" if address.base == "name" else address.path
        folder = next(
            (self._folders[path] for path in (beside.lstrip("/"), address.path) if path in self._folders), None
        )
        return "" if folder is None else f"{folder or '.'}/"


def _found(places: Paths, address: Address, source: str) -> str:
    return next(filter(None, _tried(places, address, fold(source).rpartition("/")[0])), "")


def _tried(places: Paths, address: Address, folder: str) -> Iterator[str]:
    """Yield what is in each place where a link may lead, the first that is something before the next."""
    path, markdown = address.path, address.kind == "markdown"
    beside = f"{folder}/{path}" if folder else path
    if address.base != "name":
        yield from _page(places, path, fronts=markdown)
        if address.base == "root" and markdown:
            yield from _on_site(places, path)
    elif markdown:
        yield from _page(places, beside, fronts=True)
        yield from _page(places, path, fronts=True)
        yield from (found for spelling in spellings(path) for found in _named(places, spelling, folder))
    else:
        for spelling in spellings(path):
            yield places.at(spelling)
            yield places.at(f"{folder}/{spelling}")
            yield from _named(places, spelling, folder)


def _named(places: Paths, path: str, folder: str) -> Iterator[str]:
    """Yield what Obsidian chooses among paths that end so: the shortest below the note's folder, then of all."""
    if folder:
        yield places.ending_under(folder, path)
    yield places.ending(path)


def _page(places: Paths, path: str, *, fronts: bool) -> Iterator[str]:
    yield from map(places.at, spellings(path))
    if fronts:
        yield from (places.at(f"{path}/{front}" if path else front) for front in FRONT_PAGES)


def _on_site(places: Paths, path: str) -> Iterator[str]:
    """Yield the pages that a site has at an address from its root, which may be any folder of the vault."""
    for tail in (path, path.partition("/")[2]):
        if tail.count("/") + 1 >= LEAST_NAMES:
            yield from map(places.ending, spellings(tail))
            yield from (places.ending(f"{tail}/{front}") for front in FRONT_PAGES)
