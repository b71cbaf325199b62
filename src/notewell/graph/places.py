"""The paths of a vault as links write them: without case, with `.md` left out, or only their end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from zlib import crc32

# What a page may be called on a site or in a link, and is left out in others.
PAGE = re.compile(r"\.(?:md|markdown|html?)$")
MARKDOWN = re.compile(r"\.(?:md|markdown)$")
# The pages that stand for their folder, as sites and code hosts show them, the first before the next.
FRONT_PAGES = ("index.md", "readme.md", "_index.md", "index.html")
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


def name_of(folded: str) -> str:
    """Return the last name of a folded path or link, without the suffix of a page.

    >>> name_of("garden/bees.md"), name_of("guide/"), name_of("paper.pdf")
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
    folded = fold(path)
    folder, _, file = folded.rpartition("/")
    names = {name_of(file), stem(file), *(name_of(fold(alias)) for alias in aliases)}
    return names | {name_of(folder)} if file in FRONT_PAGES else names


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
        found = self._ending.get(key.rpartition("/")[2], ())
        if "/" not in key:
            return self._paths[found[0]] if found else ""
        tail = f"/{key}"
        return next((self._paths[each] for each in found if each == key or each.endswith(tail)), "")
