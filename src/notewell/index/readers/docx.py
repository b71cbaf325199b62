"""Word: headings, paragraphs, lists, tables and notes of a document as Markdown, its text as it would be printed."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import docx
from docx.document import Document
from docx.oxml.ns import qn

from notewell.index.content import Content
from notewell.index.readers.blocks import Block, heading, item, markdown, paragraph, table
from notewell.index.readers.docx_styles import looks_of
from notewell.index.readers.limits import LONGEST_CELL, MOST_SPAN, no_text
from notewell.index.readers.lines import one_line
from notewell.index.readers.parts import sensible
from notewell.index.readers.xml_tree import xml_tree
from notewell.index.readers.zip_guard import check_office

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# Deleted or moved away, instructions of fields, settings, the reading of a word, and the copy of a drawing for programs
# that do not know it.
LEFT_OUT = {
    *(qn(f"w:{name}") for name in ("del", "moveFrom", "instrText", "pPr", "rPr", "sdtPr", "rt")),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
TEXTS = {qn("w:t"), f"{MATH}t"}
SIGNS = {qn("w:tab"): " ", qn("w:ptab"): " ", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
NOTES = {qn("w:footnoteReference"): "", qn("w:endnoteReference"): "e"}


def extract(data: bytes) -> Content:
    """Return the document's text, and its title."""
    check_office(data)
    document = docx.Document(BytesIO(data))
    writing = Writing(document)
    text = markdown(writing.blocks(document.element.body))
    if not text:
        raise no_text("in it")
    return Content(text, title=sensible(document.core_properties.title) or writing.title)


class Writing:
    """A document on its way to Markdown: what paragraphs are, and what is written below them."""

    def __init__(self, document: Document) -> None:
        self.title = ""
        self._looks = looks_of(document.styles.element, _part(document, "numbering"))
        relations = document.part.rels.values()
        self._targets = {relation.rId: relation.target_ref for relation in relations if relation.is_external}
        self._notes = {"": _by_id(_part(document, "footnotes")), "e": _by_id(_part(document, "endnotes"))}
        self._counts: dict[tuple[str, int], int] = {}
        # Found inside a paragraph, and written below it.
        self._below: list[tuple[str, Any]] = []

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Yield the blocks of what holds paragraphs: a body, a cell, a text box."""
        for child in parent:
            if child.tag == qn("w:p"):
                yield from self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                yield from self._table(child)
            elif child.tag not in LEFT_OUT:
                yield from self.blocks(child)

    def _paragraph(self, element: Any) -> Iterator[Block]:
        text = self._inline(element)
        level, numbering = self._looks.level(element), self._looks.numbering(element)
        if self._looks.is_title(element):
            self.title = self.title or one_line(text)
        if level:
            yield heading(level, text)
        elif numbering and text.strip():
            yield item(text, numbering[1], self._mark(numbering))
        elif not self._looks.is_contents(element):
            yield paragraph(text)
        yield from self._rest()

    def _rest(self) -> Iterator[Block]:
        """Yield the notes and text boxes that were found on the way."""
        while self._below:
            label, element = self._below.pop(0)
            if label:
                yield paragraph(f"[^{label}]: {one_line(self._inline(element))}")
            else:
                yield from self.blocks(element)

    def _mark(self, numbering: tuple[str, int]) -> str:
        if self._looks.is_bullet(numbering):
            return "-"
        identity, depth = numbering
        self._counts[numbering] = self._counts.get(numbering, 0) + 1
        # A deeper list begins anew below the next item.
        self._counts = {at: count for at, count in self._counts.items() if at[0] != identity or at[1] <= depth}
        return f"{self._counts[numbering]}."

    def _inline(self, element: Any) -> str:
        """Return the text of a run or a paragraph."""
        pieces: list[str] = []
        for child in element:
            tag = child.tag
            if tag in TEXTS:
                pieces.append(child.text or "")
            elif tag in SIGNS:
                pieces.append(SIGNS[tag])
            elif tag in NOTES:
                pieces.append(self._note(NOTES[tag], child.get(qn("w:id"), "")))
            elif tag == qn("w:hyperlink"):
                pieces.append(self._link(child))
            elif tag == qn("w:p"):
                # Of a note, or in a control within a cell.
                pieces.append(f"{self._inline(child)} ")
            elif tag == qn("w:txbxContent"):
                self._below.append(("", child))
            elif tag not in LEFT_OUT:
                pieces.append(self._inline(child))
        return "".join(pieces)

    def _note(self, kind: str, identity: str) -> str:
        # Taken out, so that a note is written once, even one that refers to itself.
        element = self._notes[kind].pop(identity, None)
        if element is not None:
            self._below.append((f"{kind}{identity}", element))
        return f"[^{kind}{identity}]"

    def _link(self, element: Any) -> str:
        text = self._inline(element)
        target = self._targets.get(element.get(qn("r:id"), ""), "").strip()
        return f"[{one_line(text)}]({target.replace(' ', '%20')})" if target and text.strip() else text

    def _table(self, element: Any) -> Iterator[Block]:
        rows = [list(_children(row, "w:tc")) for row in _rows(element)]
        if _is_table(rows):
            yield table([self._row(row) for row in _rows(element)])
            yield from self._rest()
        else:
            yield from (block for row in rows for cell in row for block in self.blocks(cell))

    def _row(self, row: Any) -> list[str]:
        """Return the cells of a row, those that others reach into left empty."""
        properties = row.find(qn("w:trPr"))
        cells = [""] * _count(properties, "w:gridBefore", 0)
        for cell in _children(row, "w:tc"):
            properties = cell.find(qn("w:tcPr"))
            merged = None if properties is None else properties.find(qn("w:vMerge"))
            reached = merged is not None and merged.get(qn("w:val"), "continue") == "continue"
            cells += ["" if reached else self._cell(cell), *[""] * (_count(properties, "w:gridSpan", 1) - 1)]
        return cells

    def _cell(self, cell: Any) -> str:
        """Return the text of a cell on one line; of a table in it, rows after `;` and cells after `,`."""
        pieces: list[str] = []
        for child in cell:
            if child.tag == qn("w:tbl"):
                rows = (self._row(row) for row in _rows(child))
                pieces.append("; ".join(", ".join(filter(None, row)) for row in rows))
            elif child.tag not in LEFT_OUT:
                pieces.append(self._inline(child))
        return one_line(" ".join(pieces))


def _is_table(rows: list[list[Any]]) -> bool:
    """Tell whether cells are those of a table; a single column, and cells of many words, only put a page in order."""
    sizes = (sum(len(text.text or "") for text in cell.iter(*TEXTS)) for row in rows for cell in row)
    return max(map(len, rows), default=0) > 1 and max(sizes, default=0) <= LONGEST_CELL


def _rows(element: Any) -> Iterator[Any]:
    """Yield the rows of a table that were not deleted."""
    for row in _children(element, "w:tr"):
        properties = row.find(qn("w:trPr"))
        if properties is None or properties.find(qn("w:del")) is None:
            yield row


def _children(element: Any, name: str) -> Iterator[Any]:
    """Yield the children of that name, and those in controls and marks of changes around them."""
    for child in element:
        if child.tag == qn(name):
            yield child
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")):
            yield from _children(child, name)


def _count(properties: Any | None, name: str, least: int) -> int:
    found = None if properties is None else properties.find(qn(name))
    written = "" if found is None else found.get(qn("w:val"), "")
    return min(max(int(written), least), MOST_SPAN) if written.isdecimal() else least


def _part(document: Document, name: str) -> Any | None:
    """Return another part of the document by the end of its relation's name, if it has one."""
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.endswith(f"/{name}"):
            return xml_tree(relation.target_part.blob)
    return None


def _by_id(notes: Any | None) -> dict[str, Any]:
    return {} if notes is None else {note.get(qn("w:id"), ""): note for note in notes}
