"""File names of memories: made of their titles, readable, and valid on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

SUFFIX = ".md"
# As much as a list of files shows; and what file systems take, with a number and the suffix after it.
LONGEST = 80
LONGEST_BYTES = 200
# What separates folders, has a meaning in a shell, to Windows or in a link of Obsidian, or begins a stand-in's name.
SPECIAL = re.compile(r"[\\/:*?\"<>|#^\[\]`$%~\x7f]+")
# Names that Windows keeps for devices, whatever follows their first dot.
RESERVED = re.compile(r"(?:con|prn|aux|nul|conin|conout|com[\d¹²³]|lpt[\d¹²³])(?= *(?:\.|$))", re.IGNORECASE)
# So many notes of one name are told apart by a number; the next would be made by a program gone wild.
MOST = 10_000


def stem_of(title: str) -> str:
    """Return the name of a file for a title, without its suffix; nothing, if no sign of it can be in a name.

    >>> stem_of("Deploy: two approvals"), stem_of("../../etc/passwd"), stem_of("?\\0")
    ('Deploy two approvals', 'etc passwd', '')
    """
    usual = unicodedata.normalize("NFC", title)
    # Control and format characters, halves of characters, and what no standard has named.
    seen = "".join(" " if unicodedata.category(sign) in ("Cc", "Zl", "Zp") else sign for sign in usual)
    seen = "".join(sign for sign in seen if unicodedata.category(sign)[0] != "C")
    words = " ".join(SPECIAL.sub(" ", seen).split())
    stem = _trimmed(words[:LONGEST].encode()[:LONGEST_BYTES].decode(errors="ignore"))
    return f"Note {stem}" if RESERVED.match(stem) else stem


def _trimmed(stem: str) -> str:
    """Return the name without what hides a file, looks like an option, or is lost at its end."""
    return stem.lstrip(" .-_").rstrip(" .")


def numbered(name: str) -> Iterator[str]:
    """Yield the names that a file may have: its own, then with a number.

    >>> names = numbered("Rye.md")
    >>> next(names), next(names)
    ('Rye.md', 'Rye 2.md')
    """
    yield name
    stem, dot, suffix = name.rpartition(".")
    yield from (f"{stem} {number}{dot}{suffix}" for number in range(2, MOST))
