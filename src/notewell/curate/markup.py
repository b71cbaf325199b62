"""Text from HTML, as feeds and mails have it: by the reader of HTML files, in its sandbox and with its limits."""

from __future__ import annotations

import html
import re

from notewell.errors import CurateError, NoteError, NoteOutOfReach
from notewell.files.formats import BY_SUFFIX
from notewell.index.readers.sandbox import Extraction

HTML = BY_SUFFIX[".html"]
TAG = re.compile(r"<[a-zA-Z/!][^<>]*>")
# The reader of HTML leaves out links to the web, which say little in a search; a signal is judged by them, too.
ANCHOR = re.compile(
    rb"""(?i)<a\s[^<>]{0,1000}?\bhref=["']?(?P<url>https?://[^"'<>\s()]{1,1000})[^<>]{0,1000}>(?P<text>[^<>\[\]]{1,300})</a>"""
)


def one_line(text: str) -> str:
    """Return a text on one line.

    >>> one_line(" a\\n b ")
    'a b'
    """
    return " ".join(text.split())


def plain_line(text: str) -> str:
    """Return a piece of HTML as one line, without its tags.

    >>> plain_line("Swarms &amp;\\n<b>queens</b>")
    'Swarms & queens'
    """
    return one_line(html.unescape(TAG.sub("", text)))


def with_links(page: bytes) -> bytes:
    """Return HTML whose links to the web are Markdown, so that its reader keeps them.

    >>> with_links(b'See <a class="x" href="https://a.example/b">that</a>.')
    b'See [that](https://a.example/b).'
    """
    return ANCHOR.sub(rb"[\g<text>](\g<url>)", page)


def text_of_html(text: str, extraction: Extraction) -> str:
    """Return the text of a piece of HTML as Markdown; other text stays."""
    if not TAG.search(text):
        return html.unescape(text).strip()
    page = f'<html><head><meta charset="utf-8"></head><body>{text}</body></html>'
    try:
        return extraction.extract(HTML, with_links(page.encode("utf-8", "replace"))).text.strip()
    except NoteOutOfReach as error:
        raise CurateError(error.fact, error.hint) from error
    except NoteError:
        # It has no text, such as a picture alone.
        return ""
