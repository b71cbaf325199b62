"""What is told: the form of every answer, for `/openapi.json`; the answers themselves come from `serve/answers.py`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

# What is written under a field describes it; a field that is not here must not be told.
FORM = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Told(BaseModel):
    """A part of an answer."""

    model_config = FORM


class Failure(Told):
    """Why there is no answer."""

    error: str
    """What is wrong."""
    hint: str
    """What to do."""


class Health(Told):
    """That the server is there."""

    ok: bool
    """Always true."""
    version: str
    """Which Notewell it is."""


class Reason(Told):
    """Why something happened to a file."""

    path: str
    """The file, from the vault's root."""
    reason: str
    """Why."""


class StepTold(Told):
    """One change of a score."""

    by: str
    """Who changed it."""
    why: str
    """Why."""
    score: float
    """The score after it."""
    factor: float | None = None
    """What it was multiplied by; only with `explain`, and none for the first."""


class VoteTold(Told):
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


class ExcerptTold(Told):
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


class HitTold(Told):
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
    uri: str
    """What opens it: `obsidian://` in a vault of Obsidian, `file://` elsewhere."""
    also: list[str]
    """Other places that say the same."""
    retrievers: dict[str, int | None]
    """The rank with each retriever."""
    trace: list[StepTold]
    """How the score came about."""
    excerpt: ExcerptTold
    """The sentences nearest to the question."""
    votes: list[VoteTold] | None = None
    """What each retriever says; only with `explain`."""


class ResultsTold(Told):
    """A page of hits."""

    query: str
    """What was asked."""
    hits: list[HitTold]
    """The best first."""
    generation: int
    """The state of the store that answered; it grows with every change."""
    took_ms: float
    """How long it took, in milliseconds."""
    notices: list[str]
    """What the user should know."""
    read_as: list[str] | None = None
    """How the text was understood; only with `explain`."""


class ReadingTold(Told):
    """Lines of a note."""

    path: str
    """The note, from the vault's root."""
    line: int
    """The first line."""
    end_line: int
    """The last line."""
    text: str
    """The lines, without secrets."""
    place: str
    """The page, slide or other part they are in, if the note has such."""


class FillingTold(Told):
    """How far the better model is."""

    encoder: str
    """Its name; empty for none."""
    filled: int
    """Chunks it has read."""
    unread: int
    """Chunks it does not read."""
    left: int
    """Chunks it has still to read."""
    under_way: bool
    """Whether it is reading now."""
    problem: str
    """Why it cannot be used."""


class StatusTold(Told):
    """What is indexed, and what is not."""

    vault: str
    """The vault's folder."""
    store: str
    """The store's file."""
    notes: int
    """Notes."""
    chunks: int
    """Chunks."""
    links: int
    """Links."""
    embedder: str
    """What made the vectors."""
    filling: FillingTold
    """What the better model has read."""
    generation: int
    """The state of the store; it grows with every change."""
    indexed_at: str | None
    """When the last change was taken in."""
    stale: int
    """Files that changed since."""
    store_bytes: int
    """The store's size."""
    skipped: list[Reason]
    """Files that were not read."""
    others: dict[str, int]
    """Files of other formats, by suffix."""


class ReportTold(Told):
    """The last line of a reload."""

    notes: int
    """Notes now."""
    chunks: int
    """Chunks now."""
    added: int
    """New notes."""
    changed: int
    """Notes read again."""
    removed: int
    """Notes that are gone."""
    skipped: list[Reason]
    """Files that were not read."""
    redacted: int
    """Secrets taken out."""
    seconds: float
    """How long it took."""
    warnings: list[Reason]
    """Files that were read with some trouble."""
    interrupted: bool
    """Whether it was stopped before its end."""
    unchanged: bool
    """Whether there was nothing to take in."""


class ProgressTold(Told):
    """A line of a reload, before the last."""

    done: int = Field(ge=0)
    """Files done."""
    total: int = Field(ge=0)
    """Files to do."""
