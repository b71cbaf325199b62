"""A note without its secrets: each is replaced by `[REDACTED:rule]`, and every line keeps its number."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from notewell.redact.rules import RULES_FILE, VENDORS_FILE, Rule, all_rules, secret_label
from notewell.redact.scan import Scanner, SecretSpan, merge_overlaps
from notewell.types.note import Link, Note, RedactedSpan, Stamp

__all__ = [
    "LINE_IN_LINE",
    "Rule",
    "all_rules",
    "names_secret",
    "redact",
    "redact_parsed",
    "redact_path",
    "redact_text",
    "rules_digest",
    "secret_label",
    "sources_digest",
    "stand_ins",
]

# Readers write this where they join lines into one: redaction still sees the line break, and leaves a space.
LINE_IN_LINE = "\v"

# The shortest token; and what tells a token from the words of a language.
_SHORTEST_TOKEN = 18
_TOKEN_LIKE = re.compile(r"\d|[a-z][A-Z]|[A-Z]{14}|=")
# More secrets than anyone glues together, and few enough for a text that is made to take long.
_ROUNDS = 5

_VERSION_FILE = "version.json"


def redact(note: Note) -> Note:
    """Return the note with every secret replaced by `[REDACTED:rule]`."""
    text, redactions = redact_text(note.text)
    title, _ = redact_text(note.title, alone=False)
    same = text == note.text and title == note.title
    return note if same else replace(note, text=text, title=title, redactions=redactions)


def redact_text(text: str, *, alone: bool = True) -> tuple[str, tuple[RedactedSpan, ...]]:
    """Return the text without its secrets, and what was replaced; the number of lines stays the same.

    With `alone`, a random token that is alone on its line counts as a secret. Titles, names and fields, which always
    are alone, are searched without it.

    >>> redact_text("db:\\n  password: hunter2-again\\n")[0]
    'db:\\n  password: [REDACTED:password]\\n'
    """
    scanner = _for_notes() if alone else _for_parts()
    spans = scanner.spans(text.replace(LINE_IN_LINE, "\n"))
    if LINE_IN_LINE in text:
        # Both texts have the same length, so offsets agree.
        text = text.replace(LINE_IN_LINE, " ")
        # A cell of several lines does not end its row.
        spans = _merged(spans, _for_tables().spans(text))
    if not spans:
        return text, ()
    redacted, redactions = _replaced(text, spans)
    # Once a secret is gone, another one that was glued to it may be recognisable.
    for _ in range(_ROUNDS):
        if not (more := scanner.spans(redacted)):
            break
        note = Note("", redacted, Stamp(0, 0), redactions=redactions)
        found = [(note.source_offset(start), note.source_offset(end, ending=True), name) for start, end, name in more]
        spans = _merged(spans, found)
        redacted, redactions = _replaced(text, spans)
    return redacted, redactions


def _merged(spans: Sequence[SecretSpan], more: Sequence[SecretSpan]) -> list[SecretSpan]:
    return merge_overlaps(sorted([*spans, *more], key=lambda span: (span[0], -span[1])))


def _replaced(text: str, spans: Sequence[SecretSpan]) -> tuple[str, tuple[RedactedSpan, ...]]:
    pieces: list[str] = []
    redactions: list[RedactedSpan] = []
    at = done = 0
    line = 1
    for start, end, name in spans:
        # A secret of several lines leaves as many empty ones, so that later lines keep their numbers.
        lines = text.count("\n", start, end)
        stand_in = f"[REDACTED:{name}]" + "\n" * lines
        line += text.count("\n", done, start)
        at += start - done
        redactions.append(RedactedSpan(name, line, start, end, at, len(stand_in)))
        pieces += text[done:start], stand_in
        line += lines
        at += len(stand_in)
        done = end
    return "".join((*pieces, text[done:])), tuple(redactions)


def stand_ins(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the rule of each `[REDACTED:rule]` in a text.

    >>> list(stand_ins("a\\nkey: [REDACTED:secret]"))
    [(2, 'secret')]
    """
    for start, end in _for_notes().stand_ins(text):
        yield text.count("\n", 0, start) + 1, text[start:end].strip("[]").partition(":")[2]


def redact_parsed(note: Note) -> Note:
    """Return a parsed note without the secrets that only decoding shows: `%41` in a link, `\\x41` in front matter."""
    in_links = (text for link in note.links for text in (link.target, link.anchor, link.text))
    # One scan for all of them: nearly every note has none, and is returned as it is.
    if not redact_text("\n".join((note.title, *_texts(note.fields), *in_links)), alone=False)[1]:
        return note
    links = tuple(_redacted_link(link) for link in note.links)
    return replace(note, title=_redacted(note.title), fields=_redacted_values(note.fields), links=links)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _redacted_values(value: Any) -> Any:
    if isinstance(value, str):
        return _redacted(value)
    if isinstance(value, dict):
        return {_redacted(key): _redacted_values(inner) for key, inner in value.items()}
    return [_redacted_values(inner) for inner in value] if isinstance(value, list) else value


def _redacted_link(link: Link) -> Link:
    target, anchor, text = map(_redacted, (link.target, link.anchor, link.text))
    return replace(link, target=target, anchor=anchor, text=text)


def _redacted(part: str) -> str:
    return redact_text(part, alone=False)[0]


def redact_path(path: str) -> str:
    """Return a file's path without the secrets in the names of its folders and in its own name."""
    names = [_redacted(name) for name in path.split("/")]
    stem, dot, suffix = names[-1].rpartition(".")
    names[-1] = _redacted(stem) + dot + suffix
    redacted = "/".join(names)
    # Some secrets are only recognisable in the whole path.
    return _redacted(redacted) if names_secret(redacted) else redacted


def names_secret(path: str) -> str:
    """Return the name of the rule that finds a secret in a file's path, or an empty text.

    >>> names_secret("Garden/bees in 2024.md")
    ''
    """
    names = path.split("/")
    if rule := next(filter(None, map(_token_in, names)), ""):
        return rule
    if not _label_keywords().search(path.lower()):
        return ""
    # The store holds the whole path, and a title made of the file's name.
    texts = (*names, names[-1].rpartition(".")[0], path)
    return next((spans[0][2] for text in texts if (spans := _for_parts().spans(text))), "")


@lru_cache(maxsize=4096)
def _token_in(name: str) -> str:
    # Almost every name is too short or too plain for a token, and need not be scanned.
    if (len(name) < _SHORTEST_TOKEN and "=" not in name) or not _TOKEN_LIKE.search(name):
        return ""
    spans = _for_paths().spans(name)
    return spans[0][2] if spans else ""


@cache
def rules_digest() -> str:
    """Return the version of the rules; a store written under another version is redacted and indexed again.

    `version.json` says which version these sources still are. Sources it does not know are a version of their own: a
    forgotten entry costs a rebuild, never a secret.
    """
    sources = sources_digest(Path(__file__).parent)
    version: dict[str, str] = json.loads(Path(__file__).with_name(_VERSION_FILE).read_bytes())
    return version["rules"] if version["sources"] == sources else sources


def sources_digest(folder: Path) -> str:
    """Return a digest of all modules and rules in a folder: checks and tables decide as patterns do."""
    digest = hashlib.blake2b(digest_size=6)
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".py") or file.name in (RULES_FILE, VENDORS_FILE):
            digest.update(f"{file.name}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def _for_notes() -> Scanner:
    return Scanner(all_rules())


@cache
def _for_parts() -> Scanner:
    return Scanner([rule for rule in all_rules() if not rule.alone])


@cache
def _for_tables() -> Scanner:
    return Scanner([rule for rule in all_rules() if rule.column_check])


@cache
def _for_paths() -> Scanner:
    return Scanner([rule for rule in all_rules() if rule.certain])


@cache
def _label_keywords() -> re.Pattern[str]:
    """Return a pattern of every keyword that a rule for labels, positions or sentences needs."""
    keywords = {keyword for rule in all_rules() if rule.any_case for keyword in rule.keywords}
    return re.compile("|".join(map(re.escape, sorted(keywords))))
