"""Metadata in the text of a Markdown note: fields (`key:: value`) and tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from notewell.index.mask_code import IndentedCode, blank_unlinked
from notewell.types.note import LONGEST, MOST, Note
from notewell.types.tasks import Task, find_tasks

# Dataview's fields: `key:: value` on a line of its own, also in a list, or `[key:: value]` and `(key:: value)` in one.
KEY = r"([^\W\d_](?:[\w -]{0,58}\w)?)"
LINE_FIELD = re.compile(
    rf"^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+(?:\[.\][ \t]+)?)?[*_]{{0,2}}{KEY}[*_]{{0,2}}::[ \t]+(\S[^\n]*)$", re.MULTILINE
)
# Fields of one note; the rest are data, not properties.
MOST_FIELDS = 1_000
INNER_FIELD = re.compile(rf"[\[(]{KEY}::[ \t]*([^\[\]()\n]{{1,500}})[\])]")


def tasks_by_line(note: Note, code: Iterable[tuple[int, int]]) -> dict[int, Task]:
    """Return the tasks in a note's text, by line; code and comments have none."""
    if not any(find_tasks(note.text, note.body)):
        return {}
    found = find_tasks(blank_unlinked(note.text, code), note.body)
    return {note.line_at(end - 1): task for _, end, task in found}


def inline_fields(note: Note, code: Iterable[tuple[int, int]]) -> dict[str, Any]:
    """Return the fields in a note's text, by key; several values of one key are a list."""
    if "::" not in note.text[note.body :]:
        return {}
    text = blank_unlinked(note.text, code)
    indented = IndentedCode(note.text, note.body)
    found: dict[str, Any] = {}
    for start, key, value in islice(sorted(_fields(text, note.body)), MOST_FIELDS):
        if len(found) < MOST and not indented.holds(start):
            found = with_field(found, key, value[:LONGEST])
    return found


def _fields(text: str, body: int) -> Iterator[tuple[int, str, str]]:
    for pattern in (LINE_FIELD, INNER_FIELD):
        yield from ((match.start(1), match[1], match[2].strip()) for match in pattern.finditer(text, body))


def with_field(fields: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return the fields with one more value; a key that has one already gets a list of both.

    >>> with_field({"author": "Ann"}, "author", "Bea"), with_field({}, "rating", 5)
    ({'author': ['Ann', 'Bea']}, {'rating': 5})
    """
    if key not in fields:
        return {**fields, key: value}
    before = fields[key] if isinstance(fields[key], list) else [fields[key]]
    return dict(fields) if value in before else {**fields, key: [*before, value]}
