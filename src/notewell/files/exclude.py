"""Patterns of `index.exclude`, read as git reads a `.gitignore`; no pattern and no name make matching slow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from notewell.errors import SettingsError

# A star that is not escaped, alone or with others; and what else is special in a part of a path: an escaped character,
# any one character, one of several.
STARS = re.compile(r"(\\.|\[(?:!|\^)?\]?(?:\\.|[^\]\\])*\])|\*+")
SIGNS = re.compile(r"[*?\[\\]")
# How a pattern that names files and folders ends as an expression: only a folder, or also a file.
ENDS = ("/", "/?")
# Patterns that have to be tried one by one, each for 3 µs with a name of 200 characters. The longest of GitHub's own
# templates of a .gitignore has 250. A stranger's settings may have thousands.
MOST_SPECIAL = 300
# A name that no file has.
MARK = "\1"
# Paths whose verdicts are kept; a walk, and every answer, ask for the same ones.
VERDICTS = 1 << 17
SPECIAL = re.compile(r"\\(.)|(\?)|\[(!|\^)?(\]?(?:\\.|[^\]\\])*)\]")


# Whether a pattern matches a path, given with its last name.
Test = Callable[[str, str], object]


@lru_cache(maxsize=64)
def excluder(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a path, which ends in a slash for a folder, is excluded; the last pattern that matches decides.

    What is below an excluded folder is for the caller to leave out, whatever the patterns say of it.

    >>> excluded = excluder(("*.tmp", "Drafts/", "!keep.tmp"))
    >>> [excluded(path) for path in ("a/b.tmp", "x/Drafts/", "keep.tmp", "Drafts")]
    [True, True, False, False]
    """
    verdicts: list[bool] = []
    # The number of the last pattern that is just this name or path, with a slash for a folder; and those to be tried.
    names: dict[str, int] = {}
    paths: dict[str, int] = {}
    tests: list[tuple[int, Test]] = []
    for number, pattern in enumerate(patterns):
        read = _read(pattern)
        verdicts.append(read is not None and read.excludes)
        if read and not read.is_plain:
            tests.append((number, read.test()))
        elif read:
            known, plain = (names if read.is_name else paths), "/".join(read.parts)
            known.update(dict.fromkeys((f"{plain}/",) if read.only_folders else (plain, f"{plain}/"), number))
    if len(tests) > MOST_SPECIAL:
        raise SettingsError(
            f"index.exclude has {len(tests):,} patterns with wildcards; {MOST_SPECIAL} at most are read",
            "Exclude folders instead of single files; names and paths without wildcards may be as many as you like",
        )

    tests.reverse()

    @lru_cache(maxsize=VERDICTS)
    def excluded(path: str) -> bool:
        name = path[path.rfind("/", 0, -1) + 1 :]
        last = max(names.get(name, -1), paths.get(path, -1))
        for number, matches in tests:
            if number < last:
                break
            if matches(path, name):
                last = number
                break
        return last >= 0 and verdicts[last]

    return excluded


class Pattern(NamedTuple):
    """A pattern: the parts of its path, whether it excludes, begins at the root, and matches only folders."""

    parts: tuple[str, ...]
    excludes: bool
    anchored: bool
    end: str

    @property
    def is_name(self) -> bool:
        """Tell whether it is compared with the last name of a path alone."""
        return len(self.parts) == 1 and not self.anchored and self.end in ENDS

    @property
    def is_plain(self) -> bool:
        """Tell whether it is just a name, or a path from the root."""
        return self.end in ENDS and (self.is_name or self.anchored) and not SIGNS.search("".join(self.parts))

    @property
    def only_folders(self) -> bool:
        """Tell whether it matches no file."""
        return self.end == "/"

    def test(self) -> Test:
        """Return its test; one with folders remembers the last folder, whose files come one after another."""
        if self.end not in ENDS:
            below = self._compiled(self.parts, self.end)
            return lambda path, name: below(path)
        is_called = self._compiled(self.parts[-1:], self.end, anchored=True)
        if self.is_name:
            return lambda path, name: is_called(name)
        # Any name that is only there stands for the last one.
        leads = self._compiled((*self.parts[:-1], MARK), "")
        seen: list[tuple[str, object]] = [("", None)]

        def matches(path: str, name: str) -> object:
            if not is_called(name):
                return False
            folder = path[: -len(name)]
            last, verdict = seen[0]
            if last != folder or verdict is None:
                verdict = bool(leads(folder + MARK))
                seen[0] = folder, verdict
            return verdict

        return matches

    def _compiled(self, parts: Sequence[str], end: str, *, anchored: bool | None = None) -> Callable[[str], object]:
        try:
            begins = self.anchored if anchored is None else anchored
            return re.compile(_path(parts, anchored=begins) + end, re.DOTALL).fullmatch
        except re.error as error:
            raise SettingsError("index.exclude has an invalid pattern", "Use patterns as in a .gitignore") from error


def _read(pattern: str) -> Pattern | None:
    """Return a pattern in its parts; None for an empty line or a comment."""
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
    if len(parts) == 2 and parts[0] == "**":
        # In any folder, as a name alone.
        parts, anchored = parts[1:], False
    return Pattern(tuple(parts), excludes, anchored, end)


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
