"""PDF: the text of its pages as PDFium reads it, with paragraphs separated and hyphenated words joined."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

import pypdfium2
from pypdfium2 import raw

from notewell.errors import NoteError
from notewell.frozen import frozen
from notewell.index.readers.content import MOST_PAGES, Content, password_error
from notewell.index.readers.writing import clean, human_title, join_parts

# PDFium's character for a hyphen at the end of a line; it joins the next line to this one.
HYPHEN = "\ufffe"
BROKEN = re.compile(rf"([^\r\n{HYPHEN}]*)(\r\n|\r|\n|{HYPHEN}|\Z)")
# The two halves of a hyphenated word, and what follows it directly.
HALVES = re.compile(rf"(\w*){HYPHEN}\n(\w*)(\S*)[ \n]?")
COMPOUND = re.compile(r"\w+-\w+")
# A paragraph starts after a gap this many times the usual one, or at an indent of this many line heights.
WIDER = 1.25
INDENT = 0.7
# The dots between a heading and its page number in a table of contents.
LEADER = re.compile(r"(?: \.){4,}|\.{8,}")
SENTENCE_END = re.compile(r"[.!?:;。！？]['\"”’»)\]]*\s*$")


@frozen
class PageLine:
    """A line of a page and its position; a line that does not run from left to right has none."""

    text: str
    left: float = 0.0
    bottom: float = 0.0
    height: float = 0.0


def extract(data: bytes, most: int = MOST_PAGES) -> Content:
    """Return the text of the first `most` pages, or raise `NoteError`."""
    document = _opened(data)
    try:
        count = len(document)
        if not count:
            raise NoteError("damaged: it has no pages", "Repair it, or save it again")
        document.init_forms()
        texts = [_page(document, number) for number in range(min(count, most))]
        if not any(texts):
            raise NoteError(f"no text on its {count:,} pages; it may be a scan", "Run OCR on it")
        words = frozenset(COMPOUND.findall("\n".join(texts)))
        named = ((f"page {number}", _with_words_joined(text, words)) for number, text in enumerate(texts, 1))
        return join_parts(
            named, human_title(document.get_metadata_value("Title")), tuple(_warnings(document, texts, most))
        )
    finally:
        document.close()


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    if not data:
        raise NoteError("empty: it has no bytes", "Copy it again")
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise password_error() from error
        raise NoteError("damaged, or not a PDF", "Repair it, or save it again") from error


def _page(document: pypdfium2.PdfDocument, number: int) -> str:
    """Return the text of a page; empty if it has none or cannot be read."""
    try:
        if document.formenv:
            # Makes the contents of form fields part of the page, which must then be loaded again.
            document[number].flatten()
        return _paragraphs(list(_lines(document[number].get_textpage())))
    except pypdfium2.PdfiumError:
        return ""


def _lines(page: pypdfium2.PdfTextPage) -> Iterator[PageLine]:
    index = 0
    for text, end in BROKEN.findall(page.get_text_range()):
        # PDFium counts characters in UTF-16 units.
        length = len(text.encode("utf-16-le", "surrogatepass")) // 2
        yield _placed(page, text + end.strip("\r\n"), index, index + length - 1)
        index += length + len(end)


def _placed(page: pypdfium2.PdfTextPage, text: str, first: int, last: int) -> PageLine:
    seen = text.strip()
    if not seen:
        return PageLine("")
    try:
        left, bottom, _, top = page.get_charbox(first + len(text) - len(text.lstrip()), loose=True)
        right, low, _, high = page.get_charbox(max(first, last - (len(text) - len(text.rstrip()))), loose=True)
    except pypdfium2.PdfiumError:
        return PageLine(seen)
    level = right >= left and low < top and bottom < high
    return PageLine(seen, left, bottom, top - bottom) if level else PageLine(seen)


def _paragraphs(lines: list[PageLine]) -> str:
    """Return the lines with a blank one above each paragraph."""
    lines = [line for line in lines if line.text]
    steps = [above.bottom - line.bottom for above, line in pairwise(lines) if above.bottom > line.bottom]
    usual = median(steps) if steps else 0.0
    texts = [lines[0].text] if lines else []
    for above, line in pairwise(lines):
        texts += ["", line.text] if _starts_paragraph(above, line, usual) else [line.text]
    return "\n".join(texts)


def _starts_paragraph(above: PageLine, line: PageLine, usual: float) -> bool:
    """Tell whether a line starts a paragraph, by the gap above it or its indent."""
    if not above.height or not line.height or above.text.endswith(HYPHEN):
        return False
    step = above.bottom - line.bottom
    if step > max(usual, above.height) * WIDER:
        return True
    ended = bool(SENTENCE_END.search(above.text))
    return ended and (step < -line.height or line.left - above.left > line.height * INDENT)


def _with_words_joined(text: str, compounds: frozenset[str]) -> str:
    """Return a text with hyphenated words joined, at the end of the line where they start."""

    def whole(halves: re.Match[str]) -> str:
        first, second, rest = halves.groups()
        compound = f"{first}-{second}"
        # The hyphen belongs to the word if the document has it elsewhere, or the second half is a name or number.
        own = compound in compounds or not second[:1].islower()
        return f"{compound if own else first + second}{rest}\n"

    return clean(LEADER.sub(" …", HALVES.sub(whole, text)))


def _warnings(document: pypdfium2.PdfDocument, texts: list[str], most: int) -> Iterator[str]:
    bare, count = texts.count(""), len(document)
    if bare:
        yield f"no text on {bare:,} of its {count:,} pages; they may be scans"
    if count > most:
        yield f"only the first {most:,} of its {count:,} pages are read"
    if attached := document.count_attachments():
        yield f"{attached:,} attached files are not read"
