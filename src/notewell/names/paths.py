"""Paths as links write them: without case, without `.md`, or only their last names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from zlib import crc32

from notewell.terms import fold_case

# Suffixes of pages, which links may leave out.
PAGE = re.compile(r"\.(?:md|markdown|html?)$")
MARKDOWN = re.compile(r"\.(?:md|markdown)$")
# Pages that stand for their folder, as sites and code hosts show them, in order of preference.
FRONT_PAGES = ("index.md", "readme.md", "_index.md", "index.html")
# Up to this many paths with the same end are tried one by one.
FEW = 16
# The suffix of a file, not the end of a sentence or a version number.
SUFFIX = re.compile(r"\.(?=\w*[a-z])\w{1,10}$")


def last_name(folded: str) -> str:
    """Return the last name of a folded path or link, without the suffix of a page.

    >>> last_name("garden/bees.md"), last_name("guide/"), last_name("paper.pdf")
    ('bees', 'guide', 'paper.pdf')
    """
    return PAGE.sub("", folded.rstrip("/").rpartition("/")[2])


def hash_of(name: str) -> int:
    """Return the hash that stands for a name in the store; a collision only costs time."""
    return crc32(name.encode("utf-8", "surrogatepass"))


def names_of(path: str, aliases: Iterable[str] = ()) -> set[str]:
    """Return every name by which a link can find a note.

    >>> sorted(names_of("guide/index.md", ["Manual"])), sorted(names_of("a/paper.pdf"))
    (['guide', 'index', 'manual'], ['paper', 'paper.pdf'])
    """
    folder, _, file = fold_case(path).rpartition("/")
    # As in `Paths`: a suffix may be left out, and what is before it may end like a page.
    files = {MARKDOWN.sub(".md", file), without_suffix(MARKDOWN.sub(".md", file))}
    names = {without_suffix(file), *map(last_name, (*files, *map(fold_case, aliases)))}
    return names | {last_name(folder)} if files.intersection(FRONT_PAGES) else names


def without_suffix(file: str) -> str:
    """Return a path without its suffix.

    >>> without_suffix("a.b/paper.pdf"), without_suffix("a.b/Makefile")
    ('a.b/paper', 'a.b/Makefile')
    """
    folder, slash, name = file.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)


def spellings(wanted: str) -> tuple[str, ...]:
    """Return the paths that a folded link can mean, the likeliest first.

    >>> spellings("a/bees"), spellings("bees.md"), spellings("bees.html")
    (('a/bees.md', 'a/bees'), ('bees.md',), ('bees.html', 'bees.md'))
    """
    if MARKDOWN.search(wanted):
        return (MARKDOWN.sub(".md", wanted),)
    if PAGE.search(wanted):
        return (wanted, PAGE.sub(".md", wanted))
    return (f"{wanted}.md", wanted)


def page_keys(path: str, *, fronts: bool = True) -> tuple[str, ...]:
    """Return the paths of the page at a folded address; with `fronts`, also of a folder's front page.

    >>> page_keys("bees.html")[:3]
    ('bees.html', 'bees.md', 'bees/index.md')
    """
    folder = path if MARKDOWN.search(path) else PAGE.sub("", path)
    below = tuple(f"{folder}/{front}" if folder else front for front in FRONT_PAGES) if fronts else ()
    return (*spellings(path), *below)


class Paths:
    """Paths, found whole or by their last names; of several, the shortest, then the first in the alphabet."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, str] = {}
        # Folded paths, in order of preference, by their last name, their last two names, and so on, on demand.
        self._ending: dict[int, dict[str, list[str]]] = {}
        # Of paths with the same last names, the first in each folder.
        self._first_under: dict[str, dict[str, str]] = {}
        others = []
        for path in sorted(sorted(paths), key=len):
            key = fold_case(path)
            if not key.endswith(".md"):
                key = MARKDOWN.sub(".md", key)
                others.append((without_suffix(key), path))
            self._paths.setdefault(key, path)
        # A link to a paper may leave out its suffix, but a note of that name has precedence.
        for key, path in others:
            self._paths.setdefault(key, path)

    def at(self, key: str) -> str:
        """Return the path with this folded form, or nothing."""
        return self._paths.get(key, "")

    def ending(self, key: str) -> str:
        """Return the shortest path that ends with these names, or nothing."""
        found = self._all_ending(key)
        return self._paths[found[0]] if found else ""

    def folders_of(self, key: str) -> list[str]:
        """Return the folded folders of the paths that end with these names; none if there are many."""
        found = self._all_ending(key)
        return [path[: -len(key)].rstrip("/") for path in found] if len(found) < FEW else []

    def ending_under(self, folder: str, key: str) -> str:
        """Return the shortest path anywhere below a folder that ends with these names, or nothing."""
        found = self._all_ending(key)
        if len(found) < FEW:
            return next((self._paths[each] for each in found if each.startswith(f"{folder}/")), "")
        # Every folder may have an index.md.
        if key not in self._first_under:
            self._first_under[key] = _first_under(found)
        return self._paths.get(self._first_under[key].get(folder, ""), "")

    def _all_ending(self, key: str) -> Sequence[str]:
        names = key.count("/") + 1
        if names not in self._ending:
            ending: dict[str, list[str]] = {}
            self._ending[names] = ending
            for path in self._paths:
                end = _last_names(path, names)
                if end in ending:
                    ending[end].append(path)
                elif end:
                    ending[end] = [path]
        return self._ending[names].get(key, ())


def _last_names(path: str, names: int) -> str:
    """Return the last few names of a path, or nothing if it has fewer.

    >>> _last_names("a/b/c.md", 2), _last_names("a/b/c.md", 3), _last_names("c.md", 2)
    ('b/c.md', 'a/b/c.md', '')
    """
    at = len(path)
    for _ in range(names):
        if at < 0:
            return ""
        at = path.rfind("/", 0, at)
    return path[at + 1 :]


def _first_under(paths: Sequence[str]) -> dict[str, str]:
    """Return the first of the paths below each folder."""
    first: dict[str, str] = {}
    for path in paths:
        at = path.rfind("/")
        # Folders above one that has a path already have one too.
        while at > 0 and path[:at] not in first:
            first[path[:at]] = path
            at = path.rfind("/", 0, at)
    return first
