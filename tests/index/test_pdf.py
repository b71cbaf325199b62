from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO

import pytest
from reportlab.lib import pdfencrypt
from reportlab.pdfgen import canvas
from tests.cases import cases

from notewell.errors import NoteError
from notewell.files.formats import BY_SUFFIX
from notewell.index.readers import pdf
from notewell.index.readers.sandbox import Extraction
from notewell.types.note import Part


def made(pages: Iterable[Iterable[tuple[float, float, str]]], title: str = "", password: str = "") -> bytes:
    """Return a PDF whose pages have these texts at these places."""
    out = BytesIO()
    lock = pdfencrypt.StandardEncryption(password, "owner") if password else None
    paper = canvas.Canvas(out, encrypt=lock)
    paper.setTitle(title)
    for page in pages:
        for x, y, text in page:
            paper.drawString(x, y, text)
        paper.showPage()
    paper.save()
    return out.getvalue()


def lines(*texts: str, x: float = 60, top: float = 700, step: float = 14) -> list[tuple[float, float, str]]:
    return [(x, top - step * number, text) for number, text in enumerate(texts)]


def test_each_page_with_text_is_a_part() -> None:
    content = pdf.extract(made([lines("Bees", "and rye"), [], lines("More bees")], title="Bees of the north"))
    assert content.text == "Bees\nand rye\n\nMore bees\n"
    assert content.parts == (Part(1, "page 1"), Part(4, "page 3"))
    assert content.title == "Bees of the north"
    assert content.warnings == ("no text on 1 of its 3 pages; they may be scans",)


def test_a_gap_or_an_indent_begins_a_paragraph() -> None:
    page = [
        *lines("The hive is tall", "and it is old.", "It stands there."),
        *lines("Rye grows near it", "and it is young.", top=630),
        *lines("An indent says so, too.", x=75, top=602),
    ]
    assert pdf.extract(made([page])).text == (
        "The hive is tall\nand it is old.\nIt stands there.\n\n"
        "Rye grows near it\nand it is young.\n\nAn indent says so, too.\n"
    )


def test_columns_are_read_one_after_the_other() -> None:
    page = [*lines("left one", "left two", "left three"), *lines("right one", "right two", "right three", x=320)]
    assert pdf.extract(made([page])).text == "left one\nleft two\nleft three\nright one\nright two\nright three\n"


def test_words_hyphenated_at_a_line_end_are_whole_again() -> None:
    page = lines("The well-known bee-", "keeper of the Linux-", "Days had a well-", "known collec-", "tion, of bees.")
    assert pdf.extract(made([page])).text == (
        "The well-known beekeeper\nof the Linux-Days\nhad a well-known\ncollection,\nof bees.\n"
    )


def test_the_dots_of_a_table_of_contents_are_one_sign() -> None:
    assert pdf.extract(made([lines("Bees . . . . . . . . 12", "Rye............13")])).text == "Bees … 12\nRye …13\n"


@cases(
    ("written", "title"),
    [
        ("Microsoft Word - Bees", "Bees"),
        ("untitled", ""),
        ("paper-final.dvi", ""),
        ("Microsoft Word - bees.doc", ""),
        ("12345", ""),
        ("蜂の巣", "蜂の巣"),
    ],
)
def test_only_a_title_that_a_person_gave_is_one(written: str, title: str) -> None:
    assert pdf.extract(made([lines("Bees")], title=written)).title == title


def test_the_contents_of_form_fields_are_read() -> None:
    out = BytesIO()
    paper = canvas.Canvas(out)
    paper.drawString(60, 700, "Name:")
    paper.acroForm.textfield(name="n", value="Ada Lovelace", x=100, y=690)
    paper.save()
    assert pdf.extract(out.getvalue()).text.split() == ["Name:", "Ada", "Lovelace"]


def test_a_rotated_page_is_read_as_it_is_shown() -> None:
    out = BytesIO()
    paper = canvas.Canvas(out, pagesize=(595, 842))
    paper.setPageRotation(90)
    paper.translate(595, 0)
    paper.rotate(90)
    for x, y, text in lines("first line", "second line", top=500):
        paper.drawString(x, y, text)
    paper.save()
    assert pdf.extract(out.getvalue()).text == "first line\nsecond line\n"


def unreadable() -> Iterator[tuple[bytes, str]]:
    whole = made([lines("Bees")])
    yield b"", "empty"
    yield b"hello", "damaged, or not a PDF"
    yield whole[: len(whole) // 3], "damaged, or not a PDF"
    yield made([[], []]), "no text on its 2 pages; it may be a scan"
    yield made([lines("Bees")], password="honey"), "protected by a password"


@cases(("data", "fact"), list(unreadable()))
def test_an_unreadable_file_is_refused_with_the_reason(data: bytes, fact: str) -> None:
    with pytest.raises(NoteError, match=fact) as caught:
        pdf.extract(data)
    assert caught.value.hint


def test_pages_past_the_limit_are_left_out_with_a_warning() -> None:
    content = pdf.extract(made([lines("one"), lines("two"), lines("three")]), most=2)
    assert content.text == "one\n\ntwo\n"
    assert content.warnings == ("only the first 2 of its 3 pages are read",)


def test_it_is_read_in_the_sandbox() -> None:
    with Extraction(20) as extraction:
        assert extraction.extract(BY_SUFFIX[".pdf"], made([lines("Bees")])).text == "Bees\n"
