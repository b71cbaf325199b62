"""Reports on entities: all in a list, one in detail, and those that a query names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from notewell.frozen import frozen
from notewell.types.notices import Notice
from notewell.types.results import EntityPlace, Neighbour, Relation


@frozen
class OtherSpelling:
    """Another name of an entity."""

    name: str
    """The name, as it is mostly written."""
    why: str
    """Why it is taken for the same."""
    path: str
    """The note that says so; empty if none does."""


@frozen
class EntityRow:
    """An entity in a list."""

    name: str
    """Its name."""
    kind: str
    """Its kind: person, organisation, place, work, project or concept."""
    notes: int
    """How many notes name it."""


@frozen
class EntityDetails:
    """An entity in detail."""

    name: str
    """Its name."""
    kind: str
    """Its kind."""
    notes: int
    """How many notes name it."""
    spellings: tuple[OtherSpelling, ...]
    """Its other names."""
    places: tuple[EntityPlace, ...]
    """Where it is named: one line of each note, the most telling notes first."""
    beside: tuple[Neighbour, ...]
    """What the same notes name, the most particular first."""
    relations: tuple[Relation, ...]
    """What a language model read of its relations."""


@frozen
class Entities:
    """The entities of a vault, or one in detail."""

    total: int
    """How many there are."""
    kinds: Mapping[str, int]
    """How many there are of each kind."""
    entities: tuple[EntityRow, ...]
    """All entities, those in most notes first; none if one was asked for."""
    entity: EntityDetails | None
    """The entity that was asked for; none for a list."""
    extracted: int
    """How many new or changed notes were read for this answer."""
    related: int
    """How many notes the language model read for relations."""
    model: str
    """The model that finds names in text; empty for none."""
    notices: tuple[Notice, ...] = field(default=())
    """What the user should know."""
