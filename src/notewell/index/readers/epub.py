"""EPUB: the chapters of a book in the order of its spine, as Markdown."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote

from notewell.errors import NoteError
from notewell.index.readers.content import MOST_PAGES, Content, no_text_error
from notewell.index.readers.html import BadXml, Element, decode_page, find, parse_page, text_of, to_markdown, xml_tree
from notewell.index.readers.writing import join_parts
from notewell.index.readers.zip_guard import open_zip, read_member

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"


def extract(data: bytes) -> Content:
    """Return the text of the chapters and the book's title, or raise `NoteError`."""
    with open_zip(data) as archive:
        path = next((element.get("full-path", "") for element in find(_xml(archive, CONTAINER), "rootfile")), "")
        package = _xml(archive, path)
        chapters = list(_spine(package, posixpath.dirname(path)))
        if set(chapters) & set(_encrypted(archive)):
            raise NoteError("protected by its publisher (DRM)", "Read a copy without protection")
        texts = [_chapter(archive, name) for name in chapters[:MOST_PAGES]]
        title = next((text_of(element) for element in find(package, "title")), "")
    if not any(texts):
        raise no_text_error(f"in its {len(chapters):,} chapters")
    named = ((f"chapter {number}", text or "") for number, text in enumerate(texts, 1))
    return join_parts(named, title, tuple(_warnings(texts, len(chapters))))


def _xml(archive: zipfile.ZipFile, name: str) -> Element:
    try:
        return xml_tree(read_member(archive, name))
    except BadXml as error:
        raise NoteError("damaged, or not a book", "Repair it, or copy it again") from error


def _spine(package: Element, folder: str) -> Iterator[str]:
    """Yield the names of the chapters, each once; they are only looked up inside the zip file."""
    items = {item.get("id"): item.get("href", "") for item in find(package, "item")}
    wanted = (items.get(reference.get("idref"), "") for reference in find(package, "itemref"))
    for href in dict.fromkeys(filter(None, wanted)):
        yield posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))


def _encrypted(archive: zipfile.ZipFile) -> Iterator[str]:
    if ENCRYPTION in archive.namelist():
        for reference in find(_xml(archive, ENCRYPTION), "cipherreference"):
            yield posixpath.normpath(unquote(reference.get("URI", "")))


def _chapter(archive: zipfile.ZipFile, name: str) -> str | None:
    """Return the text of a chapter, or None if it is missing or damaged."""
    try:
        root = parse_page(decode_page(read_member(archive, name))[0])
    except NoteError:
        return None
    # Links go to other chapters of the same file.
    return "" if root is None else to_markdown(root, links=False)


def _warnings(texts: list[str | None], count: int) -> Iterator[str]:
    if missing := texts.count(None):
        yield f"{missing:,} of its {count:,} chapters are missing or damaged"
    if count > MOST_PAGES:
        yield f"only the first {MOST_PAGES:,} of its {count:,} chapters are read"
