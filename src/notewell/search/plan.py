"""A query, read: the terms worth matching, the text to embed, and the scope to look in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from notewell.errors import NoteError
from notewell.redact import redact_text
from notewell.search.describe import told, told_intent
from notewell.search.exact import find_strings
from notewell.search.intent import read_intent
from notewell.search.query import PASTED, Known, Part, Query, read_query_text
from notewell.search.stopwords import stop_terms
from notewell.search.time_words import When, read_when
from notewell.terms import TOKEN, prefix_term, split_terms
from notewell.types.query import EVERYTHING, Filter, Plan, Scope

# More terms than any question has; a pasted page is searched by its first ones.
MAX_TERMS = 64
# A query longer than this is a pasted text; its head says what it is about.
MAX_CHARS = 4_000


def make_plan(text: str, scope: Scope = EVERYTHING, known: Known | None = None) -> Plan:
    """Read a query: the terms worth matching, the text to embed, and what is to be seen of the scope.

    Words that say nothing are left out, unless all do.

    >>> make_plan("How do I fix the sourdough?").terms
    ('fix', 'sourdough')
    >>> make_plan("to be or not to be").terms
    ('to', 'be', 'or', 'not', 'to', 'be')
    >>> make_plan("sourd* tag:bread").terms, make_plan("sourd* tag:bread").scope.filters
    (('sourd*',), (Filter(of='tag', values=('bread',), key='', negated=False),))
    """
    query = read_query_text(_shortened(readable(text).strip()), known)
    # Where only a meaning is asked for, its words still show what to look at.
    terms = [term for part in query.by_words or query.told for term in _terms(part)]
    when = _when(query, known)
    telling = [term for term in terms if term not in stop_terms()]
    asked = [term for term in telling if term not in when.idle] if when else telling
    chosen = tuple((asked or telling or terms)[:MAX_TERMS])
    heading = (Filter("heading", (" ".join(chosen),)),) if query.in_heading and chosen else ()
    filters = (*scope.filters, *query.filters, *heading)
    intent = read_intent(query.written)
    read_as = (
        *map(str, query.parts),
        *([str(when)] if when else ()),
        *([f"under {scope.under}"] if scope.under else ()),
        *map(told, scope.filters),
        *told_intent(intent),
    )
    return Plan(
        query.meaning,
        chosen,
        Scope(scope.under, tuple(dict.fromkeys(filters))),
        passage=query.passage,
        by_words=bool(query.by_words) or not (query.meaning or query.passage),
        when=when.days if when else None,
        strings=find_strings(" ".join(part.text for part in query.by_words if part.kind != "prefix")),
        words=tuple(word for word in _words(query.by_words) if word not in query.unread.words),
        notices=query.unread.notices,
        read_as=tuple(dict.fromkeys(read_as)),
        like=query.like,
        intent=intent,
    )


def _shortened(text: str) -> str:
    """Return the head of a pasted text; no cut goes through a secret, of which the rest would not be known for one."""
    return text if len(text) <= MAX_CHARS else redact_text(text[: 2 * MAX_CHARS])[0][:MAX_CHARS]


def _when(query: Query, known: Known | None) -> When | None:
    """Return what the text of a query says of time; what is quoted, or pasted, says nothing of it."""
    texts = [part.text for part in query.parts if part.kind == "text" and len(part.text.split()) <= PASTED]
    today = known.today if known else None
    found = (read_when(text, today, stop_terms()) for text in texts) if today else iter(())
    return next(filter(None, found), None)


def _terms(part: Part) -> list[str]:
    """Return the terms of a part; of a prefix, its last word stands for all that begin so."""
    if part.kind != "prefix":
        return split_terms(part.text)
    token = TOKEN.findall(part.text)[-1]
    return [*split_terms(part.text.removesuffix(token)), f"{prefix_term(token)}*"]


def _words(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the words that may be misspelt: not those of a phrase, nor the beginning of a word."""
    tokens = (token for part in parts if part.kind in ("text", "words") for token in TOKEN.findall(part.text))
    return tuple(dict.fromkeys(tokens))[:MAX_TERMS]


def make_scope(under: str, root: Path, filters: tuple[Filter, ...] = ()) -> Scope:
    """Return the scope of a folder or note: `Garden`, `Garden/`, `./Garden` and its full path are the same.

    >>> make_scope("./Garden/", Path("/notes")).under, make_scope("/notes/Garden", Path("/notes")).under
    ('Garden', 'Garden')
    """
    path = PurePosixPath(readable(under))
    if path.is_relative_to(root.as_posix()):
        path = path.relative_to(root.as_posix())
    inside = path.as_posix().strip("/")
    return Scope("" if inside == "." else inside, filters)


def readable(text: str) -> str:
    """Return the text without what is no text: zero bytes, and halves of characters that a shell let through.

    >>> readable("rye\\0 \\udcff")
    'rye  ?'
    """
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def readable_name(text: str) -> str:
    """Return the text of a name or a place; one with a zero byte is refused, since it is no other note's, either."""
    if "\0" in text:
        raise NoteError("No note has a zero byte in its name", "Paths are as `notewell search` prints them")
    return readable(text)
