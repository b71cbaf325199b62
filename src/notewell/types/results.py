"""What a search returns: flat values that are the JSON of every surface, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal, get_args

from notewell.frozen import frozen, frozen_by_name
from notewell.types.notices import Notice

# Metadata of a field that JSON has only if the query asked for an explanation.
EXPLAINED: Mapping[str, Any] = {"explained": True}
# Metadata of a field that JSON has only if it is not None.
OPTIONAL: Mapping[str, Any] = {"optional": True}
# Metadata of a field that JSON never has.
PYTHON_ONLY: Mapping[str, Any] = {"json": False}


@frozen
class Step:
    """One change of a score."""

    by: str
    """What changed it."""
    why: str
    """The reason."""
    score: float
    """The score after it."""
    factor: float | None = field(default=None, metadata=EXPLAINED)
    """What the score was multiplied by; null for the first step. Only with `explain`."""


@frozen
class Vote:
    """The score that one retriever gives a hit, and what it adds to the sum."""

    retriever: str
    """Its name: lexical, exact, vector, or fine for the encoder."""
    rank: int | None
    """The hit's rank, from 1; null if the retriever did not find it."""
    score: float | None
    """Its own score."""
    scaled: float
    """That score, scaled for fusion."""
    weight: float
    """How much its ranking counts."""
    guessed: bool
    """Whether the score was estimated from those of other hits."""
    part: float
    """What it adds to the fused score."""


@frozen
class Excerpt:
    """The sentences of a hit that are closest to the query."""

    text: str
    """The sentences."""
    line: int
    """Their first line."""
    end_line: int
    """Their last line."""
    place: str
    """The page, slide or other part they are in, if the note has parts."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Where words of the query are in the text: from, to."""


@frozen_by_name
class Hit:
    """Lines of a note that answer the query."""

    path: str
    """The note, from the vault's root."""
    line: int
    """The first line."""
    end_line: int
    """The last line."""
    place: str
    """The page, slide or other part they are in, if the note has parts."""
    heading: str
    """The note's title and the headings above the lines."""
    title: str
    """The note's title."""
    tags: tuple[str, ...]
    """The note's tags."""
    date: str
    """The day of the heading above the lines, or else of the note; empty if it is unknown."""
    dated_by: str
    """Where the date comes from: a `heading`, the `name` of the file, the property of this key, or only the time of the
    `file`."""
    score: float
    """How well the hit answers the query; higher is better."""
    text: str
    """The lines, with secrets removed."""
    also: tuple[str, ...]
    """Other places that say the same."""
    retrievers: Mapping[str, int | None]
    """The rank by each retriever."""
    trace: tuple[Step, ...]
    """How the score came about."""
    excerpt: Excerpt
    """The sentences closest to the query."""
    uri: str
    """A link that opens the note: `obsidian://` in an Obsidian vault, `file://` elsewhere."""
    votes: tuple[Vote, ...] | None = field(default=None, metadata=EXPLAINED)
    """The score by each retriever. Only with `explain`."""


@frozen_by_name
class DeepHit(Hit):
    """A hit of deep mode, and how it was reached."""

    similarity: float
    """How similar the note is to the query."""
    hop: int
    """How many links lead to it from a seed; 0 is a seed."""
    via: str
    """The note before it."""
    way: str
    """The link's direction: → ← ↔."""
    retain_reason: str
    """Why it was kept."""
    decay_weight: float
    """The share of its score that is left at its age."""
    decay_zero: bool
    """Whether that is less than a hundredth."""


@frozen
class Visit:
    """A note that a walk along links compared."""

    path: str
    """The note, from the vault's root."""
    similarity: float
    """How similar it is to the query, or to the note where the walk began."""
    hop: int
    """How many links lead to it from the start."""
    via: str
    """The note before it."""
    way: str
    """The link's direction: → ← ↔."""
    kept: bool
    """Whether it was kept."""
    retain_reason: str | None = field(default=None, metadata=OPTIONAL)
    """Why it was kept; absent if it was not."""
    drop_reason: str | None = field(default=None, metadata=OPTIONAL)
    """Why it was not kept; absent if it was."""


Kind = Literal["person", "organisation", "place", "work", "project", "concept"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@frozen
class EntityPlace:
    """A line that names an entity."""

    path: str
    """The note, from the vault's root."""
    line: int
    """The line."""
    by: str
    """How it is named there: as `title`, `alias`, `property`, `tag` or `link`, in `text`, or by a `model`'s reading."""


@frozen
class Neighbour:
    """An entity that is named in the same notes as another."""

    name: str
    """Its name."""
    kind: str
    """Its kind."""
    notes: int
    """How many notes name both."""
    path: str
    """One of these notes."""
    line: int
    """A line there that names it."""


@frozen
class Relation:
    """A relation between two entities that a language model read in a note."""

    source: str
    """The entity it starts from."""
    relation: str
    """One of fifteen canonical relations."""
    target: str
    """The entity it leads to."""
    said: str
    """The model's own word for it."""
    path: str
    """The note."""
    line: int
    """A line there that names the first entity."""


@frozen
class NamedEntity:
    """An entity that a query names, and what the vault knows of it."""

    name: str
    """Its name."""
    kind: str
    """Its kind: person, organisation, place, work, project or concept."""
    notes: int
    """How many notes name it."""
    first: str
    """The day of the earliest of these notes whose day is written in it; empty if none is."""
    last: str
    """The day of the latest."""
    places: tuple[EntityPlace, ...]
    """Where it is named, the most telling notes first."""
    beside: tuple[Neighbour, ...]
    """Other entities that the same notes name."""
    relations: tuple[Relation, ...]
    """What a language model read of its relations."""


@frozen_by_name
class Results:
    """What a search found."""

    query: str
    """The text of the query."""
    hits: tuple[Hit, ...]
    """The hits, the best first."""
    generation: int
    """A number that grows with every change of the store."""
    took_ms: float
    """How long the search took, in milliseconds."""
    left_out: int = 0
    """How many hits did not fit into `max_tokens`."""
    hidden: int = 0
    """How many weak hits are hidden; `all` shows them."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""
    entities: tuple[NamedEntity, ...] | None = field(default=None, metadata=OPTIONAL)
    """The entities that the query names, if `notewell entities` has read the vault; they never change the hits."""
    read_as: tuple[str, ...] | None = field(default=None, metadata=EXPLAINED)
    """How the query was understood. Only with `explain`."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]


@frozen_by_name
class DeepResults(Results):
    """What a deep search found: a hit for each note that it kept, and how far it went."""

    hits: tuple[DeepHit, ...]
    """The seeds first, then the notes that links led to."""
    dropped: tuple[Visit, ...] = ()
    """Notes that were compared and not kept."""
    notes: int = 0
    """How many notes were compared."""
    vectors: int = 0
    """How many vectors were read for that."""
    unseen: int = 0
    """How many linked notes were left out for lack of room."""


@frozen_by_name
class Compared:
    """A fast search beside a deep one."""

    query: str
    """The text of the query."""
    fast: Results
    """The fast search."""
    deep: DeepResults
    """The deep search."""
    only_fast: tuple[str, ...]
    """The notes that only the fast search found."""
    only_deep: tuple[str, ...]
    """The notes that only the deep search found."""

    @classmethod
    def of(cls, fast: Results, deep: DeepResults) -> Compared:
        """Return both, and the notes that only one of them found."""
        ours, others = {hit.path for hit in fast}, {hit.path for hit in deep}
        only_fast, only_deep = tuple(sorted(ours - others)), tuple(sorted(others - ours))
        return cls(query=fast.query, fast=fast, deep=deep, only_fast=only_fast, only_deep=only_deep)
