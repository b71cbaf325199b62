"""The paths of a vault as links write them: without case, with `.md` left out, or only their end."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from zlib import crc32

# What a page may be called on a site or in a link, and is left out in others.
PAGE = re.compile(r"\.(?:md|markdown|html?)$")
MARKDOWN = re.compile(r"\.(?:md|markdown)$")
# The pages that stand for their folder, as sites and code hosts show them, the first before the next.
FRONT_PAGES = ("index.md", "readme.md", "_index.md", "index.html")
AFTER_SLASH = chr(ord("/") + 1)
# Fewer paths of one name are gone through one by one.
FEW = 16
# What looks like the suffix of a file rather than the end of a sentence or a version.
SUFFIX = re.compile(r"\.(?=\w*[a-z])\w{1,10}$")


def fold(text: str) -> str:
    """Return a path or name as it is compared: without case, and composed, as some systems store it decomposed.

    >>> fold("A/U\\u0308ber.MD") == fold("a/über.md")
    True
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def last_name(folded: str) -> str:
    """Return the last name of a folded path or link, without the suffix of a page.

    >>> last_name("garden/bees.md"), last_name("guide/"), last_name("paper.pdf")
    ('bees', 'guide', 'paper.pdf')
    """
    return PAGE.sub("", folded.rstrip("/").rpartition("/")[2])


def hash_of(name: str) -> int:
    """Return the number that stands for a name in the store; two names that share one only cost time."""
    return crc32(name.encode("utf-8", "surrogatepass"))


def names_of(path: str, aliases: Iterable[str] = ()) -> set[str]:
    """Return every name by which a link can lead to a note.

    >>> sorted(names_of("guide/index.md", ["Manual"])), sorted(names_of("a/paper.pdf"))
    (['guide', 'index', 'manual'], ['paper', 'paper.pdf'])
    """
    folder, _, file = fold(path).rpartition("/")
    # As `Places` has them: a suffix may be left out, and what is before it may end like a page.
    files = {MARKDOWN.sub(".md", file), stem(MARKDOWN.sub(".md", file))}
    names = {stem(file), *map(last_name, (*files, *map(fold, aliases)))}
    return names | {last_name(folder)} if files.intersection(FRONT_PAGES) else names


def stem(file: str) -> str:
    """Return a path without its suffix.

    >>> stem("a.b/paper.pdf"), stem("a.b/Makefile")
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


class Places:
    """Paths, to be found by all of it or by how it ends; of several, the shortest, then the first in the alphabet."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, str] = {}
        self._ending: dict[str, list[str]] = {}
        self._in_order: dict[str, list[tuple[str, int]]] = {}
        others = []
        for path in sorted(sorted(paths), key=len):
            key = fold(path)
            if not key.endswith(".md"):
                key = MARKDOWN.sub(".md", key)
                others.append((stem(key), path))
            self._add(key, path)
        # A paper may be linked to without its suffix, but a note of that name goes before it.
        for key, path in others:
            self._add(key, path)

    def _add(self, key: str, path: str) -> None:
        if key not in self._paths:
            self._paths[key] = path
            name = key[key.rfind("/") + 1 :]
            if name in self._ending:
                self._ending[name].append(key)
            else:
                self._ending[name] = [key]

    def at(self, key: str) -> str:
        """Return the path that is this one when folded, or nothing."""
        return self._paths.get(key, "")

    def ending(self, key: str) -> str:
        """Return the shortest path that ends so, by whole names, or nothing."""
        return self._first(self._ending.get(_file(key), ()), key)

    def ending_under(self, folder: str, key: str) -> str:
        """Return the shortest path in a folder, or in one of its own, that ends so, or nothing."""
        name = _file(key)
        if len(self._ending.get(name, ())) < FEW:
            return self._first([each for each in self._ending.get(name, ()) if each.startswith(f"{folder}/")], key)
        # An index.md may be in every folder: those in this one stand together in the alphabet.
        if name not in self._in_order:
            self._in_order[name] = sorted((each, rank) for rank, each in enumerate(self._ending[name]))
        ordered = self._in_order[name]
        first, last = (bisect_left(ordered, (folder + sign, 0)) for sign in ("/", AFTER_SLASH))
        inside = sorted(ordered[first:last], key=lambda each: each[1])
        return self._first([each for each, _ in inside], key)

    def _first(self, found: Sequence[str], key: str) -> str:
        if "/" not in key:
            return self._paths[found[0]] if found else ""
        tail = f"/{key}"
        return next((self._paths[each] for each in found if each == key or each.endswith(tail)), "")


def _file(key: str) -> str:
    return key.rpartition("/")[2]
