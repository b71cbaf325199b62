"""Where the secrets are in a text: a rule is tried only where one of its keywords occurs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from notewell.redact.keywords import Keyword, Keywords
from notewell.redact.rules import Ahead, Check, Rule
from notewell.redact.runs import long_runs
from notewell.redact.spelling import spellings
from notewell.redact.tables import Header, cells_below

SecretSpan = tuple[int, int, str]

# Patterns limit their length; a match this long takes in what follows without a space.
_LONG = 120
_CELL_SEPARATORS = ";,\t|"
# How far back the start of a row is looked for.
_LONGEST_ROW = 5000
_REST = re.compile(r"[A-Za-z0-9+/=_~-]*+(?>(?:\.[A-Za-z0-9+/=_~-]++)*)")
_STAND_IN = re.compile(r"\[REDACTED:([a-z0-9-]{2,40})\]")


class _Scanned(NamedTuple):
    """A text, the same in lower case, the spans of its stand-ins, where its long runs begin, and its labels."""

    text: str
    lowered: str
    redacted: Sequence[tuple[int, int]]
    runs: Sequence[int]
    labels: list[int]

    def has_run(self, at: int, within: int) -> bool:
        """Tell whether a long run begins within so many characters after a place."""
        number = bisect_left(self.runs, at)
        return number < len(self.runs) and self.runs[number] < at + within


class Scanner:
    """Finds the secrets that a list of rules recognises."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Group the rules by keyword, so that each keyword is searched for once."""
        self._rules: dict[Keyword, list[Rule]] = {}
        for rule in rules:
            for keyword in rule.keywords:
                self._rules.setdefault((keyword, rule.any_case), []).append(rule)
        self._keywords = Keywords(self._rules)
        self._by_label: dict[Keyword, dict[re.Pattern[str] | None, list[Rule]]] = {}
        for word, listed in self._rules.items():
            for rule in listed:
                label = re.compile(rule.label, re.IGNORECASE) if rule.label else None
                self._by_label.setdefault(word, {}).setdefault(label, []).append(rule)
        self._at_runs = [rule for rule in rules if not rule.keywords]
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._by_name = {rule.name: rule for rule in rules}
        self._order = {rule.name: number for number, rule in enumerate(rules)}

    def spans(self, text: str) -> list[SecretSpan]:
        """Return the start, end and rule name of each secret, in order and without overlaps."""
        labels: list[int] = []
        found: list[SecretSpan] = []
        for spelling in spellings(text, labels):
            for start, end, name in self._found(spelling.text, labels):
                if span := spelling.in_source(start, end):
                    found.append((*span, name))
        found.sort(key=lambda span: (span[0], -span[1], self._order[span[2]]))
        return merge_overlaps(found)

    def _found(self, text: str, labels: list[int]) -> Iterator[SecretSpan]:
        """Yield the secrets of a text, keyword by keyword, then those in columns of tables; they may overlap.

        The places of all labels of secrets are added to `labels`.
        """
        if not text:
            return
        # The lower case of the first has two characters, and would shift every offset behind it; the second is Kelvin.
        plain = text.replace("İ", "I").replace("\u212a", "K")
        lowered = plain.lower()
        headers: list[Header] = []
        redacted = self.stand_ins(text)
        scanned = _Scanned(text, lowered, redacted, list(long_runs(text)), labels)
        for keyword in self._keywords.present(plain, lowered):
            # Where each rule's last secret ends: a match inside it is the same secret.
            ends: dict[str, int] = {}
            for rule, match in self._matches(keyword, scanned, ends):
                if rule.column_check:
                    headers.append(Header(match.start(), rule.name))
                    continue
                end, secrets = rule.secrets(match)
                if rule.each or rule.around:
                    # All of it is read now; read again from each keyword in it, a long list takes long.
                    ends[rule.name] = max(end, ends.get(rule.name, 0))
                for secret in secrets:
                    if rule.outside_rows and _in_rows(text, match.start(), secret):
                        continue
                    if span := _checked(rule.name, rule.check, text, secret, redacted):
                        ends[rule.name] = max(span[1], ends.get(rule.name, 0))
                        yield span
                    elif rule.all_or_nothing:
                        ends[rule.name] = max(match.end(), ends.get(rule.name, 0))
        yield from self._found_in_columns(text, headers, redacted)
        yield from self._found_at_runs(scanned)

    def _matches(
        self, keyword: Keyword, scanned: _Scanned, ends: Mapping[str, int]
    ) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Yield each match of a keyword's rules, except inside the last secret that the same rule found."""
        word, any_case = keyword
        text, lowered, redacted = scanned[:3]
        ahead = {rule.name: _Ahead(text, rule.ahead) for rule in self._rules[keyword] if rule.ahead}
        for at in _occurrences(word, lowered if any_case else text):
            # The rule's name in a stand-in is not the label of a secret.
            if redacted and (before := bisect_right(redacted, (at, 0))) and at < redacted[before - 1][1]:
                continue
            for rule in self._begun(keyword, scanned, at):
                if at < ends.get(rule.name, 0) or (rule.ahead and not ahead[rule.name].is_near(at)):
                    continue
                if rule.run_within and not scanned.has_run(at, rule.run_within):
                    continue
                pattern = self._patterns.get(rule.name) or self._compiled(rule)
                match = pattern.match(text, max(0, at - rule.lead) if rule.lead else at)
                while match and match.end() <= at:
                    # A match that ends before the keyword belongs to an earlier keyword.
                    match = pattern.match(text, match.end())
                if match:
                    yield rule, match

    def _begun(self, keyword: Keyword, scanned: _Scanned, at: int) -> Iterator[Rule]:
        """Yield the rules of a keyword, except those that begin with a label where there is none."""
        for label, rules in self._by_label[keyword].items():
            if not label:
                yield from rules
            elif label.match(scanned.text, at):
                scanned.labels.append(at)
                yield from rules

    def _found_in_columns(
        self, text: str, headers: Sequence[Header], redacted: Sequence[tuple[int, int]]
    ) -> Iterator[SecretSpan]:
        """Yield the secrets in the cells below the headers."""
        for start, end, name, sure in cells_below(text, sorted(headers)):
            rule = self._by_name[name]
            for check in (rule.check, rule.column_check) if sure else (rule.check,):
                if span := _checked(rule.name, check, text, (start, end), redacted):
                    yield span
                    break

    def _found_at_runs(self, scanned: _Scanned) -> Iterator[SecretSpan]:
        """Yield the secrets that rules without keywords find where a run of characters is long enough for a token."""
        for start, rule in product(scanned.runs, self._at_runs):
            pattern = self._patterns.get(rule.name) or self._compiled(rule)
            if match := pattern.match(scanned.text, start):
                secret = match.span(match.lastgroup or 0)
                if span := _checked(rule.name, rule.check, scanned.text, secret, scanned.redacted):
                    yield span

    def stand_ins(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of `[REDACTED:rule]`; one with an unknown rule name is plain text."""
        return [match.span() for match in _STAND_IN.finditer(text) if match[1] in self._by_name]

    def _compiled(self, rule: Rule) -> re.Pattern[str]:
        return self._patterns.setdefault(rule.name, rule.compiled())


class _Ahead:
    """Tells whether a pattern begins shortly after offsets that come in order; no part of the text is read twice."""

    def __init__(self, text: str, ahead: Ahead) -> None:
        self._text, self._reach = text, ahead.reach
        self._search = re.compile(ahead.pattern).search
        self._read = self._found = 0

    def is_near(self, at: int) -> bool:
        end = at + self._reach
        if self._found < at and end > self._read:
            # The last match began before this offset, or was cut off where the last search ended.
            match = self._search(self._text, max(at, self._read - self._reach // 4), end)
            self._found, self._read = (match.start(), match.end()) if match else (-1, end)
        return at <= self._found < end


def _occurrences(keyword: str, text: str) -> Iterator[int]:
    at = text.find(keyword)
    while at >= 0:
        yield at
        at = text.find(keyword, at + 1)


def _in_rows(text: str, label: int, secret: tuple[int, int]) -> bool:
    """Tell whether the label at an offset ends a row of several cells, and the secret below it is in such a row too."""
    line = text.rfind("\n", max(0, label - _LONGEST_ROW), label) + 1 or max(0, label - _LONGEST_ROW)
    before = text[line:label].lstrip()
    return any(sign in before and text.find(sign, *secret) >= 0 for sign in _CELL_SEPARATORS)


def _checked(
    name: str, check: Check | None, text: str, span: tuple[int, int], redacted: Sequence[tuple[int, int]]
) -> SecretSpan | None:
    """Return the span of a secret that passes the check, extended to the end of a long one."""
    start, end = span
    secret = text[start:end]
    if redacted:
        start, end, secret = _unredacted(text, start, end, redacted)
        if not re.search(r"\w", secret):
            return None
    if check is not None and not check(secret):
        return None
    rest = _REST.match(text, end) if end - start >= _LONG and not secret[-1:].isspace() else None
    return start, rest.end() if rest else end, name


def _unredacted(text: str, start: int, end: int, redacted: Sequence[tuple[int, int]]) -> tuple[int, int, str]:
    """Return a span extended to whole stand-ins, and its text without them."""
    at = max(0, bisect_right(redacted, (start, len(text))) - 1)
    parts: list[str] = []
    read = start
    while at < len(redacted) and redacted[at][0] < end:
        first, last = redacted[at]
        if last > start:
            parts.append(text[read:first])
            start, read, end = min(start, first), last, max(end, last)
        at += 1
    return start, end, "".join((*parts, text[read:end]))


def merge_overlaps(found: Sequence[SecretSpan]) -> list[SecretSpan]:
    """Return the spans, which come in order, with overlapping ones merged."""
    spans: list[SecretSpan] = []
    for start, end, name in found:
        if spans and start < spans[-1][1]:
            # Two rules found parts of one secret: both parts go.
            first, last, earlier = spans[-1]
            spans[-1] = (first, max(last, end), earlier)
        else:
            spans.append((start, end, name))
    return spans
