"""The units of a chunk that can be shown by themselves: sentences, list items, table rows, lines of code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from notewell.files.formats import FLOWING, SOURCE, TABLE, TEXT, VALUES, WRAPPED, format_of
from notewell.patterns import lazy_pattern
from notewell.types.note import Chunk

PROSE, LINE, ROW, CODE = "prose", "line", "row", "code"

# A line by how it begins. Headings (a hit names them), rules, borders and targets of links say nothing by themselves.
SHAPE = lazy_pattern(
    r"\s*(?:(?P<blank>$)|(?P<fence>`{3,}|~{3,})|(?P<rule>#{1,6} |[-=*_|: +]+$)|(?P<row>\|)"
    r"|(?P<item>(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t])|(?P<directive>\.\. |#\+|:[\w -]+:$|\[[^\]^]+\]:\s)|)"
)
# How a comment in source code begins.
COMMENT = lazy_pattern(r"\s*(?:#(?=[\s#])|//|/\*|\*(?=[\s/])|--\s|;;|%%? )")
QUOTES = lazy_pattern("\"\"\"|'''")
# Between the lines of a sentence: a break, and the sign of a comment or a quotation.
WRAP = lazy_pattern(r"[ \t]*\n[ \t]*(?:(?:>|#+|//+|\*+|--+|;+|%+)[ \t]+)*")
FIRST_WORD = lazy_pattern(r"[^\S\n]*(?:(?:>|#+|//+|\*+|--+|;+|%+)[ \t]+)*(\S+)")
# Lines are wrapped at one of these columns. A shorter line continues if the next begins with a small letter.
COLUMNS = range(50, 126)
SHORTEST_WRAPPED = 30
# Two spaces or a backslash are an intended break; a colon or a semicolon ends a thought, or a line of code.
UNWRAPPED_END = lazy_pattern(r"(?:  |[\\:;{}])$")

# Abbreviations, English and German, by length: a look-behind needs a fixed one.
SHORT = (
    "St|ST|Dr|Mr|Ms|No|vs|al|cf|ca|eg|ie|Nr",
    "Mrs|Fig|Sec|Vol|bzw|usw|vgl|Abs|Art|Str",
    "Prof|evtl|inkl",
    "approx",
)
# Sentences end at a stop before a space, including quotation marks and footnotes, or at the CJK full stop. No end:
# "26. September", "1. Knead", "W. White", "e.g. rye" and "St. Moritz"; but "version 4.0." is one.
STOP = lazy_pattern(
    r"[.!?。！？](?:(?<=[。！？])|(?=[\s'\"”’»)*_\[])(?<!\b[A-Za-z].)(?<![^.\w]\d.)(?<!\A\d.)(?<![^.\w]\d\d.)(?<!\A\d\d.)"
    + "".join(rf"(?<!\b(?:{words})\.)" for words in SHORT)
    + r"(?:['\"”’»)*_]|\[\^?\d+\])*(?=\s))"
)

# Names of speakers, as exports and people write them.
ANSWERS = ("Assistant", "Claude", "ChatGPT")
OTHERS = ("Human", "User", "You", "Me", "Summary", "Task", "Thinking", "Result", r"Tool [\w-]+")
SPEAKER = lazy_pattern(rf"^[#*> ]*(?:(?P<answer>{'|'.join(ANSWERS)})|{'|'.join(OTHERS)})[* ]*:", re.MULTILINE)


class Unit(NamedTuple):
    """A part of a chunk's text that is shown whole or not at all, from `start` up to `end`."""

    start: int
    end: int
    kind: str = PROSE


def text_kind(chunk: Chunk) -> str:
    """Return how the text of a chunk runs, by the format of its file; conversations are prose in any file.

    >>> text_kind(Chunk("src/main.rs", "fn main() {}", 1, 1)), text_kind(Chunk("Bees.docx", "Swarms", 1, 1))
    ('source', 'flowing')
    """
    kind = (format_of(chunk.path) or TEXT).text
    return WRAPPED if kind == VALUES and chunk.parts and "turn " in chunk.parts[0].name else kind


def find_blocks(text: str, kind: str, places: Sequence[int] | None = None) -> list[Unit]:
    """Return the paragraphs, items, rows and lines of code of a text, in order, without markup.

    With `places`, only blocks around them are needed, and most others are left out.

    >>> find_blocks("# Rye\\n\\nThe crumb is\\nopen. Good.\\n- salt", WRAPPED)[-1]
    Unit(start=32, end=38, kind='prose')
    """
    if kind == SOURCE:
        return _joined(text, _code_lines(text), wraps=True)
    if kind in (VALUES, TABLE):
        lines = _runs(text, "\n", range(len(text)) if places is None else places)
        return [Unit(start, end, ROW if kind == TABLE else LINE) for start, end in lines if text[start:end].strip()]
    if "```" in text or "~~~" in text:
        # Only the fences before a line tell whether it is code.
        return _joined(text, _fenced(text), wraps=kind != FLOWING)
    runs = [(0, len(text))] if places is None else _runs(text, "\n\n", places)
    return [unit for run in runs for unit in _joined(text, _shaped(text, *run), wraps=kind != FLOWING)]


def _runs(text: str, between: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of text between separators that contain one of the places."""
    end = -1
    for place in places:
        if place > end:
            start = text.rfind(between, 0, place)
            start = 0 if start < 0 else start + len(between)
            end = text.find(between, place)
            end = len(text) if end < 0 else end
            yield start, end


def find_sentences(text: str, block: Unit) -> list[Unit]:
    """Return the sentences of a block of prose; any other block is one unit.

    >>> [(unit.start, unit.end) for unit in find_sentences("Wait. Knead it.", Unit(0, 15))]
    [(0, 5), (6, 15)]
    """
    start, end, kind = block
    stops = [stop.end() for stop in STOP.finditer(text, start, end)] if kind == PROSE else []
    if not stops:
        return [block]
    units = (_trimmed(text, first, last) for first, last in pairwise((start, *stops, end)))
    return [unit for unit in units if unit.start < unit.end]


def _trimmed(text: str, start: int, end: int) -> Unit:
    while start < end and text[start].isspace():
        start += 1
    return Unit(start, end)


# A line and its shape: one of `SHAPE`, or `code`, or nothing for plain text.
Shaped = tuple[int, int, str]


def _shaped(text: str, start: int, end: int) -> Iterator[Shaped]:
    """Yield the lines of a run with their shape."""
    for line in text[start:end].split("\n"):
        end = start + len(line)
        # Most lines begin with a letter: plain text.
        shape = "" if line[:1].isalpha() else SHAPE.match(line).lastgroup or ""  # type: ignore[union-attr]
        yield start, end, shape
        start = end + 1


def _fenced(text: str) -> Iterator[Shaped]:
    """Yield the lines with their shape; lines between fences are code.

    Long code was split into chunks, and the last of them has only the closing fence.
    """
    lines = list(_shaped(text, 0, len(text)))
    fences = [start for start, _, shape in lines if shape == "fence"]
    inside = len(fences) % 2 == 1 and fences[0] > 0
    for start, end, shape in lines:
        inside ^= shape == "fence"
        yield start, end, CODE if inside and shape not in ("blank", "fence") else shape


def _code_lines(text: str) -> Iterator[Shaped]:
    """Yield the lines of source code with their shape: comments and text between triple quotes are prose."""
    quoted, at = False, 0
    for line in text.split("\n"):
        marks = len(QUOTES.findall(line))
        shape = CODE
        if not line.strip():
            shape = "blank"
        elif quoted or (marks and line.lstrip()[:3] in ('"""', "'''")) or COMMENT.match(line):
            shape = "" if re.search(r"\w", line) else "rule"
        quoted ^= marks % 2 == 1
        yield at, at + len(line), shape
        at += len(line) + 1


def _joined(text: str, lines: Iterable[Shaped], *, wraps: bool) -> list[Unit]:
    """Return the blocks that lines form: a paragraph or item that continues over several lines is one."""
    units: list[Unit] = []
    continues, width, is_item = False, 0, False
    for start, end, shape in lines:
        if shape == CODE or shape == "row":
            units.append(Unit(start, end, CODE if shape == CODE else ROW))
            continues = False
        elif shape == "" or shape == "item":
            width = max(width, end - start) if continues else end - start
            if continues and shape == "" and _is_continued(text, units[-1].end, start, is_item=is_item, width=width):
                units[-1] = Unit(units[-1].start, end)
            else:
                units.append(_trimmed(text, start, end))
                is_item = shape == "item"
            continues = wraps
        else:
            if shape == "rule" and text[start:end].lstrip()[:1] == "|" and units and units[-1].end == start - 1:
                # Above a table's border are the names of its columns; they are shown with each row.
                units.pop()
            continues = False
    return units


def _is_continued(text: str, end: int, start: int, *, is_item: bool, width: int) -> bool:
    """Tell whether the line that ends at `end` continues in the one at `start`: it is full, or breaks off."""
    before = text[text.rfind("\n", 0, end) + 1 : end]
    if is_item and text[start].isspace():
        return True
    if UNWRAPPED_END.search(before):
        return False
    word = FIRST_WORD.match(text, start)
    if word is None:
        return False
    breaks_off = len(before) >= SHORTEST_WRAPPED and word[1][0].islower()
    return breaks_off or (width in COLUMNS and len(before) + 1 + len(word[1]) >= width)


def find_questions(text: str) -> Callable[[Unit], bool] | None:
    """Return a function that tells whether a sentence of a conversation is no answer; None if nobody answers.

    >>> asked = find_questions("Human: Why is it dense?\\nAssistant: It was cold.")
    >>> asked(Unit(0, 23)), asked(Unit(24, 47))
    (True, False)
    """
    if not ("Assistant" in text or "Claude" in text or "ChatGPT" in text):
        return None
    turns = [(match.start(), not match["answer"]) for match in SPEAKER.finditer(text)]
    if all(asks for _, asks in turns):
        return None
    starts = [start for start, _ in turns]
    return lambda unit: (place := bisect_right(starts, unit.start)) > 0 and turns[place - 1][1]
