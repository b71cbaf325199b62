"""HTML as Markdown: the main text of a page, without navigation and other surroundings."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from lxml import etree

from notewell.errors import NoteError
from notewell.index.readers.content import LONGEST_CELL, MOST_SPAN, Content, no_text_error
from notewell.index.readers.text import MARKS, decode
from notewell.index.readers.writing import Block, fence, heading, item, markdown, one_line, paragraph, table

BadXml = etree.XMLSyntaxError
# An element of a tree: lxml has no types.
Element = Any


def xml_tree(data: bytes, encoding: str | None = None) -> Element:
    """Return the root element, or raise `BadXml`; fetches nothing and expands no entity."""
    parser = etree.XMLParser(encoding=encoding, resolve_entities=False, no_network=True, huge_tree=False)
    return etree.fromstring(data, parser)


def extract(data: bytes) -> Content:
    """Return the main text of the page, and its title."""
    text, warnings = decode_page(data)
    root = parse_page(text)
    page = "" if root is None else main_text(root)
    if not page:
        raise no_text_error("in it")
    title = next((name for element in find(root, "title") if (name := text_of(element))), "")
    return Content(page, title=title, warnings=warnings)


# Bytes or characters at the top of a page in which it declares its encoding; browsers read fewer.
HEAD = 4096
# Where a page declares its encoding, and the encodings that are accepted.
DECLARED = re.compile(rb"""(?i)<(?:meta\b[^>]*\bcharset|\?xml\b[^>]*\bencoding)\s*=\s*["']?\s*([\w.:-]+)""")
ENCODINGS = re.compile(
    r"(?i)(?:utf-?8|us-ascii|ascii|(?:windows|cp|iso|latin|koi8|gb|big5|shift|sjis|euc|tis|mac|x-)[\w.:-]*)"
)
# Browsers read these as cp1252.
WESTERN = frozenset({"iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"})
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
XHTML = re.compile(
    r"\s*(?:<\?xml\b|(?:<!DOCTYPE[^>]*>\s*)?<html\b[^>]*\bxmlns\b|<!DOCTYPE[^>\[]*\bXHTML\b)", re.IGNORECASE
)
# Tags without meaning for the text, removed if a page nests them too deeply to be parsed.
WRAPPERS = re.compile(r"</?(?:a|b|big|center|div|em|font|i|section|small|span|strong|u)\b[^>]*>", re.IGNORECASE)
TOO_DEEP = "depth"


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


LEFT_OUT = _tags(
    "applet area aside audio base button canvas datalist dialog embed frame iframe img input label link map menu meta "
    "nav noframes noscript object option param progress script select style svg template textarea title video"
)
ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alert", "menu"})
HIDDEN = re.compile(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden")
BLOCKS = _tags(
    "address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 header hgroup hr html legend li main ol p section summary table tbody td tfoot th thead tr ul"
)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# A table that contains these is only the layout of a page.
LAYOUT = HEADINGS | {"table", "pre"}
# The part of a page that is marked as the main one is used if it has more than this share of the text.
MOST = 0.5
SPACES = re.compile(r"\s+")


def decode_page(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return a page's text, decoded as it declares or else as detected, and warnings."""
    declared = DECLARED.search(data[:HEAD])
    name = declared[1].decode("ascii").lower() if declared else ""
    if ENCODINGS.fullmatch(name) and not data.startswith(tuple(MARKS)):
        try:
            return data.decode("cp1252" if name in WESTERN else name), ()
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(data)


def parse_page(text: str) -> Element:
    """Return the root element of a page, or None if it has none; entities that the page defines are ignored."""
    if XHTML.match(text[:HEAD]):
        # HTML would not take `<script/>` for closed.
        named = ENTITY.sub(lambda found: html.escape(html.unescape(found[0])), text)
        with suppress(BadXml):
            return xml_tree(_bytes(named), "utf-8")
    root, deep = _parsed_html(text)
    if deep:
        root, deep = _parsed_html(WRAPPERS.sub(" ", text))
    if deep:
        raise NoteError("its tags are nested too deep", "Repair it, or exclude it with index.exclude")
    return root


def _parsed_html(text: str) -> tuple[Element, bool]:
    # HTML has no entities to expand: `huge_tree` only allows more depth.
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(_bytes(text), parser)
    except etree.XMLSyntaxError:
        root = None
    return root, any(TOO_DEEP in error.message for error in parser.error_log)


def _bytes(text: str) -> bytes:
    # The parser would stop at a zero byte.
    return text.replace("\0", "").encode("utf-8", "replace")


def tag_of(element: Element) -> str:
    """Return an element's name in lower case, without its namespace; empty for comments."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def find(root: Element, *names: str) -> Iterator[Element]:
    """Yield the elements with one of these names, in order."""
    return (element for element in root.iter() if tag_of(element) in names)


def text_of(element: Element) -> str:
    """Return an element's text on one line."""
    return one_line("".join(element.itertext()))


def to_markdown(root: Element, *, links: bool = True) -> str:
    """Return the text of an element as Markdown, with its links to other files if `links`."""
    return markdown(HtmlWriter(links).blocks(root))


def main_text(root: Element) -> str:
    """Return the text of a page's main part if one is marked and has most of the text, or else of the whole page."""
    writing = HtmlWriter(links=True)
    blocks = writing.blocks(root)
    size = sum(len(block.text) for block in blocks)
    articles = [section for section in writing.sections if section[0] == "article"]
    # Several articles are a list of articles: the whole page is the text.
    marked = [section for section in writing.sections if section[0] == "main"] + (
        articles if len(articles) == 1 else []
    )
    for _, first, end in marked:
        if sum(len(block.text) for block in blocks[first:end]) > size * MOST:
            return markdown(blocks[first:end])
    return markdown(blocks)


class HtmlWriter:
    """Writes a tree as Markdown, without recursion: pages may be deeper than Python's stack."""

    def __init__(self, links: bool) -> None:
        self._links = links
        self._blocks: list[Block] = []
        self._text: list[str] = []
        self._heading = 0
        self._quotes = 0
        # The first block of each open section; the kind, first block and end of each closed one.
        self._sections: list[int] = []
        self.sections: list[tuple[str, int, int]] = []
        # The number of the next item of each open list, or 0 for bullets; the mark of the current item.
        self._lists: list[int] = []
        self._mark = ""
        # Where each open link or inline code started: its place in the text, and its block.
        self._inline: list[tuple[int, int]] = []

    def blocks(self, root: Element) -> list[Block]:
        """Return the blocks of an element."""
        stack = [(root, iter(root))]
        self._open(root)
        while stack:
            element, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._close(element)
                self._add(element.tail if stack else "")
            elif self._skips(child) or self._is_whole(child):
                self._add(child.tail)
            else:
                self._open(child)
                stack.append((child, iter(child)))
        self._flush()
        return self._blocks

    def _skips(self, element: Element) -> bool:
        name = tag_of(element)
        if not name or name in LEFT_OUT or element.get("hidden") is not None or element.get("aria-hidden") == "true":
            return True
        if element.get("role", "").lower() in ROLES or HIDDEN.search(element.get("style", "")):
            return True
        # A header or footer of the page, not of an article. A header with the page's h1 is part of the text.
        of_page = name in ("header", "footer") and not self._sections
        return of_page and next(find(element, "h1"), None) is None

    def _is_whole(self, element: Element) -> bool:
        """Write a line break, code or a table as a whole, and tell whether it was one."""
        name = tag_of(element)
        if name == "br":
            self._text.append("\n")
        elif name == "pre":
            self._flush()
            self._blocks.append(fence(_code(element)))
        elif name == "table" and (rows := _rows(element, self._links)):
            self._flush()
            self._blocks += [paragraph(text_of(caption)) for caption in find(element, "caption")]
            self._blocks.append(table(rows))
        else:
            return False
        return True

    def _open(self, element: Element) -> None:
        name = tag_of(element)
        if name in BLOCKS:
            self._flush()
        if name in HEADINGS:
            self._heading = int(name[1])
        elif name in ("ul", "ol"):
            self._lists.append(int(name == "ol"))
        elif name == "li":
            self._begin_item()
        elif name in ("a", "code"):
            self._inline.append((len(self._text), len(self._blocks)))
        self._quotes += name == "blockquote"
        if _section(element):
            self._flush()
            self._sections.append(len(self._blocks))
        self._add(element.text)

    def _close(self, element: Element) -> None:
        name = tag_of(element)
        if name in BLOCKS:
            self._flush()
        if name in HEADINGS:
            self._heading = 0
        elif name in ("ul", "ol"):
            self._lists.pop()
        elif name in ("a", "code"):
            self._wrap(element, *self._inline.pop())
        elif name in ("td", "th"):
            self._text.append(" ")
        self._quotes -= name == "blockquote"
        if kind := _section(element):
            self._flush()
            self.sections.append((kind, self._sections.pop(), len(self._blocks)))

    def _begin_item(self) -> None:
        number = self._lists[-1] if self._lists else 0
        self._mark = f"{number}." if number else "-"
        if number:
            self._lists[-1] += 1

    def _wrap(self, element: Element, start: int, block: int) -> None:
        """Turn the text since `start` into a link or inline code, unless it spans several blocks."""
        text = "".join(self._text[start:]).strip()
        if block != len(self._blocks) or not text or "\n" in text:
            return
        if tag_of(element) == "code":
            self._text[start:] = [f"`{text}`" if "`" not in text else text]
        elif self._links and (target := _target(element.get("href", ""))):
            self._text[start:] = [f"[{text}]({target})"]

    def _add(self, text: str | None) -> None:
        if text:
            self._text.append(SPACES.sub(" ", text))

    def _flush(self) -> None:
        """Write the collected text as a block."""
        text = "".join(self._text).strip()
        self._text.clear()
        if not text:
            return
        if self._heading:
            block = heading(self._heading, text)
        elif self._lists or self._mark:
            depth = max(len(self._lists) - 1, 0)
            block = item(text, depth, self._mark) if self._mark else Block(_indented(text, depth + 1), item=True)
            self._mark = ""
        else:
            block = paragraph(text)
        self._blocks.append(Block("> " + block.text.replace("\n", "\n> "), block.item) if self._quotes else block)


def _section(element: Element) -> str:
    """Return the kind of section that an element is, by its role or name, or an empty text."""
    kind = "main" if element.get("role") == "main" else tag_of(element)
    return kind if kind in ("main", "article", "section") else ""


def _indented(text: str, depth: int) -> str:
    lead = "  " * depth
    return lead + paragraph(text).text.replace("\n", f"\n{lead}")


def _target(href: str) -> str:
    """Return the target of a link to another file, or an empty text for any other link."""
    target = href.strip()
    if not target or target.startswith(("#", "/", "?")) or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        return ""
    return f"<{target}>" if re.search(r"[\s()<>]", target) else target


def _code(element: Element) -> str:
    """Return the text of code, without the tags that highlight it."""
    pieces: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        if event == "start":
            pieces.append("\n" if tag_of(node) == "br" else node.text or "")
        elif node is not element:
            pieces.append(node.tail or "")
    return "".join(pieces)


def _rows(element: Element, links: bool) -> list[list[str]]:
    """Return the rows of a data table, spanned cells left empty; nothing for a layout table."""
    inner = element.iter()
    next(inner)
    if any(tag_of(node) in LAYOUT for node in inner):
        return []
    rows: list[list[str]] = []
    # The columns that a cell above spans, and for how many more rows.
    reached: dict[int, int] = {}
    for row in find(element, "tr"):
        cells: list[str] = []
        reaching: dict[int, int] = {}
        for cell in row:
            if tag_of(cell) in ("td", "th"):
                while len(cells) in reached:
                    cells.append("")
                wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
                reaching |= {len(cells) + at: high - 1 for at in range(wide)}
                cells += [to_markdown(cell, links=links), *[""] * (wide - 1)]
        reached = {at: rest - 1 for at, rest in reached.items()} | reaching
        reached = {at: rest for at, rest in reached.items() if rest > 0}
        rows.append(cells)
    longest = max((len(cell) for row in rows for cell in row), default=0)
    return rows if max(map(len, rows), default=0) > 1 and longest <= LONGEST_CELL else []


def _span(cell: Element, name: str) -> int:
    written = cell.get(name, "1").strip()
    return min(max(int(written), 1), MOST_SPAN) if re.fullmatch(r"[0-9]{1,4}", written) else 1
