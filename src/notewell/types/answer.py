"""What asking returns: an answer, the places it cites, and whether its quotes are there."""

from __future__ import annotations

from typing import Literal

from notewell.frozen import frozen, frozen_by_name
from notewell.types.notices import Notice

# Whether a quote is in the text it cites, or why that cannot be told.
CitationReason = Literal["match", "no_quote", "no_chunk_text", "too_short", "not_found"]

# What can be said about all quotes of an answer together.
CitationsStatus = Literal["no_quotes", "all_verified", "has_mismatch", "unverifiable"]


@frozen_by_name
class Citation:
    """A place that an answer cites, and the quote that should be there."""

    number: int = 0
    """Its number in the answer's text; 0 if the text has none."""
    path: str = ""
    """The note, from the vault's root; empty if no note contains the quote."""
    line: int = 0
    """The first line of the quote, or of the place if nothing is quoted; 0 if there is none."""
    end_line: int = 0
    """The last line."""
    heading: str = ""
    """The note's title and the headings above the lines."""
    quote: str
    """The words that are quoted; may be empty."""
    citation_verified: bool = False
    """Whether the quote is in the note."""
    citation_reason: CitationReason
    """`match`, or why it is not verified."""
    uri: str = ""
    """A link that opens the note; may be empty."""


@frozen_by_name
class Answer:
    """The answer to a question, from the notes alone."""

    question: str
    """The question."""
    text: str
    """The answer, with the numbers of its citations in square brackets."""
    answered: bool
    """Whether the notes answer the question; if not, the citations are the nearest passages."""
    confidence: float
    """The relevance of the best of the first three passages, from 0 to 1; from .33 on, the notes count as answering."""
    citations: tuple[Citation, ...]
    """The places that the answer cites, by number."""
    citations_status: CitationsStatus
    """What can be said about all quotes together."""
    unsupported: tuple[str, ...]
    """Figures and names in the answer's own sentences that no cited passage contains."""
    model: str
    """The model that wrote the answer; empty if its sentences were taken from the notes."""
    server: str
    """Where the model ran; empty without a model."""
    tools: tuple[str, ...]
    """The tools that the model used."""
    generation: int
    """A number that grows with every change of the store."""
    took_ms: float
    """How long it took, in milliseconds."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class Verification:
    """The quotes of a text, and whether they are in the notes."""

    citations: tuple[Citation, ...]
    """The quotes in their order, each with the place where it is."""
    citations_status: CitationsStatus
    """What can be said about all quotes together."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class Thinking:
    """A piece of what a model thinks before it answers."""

    text: str
    """The words."""


@frozen
class Metadata:
    """A passage that may answer, known as soon as the search is done."""

    citation: Citation
    """Where it is."""


@frozen
class Text:
    """A piece of an answer, as a model writes it."""

    text: str
    """The words."""


@frozen
class Memory:
    """How much of a session's memory is used, after a question was answered."""

    session: str
    """The name of the session."""
    turns: int
    """How many questions and answers are kept."""
    used: int
    """Their characters."""
    budget: int
    """How many characters are kept at most; the oldest question and its answer go first."""


# What happens while a question is answered; passages come before what is written from them, and the answer last.
Event = Metadata | Thinking | Text | Memory | Answer
