"""The sentences of a hit as one quote that reads well, and that stands in the note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from notewell.chat.quotes import MARKUP, check_quote
from notewell.search.layout import LONGEST
from notewell.types.results import Hit

# A sentence that asks does not answer, and tags alone say nothing.
QUESTION = re.compile(r"\?[\s*_\"'”’)]*$")
TAGS = re.compile(r"\s*(?:#[\w/-]+[\s,]*)+")
# How a list item begins; and what stands before a sentence and is none of its words. A number may be: "26. Mai".
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+")
BEFORE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:\[![\w-]+\][-+]?[ \t]*)?(?:(?:[-*+]|#{1,6})[ \t]+)?(?:\[[ xX]\][ \t]+)?")
# Between the words of a sentence over several lines, and between sentences that follow each other.
BETWEEN = r"\s+(?:(?:>|#+|//+|\*+|--+|;+|%+)\s+)*"
NOTHING = re.compile(r"[\s>]*")
LINKED = re.compile(r"\]\(|\[\[")
# Signs that may be a part of code or of a name.
CODE = re.compile(r"`|==|~~|(?<!\w)_|_(?!\w)")
LEFT_OUT = " … "
FENCE = ("```", "~~~")


class Piece(NamedTuple):
    """Some of a hit's words as they are shown, from `start` up to `end` of its text."""

    shown: str
    start: int
    end: int


def quote_of(hit: Hit) -> str:
    """Return the best sentences of a hit, the most readable form of them that is verified; nothing if none is."""
    return next(_quotes(hit), "")


def _quotes(hit: Hit) -> Iterator[str]:
    sentences = [line for line in hit.excerpt.text.split("\n") if not QUESTION.search(line)]
    telling = [line for line in sentences if not TAGS.fullmatch(line)] or sentences
    joined = _joined(_pieces(telling, hit.text), hit.text)
    # Links are shown by their text, which leaves out all other markup too.
    has_links = LINKED.search(joined) and not CODE.search(joined)
    readable = MARKUP.sub(lambda match: match[1] or match[2] or "", joined) if has_links else ""
    # A row of a table is shown with the names of its columns, which are not there; then its lines are quoted.
    forms = (readable, joined, "" if sentences else _following(hit), _lines(hit), hit.text)
    for form in forms:
        quote = _shortened(form.strip())
        if check_quote(quote, hit.text) == "match":
            yield quote


def _pieces(sentences: Sequence[str], text: str) -> list[Piece]:
    """Return where sentences are in a text; nothing unless all of them are there, in order."""
    pieces, at = [], 0
    for sentence in sentences:
        words = sentence.replace("…", " ").split()
        found = re.compile(BETWEEN.join(map(re.escape, words))).search(text, at) if words else None
        if found is None:
            return []
        at = found.end()
        pieces.append(_with_list(Piece(sentence.strip("\n"), *found.span()), text))
    return pieces


def _with_list(piece: Piece, text: str) -> Piece:
    """Return a sentence that ends in a colon with what it announces, as far as there is room."""
    if not piece.shown.endswith(":"):
        return piece
    kept, code = "", False
    start = piece.end + len(text[piece.end :]) - len(text[piece.end :].lstrip("\n"))
    for line in text[start:].split("\n"):
        fenced = line.lstrip().startswith(FENCE)
        if (not line.strip() and not code) or len(kept) + len(line) > LONGEST:
            break
        kept += f"{line}\n"
        code ^= fenced
        if fenced and not code:
            break
    # Half of some code says nothing.
    if not kept.strip() or code or kept.lstrip().startswith("#"):
        return piece
    return Piece(f"{piece.shown}\n{kept.rstrip()}", piece.start, start + len(kept.rstrip()))


def _joined(pieces: Sequence[Piece], text: str) -> str:
    """Return pieces as one quote: with an ellipsis only where something is left out, lists and code in lines."""
    kept: list[Piece] = []
    for piece in pieces:
        # What a sentence announced is quoted with it already.
        if not kept or piece.start >= kept[-1].end:
            kept.append(piece)
    between = ["", *(_between(one, other, text) for one, other in pairwise(kept)), ""]
    quote = ""
    for piece, before, after in zip(kept, between, between[1:], strict=False):
        # A list item by itself is a sentence; several are a list.
        quote += before + (piece.shown if "\n" in (before, after) else BEFORE.sub("", piece.shown, count=1))
    return quote


def _between(one: Piece, other: Piece, text: str) -> str:
    """Return what joins two pieces: a line or a space if they follow each other, or else an ellipsis."""
    gap = text[one.end : other.start]
    if not NOTHING.fullmatch(gap):
        return LEFT_OUT
    in_lines = any(
        ITEM.match(piece.shown) or piece.shown[:1].isspace() or "\n" in piece.shown for piece in (one, other)
    )
    return "\n" if in_lines and "\n" in gap else " "


def _following(hit: Hit) -> str:
    """Return the paragraph after the excerpt: what answers a question in a note follows it."""
    return "\n".join(hit.text.split("\n")[hit.excerpt.end_line - hit.line + 1 :]).strip().split("\n\n")[0]


def _lines(hit: Hit) -> str:
    """Return the lines of the excerpt, and of a table only the rows that it shows."""
    lines = hit.text.split("\n")[hit.excerpt.line - hit.line : hit.excerpt.end_line - hit.line + 1]
    kept, last = "", -1
    for number, line in enumerate(lines):
        if line.lstrip().startswith("|") and not _shows(hit, line):
            continue
        kept += ("" if not kept else "\n" if number == last + 1 else "\n…\n") + line
        last = number
    return kept


def _shows(hit: Hit, row: str) -> bool:
    cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
    return all(cell in hit.excerpt.text for cell in [cell for cell in cells if cell][:2])


def _shortened(quote: str) -> str:
    """Return a quote of at most two sentences' length, cut between words."""
    most = 2 * LONGEST
    return quote if len(quote) <= most else f"{quote[:most].rpartition(' ')[0] or quote[:most]} …"
