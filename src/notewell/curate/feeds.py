"""Feeds: the items of RSS and Atom, and the feeds of an OPML file; without entities, within limits."""

from __future__ import annotations

import codecs
import html
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from xml.parsers import expat

from notewell.curate.markup import one_line, plain_line, text_of_html
from notewell.curate.signals import Signal, bare_url, make_signal
from notewell.errors import CurateError
from notewell.frozen import frozen
from notewell.index.readers.sandbox import Extraction

# A feed has some dozens of items; nobody reads one of this size.
LARGEST = 10_000_000
MOST_ITEMS = 1_000
DEEPEST = 100
# Characters of one field of an item.
LONGEST_FIELD = 1_000_000
ITEMS = ("item", "entry")
DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']""")
WIDE = ("gb", "big5", "shift_jis", "euc", "iso2022", "cp932", "cp936", "cp949", "cp950", "johab")
# What RSS, Atom, RSS 1.0 and OPML begin with.
ROOTS = ("rss", "feed", "RDF", "opml")
# The fields of an item, by the names that formats give them; of a text, the longest counts.
FIELDS = {
    "title": "title",
    "description": "text",
    "summary": "text",
    "encoded": "text",
    "content": "text",
    "link": "url",
    "guid": "guid",
    "pubDate": "published",
    "published": "published",
    "updated": "published",
    "date": "published",
    "author": "author",
    "creator": "author",
}


@frozen
class Feed:
    """The contents of a feed, or of a list of feeds."""

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
    # Whether the field has elements in it: XHTML, which is written as text once more.
    marked: bool = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self.path and name not in ROOTS:
            raise CurateError(
                f"{self.name} is XML, but not a feed: it begins with <{name[:40]}>", "Intake reads RSS, Atom and OPML"
            )
        self.path.append(name)
        if len(self.path) > DEEPEST:
            raise CurateError(
                f"{self.name} is nested more than {DEEPEST} levels deep", "It is not a feed; leave it out"
            )
        if name in ITEMS and not self.inside:
            self.item, self.held = {}, 0
        if self.inside:
            self._begin_inner(name, attributes)
            return
        if name == "outline" and attributes.get("xmlUrl"):
            self.feeds.append((attributes["xmlUrl"], attributes.get("title") or attributes.get("text") or ""))
        is_page = name == "link" and attributes.get("rel", "alternate") == "alternate"
        if is_page and self.item is not None and attributes.get("href"):
            self.item.setdefault("url", attributes["href"])
        if name == "guid" and attributes.get("isPermaLink") == "false":
            return
        if name in FIELDS and (self.item is not None or (name == "title" and len(self.path) <= 3)):
            self.inside, self.text, self.marked = len(self.path), [], False

    def _begin_inner(self, name: str, attributes: dict[str, str]) -> None:
        if name == "name":
            # The author of an entry has an address and a page, too.
            self.text = []
        else:
            self.marked = True
            target = attributes.get("href", "")
            self.text.append(f'<{name} href="{html.escape(target)}">' if target else f"<{name}>")

    def data(self, text: str) -> None:
        self.held += len(text)
        if self.inside and self.held <= LONGEST_FIELD:
            self.text.append(html.escape(text, quote=False) if self.marked else text)

    def end(self, tag: str) -> None:
        name = self.path.pop()
        if self.inside and len(self.path) < self.inside:
            self._keep(FIELDS[name], "".join(self.text).strip())
            self.inside = 0
        elif self.inside and name == "name":
            self._keep(FIELDS[self.path[self.inside - 1]], "".join(self.text).strip())
        elif self.inside:
            self.text.append(f"</{name}>")
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


def read_feed(data: bytes, name: str, extraction: Extraction) -> Feed:
    """Return the items of a feed, or the feeds of an OPML file; one that is not well-formed is an error.

    Entities and document types are refused: ten lines of them can expand to gigabytes, or name files.
    """
    if len(data) > LARGEST:
        raise CurateError(f"{name} has {len(data):,} bytes; a feed has at most {LARGEST:,}", "Leave it out")
    reader = _Reader(name)
    try:
        _parse(*_as_utf8(data), reader)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise CurateError(f"{name} is not a feed: {error}", "Check that it was saved whole") from error
    title = plain_line(reader.title) or name
    # Some feeds give every item the address of their home page, which identifies none of them.
    times = Counter(bare_url(_address(item)) for item in reader.items)
    items = [_signal(item, title, extraction, has_own=times[bare_url(_address(item))] == 1) for item in reader.items]
    return Feed(title, tuple(items), tuple((url, one_line(called)) for url, called in reader.feeds))


def _parse(data: bytes, encoding: str | None, reader: _Reader) -> None:
    parser = expat.ParserCreate(encoding, namespace_separator=" ")

    def refuse(*_: object) -> None:
        raise CurateError(f"{reader.name} declares a document type or entities, which are not read", "Leave it out")

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.data
    parser.buffer_text = True
    parser.Parse(data, True)


def _as_utf8(data: bytes) -> tuple[bytes, str | None]:
    """Return a feed whose encoding has several bytes for a character, such as GBK, in UTF-8; expat reads the others."""
    declared = DECLARED.match(data)
    if declared is None or not codecs.lookup(name := declared[1].decode()).name.startswith(WIDE):
        return data, None
    return data.decode(name, "replace").encode("utf-8", "replace"), "utf-8"


def _address(item: dict[str, str]) -> str:
    return item.get("url") or item.get("guid", "")


def _signal(item: dict[str, str], source: str, extraction: Extraction, *, has_own: bool) -> Signal:
    return make_signal(
        plain_line(item.get("title", "")),
        text_of_html(item.get("text", ""), extraction),
        url=_address(item) if has_own else "",
        author=plain_line(item.get("author", "")),
        published=day_of(item.get("published", "")),
        source=source,
    )


def day_of(written: str) -> str:
    """Return the day of a date as feeds and mails write it, in ISO format; empty if it is none.

    >>> day_of("Tue, 05 Mar 2024 10:00:00 GMT"), day_of("2024-03-05T10:00:00Z"), day_of("soon")
    ('2024-03-05', '2024-03-05', '')
    """
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError, OverflowError, IndexError):
            return read(written.strip()).date().isoformat()
    return ""
