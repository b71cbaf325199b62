"""The parameters that all surfaces share: their names and help texts, and how conditions are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Protocol

from notewell.errors import SettingsError
from notewell.names.suggest import CLOSE, suggest
from notewell.types.query import NO_FILTERS, Filters, Mode, Query

HELP = {
    "limit": "Return at most N results. Default: search.limit, 10",
    "under": "Search only this folder or note",
    "tag": "Only notes with this tag or a nested one; may be repeated",
    "type": "Only notes of this type, as in their front matter; may be repeated",
    "lang": "Only notes in this language: python, de, c++; may be repeated",
    "after": "Only notes from this date or later: 2024-05-01, 2024, 7d, today",
    "before": "Only notes from before this date",
    "where": "Only notes with this property: status=open, rating=3..5; may be repeated",
    "max_tokens": "Limit the output to about N tokens",
    "explain": "Show how each score was computed",
    "refresh": "Index changed files first, if that is quick",
    "no_refresh": "Do not index changed files first",
    "mode": "fast is a plain search; deep also follows links, and returns up to 50 notes unless limit is set",
    "query": "Keep notes similar to this text. Default: similar to the note itself",
    "depth": "Follow at most N links in a row. Default: 4",
    "floor": "Drop notes less similar than this. Default: 0.5; with a query, 0.7 of the most similar note",
    "broken": "List broken links only, with suggestions",
    "orphans": "List notes without any link to or from another note",
    "to": "With broken: only links to missing notes, files or anchors",
    "like": "Prefer results like this note, or like some of its lines: Garden/Bees.md:12; may be repeated",
}


class Narrowed(Protocol):
    """What is asked by a program, whichever way: the filters by their names."""

    tag: list[str]
    type: list[str]
    lang: list[str]
    after: str
    before: str
    where: list[str]


class Page(Protocol):
    """What is asked by anyone, whichever way: which hits, and how many."""

    @property
    def limit(self) -> int | None:
        """Return how many."""

    @property
    def under(self) -> str:
        """Return the folder or note they are in."""

    @property
    def filters(self) -> Filters:
        """Return what they are narrowed by."""

    @property
    def max_tokens(self) -> int | None:
        """Return how long they may be together."""

    @property
    def explain(self) -> bool:
        """Return whether to say how scores came about."""


def query_by(page: Page, text: str = "", *, like: Sequence[str] = (), mode: Mode = "fast") -> Query:
    """Return what is asked of a vault: the text or the notes, and what a page of hits is asked by."""
    return Query(
        text,
        limit=page.limit,
        under=page.under,
        filters=page.filters,
        like=tuple(like),
        max_tokens=page.max_tokens,
        mode=mode,
        # The surface has looked for changes already.
        refresh=False,
        explain=page.explain,
    )


def meant_by(name: str, known: Iterable[str], missing: Iterable[str]) -> str:
    """Return the name that an unknown one probably stands for: a similar one, or else a missing one.

    >>> meant_by("lmit", ["text", "limit"], ["text"]), meant_by("q", ["text", "limit"], ["text"]), meant_by("q", [], [])
    ('limit', 'text', '')
    """
    return next(chain(suggest(name, known, limit=1, least=CLOSE), missing), "")


def filters_of(asked: Narrowed) -> Filters:
    """Return the filters of a request."""
    return Filters(
        tag=tuple(asked.tag),
        type=tuple(asked.type),
        lang=tuple(asked.lang),
        after=asked.after,
        before=asked.before,
        where=read_where(asked.where),
    )


def check_asked(query: Query) -> None:
    """Refuse a search with neither text nor a filter.

    >>> check_asked(Query(filters=Filters(tag="bees")))
    >>> check_asked(Query(" "))
    Traceback (most recent call last):
    notewell.errors.SettingsError: There is nothing to search for
    """
    if not (query.text.strip() or query.under or query.places) and query.filters == NO_FILTERS:
        raise SettingsError("There is nothing to search for", "Give some words, or a filter such as tag or after")


def read_where(written: Iterable[str]) -> dict[str, list[str]]:
    """Return conditions on properties, by key.

    >>> read_where(["status=open", "rating = 3..5", "status=new"])
    {'status': ['open', 'new'], 'rating': ['3..5']}
    """
    values: dict[str, list[str]] = {}
    for text in written:
        key, _, value = (part.strip() for part in text.partition("="))
        if not key or not value:
            raise SettingsError(f"'{text}' is not KEY=VALUE", "Write a condition such as status=open")
        values.setdefault(key, []).append(value)
    return values
