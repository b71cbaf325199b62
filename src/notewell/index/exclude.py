"""Patterns of `index.exclude`, read as git reads a `.gitignore`; no pattern and no name make matching slow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from notewell.errors import SettingsError

# A star that is not escaped, alone or with others; and what else is special in a part of a path: an escaped character,
# any one character, one of several.
STARS = re.compile(r"(\\.|\[(?:!|\^)?\]?(?:\\.|[^\]\\])*\])|\*+")
SPECIAL = re.compile(r"\\(.)|(\?)|\[(!|\^)?(\]?(?:\\.|[^\]\\])*)\]")


@lru_cache(maxsize=64)
def excluder(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a path, which ends in a slash for a folder, is excluded; the last pattern that matches decides.

    What is below an excluded folder is for the caller to leave out, whatever the patterns say of it.

    >>> excluded = excluder(("*.tmp", "Drafts/", "!keep.tmp"))
    >>> [excluded(path) for path in ("a/b.tmp", "x/Drafts/", "keep.tmp", "Drafts")]
    [True, True, False, False]
    """
    tests = [test for pattern in patterns if (test := _read(pattern))]

    def excluded(path: str) -> bool:
        return next((excludes for excludes, matches in reversed(tests) if matches(path)), False)

    return excluded


def _read(pattern: str) -> tuple[bool, Callable[[str], object]] | None:
    """Return whether a pattern excludes, and its test; None for an empty line or a comment."""
    text = re.sub(r"(?<!\\) +$", "", pattern)
    if not text or text.startswith("#"):
        return None
    excludes = not text.startswith("!")
    text = text.removeprefix("!")
    anchored = "/" in text.rstrip("/") and not text.startswith("**/")
    parts = [part for part in text.split("/") if part]
    if not parts or (text.endswith("\\") and not text.endswith("\\\\")):
        raise SettingsError("index.exclude has an invalid pattern", "Use patterns as in a .gitignore")
    # Only a folder, or also a file; below a pattern that ends in `**`, anything.
    end = "/" if text.endswith("/") else "/?"
    parts = ["*"] if set(parts) == {"**"} else parts
    if parts[-1] == "**":
        parts, end = parts[:-1], "/.+/" if end == "/" else "/.+"
    try:
        return excludes, re.compile(_path(parts, anchored=anchored) + end, re.DOTALL).fullmatch
    except re.error as error:
        raise SettingsError("index.exclude has an invalid pattern", "Use patterns as in a .gitignore") from error


def _path(parts: Sequence[str], *, anchored: bool) -> str:
    """Return an expression for the parts of a path; `**` stands for any folders.

    What follows `**` matches where it first can, for good (`?>`): trying further would make no difference but time.
    """
    blocks: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            blocks.append([])
        else:
            blocks[-1].append(_part(part))
    first, *others = [block for block in blocks if block] or [[]]
    begins = anchored and parts[0] != "**"
    found = ["/".join(first) if begins else f"(?:[^/]+/)*?{'/'.join(first)}"]
    found += [f"(?>(?:[^/]+/)*?{'/'.join(block)})" for block in others]
    return "/".join(found)


def _part(part: str) -> str:
    """Return an expression for one part of a path; each star takes as little as it can, for good."""
    texts = list(_between_stars(part))
    if len(texts) == 1:
        return _fixed(texts[0])
    first, *middle, last = texts
    first = f"(?=[^/]){_fixed(first)}"
    inner = "".join(f"(?>[^/]*?{_fixed(text)})" for text in middle if text)
    # The last text ends the part: what is before it is as long as needed.
    return f"{first}{inner}[^/]*{_fixed(last)}(?![^/])" if last else f"{first}{inner}[^/]*+"


def _between_stars(part: str) -> Iterator[str]:
    at = start = 0
    while match := STARS.search(part, at):
        at = match.end()
        if not match[1]:
            yield part[start : match.start()]
            start = at
    yield part[start:]


def _fixed(text: str) -> str:
    """Return an expression for a text without stars: a character for each sign, or one of several."""
    found, at = [], 0
    for match in SPECIAL.finditer(text):
        found.append(re.escape(text[at : match.start()]))
        at = match.end()
        if match[1]:
            found.append(re.escape(match[1]))
        elif match[2]:
            found.append("[^/]")
        else:
            found.append(f"(?!/)[{'^' if match[3] else ''}{_set(match[4])}]")
    return "".join((*found, re.escape(text[at:])))


def _set(signs: str) -> str:
    """Return the signs of a set, in which only a dash and an escaped character are special."""
    plain = re.sub(r"\\(.)", r"\1", signs)
    return re.sub(r"([\\\]\[^&~|])", r"\\\1", plain)
