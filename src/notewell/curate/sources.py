"""Where signals come from: lists of addresses, feeds, mails, pages, documents, notes, and folders of these."""

from __future__ import annotations

import email
import email.policy
import os
import re
from dataclasses import field
from email.message import EmailMessage
from pathlib import Path

from notewell.curate.feeds import day_of, one_line, read_feed, text_of_html
from notewell.curate.signals import Signal, make_signal, web_address
from notewell.errors import CurateError, NoteError
from notewell.files.formats import BY_SUFFIX, TEXT, Format, format_of
from notewell.files.safe_open import open_plain
from notewell.frozen import frozen
from notewell.index.readers.sandbox import Extraction
from notewell.index.readers.text import decode
from notewell.index.report import Reason
from notewell.index.shapes.front_matter import split_front_matter

# Bytes of a file, or of stdin, and files of a folder. A hundred times what a person reads in a morning.
LARGEST = 50_000_000
MOST_FILES = 1_000
MOST_MAILS = 1_000
MOST_ADDRESSES = 1_000
# What a file begins with, by what it is.
XML = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml|rss|feed|opml|rdf:RDF)\b")
PAGE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
MAIL = re.compile(rb"(?:(?:[!-9;-~]+:[^\n]*|[ \t][^\n]*)\r?\n){2,}\r?\n")
MAIL_FIELD = re.compile(rb"(?mi)^(?:from|received|return-path|message-id):")
# Each mail in a box begins so.
BOX = re.compile(rb"(?m)^From \S+ [^\n]*\d{4}\r?$")
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
HTML = BY_SUFFIX[".html"]


@frozen
class Read:
    """What a source has: signals, feeds that could be fetched, and what could not be read, with the reason."""

    signals: list[Signal] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    left: list[Reason] = field(default_factory=list)

    def add(self, other: Read) -> None:
        """Take over what another has."""
        self.signals.extend(other.signals)
        self.feeds.extend(other.feeds)
        self.left.extend(other.left)


def read_source(source: str, extraction: Extraction) -> Read:
    """Return the signals of an address, a file or a folder; one that is missing is an error."""
    if source.startswith(("http://", "https://")):
        if not web_address(source):
            raise CurateError(f"'{source[:80]}' is not an address", "Check it")
        return Read([make_signal("", url=source)])
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
    suffix = Path(name).suffix.lower()
    if suffix in FEED_SUFFIXES or (not suffix and XML.match(data)):
        feed = read_feed(data, name)
        return Read([*feed.items], [url for url, _ in feed.feeds if web_address(url)])
    if suffix in MAIL_SUFFIXES or (not suffix and _is_mail(data)):
        return Read([_mail(one, name) for one in _mails(data, name)])
    format = format_of(name) or (HTML if not suffix and PAGE.match(data) else TEXT if not suffix else None)
    if format is None:
        raise CurateError(
            f"{name} has a format that is not read", "Intake reads feeds, mails and what Notewell indexes"
        )
    return _document(data, name, format, extraction)


def _is_mail(data: bytes) -> bool:
    begins = data[:65_536]
    return bool(BOX.match(begins) or (MAIL.match(begins) and MAIL_FIELD.search(begins)))


def _mails(data: bytes, name: str) -> list[bytes]:
    """Return the mails of a box, or the only one."""
    starts = [match.start() for match in BOX.finditer(data)] if BOX.match(data) else []
    if len(starts) > MOST_MAILS:
        raise CurateError(f"{name} has more than {MOST_MAILS:,} mails", "Split it")
    if not starts:
        return [data]
    ends = [*starts[1:], len(data)]
    return [data[start:end].partition(b"\n")[2] for start, end in zip(starts, ends, strict=True)]


def _mail(data: bytes, name: str) -> Signal:
    try:
        mail = email.message_from_bytes(data, policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        body = mail.get_body(("plain", "html"))
        text = str(body.get_content()) if body else ""
        html = body is not None and body.get_content_subtype() == "html"
        fields = {key: one_line(str(mail.get(key, ""))) for key in ("subject", "from", "date", "list-id")}
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        raise CurateError(f"{name} is not a mail that can be read ({type(error).__name__})", "Leave it out") from error
    author = re.sub(r"\s*<[^<>]*>", "", fields["from"]).strip('"')
    source = re.sub(r"\s*<([^<>]*)>", r" \1", fields["list-id"]).strip() or f"mail from {author}"
    text = text_of_html(text) if html else text
    return make_signal(fields["subject"], text, author=author, published=day_of(fields["date"]), source=source)


def _document(data: bytes, name: str, format: Format, extraction: Extraction) -> Read:
    stem = Path(name).stem
    try:
        if format.shape != "markdown" and format is not TEXT:
            content = extraction.extract(format, data)
            return Read([make_signal(content.title or stem, content.text, url=_canonical(data, format), source=name)])
        text = decode(data)[0]
    except NoteError as error:
        raise CurateError(f"{name}: {error.fact}", error.hint) from error
    fields, body, _ = split_front_matter(text)
    if not fields and (listed := addresses_in(text)):
        if len(listed) > MOST_ADDRESSES:
            raise CurateError(f"{name} has more than {MOST_ADDRESSES:,} addresses", "Split it")
        return Read([make_signal(title, url=url, source=name if name else "") for title, url in listed])
    named = {key: str(fields.get(key) or "") for key in ("title", "author", "source", "url")}
    url, title = named["url"] or named["source"], named["title"] or (stem if format.shape == "markdown" else "")
    if not text[body:].strip():
        raise CurateError(f"{name or 'the text'} is empty", "Leave it out")
    return Read([make_signal(title, text[body:], url=url, author=named["author"], source=name)])


def _canonical(data: bytes, format: Format) -> str:
    """Return the address that a page gives itself."""
    match = CANONICAL.search(data[:100_000]) if format is HTML else None
    return text_of_html((match["url"] or match["url2"]).decode("utf-8", "replace")) if match else ""


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
            title = f"{BARE.sub('', line[: match.start()])} {BARE.sub('', line[match.end() :])}".strip()
            if len(title) > 200 or title.endswith("."):
                return []
            found.append((title, match[0]))
        elif not line.lstrip().startswith(("#", "//")):
            return []
    return found
