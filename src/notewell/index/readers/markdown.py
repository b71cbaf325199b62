"""Markdown: front matter, title and links, and chunks cut at its headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TypeVar

from notewell.errors import NoteError
from notewell.index.chunk import ChunkRules, Span, cut, pack, trim, windows
from notewell.index.links import body_links, field_links
from notewell.index.readers.front_matter import split_front_matter
from notewell.types import Chunk, Note, listed

# The lines that shape a note: fences, headings, and underlines that make the line above a heading.
LANDMARK = re.compile(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<marks>#{1,6})(?P<name>(?:[ \t][^\n]*)?)$"
    r"|(?P<underline>=+|-{2,})[ \t]*\r?$)",
    re.MULTILINE,
)
TABLE = re.compile(r"^(?: {0,3}\|[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
BLANK = re.compile(r"\n[ \t\r]*\n\s*")
BLANK_ABOVE = re.compile(r"(?:^|\n)[ \t\r]*\n\Z")
# What a line may not begin with to be a heading by its underline: lists, quotes, tables, code.
NOT_TEXT = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]|$)| {4}|\t")
# Every chunk carries its headings and title: one as long as a page would be stored a thousand times.
LONGEST_NAME = 200
# Lists of links to other notes: their links count, their words are not about anything.
LINK_SECTIONS = frozenset({"related", "see also", "links", "references"})


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, where its line begins, and where the text below it does."""

    level: int
    name: str
    start: int
    body: int


@dataclass(frozen=True, slots=True)
class Section:
    """A run of text under its headings, outermost first."""

    headings: tuple[str, ...]
    span: Span
    body: int


Run = TypeVar("Run", Heading, Span)


def decode(data: bytes) -> str:
    """Return the file's text, or say why it is none."""
    if b"\0" in data[:8192]:
        raise NoteError("not text: it holds zero bytes", "If it is UTF-16, save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NoteError(f"not UTF-8 at byte {error.start:,}", "Save it as UTF-8") from error
    # Line ends of old Macs; a \r before \n stays, so that offsets are those of the file.
    return text if "\n" in text else text.replace("\r", "\n")


def parse(note: Note) -> Note:
    """Return the note with what it says of itself: front matter, title, links."""
    fields, body, warnings = split_front_matter(note.text)
    note = replace(note, fields=fields, body=body, warnings=warnings)
    headings, fences = outline(note.text, note.body)
    named = "".join(listed([fields.get("title")]))
    code = ((fence.start, fence.end) for fence in fences)
    links = (*field_links(fields), *body_links(note, code))
    title = named[:LONGEST_NAME] or _top_heading(note, headings) or PurePosixPath(note.path).stem
    return replace(note, title=title, links=links)


def _top_heading(note: Note, headings: list[Heading]) -> str:
    """Return the one H1 that opens the note; one further down, or one of several, names a part and not the note."""
    tops = [heading for heading in headings if heading.level == 1]
    opens = len(tops) == 1 and not note.text[note.body : tops[0].start].strip()
    return tops[0].name if opens else ""


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's chunks: its H2 sections; long ones cut at H3, then at paragraphs.

    A note whose every section is too short to be a chunk becomes one chunk as a whole; one without a body, its front
    matter; an empty one, a chunk without text. All of them have a name to be found by.
    """
    headings, fences = outline(note.text, note.body)
    pieces: list[tuple[tuple[str, ...], Span]] = []
    deeper = [heading for heading in headings if heading.level > 2]
    for section in _sections(headings, Span(note.body, len(note.text)), 2):
        if _is_text(note, section, rules):
            pieces += _cut_section(note, section, deeper, fences, rules)
    if not pieces:
        start = note.body if note.text[note.body :].strip() else 0
        pieces = [((), run) for run in cut(note.text, Span(start, len(note.text)), rules.max_chars)]
    trimmed = ((names, trim(note.text, span)) for names, span in pieces)
    chunks = [_chunk_of(note, names, span) for names, span in trimmed if span.start < span.end]
    return chunks or [_chunk_of(note, (), Span(0, 0))]


@lru_cache(maxsize=4)
def outline(text: str, body: int) -> tuple[list[Heading], list[Span]]:
    """Return the headings and the fenced code of a text from `body` on, in order."""
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
    # A fence that never closes is taken for text, so that one slip does not swallow the rest of a note.
    return headings + inside, fences


def _heading(text: str, body: int, mark: re.Match[str]) -> Heading | None:
    below = min(mark.end() + 1, len(text))
    if mark["marks"]:
        return Heading(len(mark["marks"]), _heading_name(mark["name"]), mark.start(), below)
    # An underline makes a heading of the one line of text above it.
    start = max(body, text.rfind("\n", body, max(body, mark.start() - 1)) + 1)
    above = text[start : mark.start()]
    alone = start == body or BLANK_ABOVE.search(text, max(body, start - 80), start)
    if NOT_TEXT.match(above) or not alone:
        return None
    return Heading(1 if mark["underline"][0] == "=" else 2, above.strip()[:LONGEST_NAME], start, below)


def _heading_name(written: str) -> str:
    """Return a heading without the signs that may close it."""
    name = written.strip()
    bare = name.rstrip("#")
    return (bare if bare.endswith((" ", "\t")) or not bare else name).strip()[:LONGEST_NAME]


def _closes(opened: re.Match[str], mark: re.Match[str]) -> bool:
    same = mark["fence"][0] == opened["fence"][0] and len(mark["fence"]) >= len(opened["fence"])
    return same and not mark["info"].strip()


def _sections(
    headings: list[Heading], span: Span, level: int, above: tuple[str, ...] = (), body: int | None = None
) -> Iterator[Section]:
    """Yield the sections of a span at headings down to `level`, what stands before the first one first."""
    cuts = [heading for heading in _within(headings, span) if heading.level <= level]
    edges = [*(heading.start for heading in cuts), span.end]
    yield Section(above, Span(span.start, edges[0]), span.start if body is None else body)
    names: dict[int, str] = {}
    for heading, end in zip(cuts, edges[1:], strict=True):
        names = {deep: name for deep, name in names.items() if deep < heading.level} | {heading.level: heading.name}
        yield Section((*above, *filter(None, names.values())), Span(heading.start, end), heading.body)


def _is_text(note: Note, section: Section, rules: ChunkRules) -> bool:
    name = section.headings[-1] if section.headings else ""
    if re.sub(r"^\W+|\W+$", "", name).casefold() in LINK_SECTIONS:
        return False
    return len(note.text[section.body : section.span.end].strip()) >= max(1, rules.min_chars)


def _cut_section(
    note: Note, section: Section, headings: list[Heading], fences: list[Span], rules: ChunkRules
) -> Iterator[tuple[tuple[str, ...], Span]]:
    whole = section.span
    if rules.overlap_words:
        # Text without spaces is one endless word; it is cut all the same.
        longest = max(rules.max_chars, rules.target_words * 12)
        runs = (run for window in windows(note.text, whole, rules) for run in cut(note.text, window, longest))
        yield from ((section.headings, run) for run in runs)
    elif whole.end - whole.start <= rules.max_chars:
        yield section.headings, whole
    else:
        start = whole.start
        for part in _sections(headings, whole, 3, section.headings, section.body):
            # A heading with nothing of its own below it goes with what follows.
            if part.span.start == whole.start and not note.text[section.body : part.span.end].strip():
                continue
            if part.span.start == whole.start or _is_text(note, part, rules):
                blocks = _blocks(note.text, Span(start, part.span.end), part.body, fences)
                yield from ((part.headings, run) for run in pack(note.text, blocks, rules.max_chars))
            start = part.span.end


def _blocks(text: str, span: Span, body: int, fences: list[Span]) -> list[Span]:
    """Return the span's paragraphs, the first with its heading, each fence and each table as one of its own."""
    whole = _within(fences, span)
    tables = (Span(*match.span()) for match in TABLE.finditer(text, span.start, span.end))
    whole = sorted(whole + [table for table in tables if not _inside(whole, table.start)], key=lambda run: run.start)
    # Before the first text there is only the heading, which stays with it.
    first = body + len(text[body : span.end]) - len(text[body : span.end].lstrip())
    edges = {edge for block in whole for edge in (block.start, min(block.end, span.end))}
    breaks = (match.end() for match in BLANK.finditer(text, span.start, span.end))
    edges.update(at for at in breaks if not _inside(whole, at))
    ordered = [span.start, *sorted(edge for edge in edges if first < edge < span.end), span.end]
    return [Span(start, end) for start, end in pairwise(ordered)]


def _within(runs: list[Run], span: Span) -> list[Run]:
    """Return those of the runs, which are in order, that begin in the span."""
    first = bisect_left(runs, span.start, key=lambda run: run.start)
    return runs[first : bisect_left(runs, span.end, lo=first, key=lambda run: run.start)]


def _inside(runs: list[Span], at: int) -> bool:
    """Tell whether an offset lies inside one of the runs, which are in order; at its start is outside."""
    place = bisect_left(runs, at, key=lambda run: run.start)
    return place > 0 and runs[place - 1].start < at < runs[place - 1].end


def _chunk_of(note: Note, headings: tuple[str, ...], span: Span) -> Chunk:
    return Chunk(
        path=note.path,
        text=note.text[span.start : span.end],
        line=note.line_at(span.start),
        end_line=note.line_at(max(span.start, span.end - 1)),
        start=note.source_offset(span.start),
        end=note.source_offset(span.end, ending=True),
        headings=headings,
        title=note.title,
        kind=note.kind,
        tags=note.tags,
        aliases=note.aliases,
    )
