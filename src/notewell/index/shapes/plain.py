"""Plain text: paragraphs, packed into chunks that overlap a little."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notewell.index.chunk import ChunkRules, chunks_of
from notewell.index.shapes.sections import with_title as parse
from notewell.types.note import Chunk, Note, Span

__all__ = ["chunk", "parse", "runs"]

# Without headings it is not known where the subject changes: shorter chunks than Markdown's are about one subject.
LENGTH = 1000
# Up to a tenth of that is repeated from the chunk before, so that a sentence at a cut is whole in one of the two.
# Text shorter than a tenth joins its neighbour.
TENTH = 10

# Where a chunk may end, the best first: paragraphs, lines that end a sentence, sentences, lines, words.
PARAGRAPH = re.compile(r"(?=\r?\n[ \t\r\f]*\n)")
ENDS = (
    re.compile(r"[.!?…。！？][\"'”’»)\]]*(?=[ \t]*\r?\n)"),
    re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？]"),
    re.compile(r"(?=\n)"),
    re.compile(r"(?=\s)"),
)
# Where the repeated text may start: at a sentence or paragraph, else at a word.
SENTENCE = re.compile(r"(?:[.!?…][\"'”’»)\]]*\s+|[。！？]|\n[ \t\r\f]*\n\s*)(?=\S)")
WORD = re.compile(r"(?<=\s)(?=\S)")
INK = re.compile(r"\S")


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's chunks: runs of paragraphs."""
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
            # The rest is too short for a chunk.
            end = last
        yield Span(start, end)
        past = _ink(text, end)
        near = end < last and past - end <= tenth
        start = (near and _again(text, max(start + 1, end - tenth), end, is_paragraph)) or past


def _end(text: str, start: int, earliest: int, limit: int) -> tuple[int, bool]:
    """Return where a run from `start` ends, and whether a paragraph ends there."""
    if end := _last(PARAGRAPH, text, earliest, limit):
        return end, True
    # Sentences and lines only in the second half: an earlier end would leave a scrap.
    middle = max(earliest, (start + limit) // 2)
    return next((end for pattern in ENDS if (end := _last(pattern, text, middle, limit))), limit), False


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Return the last offset between the two where the pattern ends, not after a blank; or 0."""
    places = [match.end() for match in pattern.finditer(text, start, end + 1)]
    return next((place for place in reversed(places) if place <= end and not text[place - 1].isspace()), 0)


def _again(text: str, earliest: int, end: int, is_paragraph: bool) -> int:
    """Return where the next run starts to repeat this one, or 0 if nothing suitable is near."""
    if sentence := SENTENCE.search(text, max(0, earliest - 1), end):
        return sentence.end()
    word = None if is_paragraph else WORD.search(text, earliest, end)
    return word.start() if word else 0


def _ink(text: str, start: int) -> int:
    """Return the offset of the first character from `start` on that is not blank, or the text's end."""
    found = INK.search(text, start)
    return found.start() if found else len(text)
