"""Word: headings, paragraphs, lists, tables and notes of a document as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from io import BytesIO

import docx
from docx.document import Document
from docx.oxml.ns import qn

from notewell.frozen import frozen
from notewell.index.readers.content import LONGEST_CELL, MOST_SPAN, Content, no_text_error
from notewell.index.readers.html import Element, xml_tree
from notewell.index.readers.writing import Block, heading, human_title, item, markdown, one_line, paragraph, table
from notewell.index.readers.zip_guard import check_office

# Styles may be based on one another in a circle.
LONGEST_CHAIN = 20
NAMED_HEADING = re.compile(r"heading ([1-9])")
CONTENTS = re.compile(r"toc [1-9]")
VALUE = qn("w:val")
BULLETS = ("bullet", "none")


@frozen
class Styles:
    """The styles of a document by id, and its list formats by id and level: they decide what a paragraph is."""

    styles: dict[str, Element] = field(default_factory=dict)
    formats: dict[tuple[str, int], str] = field(default_factory=dict)

    def is_contents(self, paragraph: Element) -> bool:
        """Tell whether a paragraph is a line of the table of contents."""
        return any(CONTENTS.fullmatch(name) for name in self._names(paragraph))

    def is_title(self, paragraph: Element) -> bool:
        """Tell whether a paragraph is the document's title."""
        return "title" in self._names(paragraph)

    def level(self, paragraph: Element) -> int:
        """Return a heading's level, by its outline level, its style's, or its style's name; 0 for other paragraphs."""
        for properties in self._properties(paragraph):
            outline = _number(properties, "w:outlineLvl")
            if outline is not None:
                return outline + 1 if 0 <= outline < 9 else 0
        named = (NAMED_HEADING.fullmatch(name) for name in self._names(paragraph))
        return next((int(found[1]) for found in named if found), 1 if self.is_title(paragraph) else 0)

    def numbering(self, paragraph: Element) -> tuple[str, int] | None:
        """Return a list item's numbering and depth, or None for other paragraphs."""
        for properties in self._properties(paragraph):
            found = properties.find(qn("w:numPr"))
            identity = None if found is None else _value(found, "w:numId")
            if found is not None and identity is not None:
                depth = min(max(_number(found, "w:ilvl") or 0, 0), 8)
                return None if identity == "0" else (identity, depth)
        return None

    def is_bullet(self, numbering: tuple[str, int]) -> bool:
        """Tell whether a list has bullets, not numbers."""
        return self.formats.get(numbering, "bullet") in BULLETS

    def _chain(self, paragraph: Element) -> Iterator[Element]:
        """Yield the paragraph's style, then the styles it is based on."""
        own = paragraph.find(qn("w:pPr"))
        name = None if own is None else _value(own, "w:pStyle")
        for _ in range(LONGEST_CHAIN):
            style = self.styles.get(name or "")
            if style is None:
                return
            yield style
            name = _value(style, "w:basedOn")

    def _properties(self, paragraph: Element) -> Iterator[Element]:
        for holder in (paragraph, *self._chain(paragraph)):
            properties = holder.find(qn("w:pPr"))
            if properties is not None:
                yield properties

    def _names(self, paragraph: Element) -> list[str]:
        # Programs show these names in the user's language, but store them in English.
        return [(_value(style, "w:name") or "").lower() for style in self._chain(paragraph)]


def styles_of(styles: Element, numbering: Element | None) -> Styles:
    """Return the styles and list formats of a document."""
    by_id = {style.get(qn("w:styleId"), ""): style for style in styles.iter(qn("w:style"))}
    return Styles(by_id, {} if numbering is None else dict(_formats(numbering)))


def _formats(numbering: Element) -> Iterator[tuple[tuple[str, int], str]]:
    kinds = {kind.get(qn("w:abstractNumId")): kind for kind in numbering.iter(qn("w:abstractNum"))}
    for number in numbering.iter(qn("w:num")):
        kind = kinds.get(_value(number, "w:abstractNumId"))
        for level in () if kind is None else kind.iter(qn("w:lvl")):
            depth = level.get(qn("w:ilvl"), "")
            if depth.isdecimal():
                yield (number.get(qn("w:numId"), ""), int(depth)), _value(level, "w:numFmt") or "bullet"


def _value(element: Element, name: str) -> str | None:
    child = element.find(qn(name))
    return None if child is None else child.get(VALUE)


def _number(element: Element, name: str) -> int | None:
    value = _value(element, name)
    return int(value) if value is not None and re.fullmatch(r"[0-9]{1,4}", value) else None


MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# Deleted or moved text, field instructions, settings, pronunciations, and the fallback copies of drawings.
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
    writing = DocxWriter(document)
    text = markdown(writing.blocks(document.element.body))
    if not text:
        raise no_text_error("in it")
    return Content(text, title=human_title(document.core_properties.title) or writing.title)


class DocxWriter:
    """Writes a document as Markdown."""

    def __init__(self, document: Document) -> None:
        self.title = ""
        self._styles = styles_of(document.styles.element, _part(document, "numbering"))
        relations = document.part.rels.values()
        self._targets = {relation.rId: relation.target_ref for relation in relations if relation.is_external}
        self._notes = {"": _by_id(_part(document, "footnotes")), "e": _by_id(_part(document, "endnotes"))}
        self._counts: dict[tuple[str, int], int] = {}
        # Notes and text boxes found inside a paragraph, to be written below it.
        self._below: list[tuple[str, Element]] = []

    def blocks(self, parent: Element) -> Iterator[Block]:
        """Yield the blocks of an element that contains paragraphs: a body, a cell, a text box."""
        for child in parent:
            if child.tag == qn("w:p"):
                yield from self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                yield from self._table(child)
            elif child.tag not in LEFT_OUT:
                yield from self.blocks(child)

    def _paragraph(self, element: Element) -> Iterator[Block]:
        text = self._inline(element)
        level, numbering = self._styles.level(element), self._styles.numbering(element)
        if self._styles.is_title(element):
            self.title = self.title or one_line(text)
        if level:
            yield heading(level, text)
        elif numbering and text.strip():
            yield item(text, numbering[1], self._mark(numbering))
        elif not self._styles.is_contents(element):
            yield paragraph(text)
        yield from self._rest()

    def _rest(self) -> Iterator[Block]:
        """Yield the notes and text boxes found so far."""
        while self._below:
            label, element = self._below.pop(0)
            if label:
                yield paragraph(f"[^{label}]: {one_line(self._inline(element))}")
            else:
                yield from self.blocks(element)

    def _mark(self, numbering: tuple[str, int]) -> str:
        if self._styles.is_bullet(numbering):
            return "-"
        identity, depth = numbering
        self._counts[numbering] = self._counts.get(numbering, 0) + 1
        # Deeper lists start again below the next item.
        self._counts = {at: count for at, count in self._counts.items() if at[0] != identity or at[1] <= depth}
        return f"{self._counts[numbering]}."

    def _inline(self, element: Element) -> str:
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
                # Part of a note, or of a control inside a cell.
                pieces.append(f"{self._inline(child)} ")
            elif tag == qn("w:txbxContent"):
                self._below.append(("", child))
            elif tag not in LEFT_OUT:
                pieces.append(self._inline(child))
        return "".join(pieces)

    def _note(self, kind: str, identity: str) -> str:
        # Removed, so that a note is written once, even if it refers to itself.
        element = self._notes[kind].pop(identity, None)
        if element is not None:
            self._below.append((f"{kind}{identity}", element))
        return f"[^{kind}{identity}]"

    def _link(self, element: Element) -> str:
        text = self._inline(element)
        target = self._targets.get(element.get(qn("r:id"), ""), "").strip()
        return f"[{one_line(text)}]({target.replace(' ', '%20')})" if target and text.strip() else text

    def _table(self, element: Element) -> Iterator[Block]:
        rows = [list(_children(row, "w:tc")) for row in _rows(element)]
        if _is_table(rows):
            yield table([self._row(row) for row in _rows(element)])
            yield from self._rest()
        else:
            yield from (block for row in rows for cell in row for block in self.blocks(cell))

    def _row(self, row: Element) -> list[str]:
        """Return the cells of a row; cells that another one spans are empty."""
        properties = row.find(qn("w:trPr"))
        cells = [""] * _count(properties, "w:gridBefore", 0)
        for cell in _children(row, "w:tc"):
            properties = cell.find(qn("w:tcPr"))
            merged = None if properties is None else properties.find(qn("w:vMerge"))
            spanned = merged is not None and merged.get(qn("w:val"), "continue") == "continue"
            cells += ["" if spanned else self._cell(cell), *[""] * (_count(properties, "w:gridSpan", 1) - 1)]
        return cells

    def _cell(self, cell: Element) -> str:
        """Return the text of a cell on one line; an inner table has `;` between rows and `,` between cells."""
        pieces: list[str] = []
        for child in cell:
            if child.tag == qn("w:tbl"):
                rows = (self._row(row) for row in _rows(child))
                pieces.append("; ".join(", ".join(filter(None, row)) for row in rows))
            elif child.tag not in LEFT_OUT:
                pieces.append(self._inline(child))
        return one_line(" ".join(pieces))


def _is_table(rows: list[list[Element]]) -> bool:
    """Tell whether it is a data table; a single column, or cells of many words, are only the layout of a page."""
    sizes = (sum(len(text.text or "") for text in cell.iter(*TEXTS)) for row in rows for cell in row)
    return max(map(len, rows), default=0) > 1 and max(sizes, default=0) <= LONGEST_CELL


def _rows(element: Element) -> Iterator[Element]:
    """Yield the rows of a table, without those deleted."""
    for row in _children(element, "w:tr"):
        properties = row.find(qn("w:trPr"))
        if properties is None or properties.find(qn("w:del")) is None:
            yield row


def _children(element: Element, name: str) -> Iterator[Element]:
    """Yield the children of that name, also inside controls and tracked changes."""
    for child in element:
        if child.tag == qn(name):
            yield child
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")):
            yield from _children(child, name)


def _count(properties: Element | None, name: str, least: int) -> int:
    found = None if properties is None else properties.find(qn(name))
    written = "" if found is None else found.get(qn("w:val"), "")
    return min(max(int(written), least), MOST_SPAN) if written.isdecimal() else least


def _part(document: Document, name: str) -> Element | None:
    """Return another part of the document by the end of its relation's type, or None."""
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.endswith(f"/{name}"):
            return xml_tree(relation.target_part.blob)
    return None


def _by_id(notes: Element | None) -> dict[str, Element]:
    return {} if notes is None else {note.get(qn("w:id"), ""): note for note in notes}
