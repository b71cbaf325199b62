"""What is asked, frozen: filters, the scope of a query, and the plan it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

# What kind of query a text is.
Intent = Literal["quoted", "path", "error text", "identifier", "code", "one word", "question", "keywords"]


@dataclass(frozen=True, slots=True)
class Range:
    """Values from `low` to `high`, both within unless it is `open`; an empty end is no bound."""

    low: str = ""
    high: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on what a query may see; of its values, one is enough.

    `of` says what it looks at: the note's `path`, `tag`, `type`, `lang`, `date`, or the `field` of front matter that
    `key` names; or a `term`, `phrase` or `heading` of the chunk. `note` is a path to the letter, never a folder.
    """

    of: str
    values: tuple[str | Range, ...]
    key: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """What one query may see: everything, or what is under a folder or file and passes every filter.

    Of that, it leans to what is `like` some places; a plan has their chunks instead.
    """

    under: str = ""
    filters: tuple[Filter, ...] = ()
    like: tuple[str, ...] = ()


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is narrowed by, each value written as in a query; all of them have to fit.

    `like` leaves nothing out: the search leans to what is like these places, such as `Garden/Bees.md:12`.

    >>> Filters(tag=("bees|wasps", "garden"), after="2024", where={"status": "open"}).before
    ''
    """

    tag: str | Sequence[str] = ()
    type: str | Sequence[str] = ()
    lang: str | Sequence[str] = ()
    after: str = ""
    before: str = ""
    where: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    like: str | Sequence[str] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """Return the places that the search leans to."""
        return tuple(place for place in ([self.like] if isinstance(self.like, str) else self.like) if place)

    def leaning_to(self, *places: str) -> Filters:
        """Return the same, leaning to these places, too."""
        return replace(self, like=(*places, *self.places))


ALL = Filters()


@dataclass(frozen=True, slots=True)
class Plan:
    """A query, read: the terms to match, the text to embed, and the scope to look in.

    A term that ends in `*` stands for all that begin so. The `passage` is embedded as notes are. Without `by_words`,
    terms are only marked. `strings` are to be found as written; `words` may be misspelt, and those `guessed` at have
    `stand_ins`, which are terms too, so that they are marked. `when` are the days that are preferred, without bounds
    the newest. The vector leans to the chunks in `like`; where only such are asked for, notes `related` to theirs are
    meant. `variations` are the text in other words; `read_as` and `notices` say how the query was
    understood.
    """

    text: str
    terms: tuple[str, ...]
    scope: Scope = EVERYTHING
    passage: str = ""
    by_words: bool = True
    strings: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    stand_ins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    when: Range | None = None
    read_as: tuple[str, ...] = ()
    like: tuple[int, ...] = ()
    related: bool = False
    intent: Intent = "keywords"
    variations: tuple[str, ...] = ()

    @property
    def only_filters(self) -> bool:
        """Tell whether there is nothing to rank by, so that the newest notes are meant."""
        return self.scope != EVERYTHING and not (self.text or self.terms or self.passage or self.like)
