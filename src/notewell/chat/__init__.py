"""ASK: a question into an answer whose quotes are proven; the only place where that line is assembled."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Unpack

from notewell.chat.citing import cite
from notewell.chat.claims import find_unsupported
from notewell.chat.extractive import extract, write
from notewell.chat.passages import PASSAGES, Found, find_passages
from notewell.chat.prompt import make_messages
from notewell.chat.quotes import status_of
from notewell.errors import LlmError, QueryError
from notewell.files.control_chars import without_hidden
from notewell.llm import Model
from notewell.llm import Text as Written
from notewell.llm import Thinking as Thought
from notewell.types.answer import Answer, Citation, Event, Metadata, Text, Thinking
from notewell.types.notices import Notice
from notewell.types.query import Query, QueryFields
from notewell.vault import Vault

__all__ = ["answering", "ask"]

# The notes answer from this confidence on: see docs/concepts/asking.md for what it lets through and what it refuses.
ANSWERS = 0.33
# A longer question is probably a whole note.
LONGEST_QUESTION = 10_000
# A model that writes more than this, ten times the longest answer it is asked for, does not come to an end.
LONGEST_ANSWER = 20_000


def ask(vault: Vault, question: Query | str, /, model: Model | None = None, **fields: Unpack[QueryFields]) -> Answer:
    """Answer a question from the notes alone, with citations that are checked; say so if they do not answer it.

    Without a model, the answer is quotes. Fields such as `under` and `tag`, or a `Query` that has them, limit which
    notes may answer.
    """
    *_, answer = answering(vault, Query.of(question, **fields), model)
    assert isinstance(answer, Answer), "the answer comes last"
    return answer


def answering(vault: Vault, query: Query, model: Model | None = None) -> Iterator[Event]:
    """Yield what happens while a question is answered: the passages, what a model thinks and writes, the answer."""
    began = time.perf_counter()
    query = _checked(query)
    found = find_passages(vault, query)
    answered = found.confidence >= ANSWERS
    yield from (Metadata(passage.cite()) for passage in found.passages)
    # A model is not asked what the notes do not answer: it would answer all the same.
    written, notices = (yield from _write(query, found, model)) if model and answered else ("", ())
    citations = cite(written, found.passages) if written else extract(found.passages)
    refused = () if answered else (Notice("not_answered" if citations else "nothing_near"),)
    yield Answer(
        question=query.text,
        text=written or write(citations),
        answered=answered,
        confidence=found.confidence,
        citations=citations,
        citations_status=status_of([citation.citation_reason for citation in citations]),
        unsupported=_unsupported(written, citations, found, query.text),
        model=model.name if model and written else "",
        server=model.server if model and written else "",
        generation=found.generation,
        took_ms=round((time.perf_counter() - began) * 1000, 3),
        notices=(*found.notices, *notices, *refused),
    )


def _write(query: Query, found: Found, model: Model) -> Generator[Event, None, tuple[str, tuple[Notice, ...]]]:
    """Yield what a model thinks and writes; return its text, or nothing and a notice if it fails."""
    text = ""
    try:
        with closing(model.reply(make_messages(query, found.passages))) as reply:
            for piece in reply:
                if isinstance(piece, Thought):
                    yield Thinking(piece.text)
                elif isinstance(piece, Written):
                    text += piece.text
                    yield Text(piece.text)
                    if len(text) > LONGEST_ANSWER:
                        return "", (Notice("model_endless", {"model": model.name, "most": LONGEST_ANSWER}),)
    except LlmError as error:
        return "", (Notice("model_failed", {"reason": error.fact}),)
    if not without_hidden(text).strip():
        return "", (Notice("model_silent", {"model": model.name}),)
    return text.strip(), ()


def _unsupported(written: str, citations: tuple[Citation, ...], found: Found, question: str) -> tuple[str, ...]:
    """Return figures and names that a model wrote and no cited passage has; without citations, no passage at all."""
    cited = {citation.number for citation in citations}
    passages = [f"{one.hit.heading}\n{one.hit.text}" for one in found.passages if one.number in cited or not cited]
    return find_unsupported(written, passages, question) if written else ()


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
