"""Where in a text the secrets are: rules are tried only where one of their keywords stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from notewell.redact.keywords import Keywords
from notewell.redact.rule import Ahead, Check, Rule
from notewell.redact.tables import Head, beneath

Span = tuple[int, int, str]

# What a string in a string, or Markdown, puts a backslash before. Several: a string in a string in a string.
_ESCAPED = re.compile(r"\\{1,4}([^A-Za-z0-9\s\\|]|[nrt])")
# A cell of CSV doubles its quotes. Apart from the other, since two ways to begin make a pattern slow.
_DOUBLED = re.compile(r"\"(\")(?=\w)|(?<=\w)\"(\")")
# Signs that take no room, and hide what they stand in.
_NO_ROOM = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_UNSEEN = re.compile(f"[{_NO_ROOM}]+()")
_LONG = 120
# What stands between the cells of a row, and how far back a row is looked for.
_CELL_ENDS = ";,\t|"
_FAR = 5000
_REST = re.compile(r"[A-Za-z0-9+/=_~-]*+(?:\.[A-Za-z0-9+/=_~-]++)*+")
_STAND_IN = re.compile(r"\[REDACTED:([a-z0-9-]{2,40})\]")
_APART = "\n\n\n"
_MEANT = {"n": "\n", "r": "\n", "t": "\t"}


class Scanner:
    """Finds the secrets that a list of rules knows."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Sort the rules by their keywords, so that each keyword is looked for once."""
        self._rules: dict[tuple[str, bool], list[Rule]] = {}
        for rule in rules:
            for keyword in rule.keywords:
                self._rules.setdefault((keyword, rule.any_case), []).append(rule)
        as_written = (keyword for keyword, any_case in self._rules if not any_case)
        self._keywords = Keywords(as_written, (keyword for keyword, any_case in self._rules if any_case))
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._named = {rule.name: rule for rule in rules}
        self._order = {rule.name: number for number, rule in enumerate(rules)}

    def spans(self, text: str) -> list[Span]:
        """Return where secrets begin and end, in order, none overlapping another, each with its rule's name."""
        found = list(self._seen(text))
        unseen = "" if text.isascii() else next((sign for sign in _NO_ROOM if sign in text), "")
        for sign, escaped in (("\\", _ESCAPED), ('""', _DOUBLED), (unseen, _UNSEEN)):
            if sign and sign in text:
                plain, written = _unescaped(text, escaped)
                found += [(written(start), written(end), name) for start, end, name in self._seen(plain)]
        found.sort(key=lambda span: (span[0], -span[1], self._order[span[2]]))
        return disjoint(found)

    def _seen(self, text: str) -> Iterator[Span]:
        # The one letter that lowers to two would move all that follows.
        lowered = text.replace("İ", "I").lower()
        # Up to where a rule has found a secret; what it sees inside of that is the same secret.
        ends: dict[str, int] = {}
        heads: list[Head] = []
        gone = self._stand_ins(text)
        for keyword, any_case in self._keywords.present(text):
            rules = self._rules[keyword, any_case]
            ends.clear()
            ahead = {rule.name: _Ahead(text, rule.ahead) for rule in rules if rule.ahead}
            for at in _places(keyword, lowered if any_case else text):
                # The name of a rule is not that of a secret behind it.
                if gone and (before := bisect_right(gone, (at, 0))) and at < gone[before - 1][1]:
                    continue
                for rule in rules:
                    if at < ends.get(rule.name, 0) or (rule.ahead and not ahead[rule.name].is_near(at)):
                        continue
                    pattern = self._patterns.get(rule.name) or self._compiled(rule)
                    if match := pattern.match(text, max(0, at - rule.lead)):
                        if rule.beneath:
                            heads.append(Head(match.start(), rule.name))
                        elif rule.alone and _in_rows(text, match.start(), match.span(match.lastgroup or 0)):
                            continue
                        elif span := _judged(rule.name, rule.check, text, match.span(match.lastgroup or 0), gone):
                            ends[rule.name] = max(span[1], ends.get(rule.name, 0))
                            yield span
                        elif rule.whole:
                            ends[rule.name] = max(match.end(), ends.get(rule.name, 0))
        for start, end, name, sure in beneath(text, sorted(heads)):
            rule = self._named[name]
            for check in (rule.check, rule.beneath) if sure else (rule.check,):
                if span := _judged(rule.name, check, text, (start, end), gone):
                    yield span
                    break

    def _stand_ins(self, text: str) -> list[tuple[int, int]]:
        """Return where secrets were that are redacted already; no other text that says so is believed."""
        return [match.span() for match in _STAND_IN.finditer(text) if match[1] in self._named]

    def _compiled(self, rule: Rule) -> re.Pattern[str]:
        return self._patterns.setdefault(rule.name, rule.pattern.compile(rule.lead))


class _Ahead:
    """Tells whether a pattern is near ahead of places that come in order; no part of the text is looked at twice."""

    def __init__(self, text: str, ahead: Ahead) -> None:
        self._text, self._reach = text, ahead.reach
        self._search = re.compile(ahead.pattern).search
        self._read = self._found = 0

    def is_near(self, at: int) -> bool:
        end = at + self._reach
        if self._found < at and end > self._read:
            # What was found began before the place, or was cut off by the end of what was looked at.
            match = self._search(self._text, max(at, self._read - self._reach // 4), end)
            self._found, self._read = (match.start(), match.end()) if match else (-1, end)
        return at <= self._found < end


def _places(keyword: str, text: str) -> Iterator[int]:
    at = text.find(keyword)
    while at >= 0:
        yield at
        at = text.find(keyword, at + 1)


def _in_rows(text: str, name: int, secret: tuple[int, int]) -> bool:
    """Tell whether a name ends a row of several cells, and a secret on a line below stands in one as well."""
    line = text.rfind("\n", max(0, name - _FAR), name) + 1 or max(0, name - _FAR)
    before = text[line:name].lstrip()
    return any(sign in before and text.find(sign, *secret) >= 0 for sign in _CELL_ENDS)


def _judged(
    name: str, check: Check | None, text: str, place: tuple[int, int], gone: Sequence[tuple[int, int]]
) -> Span | None:
    start, end = place
    secret = text[start:end]
    if gone:
        start, end, secret = _left(text, start, end, gone)
        if not re.search(r"\w", secret):
            return None
    if check is not None and not check(secret):
        return None
    # Patterns look at no more than so much; what goes on without a space goes with it.
    rest = _REST.match(text, end) if end - start >= _LONG else None
    return start, rest.end() if rest else end, name


def _left(text: str, start: int, end: int, gone: Sequence[tuple[int, int]]) -> tuple[int, int, str]:
    """Return a place without a stand-in cut in half, and what of its text is not redacted already."""
    at = max(0, bisect_right(gone, (start, len(text))) - 1)
    parts: list[str] = []
    read = start
    while at < len(gone) and gone[at][0] < end:
        first, last = gone[at]
        if last > start:
            parts.append(text[read:first])
            start, read, end = min(start, first), last, max(end, last)
        at += 1
    return start, end, "".join((*parts, text[read:end]))


def _unescaped(text: str, escaped: re.Pattern[str]) -> tuple[str, Callable[[int], int]]:
    """Return the lines with something escaped as they are meant, and the way back to where they are written."""
    parts: list[str] = []
    starts: list[int] = [0]
    shifts: list[int] = [0]
    length = 0
    for line_start, line_end in _escaped_lines(text, escaped):
        read = line_start
        starts.append(length)
        shifts.append(read - length)
        for escape in escaped.finditer(text, line_start, line_end):
            meant = escape[escape.lastindex or 0]
            parts += text[read : escape.start()], _MEANT.get(meant, meant)
            length += escape.start() - read + len(meant)
            read = escape.end()
            starts.append(length)
            shifts.append(read - length)
        # Lines that are not neighbours stay apart.
        parts += text[read:line_end], _APART
        length += line_end - read + len(_APART)
    return "".join(parts), lambda at: at + shifts[bisect_right(starts, at) - 1]


def _escaped_lines(text: str, escaped: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while escape := escaped.search(text, at):
        start = text.rfind("\n", at, escape.start()) + 1 or at
        end = text.find("\n", escape.end())
        at = len(text) if end < 0 else end
        yield start, at


def disjoint(found: Sequence[Span]) -> list[Span]:
    """Return spans that come in order as such that do not overlap."""
    spans: list[Span] = []
    for start, end, name in found:
        if spans and start < spans[-1][1]:
            # Two rules saw parts of one secret: what either saw goes.
            first, last, kept = spans[-1]
            spans[-1] = (first, max(last, end), kept)
        else:
            spans.append((start, end, name))
    return spans
