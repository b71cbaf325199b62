"""Feeds: the items of RSS and Atom, and the feeds of an OPML file; without entities, within limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from xml.parsers import expat

from notewell.curate.signals import Signal, make_signal
from notewell.errors import CurateError
from notewell.frozen import frozen

# A feed has some dozens of items; nobody reads one of this size.
LARGEST = 10_000_000
MOST_ITEMS = 1_000
DEEPEST = 100
# Characters of one field of an item.
LONGEST_FIELD = 1_000_000
ITEMS = ("item", "entry")
# The fields of an item, by the names that formats give them; of a text, the longest counts.
FIELDS = {
    "title": "title",
    "description": "text",
    "summary": "text",
    "encoded": "text",
    "content": "text",
    "link": "url",
    "pubDate": "published",
    "published": "published",
    "updated": "published",
    "date": "published",
    "author": "author",
    "creator": "author",
}
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Elements of HTML that end a paragraph, and those whose text is not shown.
BLOCKS = {"p", "div", "br", "li", "ul", "ol", "table", "tr", "blockquote", "pre", "section", "figure", "hr", *HEADINGS}
UNSEEN = {"script", "style", "head", "template", "noscript"}


@frozen
class Feed:
    """What a feed, or a list of feeds, has."""

    title: str
    items: tuple[Signal, ...]
    # The addresses of the feeds that an OPML file lists, with their titles.
    feeds: tuple[tuple[str, str], ...] = ()


# Neither frozen nor with slots: the parser calls its methods and fills it.
@dataclass
class _Reader:
    name: str
    path: list[str] = field(default_factory=list)
    title: str = ""
    item: dict[str, str] | None = None
    items: list[dict[str, str]] = field(default_factory=list)
    feeds: list[tuple[str, str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    held: int = 0
    inside: int = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        self.path.append(name)
        if len(self.path) > DEEPEST:
            raise CurateError(
                f"{self.name} is nested more than {DEEPEST} levels deep", "It is not a feed; leave it out"
            )
        if name in ITEMS and not self.inside:
            self.item, self.held = {}, 0
        if self.inside:
            return
        if name == "outline" and attributes.get("xmlUrl"):
            self.feeds.append((attributes["xmlUrl"], attributes.get("title") or attributes.get("text") or ""))
        is_page = name == "link" and attributes.get("rel", "alternate") == "alternate"
        if is_page and self.item is not None and attributes.get("href"):
            self.item.setdefault("url", attributes["href"])
        if name in FIELDS and (self.item is not None or (name == "title" and len(self.path) <= 3)):
            self.inside, self.text = len(self.path), []

    def data(self, text: str) -> None:
        self.held += len(text)
        if self.inside and self.held <= LONGEST_FIELD:
            self.text.append(text)

    def end(self, tag: str) -> None:
        name = self.path.pop()
        if self.inside and len(self.path) < self.inside:
            self._keep(FIELDS[name], "".join(self.text).strip())
            self.inside = 0
        elif self.inside:
            # XHTML inside of Atom: what ends a paragraph there does so here.
            self.text.append("\n\n" if name in BLOCKS else "")
        elif name in ITEMS and self.item is not None:
            if len(self.items) == MOST_ITEMS:
                raise CurateError(f"{self.name} has more than {MOST_ITEMS:,} items", "Split it, or leave it out")
            self.items.append(self.item)
            self.item = None

    def _keep(self, key: str, text: str) -> None:
        if self.item is None:
            self.title = self.title or text
        elif len(text) > len(self.item.get(key, "")) and (key == "text" or key not in self.item):
            self.item[key] = text


def read_feed(data: bytes, name: str) -> Feed:
    """Return the items of a feed, or the feeds of an OPML file; one that is not well-formed is an error.

    Entities and document types are refused: ten lines of them can expand to gigabytes, or name files.
    """
    if len(data) > LARGEST:
        raise CurateError(f"{name} has {len(data):,} bytes; a feed has at most {LARGEST:,}", "Leave it out")
    reader, parser = _Reader(name), expat.ParserCreate(namespace_separator=" ")

    def refuse(*_: object) -> None:
        raise CurateError(f"{name} declares a document type or entities, which are not read", "Leave it out")

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.data
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise CurateError(f"{name} is not a feed: {error}", "Check that it was saved whole") from error
    title = one_line(reader.title) or name
    items = tuple(_signal(item, title) for item in reader.items)
    return Feed(title, items, tuple((url, one_line(called)) for url, called in reader.feeds))


def _signal(item: dict[str, str], source: str) -> Signal:
    return make_signal(
        one_line(text_of_html(item.get("title", ""))),
        text_of_html(item.get("text", "")),
        url=item.get("url", "").strip(),
        author=one_line(item.get("author", "")),
        published=day_of(item.get("published", "")),
        source=source,
    )


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def day_of(written: str) -> str:
    """Return the day of a date as feeds and mails write it, in ISO format; empty if it is none.

    >>> day_of("Tue, 05 Mar 2024 10:00:00 GMT"), day_of("2024-03-05T10:00:00Z"), day_of("soon")
    ('2024-03-05', '2024-03-05', '')
    """
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError, OverflowError, IndexError):
            return read(written.strip()).date().isoformat()
    return ""


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in UNSEEN
        if tag in BLOCKS:
            self.parts.append("\n\n- " if tag == "li" else "\n\n## " if re.fullmatch("h[1-6]", tag) else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in UNSEEN and self.unseen > 0
        if tag in BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(re.sub(r"\s+", " ", data))


def text_of_html(html: str) -> str:
    """Return the text of a piece of HTML, as feeds and mails have it; other text stays.

    >>> text_of_html("<p>One &amp; <b>two</b></p><ul><li>three</li></ul><script>x()</script>")
    'One & two\\n\\n- three'
    """
    if not re.search(r"<[a-zA-Z/!]|&\w+;|&#", html):
        return html.strip()
    parser = _Text()
    parser.feed(html)
    parser.close()
    return re.sub(r"\n{3,}", "\n\n", "".join(_lines("".join(parser.parts)))).strip()


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"{line.strip()}\n"
