"""Notes with headings: chunks are their sections, long ones cut at deeper headings, then at paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from notewell.frozen import frozen
from notewell.index.chunk import LONGEST_NAME, ChunkRules, Piece, chunks_of, cut, pack, windows, within
from notewell.index.dates import day_in_headings
from notewell.index.links import OUTSIDE
from notewell.types.note import Chunk, Heading, Link, Note, Outline, Span

TABLE = re.compile(r"^(?: {0,3}\|[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
BLANK = re.compile(r"\n[ \t\r]*\n\s*")
# The names of sections that are lists of links: only their links count.
LINK_SECTIONS = frozenset({"related", "see also", "links", "references"})
# A link in any format, and how many letters a line of such a list may have beside its links: "see", "source:".
LINK = re.compile(
    r"\[\[[^\n\]]{0,500}\](?:\[[^\n\]]{0,500}\])?\]|\[[^\n\]]{0,500}\]\([^\n)]{0,1000}\)|`[^\n`]{1,500}`_{1,2}"
    r"|:\w{1,20}:`[^\n`]{1,500}`|\b(?:xref|link):[^\s\[]{0,500}\[[^\n\]]{0,500}\]|\b[a-z]{2,10}://\S{1,1000}"
)
FEW = 12
# Characters of a word in a language of long words.
LONG_WORD = 12
# Below every heading there is.
DEEPEST = 99


@frozen
class Section:
    """A run of text under its headings, outermost first."""

    headings: tuple[str, ...]
    span: Span
    body: int


def chunk_sections(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's chunks: its H2 sections; long ones cut at H3, then at paragraphs.

    Every note has at least one chunk, so that it is found by its name: a note of short sections becomes one chunk, a
    note without a body is its front matter, an empty one a chunk without text. A section called References or the like
    is left out if it is a list of links.
    """
    outline = note.outline
    pieces: list[Piece] = []
    short: Section | None = None
    deeper = replace(outline, headings=[heading for heading in outline.headings if heading.level > 2])
    for section in _sections(outline.headings, Span(note.body, len(note.text)), 2):
        if _is_text(note, section, deeper, rules):
            pieces += _with_short(short, list(_cut_section(note, section, deeper, rules)), rules)
            short = None
        elif not _says_something(note, section, deeper):
            continue
        elif pieces and _fits(pieces[-1][1], section.span, rules):
            # Too short for a chunk, but worth finding: it joins the section before it.
            pieces[-1] = (pieces[-1][0], Span(pieces[-1][1].start, section.span.end))
        elif short and _fits(short.span, section.span, rules):
            short = replace(short, span=Span(short.span.start, section.span.end))
        else:
            pieces += [(short.headings, short.span)] if short else []
            short = section
    pieces += [(short.headings, short.span)] if short and pieces else []
    if not pieces:
        start = note.body if note.text[note.body :].strip() else 0
        pieces = [((), run) for run in cut(note.text, Span(start, len(note.text)), rules.max_chars)]
    return chunks_of(note, pieces)


def _sections(
    headings: list[Heading], span: Span, level: int, above: tuple[str, ...] = (), body: int | None = None
) -> Iterator[Section]:
    """Yield the sections of a span, cut at headings down to `level`; first the text before the first heading."""
    cuts = [heading for heading in within(headings, span) if heading.level <= level]
    edges = [*(heading.start for heading in cuts), span.end]
    yield Section(above, Span(span.start, edges[0]), span.start if body is None else body)
    names: dict[int, str] = {}
    for heading, end in zip(cuts, edges[1:], strict=True):
        names = {deep: name for deep, name in names.items() if deep < heading.level} | {heading.level: heading.name}
        yield Section((*above, *filter(None, names.values())), Span(heading.start, end), heading.body)


def _is_text(note: Note, section: Section, deeper: Outline, rules: ChunkRules) -> bool:
    """Tell whether a section is long enough to be a chunk of its own; one with a date always is."""
    is_long = len(note.text[section.body : section.span.end].strip()) >= rules.min_chars
    return (is_long or bool(day_in_headings(section.headings[-1:]))) and _says_something(note, section, deeper)


def _says_something(note: Note, section: Section, deeper: Outline) -> bool:
    """Tell whether a section, or one below it, has more than a list of links."""
    name = section.headings[-1] if section.headings else ""
    if re.sub(r"^\W+|\W+$", "", name).casefold() in LINK_SECTIONS:
        parts = _sections(deeper.headings, section.span, DEEPEST, body=section.body)
        return not all(_is_links(note.text[part.body : part.span.end]) for part in parts)
    return bool(note.text[section.body : section.span.end].strip())


def _with_short(short: Section | None, pieces: list[Piece], rules: ChunkRules) -> list[Piece]:
    """Return the pieces, with the short section before them, if there is one."""
    if short is None:
        return pieces
    headings, first = pieces[0]
    if _fits(short.span, first, rules):
        return [(headings, Span(short.span.start, first.end)), *pieces[1:]]
    return [(short.headings, short.span), *pieces]


def _fits(before: Span, after: Span, rules: ChunkRules) -> bool:
    """Tell whether two runs are adjacent and fit into one chunk."""
    return before.end == after.start and after.end - before.start <= rules.max_chars


def _is_links(body: str) -> bool:
    """Tell whether every line of a text is links and little else.

    >>> _is_links("- [[Rye]], see https://bees.example"), _is_links("Ada, Of bees, Bern 1843, https://bees.example")
    (True, False)
    """
    lines = [line for line in body.splitlines() if line.strip()]
    return all(LINK.search(line) and sum(map(str.isalnum, LINK.sub("", line))) <= FEW for line in lines)


def _cut_section(note: Note, section: Section, deeper: Outline, rules: ChunkRules) -> Iterator[Piece]:
    whole = section.span
    if rules.overlap_words:
        # Text without spaces is one endless word, and must be cut as well.
        longest = max(rules.max_chars, rules.target_words * LONG_WORD)
        runs = (run for window in windows(note.text, whole, rules) for run in cut(note.text, window, longest))
        yield from ((section.headings, run) for run in runs)
    elif whole.end - whole.start <= rules.max_chars:
        yield section.headings, whole
    else:
        start = whole.start
        for part in _sections(deeper.headings, whole, 3, section.headings, section.body):
            # A heading without text of its own joins the next part.
            if part.span.start == whole.start and not note.text[section.body : part.span.end].strip():
                continue
            last = part.span.end == whole.end
            if _says_something(note, part, deeper) and not (last or _is_text(note, part, deeper, rules)):
                # Too short for a chunk: it joins the next part.
                continue
            if part.span.start == whole.start or _says_something(note, part, deeper):
                blocks = _blocks(note.text, Span(start, part.span.end), part.body, deeper.blocks)
                yield from ((part.headings, run) for run in pack(note.text, blocks, rules.max_chars))
            start = part.span.end


def _blocks(text: str, span: Span, body: int, fences: list[Span]) -> list[Span]:
    """Return the span's paragraphs, the first with its heading; each fence and each table is one block."""
    whole = within(fences, span)
    tables = (Span(*match.span()) for match in TABLE.finditer(text, span.start, span.end))
    whole = sorted(whole + [table for table in tables if not _inside(whole, table.start)], key=lambda run: run.start)
    # The heading stays with the first text below it.
    first = body + len(text[body : span.end]) - len(text[body : span.end].lstrip())
    edges = {edge for block in whole for edge in (block.start, min(block.end, span.end))}
    breaks = (match.end() for match in BLANK.finditer(text, span.start, span.end))
    edges.update(at for at in breaks if not _inside(whole, at))
    ordered = [span.start, *sorted(edge for edge in edges if first < edge < span.end), span.end]
    return [Span(start, end) for start, end in pairwise(ordered)]


def _inside(runs: list[Span], at: int) -> bool:
    """Tell whether an offset is inside one of the runs, which are in order; the start of a run is outside."""
    place = bisect_left(runs, at, key=lambda run: run.start)
    return place > 0 and runs[place - 1].start < at < runs[place - 1].end


# Characters of a link's source that are kept.
LONGEST_LINK = 500


def with_title(note: Note, title: str = "") -> Note:
    """Return the note with this title, or else the one its reader found, or the file's name."""
    return replace(note, title=(title or note.title).strip()[:LONGEST_NAME] or PurePosixPath(note.path).stem)


def top_heading(text: str, headings: list[Heading], body: int = 0) -> str:
    """Return the only first-level heading if the body starts with it, since it names the text; else an empty text."""
    tops = [heading for heading in headings if heading.level == 1]
    return tops[0].name if len(tops) == 1 and not text[body : tops[0].start].strip() else ""


def matches_outside(matches: Iterable[re.Match[str]], blocks: list[Span]) -> Iterator[re.Match[str]]:
    """Yield the matches that start outside of the blocks, which are in order."""
    for match in matches:
        before = bisect_right(blocks, match.start(), key=lambda block: block.start)
        if not before or match.start() >= blocks[before - 1].end:
            yield match


def file_links(note: Note, matches: Iterable[re.Match[str]]) -> tuple[Link, ...]:
    """Return links to files from matches with a group `path`, and perhaps `anchor` and `text`."""
    links = []
    for match in matches:
        named = match.groupdict(default="")
        path = named["path"].strip()
        if path and not OUTSIDE.match(path):
            line = note.line_at(match.start())
            anchor, text = named.get("anchor", "").strip("#* "), named.get("text", "").strip()
            links.append(Link(path, line, "file", anchor, text, raw=match.group()[:LONGEST_LINK]))
    return tuple(links)
