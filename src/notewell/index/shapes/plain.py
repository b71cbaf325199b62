"""Plain text: paragraphs, merged into chunks that overlap a little."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notewell.index.chunk import ChunkRules, chunks_of
from notewell.index.shapes.sections import titled
from notewell.types.note import Chunk, Note, Span

# Text without headings says nothing of where its subject changes: shorter chunks than Markdown's, about one subject.
LENGTH = 1000
# A tenth of that is repeated from the chunk before, so that what a cut divides is whole in one of the two; and what is
# shorter than a tenth goes with its neighbour.
TENTH = 10

# Where a chunk may end, the best first: paragraphs, lines that end a sentence, sentences, lines, words.
PARAGRAPH = re.compile(r"(?=\r?\n[ \t\r\f]*\n)")
ENDS = (
    re.compile(r"[.!?…。！？][\"'”’»)\]]*(?=[ \t]*\r?\n)"),
    re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？]"),
    re.compile(r"(?=\n)"),
    re.compile(r"(?=\s)"),
)
# Where the repeated text may begin: at a sentence or paragraph, else at a word.
SENTENCE = re.compile(r"(?:[.!?…][\"'”’»)\]]*\s+|[。！？]|\n[ \t\r\f]*\n\s*)(?=\S)")
WORD = re.compile(r"(?<=\s)(?=\S)")
INK = re.compile(r"\S")


def parse(note: Note) -> Note:
    """Return the note with its title: the one it has beside its text, or the file's name."""
    return titled(note)


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's paragraphs in chunks."""
    return chunks_of(note, (((), run) for run in runs(note.text, min(LENGTH, rules.max_chars))))


def runs(text: str, length: int) -> Iterator[Span]:
    """Yield runs of about `length` characters that overlap by up to a tenth of it.

    >>> text = "One is here. Two is a bit longer. Three ends it."
    >>> [text[run.start : run.end] for run in runs(text, 40)]
    ['One is here. Two is a bit longer.', 'Three ends it.']
    """
    tenth, last = length // TENTH, len(text.rstrip())
    start, past = _ink(text, 0), 0
    while start < last:
        end, is_paragraph = last, True
        if start + length < last:
            end, is_paragraph = _end(text, start, max(start, past) + max(1, tenth), start + length)
        if last - end < tenth:
            # A rest too short to be a chunk.
            end = last
        yield Span(start, end)
        past = _ink(text, end)
        near = end < last and past - end <= tenth
        start = (near and _again(text, max(start + 1, end - tenth), end, is_paragraph)) or past


def _end(text: str, start: int, earliest: int, limit: int) -> tuple[int, bool]:
    """Return where a run that begins at `start` ends, and whether a paragraph ends there as well."""
    if end := _last(PARAGRAPH, text, earliest, limit):
        return end, True
    # Sentences and lines in the second half only: an early one would leave a scrap.
    middle = max(earliest, (start + limit) // 2)
    return next((end for pattern in ENDS if (end := _last(pattern, text, middle, limit))), limit), False


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Return the last place where the pattern ends between the two, or 0; a blank place is none."""
    places = [match.end() for match in pattern.finditer(text, start, end + 1)]
    return next((place for place in reversed(places) if place <= end and not text[place - 1].isspace()), 0)


def _again(text: str, earliest: int, end: int, is_paragraph: bool) -> int:
    """Return where the next run begins to repeat this one, or 0 if nothing in reach can stand alone."""
    if sentence := SENTENCE.search(text, max(0, earliest - 1), end):
        return sentence.end()
    word = None if is_paragraph else WORD.search(text, earliest, end)
    return word.start() if word else 0


def _ink(text: str, start: int) -> int:
    """Return the first place from `start` on that is not blank, or the text's end."""
    found = INK.search(text, start)
    return found.start() if found else len(text)
