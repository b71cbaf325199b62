"""JSON Lines: transcripts of Claude Code by turns, other records flat, each on the line it has in the file."""

from __future__ import annotations

from dataclasses import replace

from notewell.errors import NoteError
from notewell.index.readers import chats
from notewell.index.readers.content import Content, not_json_error
from notewell.index.readers.json_values import flatten
from notewell.index.readers.nested import load_json
from notewell.index.readers.text import decode


def extract(data: bytes) -> Content:
    """Return the turns of a transcript, or one line for each record."""
    text, warnings = decode(data)
    lines = text.split("\n")
    if chats.may_be_transcript(text) and (
        content := chats.transcript([load_json(one) for one in lines if one.strip()])
    ):
        return replace(content, warnings=(*warnings, *content.warnings))
    records, bad = _records(lines)
    if bad and len(bad) == sum(1 for line in lines if line.strip()):
        raise not_json_error(bad[0])
    if bad:
        # Such as the last line of a log that was cut off: no reason to lose the others.
        count = "1 line is" if len(bad) == 1 else f"{len(bad):,} lines are"
        warnings = (*warnings, f"{count} not JSON, read as text: line {bad[0]:,}")
    return Content("\n".join(records), warnings=warnings)


def _records(lines: list[str]) -> tuple[list[str], list[int]]:
    """Return one line for each record, and the numbers of the lines that are not JSON."""
    records: list[str] = []
    bad: list[int] = []
    for number, line in enumerate(lines, 1):
        try:
            records.append("; ".join(str(value) for value in flatten(line)))
        except NoteError:
            records.append(line.strip())
            bad.append(number)
    return records, bad
