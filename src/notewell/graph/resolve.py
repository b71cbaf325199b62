"""Where a link leads: to which note of the vault, by the rules of Obsidian, and of a website for Markdown links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from notewell.frozen import frozen
from notewell.graph.site import NO_ROOT, SiteRoot, find_root
from notewell.names.paths import PAGE, SUFFIX, Paths, hash_of, last_name, page_keys, spellings
from notewell.store.links import NOWHERE, TO_FILE, NoteName
from notewell.terms import fold_case
from notewell.types.note import Link

# A website's top folder is not the vault's. Without it, an address needs at least this many names to mean anything.
LEAST_NAMES = 2
# Addresses that show where a website's root lies: a page may list all others.
ENOUGH = 2_000


@frozen
class LinkAddress:
    """The target of a link as written: a folded path, and whether it is relative to the note, the root, or neither.

    A link within its own note has the base `here`.
    """

    path: str
    base: str
    kind: str

    @property
    def name(self) -> str:
        """Return its last name, which the target must have."""
        return last_name(self.path)


def read_address(written: str, kind: str, source: str) -> LinkAddress | None:
    """Return the address of a link's target in the note at `source`; None if it leads out of the vault.

    >>> read_address("../Bees.md", "markdown", "garden/hive/a.md")
    LinkAddress(path='garden/bees.md', base='path', kind='markdown')
    >>> read_address("Bees", "wiki", "garden/a.md").base, read_address("/Bees", "wiki", "garden/a.md").base
    ('name', 'root')
    """
    target = fold_case(written.strip().replace("\\", "/"))
    if not target:
        return LinkAddress(fold_case(source), "here", kind)
    if target.startswith(("./", "../")) or target in (".", ".."):
        path = _joined(fold_case(source).rpartition("/")[0], target)
        return None if path is None else LinkAddress(path, "path", kind)
    base = "root" if target.startswith(("/", "~/")) else "name"
    path = _joined("", target.removeprefix("~") if base == "root" else target)
    if path is None and kind == "markdown":
        path, base = _joined(fold_case(source).rpartition("/")[0], target), "path"
    return None if path is None else LinkAddress(path, base, kind)


def _joined(folder: str, target: str) -> str | None:
    """Return a path from the root; None if it leads above the root."""
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
    """The notes and other files of a vault, by which links are resolved."""

    def __init__(
        self, names: Sequence[NoteName], files: Callable[[], Iterable[str]], links: Iterable[Link] = ()
    ) -> None:
        """Collect the notes' names; `files` lists the vault's other files, called only if a link may name one.

        The `links`, a sample of the vault's, show where the root of a website lies.
        """
        self._ids = {named.path: named.id for named in names}
        self._notes = Paths(self._ids)
        self._list_files = files
        self._links = links
        self._aliases: dict[str, str] = {}
        for named in sorted(
            (named for named in names if named.aliases), key=lambda named: (len(named.path), named.path)
        ):
            for alias in named.aliases:
                self._aliases.setdefault(fold_case(alias), named.path)

    @cached_property
    def root(self) -> SiteRoot:
        """Return where the root of the website lies that the notes are the pages of."""
        addresses = {read_address(link.target, link.kind, "") for link in self._links if link.kind == "markdown"}
        paths = {address.path for address in addresses if address and address.base == "root" and address.path}
        pages = [path for path in paths if PAGE.search(path) or not SUFFIX.search(path)]
        return find_root(sorted(pages, key=lambda path: (hash_of(path), path))[:ENOUGH], self._notes)

    @cached_property
    def _files(self) -> Paths:
        return Paths(self.others)

    @cached_property
    def others(self) -> Sequence[str]:
        """Return the files of the vault that are not notes."""
        return tuple(self._list_files())

    @cached_property
    def _folders(self) -> Mapping[str, str]:
        folders = {path.rpartition("/")[0] for path in (*self._ids, *self.others)}
        above = {folder[:at] for folder in folders for at, sign in enumerate(folder) if sign == "/"}
        return {fold_case(folder): folder for folder in sorted(folders | above)}

    def ends(self, link: Link, source: str) -> tuple[int, int]:
        """Return the stored form of a link: the hash of the name it gives, and the note it leads to."""
        address = read_address(link.target, link.kind, source)
        if address is None:
            return 0, NOWHERE
        if path := self.note_at(address, source):
            return hash_of(address.name), self._ids[path]
        return hash_of(address.name), TO_FILE if self.file_at(address, source) else NOWHERE

    def note_at(self, address: LinkAddress, source: str) -> str:
        """Return the note that an address in the note at `source` leads to, or an empty text."""
        if address.base == "here":
            return source
        path = self._found(self._notes, address, source)
        if path or address.base != "name" or address.kind == "markdown":
            return path
        return self._aliases.get(address.path, "")

    def file_at(self, address: LinkAddress, source: str) -> str:
        """Return the file, other than a note, that an address leads to, or an empty text."""
        return self._found(self._files, address, source) if SUFFIX.search(address.path) else ""

    def folder_at(self, address: LinkAddress, source: str) -> str:
        """Return the folder that an address leads to, ending in a slash, or an empty text; wikilinks lead to none."""
        if address.kind == "wiki":
            return ""
        beside = f"{fold_case(source).rpartition('/')[0]}/{address.path}" if address.base == "name" else address.path
        folder = next(
            (self._folders[path] for path in (beside.lstrip("/"), address.path) if path in self._folders), None
        )
        return "" if folder is None else f"{folder or '.'}/"

    def _found(self, places: Paths, address: LinkAddress, source: str) -> str:
        root = self.root if address.base == "root" else NO_ROOT
        return next(filter(None, _tried(places, address, fold_case(source).rpartition("/")[0], root)), "")


def _tried(places: Paths, address: LinkAddress, folder: str, root: SiteRoot) -> Iterator[str]:
    """Yield the candidates for a link in order of preference; empty where there is nothing."""
    path, markdown = address.path, address.kind == "markdown"
    beside = f"{folder}/{path}" if folder else path
    if address.base != "name":
        yield from map(places.at, page_keys(path, fronts=markdown))
        if address.base == "root" and markdown:
            yield from map(places.at, root.keys(path))
            yield from _on_site(places, path)
    elif markdown:
        yield from map(places.at, (*page_keys(beside), *page_keys(path)))
        yield from (found for spelling in spellings(path) for found in _named(places, spelling, folder))
    else:
        for spelling in spellings(path):
            yield places.at(spelling)
            yield places.at(f"{folder}/{spelling}")
            yield from _named(places, spelling, folder)


def _named(places: Paths, path: str, folder: str) -> Iterator[str]:
    """Yield what Obsidian chooses among paths with this end: the shortest below the note's folder, then of all."""
    if folder:
        yield places.ending_under(folder, path)
    yield places.ending(path)


def _on_site(places: Paths, path: str) -> Iterator[str]:
    """Yield the pages at an address from a website's root, which may be any folder of the vault."""
    for tail in (path, path.partition("/")[2]):
        if tail.count("/") + 1 >= LEAST_NAMES:
            yield from map(places.ending, page_keys(tail))
