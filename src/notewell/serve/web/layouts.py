"""Notes of other formats than Markdown as HTML: pages, tables, cells, turns of a conversation, code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notewell.files.formats import SOURCE, TABLE, VALUES, format_of, suffix_of
from notewell.frozen import frozen
from notewell.index.headings import headings_of
from notewell.index.readers.csv_rows import delimiter, records
from notewell.serve.web.elements import badges, code, line_range
from notewell.serve.web.markdown import Heading, Style, render
from notewell.serve.web.note_links import NoteLinks
from notewell.serve.web.sanitise import attributes, escape
from notewell.types.note import Note, Part

# Who speaks in a conversation, as `index/readers/chats.py` writes it.
SPEAKER = re.compile(r"(Human|Assistant|Thinking|Result|Summary|Task|Tool [^\n:]{0,80}): ?")
# What a reader of a conversation rarely wants to see.
ASIDE = ("Thinking", "Result", "Tool")
# A cell's bars are escaped.
BAR = re.compile(r"(?<!\\) \| ?|(?<!\\) \|$")
# More columns than a screen has room for, many times over.
MOST_COLUMNS = 200
MOST_HEADINGS = 500


@frozen
class Shown:
    """Lines of a note that are shown, and the number of the first."""

    note: Note
    lines: Sequence[str]
    first: int
    breaks: bool = False

    @property
    def last(self) -> int:
        """Return the number of the last line."""
        return self.first + len(self.lines) - 1

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)

    def part(self, first: int, last: int) -> Shown:
        """Return some of these lines."""
        start = max(first, self.first)
        return replace(self, lines=self.lines[start - self.first : last - self.first + 1], first=start)


Layout = Callable[[Shown, NoteLinks], tuple[str, tuple[Heading, ...]]]


def layout_of(note: Note) -> tuple[str, Layout]:
    """Return how a note is shown, by its format: a name, and the function that does it."""
    format = format_of(note.path)
    reader, shape, runs = (format.reader, format.shape, format.text) if format else ("text", "plain", "")
    if reader == "pdf":
        return "pages", _pages
    if reader == "slides":
        return "pages", _parts
    if reader == "notebook":
        return "cells", _cells
    if runs == TABLE:
        return "table", _sheets if reader == "workbook" else _table
    if runs == VALUES and any("turn" in part.name for part in note.parts[:1]):
        return "turns", _turns
    if runs in (SOURCE, VALUES):
        return "code", _code
    if reader == "canvas":
        return "cards", _markdown
    return ("text", _markdown) if shape in ("markdown", "document") else ("plain", _plain)


def _markdown(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    html, headings = render(shown.text, links, Style(shown.first, breaks=shown.breaks))
    return html, headings[:MOST_HEADINGS]


def _code(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    return code(shown.text, shown.first, suffix_of(shown.note.path)[1:], kind="numbered"), ()


def _plain(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    html = code(shown.text, shown.first, kind="plain")
    note = shown.note
    found = ((heading.level, heading.name, note.line_at(heading.start)) for heading in headings_of(note))
    return html, tuple(Heading(*each) for each in found if shown.first <= each[2] <= shown.last)[:MOST_HEADINGS]


def _sections(shown: Shown) -> Iterator[tuple[Part, Shown]]:
    """Yield the parts that are shown, each with its lines; what is above the first part has no name."""
    parts = shown.note.parts
    if not parts or parts[0].line > shown.first:
        parts = (Part(1, ""), *parts)
    ends = [*(part.line - 1 for part in parts[1:]), shown.last]
    for part, last in zip(parts, ends, strict=True):
        if part.line <= shown.last and last >= shown.first:
            yield part, shown.part(part.line, last)


def _in_sections(shown: Shown, inner: Callable[[Shown], str]) -> tuple[str, tuple[Heading, ...]]:
    """Return the parts one below another, each under its name."""
    html: list[str] = []
    headings: list[Heading] = []
    for part, section in _sections(shown):
        body = inner(section)
        if part.name:
            name = part.name[0].upper() + part.name[1:]
            headings.append(Heading(1, name, section.first))
            body = f"<h2{attributes(('data-line', str(section.first)))}>{escape(name)}</h2>\n{body}"
        if body.strip():
            html.append(f'<section class="part">{body}</section>\n')
    return "".join(html), tuple(headings[:MOST_HEADINGS])


def _pages(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    return _in_sections(shown, lambda page: "".join(_paragraphs(page)))


def _paragraphs(shown: Shown) -> Iterator[str]:
    """Yield the paragraphs between blank lines."""
    held: list[str] = []
    for number, line in enumerate((*shown.lines, ""), shown.first):
        if line.strip():
            held.append(line.strip())
        elif held:
            lines = line_range(number - len(held), number - 1)
            yield f'<p data-line="{lines}">{badges(escape(" ".join(held)))}</p>\n'
            held = []


def _parts(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    return _in_sections(shown, lambda part: _markdown(part, links)[0])


def _cells(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    """Return a notebook: prose as Markdown, code and its output as code."""
    headings: list[Heading] = []
    html: list[str] = []
    for _, cell in _sections(shown):
        text, found = render("\n".join(_with_output(cell.lines)), links, Style(cell.first))
        headings += found
        html.append(f'<section class="part">{text}</section>\n')
    return "".join(html), tuple(headings[:MOST_HEADINGS])


def _with_output(lines: Sequence[str]) -> list[str]:
    """Return the lines of a cell with its output as code; every line keeps its number.

    >>> _with_output(["```python", "1", "```", "", "Output:", "*1*", "", "# Next"])
    ['```python', '1', '```', '', '`````output', '*1*', '`````', '# Next']
    """
    made, opened = list(lines), False
    for at, line in enumerate(lines):
        if not opened and line == "Output:" and "```" in lines[max(0, at - 2) : at]:
            made[at], opened = "`````output", True
        elif opened and not line and (at + 1 == len(lines) or re.match(r"```|#|Output:|Error:", lines[at + 1])):
            made[at], opened = "`````", False
    return made


def _turns(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    """Return a conversation: what each side says below its name, thoughts and tools folded."""
    headings: list[Heading] = []
    html: list[str] = []
    for part, turn in _sections(shown):
        if part.name:
            opening = turn.lines[0].partition(": ")[2] if turn.lines else ""
            headings.append(Heading(1, f"{part.name.rpartition('turn ')[2]} · {opening[:80]}", turn.first))
        html += (_said(said, links) for said in _messages(turn))
    return "".join(html), tuple(headings[:MOST_HEADINGS])


def _messages(shown: Shown) -> Iterator[Shown]:
    """Yield what is said, each time somebody else speaks."""
    starts = [
        at
        for at, line in enumerate(shown.lines)
        if SPEAKER.match(line) and (at == 0 or not shown.lines[at - 1].strip())
    ]
    bounds = [*([0] if starts[:1] != [0] else []), *starts, len(shown.lines)]
    for start, end in pairwise(bounds):
        if any(line.strip() for line in shown.lines[start:end]):
            yield shown.part(shown.first + start, shown.first + end - 1)


def _said(said: Shown, links: NoteLinks) -> str:
    match = SPEAKER.match(said.lines[0])
    if match is None:
        return _markdown(said, links)[0]
    who, text = match[1].strip(), "\n".join((said.lines[0][match.end() :], *said.lines[1:]))
    lines = [("data-line", line_range(said.first, said.last))]
    if who.startswith(ASIDE):
        inner = code(text.rstrip("\n"), said.first, kind="plain")
        return f'<details class="aside"><summary>{escape(who)}</summary>{inner}</details>\n'
    body, _ = render(text, links, Style(said.first, breaks=True, headings=False))
    speaker = attributes(("class", "turn"), ("data-speaker", who.lower()), *lines)
    return f'<section{speaker}><p class="heading">{escape(who)}</p>{body}</section>\n'


def _table(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    """Return the records of a CSV file as a table, below the file's header."""
    text = shown.note.text
    sign = delimiter(text)
    head = {line for part in shown.note.parts[:1] for line in part.under}
    rows = [
        Row(line_range(each.line + shown.first - 1, each.end_line + shown.first - 1), each.fields)
        for each in records(shown.text, sign)
    ]
    above = [Row("", one.fields) for one in records(text[:10_000], sign) if one.line in head and shown.first > one.line]
    count = len(above) + sum(shown.first <= line <= shown.last for line in head)
    return _as_table([*above, *rows], count), ()


def _sheets(shown: Shown, links: NoteLinks) -> tuple[str, tuple[Heading, ...]]:
    """Return the sheets of a workbook as tables."""
    headings: list[Heading] = []
    html: list[str] = []
    rows: list[Row] = []
    heads = {line for part in shown.note.parts for line in part.under}
    for number, line in enumerate((*shown.lines, "[Sheet: ]"), shown.first):
        if line.startswith("[Sheet: "):
            html.append(_as_table(rows, sum(int(row.line) in heads for row in rows)))
            rows = []
            name = line[len("[Sheet: ") : -1]
            if number <= shown.last:
                headings.append(Heading(1, name, number))
                html.append(f'<h2 data-line="{number}">{badges(escape(name))}</h2>\n')
        elif line.strip():
            rows.append(Row(str(number), [cell.replace("\\|", "|") for cell in BAR.split(line)]))
    return "".join(html), tuple(headings)


@frozen
class Row:
    """A row of a table, and its lines."""

    line: str
    cells: Sequence[str]


def _as_table(rows: Sequence[Row], heads: int) -> str:
    """Return rows as a table; the first `heads` of them name its columns."""
    if not rows:
        return ""
    head = "".join(_as_row(row, "th") for row in rows[:heads])
    body = "".join(_as_row(row, "td") for row in rows[heads:])
    head = f"<thead>{head}</thead>" if head else ""
    return f'<div class="scroll"><table>{head}<tbody>{body}</tbody></table></div>\n'


def _as_row(row: Row, tag: str) -> str:
    cells = "".join(f"<{tag}>{badges(escape(cell.strip()))}</{tag}>" for cell in row.cells[:MOST_COLUMNS])
    return f"<tr{attributes(('data-line', row.line))}>{cells}</tr>\n"
