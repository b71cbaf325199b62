"""Documents changed at random: a reader refuses them or gives text whose parts are in order, and never hangs."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from io import BytesIO

import docx
import openpyxl
import pptx
import pytest
from reportlab.pdfgen import canvas

from notewell.errors import NoteError
from notewell.files.formats import BY_SUFFIX
from notewell.index.readers.content import Content, within_limits
from notewell.index.readers.loading import reader_of
from notewell.index.readers.sandbox import Extraction

MUTANTS = 80
# Formats whose libraries may crash are read in the sandbox.
RISKY = (".pdf", ".xlsx")
SIGNS = (b"\0", b"\xff", b"<", b">", b"&x;", b"</w:p>", b"<table>", b"9" * 12, b"-1", b"]]>", b"endobj", b"<w:tbl>")


def pdf() -> bytes:
    out = BytesIO()
    paper = canvas.Canvas(out, pageCompression=0)
    for page in range(3):
        for line in range(5):
            paper.drawString(60, 700 - 14 * line, f"page {page} line {line} of bees-")
        paper.showPage()
    paper.save()
    return out.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Of bees", 1)
    document.add_paragraph("They huddle.", style="List Number")
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "rye"
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def slides() -> bytes:
    show = pptx.Presentation()
    for layout in (0, 1, 5):
        slide = show.slides.add_slide(show.slide_layouts[layout])
        slide.shapes.title.text = "Of bees"
        slide.shapes.add_table(2, 2, 0, 0, 100, 100).table.cell(0, 0).text = "rye"
    slide.notes_slide.notes_text_frame.text = "Worb"
    out = BytesIO()
    show.save(out)
    return out.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in [("hive", "sum"), *(("north", number) for number in range(50))]:
        book.active.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def page() -> bytes:
    return (
        b"<!DOCTYPE html><html><head><title>Bees</title></head><body><main><h1>Of bees</h1>"
        b"<p>They <a href='a.html'>huddle</a><br>all</p><ul><li>one<ol><li>two</ol></ul><pre>code</pre>"
        b"<table><tr><th rowspan=2>a<th>b<tr><td>c</table><blockquote>said</blockquote></main></body></html>"
    )


def book() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/container.xml", "<container><rootfile full-path='a.opf'/></container>")
        items = "<item id='1' href='a.xhtml'/><item id='2' href='b.xhtml'/>"
        spine = "<itemref idref='1'/><itemref idref='2'/>"
        archive.writestr("a.opf", f"<package><title>Bees</title>{items}{spine}</package>")
        archive.writestr("a.xhtml", page())
        archive.writestr("b.xhtml", page())
    return out.getvalue()


MADE: dict[str, Callable[[], bytes]] = {
    ".pdf": pdf,
    ".docx": word,
    ".pptx": slides,
    ".xlsx": workbook,
    ".html": page,
    ".epub": book,
}


@cache
def made(suffix: str) -> bytes:
    return MADE[suffix]()


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with something flipped, cut, put in or doubled."""
    for _ in range(chance.choice((1, 1, 3, 20))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 8, 200)))
        new = chance.choice(
            (
                bytes(byte ^ chance.randrange(1, 256) for byte in data[at:end]),
                b"",
                chance.choice(SIGNS),
                data[at:end] * 3,
            )
        )
        data = data[:at] + new + data[end if chance.random() < 0.7 else at :]
    return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.1 else data


def changed_inside(data: bytes, chance: random.Random) -> bytes:
    """Return a packed file with one of its members changed, so that no checksum gives it away."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = chance.choice([name for name in old.namelist() if name.endswith(("ml", ".rels", ".opf"))])
        for name in old.namelist():
            new.writestr(name, changed(old.read(name), chance) if name == chosen else old.read(name))
    return out.getvalue()


def mutants(suffix: str) -> Iterator[bytes]:
    chance = random.Random(suffix)
    packed = made(suffix).startswith(b"PK")
    for number in range(MUTANTS):
        yield changed_inside(made(suffix), chance) if packed and number % 4 else changed(made(suffix), chance)


def check(content: Content) -> None:
    count = content.text.count("\n") + 1
    starts = [part.line for part in content.parts]
    assert starts == sorted(starts)
    assert all(1 <= line <= count for line in starts)
    assert all(1 <= line <= count for part in content.parts for line in part.under)
    assert "\0" not in content.text and "\r" not in content.text


@pytest.mark.parametrize("suffix", [suffix for suffix in MADE if suffix not in RISKY])
def test_a_changed_document_is_read_or_refused(suffix: str) -> None:
    reader, read = reader_of(BY_SUFFIX[suffix].reader), 0
    for data in mutants(suffix):
        content = None
        # The sandbox catches and reports any exception.
        with suppress(Exception):
            content = within_limits(reader.extract(data))
        if content is not None:
            check(content)
            read += 1
    assert read > MUTANTS / 10


@pytest.mark.parametrize("suffix", RISKY)
def test_a_changed_document_costs_at_most_its_process(suffix: str) -> None:
    read = 0
    with Extraction(60) as extraction:
        for data in mutants(suffix):
            with suppress(NoteError):
                check(extraction.extract(BY_SUFFIX[suffix], data))
                read += 1
    assert read > MUTANTS / 10
