"""A query, from what a caller asks to the plan that a search follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from notewell.frozen import frozen
from notewell.types.aliases import aliases_of, renamed
from notewell.types.notices import Notice

# One name, or several.
Names = str | Sequence[str]
# How a vault answers a query.
Mode = Literal["fast", "related", "deep", "sure", "ask"]

# What kind of query a text is.
Intent = Literal["quoted", "path", "error text", "identifier", "code", "reference", "one word", "question", "keywords"]


@frozen
class Filters:
    """Conditions that a note must meet to be found, all of them; each value is written as in a query.

    >>> Filters(tag=("bees|wasps", "garden"), after="2024", where={"status": "open"}).before
    ''
    """

    tag: str | Sequence[str] = ()
    """Only notes with this tag, or one nested in it."""
    type: str | Sequence[str] = ()
    """Only notes whose front matter has this type."""
    lang: str | Sequence[str] = ()
    """Only files of this type (python, c++), or notes whose front matter has this `lang` (de)."""
    after: str = ""
    """Only notes of this day or later: 2024-05-01, 2024, 7d, today."""
    before: str = ""
    """Only notes from before this day."""
    where: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """Only notes whose front matter has these values, by key: {"status": "open", "rating": "3..5"}."""


NO_FILTERS = Filters()


FILTERS = tuple(one.name for one in fields(Filters))


class QueryFields(TypedDict, total=False):
    """The fields of a `Query`, and of its `Filters`, that a caller may give by name."""

    text: str
    limit: int | None
    under: str
    domain: str | Sequence[str]
    tag: str | Sequence[str]
    type: str | Sequence[str]
    lang: str | Sequence[str]
    after: str
    before: str
    where: Mapping[str, str | Sequence[str]]
    filters: Filters
    like: str | Sequence[str]
    max_tokens: int | None
    mode: Mode
    floor: float
    containing: str
    refresh: bool | None
    explain: bool
    all: bool
    expand: bool
    rerank: bool


@frozen
class Query:
    """A question to a vault, with all its options; every surface parses its input into one."""

    text: str = ""
    """What to look for; may hold query syntax, and may be empty with a filter or with `like`."""
    limit: int | None = None
    """How many hits to return; None takes the vault's setting."""
    under: str = ""
    """Search only this folder or note."""
    domain: str | Sequence[str] = ()
    """Search only these domains; all of them by default. Nothing of another is read."""
    filters: Filters = NO_FILTERS
    """Conditions that every hit meets."""
    like: str | Sequence[str] = ()
    """Notes, or lines of notes, that hits should resemble: `Garden/Bees.md:12`."""
    max_tokens: int | None = None
    """Limit the text of all hits to about this many tokens; 0 is no limit, None takes the vault's setting."""
    mode: Mode = "fast"
    """`fast` searches; `related` finds notes like `like`; `deep` also follows links; `sure` returns only hits that are
    surely about the text, and `ask` the nearest passages; both read the text without query syntax."""
    floor: float = 0.0
    """With `sure`: the lowest score of a hit, from 0 to 1."""
    containing: str = ""
    """Only chunks that contain this string as it is written."""
    refresh: bool | None = None
    """Whether to index changed files first; None leaves it to the vault."""
    explain: bool = False
    """Whether to say how the query was read and how each score came about."""
    all: bool = False
    """Whether to also return weak hits, which are hidden by default."""
    expand: bool = False
    """Whether a language model writes a passage that might answer, which is searched for as well."""
    rerank: bool = False
    """Whether a reranker orders the best hits, which takes a fraction of a second."""

    @classmethod
    def of(cls, query: Query | str, /, **fields: Unpack[QueryFields]) -> Query:
        """Return the query for a text, and fields and filters given by name; a `Query` is returned as it is.

        >>> Query.of("bees", limit=3, tag="garden").filters.tag, Query.of(Query("bees")).text
        ('garden', 'bees')
        """
        if not isinstance(query, str):
            if fields:
                raise TypeError("a Query already holds its fields: pass them in it, not beside it")
            return query
        given: dict[str, Any] = renamed({"text": query, **fields} if query else fields, OTHER_NAMES)
        filters = {name: given.pop(name) for name in FILTERS if name in given}
        if filters:
            given["filters"] = replace(given.get("filters", NO_FILTERS), **filters)
        return cls(**given)

    @property
    def places(self) -> tuple[str, ...]:
        """Return the places in `like`, without empty ones."""
        return tuple(place for place in ([self.like] if isinstance(self.like, str) else self.like) if place)


# The other names of the fields of a query.
OTHER_NAMES = aliases_of(QueryFields.__annotations__)


class Range(NamedTuple):
    """Values from `low` to `high`, both included unless the range is `open`; an empty end has no bound."""

    low: str = ""
    high: str = ""
    open: bool = False


class Filter(NamedTuple):
    """One condition on what a query may see; matching one of its values is enough.

    `of` names what is compared: the note's `path`, `tag`, `type`, `lang`, `date`, or the front-matter `field` called
    `key`; or a `term`, `phrase` or `heading` of the chunk, or a `task` in it (`open`, `done` or `*`) and the day it is
    `due`. `note` is an exact path, never a folder.
    """

    of: str
    values: tuple[str | Range, ...]
    key: str = ""
    negated: bool = False


class Scope(NamedTuple):
    """The part of the vault that one query may see: all of it, or what is under a path and passes every filter."""

    under: str = ""
    filters: tuple[Filter, ...] = ()


EVERYTHING = Scope()


class Plan(NamedTuple):
    """A query as the search understands it: the terms to match, the text to embed, and the scope to search."""

    text: str
    """The text to embed."""
    terms: tuple[str, ...]
    """The terms to match and highlight; one that ends in `*` stands for every term that begins with it."""
    scope: Scope = EVERYTHING
    """The part of the vault to search."""
    passage: str = ""
    """A text to embed like a note: an answer as it might be written."""
    by_words: bool = True
    """Whether terms are matched; otherwise they are only highlighted."""
    strings: tuple[str, ...] = ()
    """Strings to match as they are written, such as `v1.2.3`."""
    words: tuple[str, ...] = ()
    """The words that may be misspelt."""
    stand_ins: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Terms that are matched as well as a term, or in its place if no note has it; they are `terms` too."""
    guessed: tuple[str, ...] = ()
    """The words that no note has, and that have stand-ins."""
    notices: tuple[Notice, ...] = ()
    """What the user should know about the query."""
    when: Range | None = None
    """The days that the query prefers; a range without bounds prefers the newest."""
    asks_for_day: bool = False
    """Whether the query is one day, as `2024-05-03`, and nothing else."""
    read_as: tuple[str, ...] = ()
    """How the query was understood, for `explain`."""
    like: tuple[int, ...] = ()
    """Ids of chunks towards which the query's vector is moved."""
    related: bool = False
    """Whether the query is nothing but `like`, and finds notes related to those chunks."""
    intent: Intent = "keywords"
    """The kind of query."""
    variations: tuple[str, ...] = ()
    """Other wordings of the text, which are embedded too."""

    @property
    def written(self) -> tuple[str, ...]:
        """The terms that were asked for, without those that only stand in for another."""
        standing_in = {term for terms in self.stand_ins.values() for term in terms}
        return tuple(term for term in self.terms if term not in standing_in or term in self.stand_ins)

    @property
    def only_filters(self) -> bool:
        """Tell whether there is nothing to rank by, so that the newest notes are wanted."""
        return self.scope != EVERYTHING and not (self.text or self.terms or self.passage or self.like)
