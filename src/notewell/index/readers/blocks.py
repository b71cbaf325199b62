"""Markdown put together of blocks: headings, paragraphs, items of lists, tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from notewell.index.readers.lines import clean, in_cell, one_line

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
