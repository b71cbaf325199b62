"""A note without its secrets: the whole text is scanned until nothing is left to find, line numbers kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from notewell.redact.rule import Rule
from notewell.redact.rules import RULES
from notewell.redact.scan import Scanner, Span, disjoint
from notewell.types.note import Note, Redaction, Stamp

__all__ = [
    "LINE_IN_LINE",
    "RULES",
    "Rule",
    "digest_of",
    "names_secret",
    "redact",
    "redact_path",
    "redact_text",
    "rules_digest",
]

# Stands where a reader joined lines into one: redaction still sees where they ended, and leaves a space.
LINE_IN_LINE = "\v"

# The least a token has; and what sets tokens apart from the words of a language.
_SHORTEST = 18
_ODD = re.compile(r"\d|[a-z][A-Z]|[A-Z]{14}|=")
# More than anyone glues together, and few enough for a text that is made to take long.
_ROUNDS = 5


def redact(note: Note) -> Note:
    """Return the note with every secret replaced by `[REDACTED:rule]`."""
    text, redactions = redact_text(note.text)
    title, _ = redact_text(note.title)
    same = text == note.text and title == note.title
    return note if same else replace(note, text=text, title=title, redactions=redactions)


def redact_text(text: str) -> tuple[str, tuple[Redaction, ...]]:
    """Return the text without its secrets, and what was taken out; the number of lines stays.

    >>> redact_text("db:\\n  password: hunter2-again\\n")[0]
    'db:\\n  password: [REDACTED:password]\\n'
    """
    spans = _for_notes().spans(text.replace(LINE_IN_LINE, "\n"))
    if LINE_IN_LINE in text:
        # Both have the same length: every place found in the one is a place in the other.
        text = text.replace(LINE_IN_LINE, " ")
        # A cell of several lines does not end its row.
        spans = _together(spans, _for_tables().spans(text))
    if not spans:
        return text, ()
    redacted, redactions = _without(text, spans)
    # Without one secret, another may show that was glued to it.
    for _ in range(_ROUNDS):
        if not (more := _for_notes().spans(redacted)):
            break
        note = Note("", redacted, Stamp(0, 0), redactions=redactions)
        shown = [(note.source_offset(start), note.source_offset(end, ending=True), name) for start, end, name in more]
        spans = _together(spans, shown)
        redacted, redactions = _without(text, spans)
    return redacted, redactions


def _together(spans: Sequence[Span], more: Sequence[Span]) -> list[Span]:
    return disjoint(sorted([*spans, *more], key=lambda span: (span[0], -span[1])))


def _without(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Redaction, ...]]:
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


def redact_path(path: str) -> str:
    """Return a file's path without the secrets that its folders' names and its own hold."""
    names = [redact_text(name)[0] for name in path.split("/")]
    stem, dot, suffix = names[-1].rpartition(".")
    names[-1] = redact_text(stem)[0] + dot + suffix
    shown = "/".join(names)
    # What only the whole of it shows.
    return redact_text(shown)[0] if names_secret(shown) else shown


def names_secret(path: str) -> str:
    """Return the name of the rule by which a file's path holds a secret, or nothing.

    >>> names_secret("Garden/bees in 2024.md")
    ''
    """
    names = path.split("/")
    if rule := next(filter(None, map(_token_in, names)), ""):
        return rule
    if not _telling().search(path.lower()):
        return ""
    # What is stored is the whole of it, and the title that is made of its last name.
    texts = (*names, names[-1].rpartition(".")[0], path)
    return next((spans[0][2] for text in texts if (spans := _for_notes().spans(text))), "")


@lru_cache(maxsize=4096)
def _token_in(name: str) -> str:
    # Almost every name is too short or too plain for a token; the scan is for the others.
    if (len(name) < _SHORTEST and "=" not in name) or not _ODD.search(name):
        return ""
    spans = _for_paths().spans(name)
    return spans[0][2] if spans else ""


@cache
def rules_digest() -> str:
    """Return a short name of the rules as they are: other rules, another name."""
    return digest_of(Path(__file__).parent)


def digest_of(folder: Path) -> str:
    """Return a short name of all modules of a folder: checks, tables and the scan are rules as much as patterns."""
    digest = hashlib.blake2b(digest_size=6)
    for module in sorted(folder.iterdir(), key=lambda file: file.name):
        if module.name.endswith(".py"):
            digest.update(f"{module.name}\n".encode())
            digest.update(module.read_bytes())
    return digest.hexdigest()


@cache
def _for_notes() -> Scanner:
    return Scanner(RULES)


@cache
def _for_tables() -> Scanner:
    return Scanner([rule for rule in RULES if rule.beneath])


@cache
def _telling() -> re.Pattern[str]:
    """Return what a name has in it that any rule for names, places and sentences knows a secret by."""
    keywords = {keyword for rule in RULES if rule.any_case for keyword in rule.keywords}
    return re.compile("|".join(map(re.escape, sorted(keywords))))


@cache
def _for_paths() -> Scanner:
    return Scanner([rule for rule in RULES if rule.sure])
