"""ASK: a question into an answer whose quotes are proven; the only place where that line is assembled."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Unpack

from notewell.chat.extractive import extract, write
from notewell.chat.passages import PASSAGES, find_passages
from notewell.chat.quotes import status_of
from notewell.errors import QueryError
from notewell.types.answer import Answer
from notewell.types.notices import Notice
from notewell.types.query import Query, QueryFields
from notewell.vault import Vault

__all__ = ["ask"]

# The notes answer from this confidence on: see docs/concepts/asking.md for what it lets through and what it refuses.
ANSWERS = 0.33
# A longer question is probably a whole note.
LONGEST_QUESTION = 10_000


def ask(vault: Vault, question: Query | str, /, **fields: Unpack[QueryFields]) -> Answer:
    """Answer a question from the notes alone, with citations that are checked; say so if they do not answer it.

    Fields such as `under` and `tag`, or a `Query` that has them, limit which notes may answer.
    """
    began = time.perf_counter()
    query = _checked(Query.of(question, **fields))
    found = find_passages(vault, query)
    answered = found.confidence >= ANSWERS
    citations = extract(found.passages)
    refused = () if answered else (Notice("not_answered" if citations else "nothing_near"),)
    return Answer(
        question=query.text,
        text=write(citations),
        answered=answered,
        confidence=found.confidence,
        citations=citations,
        citations_status=status_of([citation.citation_reason for citation in citations]),
        unsupported=(),
        model="",
        server="",
        generation=found.generation,
        took_ms=round((time.perf_counter() - began) * 1000, 3),
        notices=(*found.notices, *refused),
    )


def _checked(query: Query) -> Query:
    """Return the query that finds passages for a question; an empty or a very long one is an error."""
    if not query.text.strip():
        raise QueryError("The question is empty", 'Ask something: notewell ask "why did the bread collapse"')
    if len(query.text) > LONGEST_QUESTION:
        raise QueryError(
            f"The question has {len(query.text):,} characters; at most {LONGEST_QUESTION:,} are read",
            "Ask a shorter question; `notewell search -` finds notes like a long text",
        )
    return replace(query, limit=query.limit or PASSAGES, max_tokens=0, mode="ask", explain=True)
