"""Whether the quotes of a text are in the notes: in the note that the text names, or anywhere in the vault."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from notewell.chat.passages import Passage
from notewell.chat.quotes import Quote, check_quote, ends_of, find_quotes, is_too_short, locate, status_of
from notewell.errors import NotewellError, QueryError
from notewell.files.formats import format_of
from notewell.index.place import Reading
from notewell.names.place import before_lines
from notewell.types.answer import Citation, CitationReason, Verification
from notewell.types.notices import Notice
from notewell.types.query import Query
from notewell.vault import Vault

# Chunks in which a quote without a place is looked for, and notes that are read whole, for a quote across chunks.
SEARCHED, READ = 20, 3
# What may name a note after a quote: Garden/Bees.md:12, [[Bees]], [[Bees|the bees]].
PLACE = re.compile(
    r"\[\[([^\]\n|]+)(?:\|[^\]\n]*)?\]\]|([^\s()\[\]\"“”«»<>:,][^()\[\]\"“”«»<>:,\n]*\.\w{1,5}(?::\d[\d-]*)?)"
)
# How far after a quote the name of its note may begin.
AFTER = 40
# Quotes that are checked: each that names no note is a search.
MOST = 200
# A longer text is checked in parts by whoever has it.
LONGEST = 5_000_000


def verify(vault: Vault, text: str) -> Verification:
    """Check every quote of a text against the notes: in the note named after it, or else in all notes."""
    if len(text) > LONGEST:
        raise QueryError(f"The text has {len(text):,} characters; at most {LONGEST:,} are checked", "Check it in parts")
    vault.freshness.index_new()
    vault.storage.check_indexed()
    every = find_quotes(text)
    quotes = every[:MOST]
    pairs = zip(quotes, ends_of(quotes, text), strict=False)
    checked = [
        replace(_check(vault, quote, text[quote.end : end]), number=number)
        for number, (quote, end) in enumerate(pairs, start=1)
    ]
    more = (Notice("more_quotes", {"most": MOST}),) if len(every) > MOST else ()
    # What was not checked cannot be vouched for.
    unchecked: list[CitationReason] = ["too_short"] if more else []
    return Verification(tuple(checked), status_of([*(one.citation_reason for one in checked), *unchecked]), more)


def _check(vault: Vault, quote: Quote, after: str) -> Citation:
    if is_too_short(quote.text):
        return Citation(quote=quote.text, citation_reason="too_short")
    named = _in_note(vault, quote, place) if (place := place_in(after)) else None
    if named and named.citation_reason != "no_chunk_text":
        return named
    found = vault.search(Query(quote.text, limit=SEARCHED, mode="ask", refresh=False, max_tokens=0))
    for hit in found:
        if check_quote(quote.text, hit.text) == "match":
            return Passage(0, hit).cite(quote.text)
    notes = list(dict.fromkeys(hit.path for hit in found))[:READ]
    read = (_in_note(vault, quote, path) for path in notes)
    # A wrong name is forgiven if the quote is somewhere.
    nowhere = named or Citation(quote=quote.text, citation_reason="not_found")
    return next((one for one in read if one.citation_verified), nowhere)


def place_in(after: str) -> str:
    """Return what the text after a quote names as its note: a link, or a file of a kind that is read; or nothing.

    >>> place_in(" (see Bees.md:12)"), place_in(" [[Bees|here]]"), place_in(" which is 3.5 times more"), place_in("")
    ('see Bees.md:12', 'Bees', '', '')
    """
    found = PLACE.search(after.split("\n\n")[0])
    if not found or found.start() > AFTER:
        return ""
    place = (found[1] or found[2]).strip()
    return place if found[1] or format_of(before_lines(place) or place) else ""


def _in_note(vault: Vault, quote: Quote, place: str) -> Citation:
    """Return the citation of a quote in one note, wherever it is there: lines move when notes are edited."""
    reading = _read(vault, before_lines(place) or place)
    if reading is None:
        return Citation(path=place, quote=quote.text, citation_reason="no_chunk_text")
    reason = check_quote(quote.text, reading.text)
    if reason != "match":
        return Citation(path=reading.path, quote=quote.text, citation_reason=reason)
    first, last = (reading.line + line for line in locate(quote.text, reading.text))
    return Citation(
        path=reading.path, line=first, end_line=last, quote=quote.text, citation_verified=True, citation_reason=reason
    )


def _read(vault: Vault, named: str) -> Reading | None:
    """Return the note that words name: names have spaces, so that words before the name may belong to it, or not."""
    words = named.split(" ")
    for first in range(len(words)):
        with suppress(NotewellError):
            return vault.read(vault.find(" ".join(words[first:])))
    return None
