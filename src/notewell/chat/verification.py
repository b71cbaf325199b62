"""Whether the quotes of a text stand in the notes: in the note that the text names, or anywhere in the vault."""

from __future__ import annotations

import re
from dataclasses import replace

from notewell.chat.passages import Passage
from notewell.chat.quotes import SHORTEST, Quote, check_quote, ends_of, find_quotes, locate, normalise, status_of
from notewell.errors import NotewellError, QueryError
from notewell.names.place import before_lines
from notewell.types.answer import Citation, CitationReason, Verification
from notewell.types.query import Query
from notewell.vault import Vault

# Chunks in which a quote without a place is looked for, and notes that are read whole, for a quote across chunks.
SEARCHED, READ = 20, 3
# What may name a note behind a quote: Garden/Bees.md:12, [[Bees]], [[Bees|the bees]].
PLACE = re.compile(
    r"\[\[([^\]\n|]+)(?:\|[^\]\n]*)?\]\]|\(?([^\s()\[\]\"“”«»<>:][^()\[\]\"“”«»<>:\n]*\.\w{1,5}(?::\d[\d-]*)?)"
)
# How far behind a quote the name of its note may begin.
BEHIND = 40
# A longer text is checked in parts by whoever has it.
LONGEST = 5_000_000


def verify(vault: Vault, text: str) -> Verification:
    """Check every quote of a text against the notes: in the note named behind it, or else in all notes."""
    if len(text) > LONGEST:
        raise QueryError(f"The text has {len(text):,} characters; at most {LONGEST:,} are checked", "Split it")
    vault.freshness.index_new()
    vault.storage.check_indexed()
    quotes = find_quotes(text)
    pairs = zip(quotes, ends_of(quotes, text), strict=False)
    checked = [
        replace(_check(vault, quote, text[quote.end : end]), number=number)
        for number, (quote, end) in enumerate(pairs, start=1)
    ]
    return Verification(tuple(checked), status_of([one.citation_reason for one in checked]))


def _check(vault: Vault, quote: Quote, after: str) -> Citation:
    if len(normalise(quote.text)) < SHORTEST:
        return _citation(quote, "too_short")
    named = PLACE.search(after.split("\n\n")[0])
    if named and named.start() <= BEHIND:
        return _in_note(vault, quote, named[1] or named[2])
    found = vault.search(Query(quote.text, limit=SEARCHED, mode="ask", refresh=False, max_tokens=0))
    for hit in found:
        if check_quote(quote.text, hit.text) == "match":
            return Passage(0, hit).cite(quote.text)
    notes = list(dict.fromkeys(hit.path for hit in found))[:READ]
    read = (_in_note(vault, quote, path) for path in notes)
    return next((one for one in read if one.citation_verified), _citation(quote, "not_found"))


def _in_note(vault: Vault, quote: Quote, place: str) -> Citation:
    """Return the citation of a quote in one note, wherever it stands there: lines move when notes are edited."""
    try:
        reading = vault.read(vault.find(before_lines(place.strip()) or place.strip()))
    except NotewellError:
        return _citation(quote, "no_chunk_text", place.strip())
    reason = check_quote(quote.text, reading.text)
    if reason != "match":
        return _citation(quote, reason, reading.path)
    first, last = locate(quote.text, reading.text)
    return replace(_citation(quote, reason, reading.path), line=reading.line + first, end_line=reading.line + last)


def _citation(quote: Quote, reason: CitationReason, path: str = "") -> Citation:
    return Citation(
        number=0,
        path=path,
        line=0,
        end_line=0,
        heading="",
        quote=quote.text,
        citation_verified=reason == "match",
        citation_reason=reason,
        uri="",
    )
