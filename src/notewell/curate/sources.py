"""Where signals come from: lists of addresses, feeds, mails, pages, documents, notes, and folders of these."""

from __future__ import annotations

import os
import re
from dataclasses import field
from pathlib import Path

from notewell.curate.feeds import day_of, read_feed
from notewell.curate.mails import is_mail, read_mails
from notewell.curate.markup import HTML, plain_line, with_links
from notewell.curate.signals import Signal, make_signal, web_address
from notewell.errors import CurateError, NoteError
from notewell.files.formats import TEXT, Format, format_of
from notewell.files.safe_open import open_plain
from notewell.frozen import frozen
from notewell.index.readers.sandbox import Extraction
from notewell.index.readers.text import decode
from notewell.index.report import Reason
from notewell.index.shapes.front_matter import split_front_matter

# Bytes of a file, or of stdin, and files of a folder. A hundred times what a person reads in a morning.
LARGEST = 50_000_000
MOST_FILES = 1_000
MOST_ADDRESSES = 1_000
# What a file begins with, by what it is; spaces before it are left out, or a file of them would take hours.
BEGINNING = 65_536
XML = re.compile(rb"<(?:\?xml|rss|feed|opml|rdf:RDF)\b")
PAGE = re.compile(rb"(?:<!--.{0,2000}?-->\s{0,100})?<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
MARK = b"\xef\xbb\xbf"
ADDRESS = re.compile(r"https?://[^\s<>\"]+")
LINK = re.compile(r"\[(?P<text>[^\[\]\n]{1,300})\]\((?P<url>https?://[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)")
# What may stand around the address in a line of a list: a bullet, a box, quotes, a number.
BARE = re.compile(r"^(?:[-*+] |\d{1,4}[.)] )?(?:\[[ xX]\] )?[\s<\"'|:–—-]*|[\s>\"'|:–—-]*$")
CANONICAL = re.compile(
    rb"""<link\b[^>]{0,300}\brel=["']?canonical["']?[^>]{0,300}\bhref=["'](?P<url>https?://[^"'\s>]+)"""
    rb"""|<meta\b[^>]{0,300}\bproperty=["']og:url["'][^>]{0,300}\bcontent=["'](?P<url2>https?://[^"'\s>]+)""",
    re.IGNORECASE,
)
FEED_SUFFIXES = (".xml", ".rss", ".atom", ".opml", ".rdf")
MAIL_SUFFIXES = (".eml", ".mbox")
# A line of a list with more characters beside its address is a sentence.
LONGEST_ITEM = 300


@frozen
class Read:
    """The contents of a source: signals, feeds to fetch, and the parts that could not be read, with the reason."""

    signals: list[Signal] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    left: list[Reason] = field(default_factory=list)

    def add(self, other: Read) -> None:
        """Add the contents of another."""
        self.signals.extend(other.signals)
        self.feeds.extend(other.feeds)
        self.left.extend(other.left)


def read_source(source: str, extraction: Extraction) -> Read:
    """Return the signals of an address, a file or a folder; one that is missing is an error."""
    if source.startswith(("http://", "https://")):
        if not web_address(source):
            raise CurateError(f"'{source[:80]}' is not an address", "Check it")
        return Read([make_signal("", url=source)])
    if not source.strip():
        # As an empty variable in a shell would have it; a path without a name is the folder one is in.
        raise CurateError("A source is empty", "Name a file, a folder or an address, or write `-` for stdin")
    path = Path(source).expanduser()
    if path.is_dir():
        return _folder(path, extraction)
    try:
        return read_data(_bytes_of(path), path.name, extraction)
    except OSError as error:
        raise CurateError(f"{source} cannot be read: {error.strerror or error}", "Check the path") from error


def _folder(folder: Path, extraction: Extraction) -> Read:
    """Return the signals of the files in a folder, and in folders below it; hidden files and links are left out."""
    read, files = Read(), 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(place, name)
            if name.startswith(".") or file.is_symlink():
                continue
            files += 1
            if files > MOST_FILES:
                read.left.append(
                    Reason(str(folder), f"it has more than {MOST_FILES:,} files; the others were left out")
                )
                return read
            try:
                read.add(read_data(_bytes_of(file), name, extraction))
            except (OSError, CurateError) as error:
                fact = error.fact if isinstance(error, CurateError) else error.strerror or "it cannot be read"
                read.left.append(Reason(str(file), fact))
    return read


def _bytes_of(path: Path) -> bytes:
    with os.fdopen(open_plain(path), "rb") as stream:
        return stream.read(LARGEST + 1)


def read_data(data: bytes, name: str, extraction: Extraction) -> Read:
    """Return the signals in bytes: by the suffix of their name, or else by what they begin with."""
    if len(data) > LARGEST:
        raise CurateError(f"{name} has more than {LARGEST:,} bytes", "Split it, or leave it out")
    suffix, begins = Path(name).suffix.lower(), data[:BEGINNING].removeprefix(MARK).lstrip()
    format = format_of(name)
    # A mailbox of many files names them as it likes.
    is_unknown = format is None and suffix not in (*FEED_SUFFIXES, *MAIL_SUFFIXES)
    if suffix in FEED_SUFFIXES or (is_unknown and XML.match(begins)):
        feed = read_feed(data, name, extraction)
        return Read([*feed.items], [url for url, _ in feed.feeds if web_address(url)])
    if suffix in MAIL_SUFFIXES or (is_unknown and is_mail(begins)):
        return _mailbox(data, name, extraction)
    format = format or (HTML if not suffix and PAGE.match(begins) else None if suffix else TEXT)
    if format is None:
        raise CurateError(
            f"{name} has a format that Notewell does not read", "Intake reads feeds, mails and what Notewell indexes"
        )
    return _document(data, name, format, extraction)


def _mailbox(data: bytes, name: str, extraction: Extraction) -> Read:
    """Return the signals of mails; a mail that a person sent to themselves with addresses is a list of these."""
    read = Read()
    for mail in read_mails(data, name, extraction):
        if isinstance(mail, Reason):
            read.left.append(mail)
        elif listed := addresses_in(mail.text):
            read.signals.extend(
                make_signal(title or (mail.title if len(listed) == 1 else ""), url=url, source=mail.source)
                for title, url in listed[:MOST_ADDRESSES]
            )
        else:
            read.signals.append(mail)
    return read


def _document(data: bytes, name: str, format: Format, extraction: Extraction) -> Read:
    stem = Path(name).stem
    try:
        if format.shape != "markdown" and format is not TEXT:
            content = extraction.extract(format, with_links(data) if format is HTML else data)
            return Read([make_signal(content.title or stem, content.text, url=_canonical(data, format), source=name)])
        text = decode(data)[0]
    except NoteError as error:
        raise CurateError(f"{name}: {error.fact}", error.hint) from error
    fields, body, _ = split_front_matter(text)
    if not fields and (listed := addresses_in(text)):
        if len(listed) > MOST_ADDRESSES:
            raise CurateError(f"{name} has more than {MOST_ADDRESSES:,} addresses", "Split it")
        return Read([make_signal(title, url=url, source=name if name else "") for title, url in listed])
    named = {key: _written(fields.get(key)) for key in ("title", "author", "source", "url", "published", "date")}
    url, title = named["url"] or named["source"], named["title"] or (stem if format.shape == "markdown" else "")
    if not text[body:].strip():
        raise CurateError(f"{name or 'the text'} is empty", "Leave it out")
    published = day_of(named["published"] or named["date"])
    signal = make_signal(title, text[body:], url=url, author=named["author"], published=published, source=name)
    return Read([signal])


def _written(value: object) -> str:
    """Return a property as text: a list as its values, and links as their names.

    >>> _written([[["Kim Lee"]], "Ada"]), _written("[[Kim Lee]]"), _written(None)
    ('Kim Lee, Ada', 'Kim Lee', '')
    """
    if isinstance(value, list):
        return ", ".join(filter(None, map(_written, value)))
    return re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", str(value)) if value is not None else ""


def _canonical(data: bytes, format: Format) -> str:
    """Return the address that a page gives itself."""
    match = CANONICAL.search(data[:100_000]) if format is HTML else None
    return plain_line((match["url"] or match["url2"]).decode("utf-8", "replace")) if match else ""


def addresses_in(text: str) -> list[tuple[str, str]]:
    """Return the addresses of a list, each with its title; nothing if the text is anything else than a list of them.

    >>> addresses_in("- [Bees](https://a.example/b)\\n\\nhttps://c.example  Rye\\n")
    [('Bees', 'https://a.example/b'), ('Rye', 'https://c.example')]
    >>> addresses_in("See https://a.example for more.\\nThat is all.\\n")
    []
    """
    found = []
    for line in filter(str.strip, text.split("\n")):
        if match := LINK.search(line):
            found.append((match["text"], match["url"]))
        elif match := ADDRESS.search(line):
            if len(line) > len(match[0]) + LONGEST_ITEM:
                return []
            title = f"{BARE.sub('', line[: match.start()])} {BARE.sub('', line[match.end() :])}".strip()
            if len(title) > 200 or title.endswith("."):
                return []
            found.append((title, match[0]))
        elif not line.lstrip().startswith(("#", "//")):
            return []
    return found
