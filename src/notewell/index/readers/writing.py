"""How readers write text: on one line, shortened between words, and as Markdown blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from notewell.redact import LINE_IN_LINE, redact_text

# Line ends of every kind, and signs that no text holds on purpose.
UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Neither seen nor meant by anybody: controls other than tabs and line ends, and marks of byte order.
UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u2060\ufeff\ufffe\uffff]")
# All the ways to end a line or a page.
LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
LAST_WORD = re.compile(r"\s+\S*\Z")
# Of a word too long for its place, such as a picture in letters, its beginning tells what it is.
OF_A_LONG_WORD = 100
BEHIND_A_CUT = 5000
LAST_LETTERS = re.compile(r"[\w-]*\Z")


def one_line(text: str) -> str:
    """Return a text on one line.

    >>> one_line("one\\n  two\\x00three")
    'one two three'
    """
    # The quick way is for nearly all texts; a few signs that can be shown go the other way in vain.
    return text.strip() if text.isprintable() else " ".join(UNSHOWN.sub(" ", text).split())


def folded(text: str) -> str:
    r"""Return a text on one line, which redaction still reads as the lines it had.

    >>> folded("one \n\n two\tthree")
    'one\x0b\x0btwo three'
    """
    return text.strip() if text.isprintable() else LINE_IN_LINE.join(map(one_line, clean(text).split("\n")))


def clean(text: str) -> str:
    r"""Return a text with its lines, their ends as one kind, and without what cannot be seen.

    >>> clean("one\r\ntwo\x0bthree\x00\n")
    'one\ntwo\nthree'
    """
    return UNSEEN.sub("", LINE_END.sub("\n", text)).strip("\n")


def in_cell(text: str) -> str:
    r"""Return a text as it stands between bars: those of its own are no edges of cells.

    A text that is a row itself keeps them: by these, redaction knows the secrets in it.

    >>> print(in_cell("a|b"), in_cell("| password | bees |"))
    a\|b | password | bees |
    """
    return text if text.startswith("|") else text.replace("|", "\\|")


def shortened(text: str, most: int) -> str:
    """Return a text of about `most` characters at most, which says how many were left out.

    The cut is between words, or at a sign in a long one: half of a secret would not be known for one. One of several
    words goes before the cut.

    >>> shortened("one two three", 9), shortened("data:image/png;base64,iVBORw0KGgo", 30)
    ('one two … (6 characters left out)', 'data:image/png;base64, … (11 characters left out)')
    """
    if len(text) <= most:
        return text
    # Far enough behind the cut to see the whole of what it would go through.
    near = text[: most + BEHIND_A_CUT]
    text = redact_text(near)[0] + text[len(near) :]
    if len(text) <= most:
        return text
    kept = LAST_WORD.sub("", text[: most + 1])
    if len(kept) > most:
        kept = LAST_LETTERS.sub("", text[: min(most, OF_A_LONG_WORD)])
    return f"{kept} … ({len(text) - len(kept):,} characters left out)".lstrip()


# What would make a heading or a fence of a line that is none.
MARK = re.compile(r"^(?=#{1,6}(?:\s|$)|`{3}|~{3}|=+\s*$|-{2,}\s*$)", re.MULTILINE)
FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Markdown; an `item` stands right below another, anything else below a blank line."""

    text: str
    item: bool = False


def paragraph(text: str) -> Block:
    r"""Return a text as a block that is no heading and no code, whatever it begins with.

    >>> paragraph("# 1 in sales\n---").text
    '\\# 1 in sales\n\\---'
    """
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return Block(MARK.sub(r"\\", "\n".join(line for line in lines if line)))


def heading(level: int, text: str) -> Block:
    """Return a heading; there are six levels."""
    name = one_line(text)
    return Block(f"{'#' * min(max(level, 1), 6)} {name}" if name else "")


def item(text: str, depth: int, mark: str = "-") -> Block:
    r"""Return an item of a list, its further lines below its first.

    >>> item("one\ntwo", 1, "3.").text
    '  3. one\n     two'
    """
    lines = paragraph(text).text.split("\n")
    lead = f"{'  ' * depth}{mark} "
    return Block(lead + f"\n{' ' * len(lead)}".join(lines) if lines[0] else "", item=True)


def fence(code: str, language: str = "") -> Block:
    """Return code between fences longer than any in it."""
    inner = clean(code)
    longest = max((len(found) for found in FENCE.findall(inner)), default=2)
    mark = "`" * (longest + 1)
    return Block(f"{mark}{language}\n{inner}\n{mark}" if inner.strip() else "")


def table(rows: Sequence[Sequence[str]]) -> Block:
    """Return a table, its first row the header, without empty rows; one of a single column is lines of text."""
    lines = [[in_cell(one_line(cell)) for cell in row] for row in rows]
    lines = [line for line in lines if any(line)]
    width = max((number for line in lines for number, cell in enumerate(line, 1) if cell), default=0)
    if width < 2:
        return paragraph("\n".join(line[0] for line in lines))
    written = ["| " + " | ".join([*line[:width], *[""] * (width - len(line))]) + " |" for line in lines]
    return Block("\n".join([written[0], "|" + " --- |" * width, *written[1:]]))


def markdown(blocks: Iterable[Block]) -> str:
    r"""Return the blocks as one text; those without text leave nothing behind.

    >>> markdown([heading(1, "Bees"), Block(""), item("one", 0), item("two", 0), paragraph("End")])
    '# Bees\n\n- one\n- two\n\nEnd\n'
    """
    text: list[str] = []
    above: Block | None = None
    for block in blocks:
        if block.text.strip():
            if above is not None:
                text.append("\n" if above.item and block.item else "\n\n")
            text.append(block.text)
            above = block
    return "".join([*text, "\n"]) if text else ""
