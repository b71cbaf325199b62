"""ASK: a question into an answer whose quotes are proven; the only place where that line is assembled."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Unpack

from notewell.chat.agent import Agent, Outcome
from notewell.chat.citing import cite
from notewell.chat.claims import find_unsupported
from notewell.chat.extractive import extract, write
from notewell.chat.history import Turn, texts_to_search
from notewell.chat.passages import PASSAGES, Found, Passage, find_passages
from notewell.chat.prompt import make_messages, with_history
from notewell.chat.quotes import status_of
from notewell.chat.tools import Toolbox
from notewell.errors import QueryError
from notewell.files.control_chars import without_hidden
from notewell.llm import MAX_TOKENS, Model, StoppableModel, offers_tools, within
from notewell.search.budget import count_tokens
from notewell.types.answer import Answer, Citation, Event, Metadata
from notewell.types.notices import Notice
from notewell.types.query import Query, QueryFields
from notewell.vault import Vault

__all__ = ["answering", "ask", "checked_question"]

# The notes answer from this confidence on: see docs/concepts/asking.md for what it lets through and what it refuses.
ANSWERS = 0.33
# A longer question is probably a whole note.
LONGEST_QUESTION = 10_000
NOTHING = Outcome()


def ask(vault: Vault, question: Query | str, /, model: Model | None = None, **fields: Unpack[QueryFields]) -> Answer:
    """Answer a question from the notes alone, with citations that are checked; say so if they do not answer it.

    Without a model, the answer is quotes. Fields such as `under` and `tag`, or a `Query` that has them, limit which
    notes may answer.
    """
    *_, answer = answering(vault, Query.of(question, **fields), model)
    assert isinstance(answer, Answer), "the answer comes last"
    return answer


def answering(
    vault: Vault, query: Query, model: Model | None = None, history: Sequence[Turn] = ()
) -> Generator[Event, None, None]:
    """Yield what happens while a question is answered: the passages, what a model thinks and writes, the answer.

    `history` is what was asked and answered before in the same conversation.
    """
    began = time.perf_counter()
    vault, query = vault.within(query.domain), replace(checked_question(query), domain=())
    found = _find(vault, query, history)
    yield from (Metadata(passage.cite()) for passage in found.passages)
    passages, outcome = (yield from _write(vault, query, found, model, history)) if model else (found.passages, NOTHING)
    if isinstance(model, StoppableModel) and model.stopped and not model.late:
        # By the caller, who waits for no answer.
        return
    written = outcome.text
    citations = cite(written, passages) if written else extract(found.passages)
    # What a tool found counts if the answer cites it: a model may look for one thing and write another.
    cites = bool(written) and any(citation.path for citation in citations)
    confidence = max(found.confidence, outcome.confidence if cites else 0.0)
    answered = confidence >= ANSWERS
    yield Answer(
        question=query.text,
        text=written or write(citations),
        answered=answered,
        confidence=confidence,
        citations=citations,
        citations_status=status_of([citation.citation_reason for citation in citations]),
        unsupported=_unsupported(outcome, citations, passages, query.text),
        model=model.name if model and written else "",
        server=model.server if model and written else "",
        tools=outcome.tools if written else (),
        generation=found.generation,
        took_ms=round((time.perf_counter() - began) * 1000, 3),
        notices=(*found.notices, *outcome.notices, *(() if answered else _refusal(outcome, citations))),
    )


def _find(vault: Vault, query: Query, history: Sequence[Turn]) -> Found:
    """Return the passages for a question, or else for it together with the one it continues."""
    texts = texts_to_search(query.text, history)
    found = [find_passages(vault, replace(query, text=texts[0]))]
    for text in texts[1:]:
        if found[-1].confidence < ANSWERS:
            found.append(find_passages(vault, replace(query, text=text)))
    return found[-1] if found[-1].confidence >= ANSWERS else found[0]


def _write(
    vault: Vault, query: Query, found: Found, model: Model, history: Sequence[Turn]
) -> Generator[Event, None, tuple[tuple[Passage, ...], Outcome]]:
    """Yield what a model does; return every passage that it was shown, and what came of it."""
    rules = vault.settings.llm
    tools = offers_tools(rules.tools, model.name) and model.takes_tools
    if found.confidence < ANSWERS and not tools:
        # A model is not asked what the notes do not answer: it would answer all the same. With tools, it may look on.
        return found.passages, NOTHING
    with within(model, rules.max_seconds) as limited:
        box = Toolbox(vault, query, found, limited)
        messages = make_messages(query, found.passages, tools=tools)
        room = model.context - MAX_TOKENS - sum(count_tokens(message.text) for message in messages)
        messages = with_history(messages, history, room)
        agent = Agent(limited, box, messages, offers_tools=tools, confidence=found.confidence, enough=ANSWERS)
        outcome = yield from agent.run()
    return tuple(box.passages), outcome


def _refusal(outcome: Outcome, citations: Sequence[Citation]) -> tuple[Notice, ...]:
    """Return what to say if the notes do not answer: a tool may have, or the nearest passages follow."""
    if outcome.text:
        return (Notice("answered_by_tools", {"tools": ", ".join(outcome.tools)}),)
    return (Notice("not_answered" if citations else "nothing_near"),)


def _unsupported(
    outcome: Outcome, citations: Sequence[Citation], passages: Sequence[Passage], question: str
) -> tuple[str, ...]:
    """Return figures and names that a model wrote and neither a tool nor a cited passage has.

    Without citations, any passage counts.
    """
    cited = {citation.number for citation in citations}
    known = [f"{one.hit.heading}\n{one.hit.text}" for one in passages if one.number in cited or not cited]
    return find_unsupported(outcome.text, [*known, *outcome.results], question) if outcome.text else ()


def checked_question(query: Query) -> Query:
    """Return the query that finds passages for a question; an empty or a very long one is an error."""
    if not without_hidden(query.text).strip():
        raise QueryError("The question is empty", 'Ask something: notewell ask "why did the bread collapse"')
    if len(query.text) > LONGEST_QUESTION:
        raise QueryError(
            f"The question has {len(query.text):,} characters; at most {LONGEST_QUESTION:,} are read",
            "Ask a shorter question; `notewell search -` finds notes like a long text",
        )
    return replace(query, limit=query.limit or PASSAGES, max_tokens=0, mode="ask", explain=True)
