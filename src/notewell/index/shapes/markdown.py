"""Markdown: front matter, title and links, and chunks cut at its headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from notewell.index.chunk import LONGEST_NAME, ChunkRules
from notewell.index.inline import inline_fields, tasks_by_line, with_field
from notewell.index.links import body_links, field_links
from notewell.index.shapes.front_matter import split_front_matter
from notewell.index.shapes.sections import chunk_sections, top_heading, with_title
from notewell.index.tags import inline_tags
from notewell.types.note import Chunk, Heading, Note, Outline, Span, as_list

# The lines that structure a note: fences, headings, and underlines below a heading.
LANDMARK = re.compile(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<marks>#{1,6})(?P<name>(?:[ \t][^\n]*)?)$"
    r"|(?P<underline>=+|-{2,})[ \t]*\r?$)",
    re.MULTILINE,
)
# In a note of the Excalidraw plugin: the line that says how to open it, and where the data of the drawing begins.
EXCALIDRAW_HINT = re.compile(r"\s*==[^\n]*EXCALIDRAW[^\n]*(?:\n|\Z)")
DRAWING = re.compile(r"^(?:%%[ \t]*\n)?#{1,2} Drawing[ \t]*$", re.MULTILINE)
BLANK_ABOVE = re.compile(r"(?:^|\n)[ \t\r]*\n\Z")
# A line that no underline makes a heading: a list item, quote, table or code.
NOT_TEXT = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]|$)| {4}|\t")


def parse(note: Note) -> Note:
    """Return the note with its front matter, title, links and outline."""
    fields, body, warnings = split_front_matter(note.text)
    note = replace(note, fields=fields, body=body, warnings=(*note.warnings, *warnings))
    note = replace(note, title="".join(as_list([fields.get("title")])))
    return parse_body(without_drawing(note) if "excalidraw-plugin" in fields else note)


def without_drawing(note: Note) -> Note:
    """Return a note of the Excalidraw plugin with the texts of its drawing, but not the data, under its file's name."""
    drawing = DRAWING.search(note.text, note.body)
    text = note.text[: drawing.start()] if drawing else note.text
    hint = EXCALIDRAW_HINT.match(text, note.body)
    title = note.title or note.path.rpartition("/")[2].rpartition(".")[0].removesuffix(".excalidraw")
    return replace(note, text=text, body=hint.end() if hint else note.body, title=title)


def parse_body(note: Note) -> Note:
    """Return the note with its outline, its links, and its title: its own, its only H1, or the file's name."""
    found = outline(note.text, note.body)
    code = [(fence.start, fence.end) for fence in found.blocks]
    links = (*field_links(note), *body_links(note, code))
    note = replace(note, fields=_with_inline(note, code), inline_tags=inline_tags(note))
    return replace(with_title(note, note.title or found.title), links=links, outline=found)


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's sections as chunks, with their tasks."""
    chunks = chunk_sections(note, rules)
    tasks = tasks_by_line(note, note.outline.blocks)
    if not tasks:
        return chunks
    lines = (range(each.line, each.end_line + 1) for each in chunks)
    held = [tuple(tasks[line] for line in own if line in tasks) for own in lines]
    return [replace(each, tasks=own) for each, own in zip(chunks, held, strict=True)]


def _with_inline(note: Note, code: list[tuple[int, int]]) -> Mapping[str, Any]:
    """Return the fields of the front matter, and those in the text."""
    fields = note.fields
    for key, value in inline_fields(note, code).items():
        for each in value if isinstance(value, list) else [value]:
            fields = with_field(fields, key, each)
    return fields


def outline(text: str, body: int = 0) -> Outline:
    """Return the title, the headings and the fenced code of a text from `body` on, in order."""
    headings: list[Heading] = []
    fences: list[Span] = []
    inside: list[Heading] = []
    opened: re.Match[str] | None = None
    for mark in LANDMARK.finditer(text, body):
        if mark["fence"]:
            if opened is None:
                # A backtick in the info string makes it inline code, not a fence.
                opened = mark if "`" not in mark["info"] or mark["fence"][0] == "~" else None
            elif _closes(opened, mark):
                fences.append(Span(opened.start(), min(mark.end() + 1, len(text))))
                opened = None
                inside.clear()
        elif heading := _heading(text, body, mark):
            (headings if opened is None else inside).append(heading)
    # An unclosed fence is plain text, so that one slip does not swallow the rest of a note.
    headings += inside
    return Outline(top_heading(text, headings, body), headings, fences)


def _heading(text: str, body: int, mark: re.Match[str]) -> Heading | None:
    below = min(mark.end() + 1, len(text))
    if mark["marks"]:
        return Heading(len(mark["marks"]), _heading_name(mark["name"]), mark.start(), below)
    # An underline makes the single line above it a heading.
    start = max(body, text.rfind("\n", body, max(body, mark.start() - 1)) + 1)
    above = text[start : mark.start()]
    alone = start == body or BLANK_ABOVE.search(text, max(body, start - 80), start)
    if NOT_TEXT.match(above) or not alone:
        return None
    return Heading(1 if mark["underline"][0] == "=" else 2, above.strip()[:LONGEST_NAME], start, below)


def _heading_name(written: str) -> str:
    """Return a heading without the `#` signs at its end."""
    name = written.strip()
    bare = name.rstrip("#")
    return (bare if bare.endswith((" ", "\t")) or not bare else name).strip()[:LONGEST_NAME]


def _closes(opened: re.Match[str], mark: re.Match[str]) -> bool:
    same = mark["fence"][0] == opened["fence"][0] and len(mark["fence"]) >= len(opened["fence"])
    return same and not mark["info"].strip()
