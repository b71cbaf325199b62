"""The definitions of a source file, found line by line, by a language's patterns and by indentation.

This is not a parser, so it reads all languages in one way, half-written code, and code with redactions in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from notewell.frozen import frozen
from notewell.index.shapes.languages import CLOSED_BY, Language
from notewell.types.note import line_starts

# A definition's name is at the start of its line; the rest of an endless line is not searched.
LONGEST_HEAD = 300
# A body starts within this many characters of parameters, or there is none.
LONGEST_PARAMETERS = 2000
# Definitions nested deeper are plain text. This keeps the work linear and breadcrumbs short.
DEEPEST = 6
LONGEST_NAME = 80
TAB = 8
BODY = re.compile("[{;]")
HERE_END = re.compile(r"^[ \t]*+(\w++)", re.MULTILINE)


class _Patterns(NamedTuple):
    """The compiled patterns of a language."""

    types: re.Pattern[str]
    functions: re.Pattern[str]
    methods: re.Pattern[str]
    comment: re.Pattern[str]
    mark: re.Pattern[str]
    adrift: re.Pattern[str]
    joins: re.Pattern[str]
    closes: re.Pattern[str]
    quotes: re.Pattern[str]


@lru_cache
def _patterns(language: Language) -> _Patterns:
    """Return a language's patterns, compiled with its first file: compiling all languages takes 0.1 s."""
    return _Patterns(*(re.compile(getattr(language, name)) for name in _Patterns._fields))


@frozen
class Definition:
    """A function, class or section: comments from `start`, decorators and name from `head`, the rest up to `end`."""

    name: str
    level: int
    start: int
    head: int
    end: int


class _Line(NamedTuple):
    """A line of code: its number, where its text starts, its indentation, and the text."""

    number: int
    start: int
    indent: int
    text: str


@frozen
class _Open:
    """A definition whose end is not known yet."""

    name: str
    is_type: bool
    indent: int
    first: int
    head: int


@frozen
class _Above:
    """The comments and decorators right above a line: where they start, and where the decorators start."""

    first: int
    indent: int
    mark: int | None


def definitions(text: str, language: Language) -> list[Definition]:
    """Return the definitions of a text in order, each before those inside it.

    >>> from notewell.index.shapes.languages import language_of
    >>> code = "class Vault:\\n    def search(self): ..."
    >>> [(found.name, found.level) for found in definitions(code, language_of("vault.py"))]
    [('Vault', 0), ('search', 1)]
    """
    return _Pass(text, language, _patterns(language), line_starts(text)).read()


@dataclass(slots=True)
class _Pass:
    """One pass over the lines.

    `opened` are the definitions around the current line, `last` is the last line inside them. `sign` is the offset of
    the next brace or semicolon, remembered because many lines may search for the same one.
    """

    text: str
    language: Language
    patterns: _Patterns
    starts: list[int]
    found: list[Definition] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)
    above: _Above | None = None
    last: int = 0
    sign: int = -1

    def read(self) -> list[Definition]:
        """Return all definitions."""
        starts = self.starts
        quoted = _quoted(self.text, starts, self.patterns.quotes)
        inside = False
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(self.text)], strict=True)):
            if quoted[number]:
                # It belongs where the string or comment started.
                self.last = number if inside else self.last
                continue
            line = _line(self.text, number, start, end)
            if line is None:
                self.above = None
            else:
                inside = self._take(line)
        self._close(0)
        return sorted(self.found, key=lambda definition: (definition.start, definition.level))

    def _take(self, line: _Line) -> bool:
        """Read one line, and tell whether it is certainly inside the open definitions."""
        is_comment = bool(self.patterns.comment.match(line.text))
        if is_comment or self.patterns.adrift.match(line.text):
            # It may belong to the next line; if that is still inside, so is this one.
            if is_comment:
                self._remember(line, is_mark=False)
            if not self.opened or line.indent <= self.opened[-1].indent:
                return False
        elif self.language.sections or not self._ends(line):
            self._begin(line)
        self.last = line.number
        return True

    def _ends(self, line: _Line) -> bool:
        """Close the definitions that end before a line, and tell whether the line itself ends or continues one."""
        while self.opened and line.indent <= self.opened[-1].indent:
            level = len(self.opened) - 1
            if line.indent == self.opened[-1].indent:
                if self.patterns.closes.match(line.text):
                    self.last = line.number
                    self._close(level)
                    return True
                if self.patterns.joins.match(line.text):
                    return True
            self._close(level)
        return False

    def _begin(self, line: _Line) -> None:
        """Open the definition that starts on a line, unless the line continues a decorator."""
        marked = self.above if self.above and self.above.mark is not None else None
        if marked and line.indent > marked.indent:
            return
        name, is_type = self._name(line)
        if name:
            self._open(line, name, is_type=is_type)
        elif self.patterns.mark.match(line.text):
            self._remember(line, is_mark=True)
        elif not (marked and self.patterns.joins.match(line.text)):
            self.above = None

    def _open(self, line: _Line, name: str, *, is_type: bool) -> None:
        above = self.above if self.above and self.above.indent == line.indent else None
        first = above.first if above else line.number
        head = line.number if above is None or above.mark is None else above.mark
        self.above = None
        if self.language.sections:
            self.last = min(self.last, first - 1)
            self._close(0)
        if len(self.opened) < DEEPEST:
            self.opened.append(_Open(name, is_type, line.indent, first, head))

    def _name(self, line: _Line) -> tuple[str, bool]:
        """Return the name of the definition that starts on a line, if any, and whether it can contain others."""
        if found := self.patterns.types.match(line.text):
            return _breadcrumb(found), True
        if found := self.patterns.functions.match(line.text):
            return _breadcrumb(found), False
        if self.opened and not self.opened[-1].is_type:
            return "", False
        found = self.patterns.methods.match(line.text)
        if found and (not self.language.body or self._has_body(line.start + found.end())):
            return _breadcrumb(found), False
        return "", False

    def _has_body(self, start: int) -> bool:
        if self.sign < start:
            found = BODY.search(self.text, start)
            self.sign = found.start() if found else len(self.text)
        return self.sign - start < LONGEST_PARAMETERS and self.text.startswith("{", self.sign)

    def _remember(self, line: _Line, *, is_mark: bool) -> None:
        """Remember a line that belongs to a definition if one follows directly."""
        above = self.above if self.above and self.above.indent == line.indent else None
        mark = above.mark if above and above.mark is not None else line.number
        self.above = _Above(above.first if above else line.number, line.indent, mark if is_mark else None)

    def _close(self, level: int) -> None:
        """Close the open definitions from `level` on at the last line inside them."""
        starts = self.starts
        end = starts[self.last + 1] if self.last + 1 < len(starts) else len(self.text)
        while len(self.opened) > level:
            ended = self.opened.pop()
            self.found.append(Definition(ended.name, len(self.opened), starts[ended.first], starts[ended.head], end))


def _line(text: str, number: int, start: int, end: int) -> _Line | None:
    """Return a line, or None if it is blank."""
    whole = text[start:end]
    bare = whole.lstrip()
    if not bare:
        return None
    blank = whole[: len(whole) - len(bare)]
    return _Line(number, start + len(blank), len(blank.expandtabs(TAB)), bare[:LONGEST_HEAD].rstrip())


def _breadcrumb(found: re.Match[str]) -> str:
    """Return a name as breadcrumbs show it, with its owner if the line names it."""
    return " ".join(".".join(part for part in found.groups() if part).split())[:LONGEST_NAME]


def _quoted(text: str, starts: list[int], quotes: re.Pattern[str]) -> bytearray:
    """Return for each line whether it starts inside a string or comment."""
    quoted = bytearray(len(starts))
    unclosed: set[str] = set()
    at = 0
    while found := quotes.search(text, at):
        at = found.end()
        sign = "<<" if found[2] else found[1]
        # An unclosed one is plain text, and is not searched for again: that would take quadratic time.
        if not sign or sign in unclosed:
            continue
        end = _closed(text, found)
        if end < 0:
            unclosed.add(sign)
            continue
        first, last = bisect_right(starts, found.start()), bisect_right(starts, end - 1)
        quoted[first:last] = b"\1" * (last - first)
        at = end
    return quoted


def _closed(text: str, found: re.Match[str]) -> int:
    """Return where the string, comment or here-document that was found ends, or -1."""
    if word := found[2]:
        return next((end.end() for end in HERE_END.finditer(text, found.end()) if end[1] == word), -1)
    sign = CLOSED_BY.get(found[1], found[1])
    at = text.find(sign, found.end())
    return at + len(sign) if at >= 0 else -1
