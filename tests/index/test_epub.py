from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO

import pytest

from notewell.errors import NoteError
from notewell.index.readers import epub, zip_guard
from notewell.types.note import Part

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'


def made(chapters: Mapping[str, str], extra: Mapping[str, str] | None = None, title: str = "Of bees") -> bytes:
    """Return a book whose spine names these chapters, in this order."""
    items = "".join(f'<item id="i{at}" href="{name}"/>' for at, name in enumerate(chapters))
    spine = "".join(f'<itemref idref="i{at}"/>' for at in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    files = {"META-INF/container.xml": CONTAINER, "OPS/book.opf": package}
    files |= {f"OPS/{name.replace('%20', ' ')}": text for name, text in chapters.items() if text} | dict(extra or {})
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def page(body: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{body}</body></html>'


def test_chapters_come_in_the_order_of_the_spine_and_keep_their_numbers() -> None:
    book = made(
        {"b.xhtml": page("<h1>One</h1><p>bees</p>"), "cover.xhtml": page(""), "a%20c.xhtml": page("<p>rye</p>")}
    )
    content = epub.extract(book)
    assert content.text == "# One\n\nbees\n\nrye\n"
    assert content.parts == (Part(1, "chapter 1"), Part(5, "chapter 3"))
    assert content.title == "Of bees"


def test_links_within_the_book_are_only_text() -> None:
    assert epub.extract(made({"a.xhtml": page("<p>see <a href='b.xhtml'>bees</a></p>")})).text == "see bees\n"


def test_a_missing_chapter_costs_only_itself() -> None:
    content = epub.extract(made({"a.xhtml": page("bees"), "b.xhtml": ""}))
    assert content.warnings == ("1 of its 2 chapters are missing or damaged",)


def test_a_chapter_named_outside_of_the_book_is_missing() -> None:
    content = epub.extract(made({"a.xhtml": page("bees"), "../../../etc/hosts": ""}))
    assert content.text == "bees\n"


def locked(*names: str) -> dict[str, str]:
    references = "".join(f'<CipherData><CipherReference URI="{name}"/></CipherData>' for name in names)
    return {"META-INF/encryption.xml": f"<encryption>{references}</encryption>"}


def test_a_book_under_drm_is_refused_and_one_with_obfuscated_fonts_is_read() -> None:
    chapters = {"a.xhtml": page("bees")}
    assert epub.extract(made(chapters, locked("OPS/font.ttf"))).text == "bees\n"
    with pytest.raises(NoteError, match="DRM"):
        epub.extract(made(chapters, locked("OPS/a.xhtml")))


def test_an_unreadable_book_is_refused_with_the_reason() -> None:
    book = made({"a.xhtml": page("bees")})
    empty = BytesIO()
    zipfile.ZipFile(empty, "w").close()
    facts = {b"": "empty", b"bees": "damaged", book[:-30]: "damaged", empty.getvalue(): "part of it is missing"}
    facts |= {made({"a.xhtml": page("")}): "no text in its 1 chapters"}
    for data, fact in facts.items():
        with pytest.raises(NoteError, match=fact):
            epub.extract(data)
    with pytest.raises(NoteError, match="unpacks to too much"):
        zip_guard.open_zip(book, most=100)


def test_a_file_that_unpacks_to_far_more_than_it_is_is_refused() -> None:
    with pytest.raises(NoteError, match="unpacks to too much"):
        epub.extract(made({"a.xhtml": page("b" * (70 << 20))}))
