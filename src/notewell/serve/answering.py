"""How servers answer: they open a vault, index changed files, and make one call; they read only what is indexed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from notewell.chat import ask
from notewell.errors import NoteError
from notewell.freshness import WITHIN_A_SECOND, Opening
from notewell.frozen import frozen
from notewell.index.place import Reading
from notewell.llm import find_model, within
from notewell.llm.rules import AUTO
from notewell.search.plan import checked_query
from notewell.serve.background import encode_wished
from notewell.serve.parameters import query_of
from notewell.serve.wording import sentences, with_notices
from notewell.types.answer import Answer
from notewell.types.notices import Notice
from notewell.types.query import Query
from notewell.vault import Vault

# How much of the store each of some five threads keeps in memory, in KiB: with sixteen times as much a search is no
# quicker; with a third, it takes a tenth longer.
CACHE_KIB = 1_000
# Seconds that a model may take for an answer in one piece: clients of MCP give up after 60.
MODEL_SECONDS = 45.0
SERVED = Opening(WITHIN_A_SECOND, cache_kib=CACHE_KIB, loads="behind")


@frozen
class IndexingProgress:
    """The progress of an indexing run."""

    done: int
    """Files done."""
    total: int
    """Files to do."""


def answer(vault: Vault, operation: str, given: Mapping[str, Any]) -> Any:
    """Index changed files if that is quick, and return the result of an operation, with notices about both."""
    asked = {name: value for name, value in given.items() if name != "refresh"}
    query = query_of(operation, given) if operation in ("search", "related", "ask") else None
    if query:
        checked_query(query)
    notices = (*vault.reread(), *vault.freshness.look(refresh=given.get("refresh", True)))
    with notices_in_errors(notices):
        if query:
            found = _find(vault, operation, query, compare=asked.get("mode") == "compare")
            encode_wished(vault)
        else:
            found = getattr(vault, operation)(**asked)
    return with_notices(found, notices)


def _find(vault: Vault, operation: str, query: Query, *, compare: bool) -> Any:
    if operation == "ask":
        return _ask(vault, query)
    return vault.compare(query) if compare else vault.search(query)


def _ask(vault: Vault, query: Query) -> Answer:
    """Answer in one piece; with a model only if the user named one, and for a limited time, since a program waits."""
    rules = vault.settings.llm
    model = None if rules.model == AUTO else find_model(rules)
    if model is None:
        return ask(vault, query)
    with within(model, MODEL_SECONDS) as limited:
        return ask(vault, query, limited)


def place_at(note: str, lines: str, part: str) -> str:
    """Return a place from its parts.

    >>> place_at("Bees.md", "12-20", ""), place_at("Bees.pdf", "", "page 3")
    ('Bees.md:12-20', 'Bees.pdf#page 3')
    """
    return f"{note}{f':{lines}' if lines else ''}{f'#{part}' if part else ''}"


def read_indexed(vault: Vault, place: str) -> Reading:
    """Return lines of a note by its path, name or title; a file that is not indexed is refused."""
    return vault.read(vault.find(place))


@contextmanager
def notices_in_errors(notices: Sequence[Notice]) -> Iterator[None]:
    """Add notices to the hint of an error about a missing note: they may explain why it is missing."""
    try:
        yield
    except NoteError as error:
        if not notices:
            raise
        raise NoteError(error.fact, ". ".join((*sentences(notices), error.hint))) from error
