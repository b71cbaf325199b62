"""The forms of what a search finds."""

from __future__ import annotations

from typing import NotRequired

from notewell.serve.forms.form import Form
from notewell.serve.forms.links import Visit


class Step(Form):
    """One change of a score."""

    by: str
    """Who changed it."""
    why: str
    """Why."""
    score: float
    """The score after it."""
    factor: NotRequired[float | None]
    """What it was multiplied by; only with `explain`, and none for the first."""


class Vote(Form):
    """What one retriever says of a hit."""

    retriever: str
    """Its name: lexical, vector, fine."""
    rank: int | None
    """The hit's rank with it, from 1; none, if it did not find it."""
    score: float | None
    """Its own score."""
    scaled: float
    """That score as it is fused."""
    weight: float
    """What its ranking counts."""
    guessed: bool
    """Whether the score is not its own, but guessed from the others."""
    part: float
    """What it adds to the fused score."""


class Excerpt(Form):
    """The sentences of a hit that are nearest to the question."""

    text: str
    """The sentences."""
    line: int
    """Their first line."""
    end_line: int
    """Their last line."""
    place: str
    """The page, slide or other part they are in, if the note has such."""
    highlights: list[tuple[int, int]]
    """Where words of the question stand in the text: from, to."""


class Hit(Form):
    """Lines of a note that answer."""

    path: str
    """The note, from the vault's root."""
    line: int
    """The first line."""
    end_line: int
    """The last line."""
    place: str
    """The page, slide or other part they are in, if the note has such."""
    heading: str
    """The note's title, and the headings above the lines."""
    title: str
    """The note's title."""
    score: float
    """How well it answers; higher is better."""
    text: str
    """The lines, without secrets."""
    also: list[str]
    """Other places that say the same."""
    retrievers: dict[str, int | None]
    """The rank with each retriever."""
    trace: list[Step]
    """How the score came about."""
    excerpt: Excerpt
    """The sentences nearest to the question."""
    uri: str
    """What opens it: `obsidian://` in a vault of Obsidian, `file://` elsewhere."""
    votes: NotRequired[list[Vote]]
    """What each retriever says; only with `explain`."""


class Reached(Form):
    """How deep mode came upon a note."""

    similarity: float
    """How near the note is to the question."""
    hop: int
    """How many links lead to it from a seed; 0 is a seed."""
    via: str
    """The note before it."""
    way: str
    """The link's direction: → ← ↔."""
    retain_reason: str
    """Why it was kept."""
    decay_weight: float
    """What age leaves of its score."""
    decay_zero: bool
    """Whether age leaves less than a hundredth."""


class DeepHit(Hit, Reached):
    """A hit of deep mode, and how it was reached."""


class Searched(Form):
    """What is said of a search, whatever it found."""

    query: str
    """What was asked."""
    generation: int
    """The state of the store that answered; it grows with every change."""
    took_ms: float
    """How long it took, in milliseconds."""
    left_out: int
    """How many hits did not fit into `max_tokens`."""
    notices: list[str]
    """What the user should know."""
    read_as: NotRequired[list[str]]
    """How the text was understood; only with `explain`."""


class Results(Searched):
    """What a search found."""

    hits: list[Hit]
    """The best first."""


class DeepResults(Searched):
    """What deep mode found."""

    hits: list[DeepHit]
    """The seeds first, then what links led to."""
    dropped: list[Visit]
    """Notes that were looked at and not kept."""
    notes: int
    """How many notes were looked at."""
    vectors: int
    """How many vectors that took."""
    unseen: int
    """Neighbours for which there was no room."""


class Compared(Form):
    """A usual search beside deep mode."""

    query: str
    """What was asked."""
    fast: Results
    """The usual search."""
    deep: DeepResults
    """Deep mode."""
    only_fast: list[str]
    """The notes that only the usual search found."""
    only_deep: list[str]
    """The notes that only deep mode found."""
