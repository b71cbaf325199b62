"""Mails, one or a box of them, as signals; a mail that cannot be read costs only itself."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any

from notewell.curate.feeds import day_of
from notewell.curate.markup import one_line, text_of_html
from notewell.curate.signals import Signal, make_signal
from notewell.errors import CurateError, NoteError
from notewell.index.readers.sandbox import Extraction
from notewell.index.readers.text import decode
from notewell.index.report import Reason

MOST_MAILS = 1_000
MAIL = re.compile(rb"(?:(?:[!-9;-~]+:[^\n]*|[ \t][^\n]*)\r?\n){2,}\r?\n")
MAIL_FIELD = re.compile(rb"(?mi)^(?:from|received|return-path|message-id):")
# Each mail in a box begins so.
BOX = re.compile(rb"(?m)^From \S+ [^\n]*\d{4}\r?$")
QUOTED_FROM = re.compile(rb"(?m)^>(>*From )")
# Characters of a field that are read: the parser takes 11 s for one of 400,000.
LONGEST_FIELD = 2_000
# Lines that may separate parts; each costs .1 ms.
MOST_PARTS = 10_000
FIELDS = ("subject", "from", "date", "list-id")
# What the parser of mails raises for some that are none.
UNREADABLE = (
    NoteError,
    MessageError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)


class ShortFields(EmailPolicy):
    """Parses only the beginning of each field."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        """Return a field as it was parsed."""
        return super().header_fetch_parse(name, value[:LONGEST_FIELD])


def is_mail(begins: bytes) -> bool:
    """Tell whether a file that begins so is a mail, or a box of mails."""
    return bool(BOX.match(begins) or (MAIL.match(begins) and MAIL_FIELD.search(begins)))


def read_mails(data: bytes, name: str, extraction: Extraction) -> Iterator[Signal | Reason]:
    """Yield the signal of each mail, or the reason why it cannot be read."""
    mails = _split(data, name)
    for number, one in enumerate(mails, start=1):
        try:
            yield _signal(one, extraction)
        except UNREADABLE as error:
            place = f"{name}, mail {number}" if len(mails) > 1 else name
            yield Reason(place, f"it is not a mail that can be read ({type(error).__name__})")


def _split(data: bytes, name: str) -> list[bytes]:
    """Return the mails of a box, or the only one."""
    starts = [match.start() for match in BOX.finditer(data)] if BOX.match(data) else []
    if len(starts) > MOST_MAILS:
        raise CurateError(f"{name} has more than {MOST_MAILS:,} mails", "Split it")
    if not starts:
        return [data]
    ends = [*starts[1:], len(data)]
    bare = (data[start:end].partition(b"\n")[2] for start, end in zip(starts, ends, strict=True))
    return [QUOTED_FROM.sub(rb"\1", one) for one in bare]


def _signal(data: bytes, extraction: Extraction) -> Signal:
    if data.count(b"\n--") > MOST_PARTS:
        raise ValueError
    mail = email.message_from_bytes(data, policy=ShortFields())
    assert isinstance(mail, EmailMessage)
    body = mail.get_body(("plain", "html"))
    fields = {key: one_line(str(mail.get(key, ""))) for key in FIELDS}
    text = _text(body) if isinstance(body, EmailMessage) else ""
    if body is not None and body.get_content_subtype() == "html":
        text = text_of_html(text, extraction)
    if not text.strip() and not fields["subject"]:
        raise ValueError
    author = re.sub(r"\s*<[^<>]*>", "", fields["from"]).strip('"')
    source = re.sub(r"\s*<([^<>]*)>", r" \1", fields["list-id"]).strip() or f"mail from {author}"
    return make_signal(fields["subject"], text, author=author, published=day_of(fields["date"]), source=source)


def _text(body: EmailMessage) -> str:
    try:
        return str(body.get_content())
    except (LookupError, UnicodeError):
        # An encoding that nobody knows, or that is none: most of it is readable all the same.
        data = body.get_payload(decode=True)
        return decode(data)[0] if isinstance(data, bytes) else ""
