"""What every surface lets one ask by: the same names and the same words on them, and how conditions are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import Protocol, TypedDict

from notewell.errors import SettingsError
from notewell.types.query import ALL, Filters

HELP = {
    "limit": "How many results. Default: search.limit, 10",
    "under": "Look only in this folder or note",
    "tag": "Only notes with this tag, or one nested in it; may be repeated",
    "type": "Only notes whose front matter has this type",
    "lang": "Only notes in this language: python, de, c++",
    "after": "Only notes of this day or later: 2024-05-01, 2024, 7d, today",
    "before": "Only notes of the days before this one",
    "where": "Only notes whose front matter says so: status=open, rating=3..5; may be repeated",
    "max_tokens": "Only hits of so many tokens of text together, at 4 characters each",
    "explain": "Say how each score came about",
    "refresh": "Look for changed files first, if that is quick",
    "no_refresh": "Do not look for changed files first",
    "mode": "fast searches as usual; deep goes far along links, too, and has up to 50 notes unless limit says how many",
    "query": "What notes have to be near to. Default: the note itself",
    "depth": "How many hops. Default: 4",
    "floor": "The least similarity of a note that is kept. Default: 0.5, with a query 0.7 of the nearest",
    "broken": "List only the links that lead nowhere, with what may be meant",
    "orphans": "List the notes that no other note links to, and that link to none",
    "to": "Of the broken links, those that miss this: notes, files or anchors",
    "like": "Lean to what is like this note, or some of its lines: Garden/Bees.md:12; may be repeated",
}

# Names that are so much alike (`difflib`) are slips: "lmit" for "limit", "note" for "notes", not "query" for "where".
CLOSE = 0.75


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
    def only(self) -> Filters:
        """Return what they are narrowed by."""

    @property
    def max_tokens(self) -> int | None:
        """Return how long they may be together."""


class Rules(TypedDict):
    """What a vault is asked by besides the text or the notes, as its methods name it."""

    limit: int | None
    under: str
    only: Filters
    max_tokens: int | None


def rules_of(page: Page) -> Rules:
    """Return what a vault is asked by."""
    return {"limit": page.limit, "under": page.under, "only": page.only, "max_tokens": page.max_tokens}


def meant_by(name: str, known: Iterable[str], missing: Iterable[str]) -> str:
    """Return which name may be meant by one that nobody knows: one that is written nearly so, or one that is missing.

    >>> meant_by("lmit", ["text", "limit"], ["text"]), meant_by("q", ["text", "limit"], ["text"]), meant_by("q", [], [])
    ('limit', 'text', '')
    """
    return next(chain(get_close_matches(name, list(known), 1, CLOSE), missing), "")


def filters_of(asked: Narrowed) -> Filters:
    """Return the filters that were asked for."""
    return Filters(
        tag=tuple(asked.tag),
        type=tuple(asked.type),
        lang=tuple(asked.lang),
        after=asked.after,
        before=asked.before,
        where=read_where(asked.where),
    )


def check_asked(text: str, under: str, only: Filters) -> None:
    """Refuse a search for nothing at all: neither words nor anything to narrow it by.

    >>> check_asked("", "", Filters(tag="bees"))
    >>> check_asked(" ", "", ALL)
    Traceback (most recent call last):
    notewell.errors.SettingsError: There is nothing to look for
    """
    if not (text.strip() or under) and replace(only, like=only.places) == ALL:
        raise SettingsError("There is nothing to look for", "Give some words, or a filter such as tag or after")


def read_where(written: Iterable[str]) -> dict[str, list[str]]:
    """Return conditions on front matter by their keys.

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
