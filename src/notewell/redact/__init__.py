"""A note without its secrets: one scan of the whole text, line numbers kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from notewell.redact.rules import RULES, Rule
from notewell.types import Note, Redaction

__all__ = ["RULES", "Rule", "names_secret", "redact", "redact_text", "rules_digest"]


def redact(note: Note) -> Note:
    """Return the note with every secret replaced by `[REDACTED:rule]`."""
    text, redactions = redact_text(note.text)
    return replace(note, text=text, redactions=redactions) if redactions else note


def redact_text(text: str) -> tuple[str, tuple[Redaction, ...]]:
    """Return the text without its secrets, and what was taken out; the number of lines stays.

    >>> redact_text("db:\\n  password: hunter2-again\\n")[0]
    'db:\\n  password: [REDACTED:password]\\n'
    """
    spans = _disjoint(_find(text))
    if not spans:
        return text, ()
    parts: list[str] = []
    redactions: list[Redaction] = []
    at = read = 0
    line = 1
    for start, end, name in spans:
        # A secret of many lines leaves as many empty ones, so that every later line keeps its number.
        lines = text.count("\n", start, end)
        stand_in = f"[REDACTED:{name}]" + "\n" * lines
        line += text.count("\n", read, start)
        at += start - read
        redactions.append(Redaction(name, line, start, end, at, len(stand_in)))
        parts += text[read:start], stand_in
        line += lines
        at += len(stand_in)
        read = end
    return "".join((*parts, text[read:])), tuple(redactions)


def names_secret(path: str) -> str:
    """Return the kind of secret that a path holds, or nothing.

    >>> names_secret("Recipes/Sourdough.md")
    ''
    """
    return next((redaction.rule for redaction in redact_text(path)[1]), "")


@cache
def rules_digest() -> str:
    """Return a short name of the rules as they are: other rules, another name."""
    written = repr([(rule.name, rule.keywords, rule.pattern, rule.innocent) for rule in RULES])
    return hashlib.blake2b(written.encode("utf-8"), digest_size=6).hexdigest()


def _find(text: str) -> Iterator[tuple[int, int, str]]:
    lowered = text.lower()
    for rule in RULES:
        if any(keyword in lowered for keyword in rule.keywords):
            for match in rule.pattern.finditer(text):
                start, end = _span(match)
                if not (rule.innocent and rule.innocent.fullmatch(text, start, end)):
                    yield start, end, rule.name


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Return the part of a match that is the secret: the named group that took part, or all of it."""
    group = match.lastgroup
    return match.span(group) if group else match.span()


def _disjoint(found: Iterator[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    for start, end, name in sorted(found, key=lambda span: (span[0], -span[1])):
        if spans and start < spans[-1][1]:
            # Two rules saw parts of one secret: what either saw goes.
            first, last, kept = spans[-1]
            spans[-1] = (first, max(last, end), kept)
        else:
            spans.append((start, end, name))
    return spans
