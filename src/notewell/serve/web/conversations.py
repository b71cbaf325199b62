"""Conversations for the page: those of a vault that are kept, and the questions and answers of one."""

from __future__ import annotations

from notewell.chat.history import without_gone
from notewell.chat.sessions import Sessions, SessionSummary
from notewell.errors import NoteError
from notewell.files.control_chars import without_hidden
from notewell.frozen import frozen
from notewell.vault import Vault


@frozen
class SessionTurn:
    """A question of a session and its answer."""

    question: str
    """The question."""
    answer: str
    """The answer; `…` if it may rest on notes that are gone or excluded by now."""
    paths: tuple[str, ...]
    """The notes that it may rest on."""


@frozen
class Session:
    """A conversation, from the oldest question that is kept."""

    session: str
    """Its name."""
    first: int
    """The number of the first question that is kept."""
    turns: tuple[SessionTurn, ...]
    """The questions and answers, in order."""


@frozen
class SessionList:
    """The sessions of a vault."""

    sessions: tuple[SessionSummary, ...]
    """The sessions, the latest first."""


def list_sessions(vault: Vault) -> SessionList:
    """Return the sessions of a vault, as `notewell chat --list` shows them."""
    return SessionList(Sessions.of(vault).list())


def read_session(vault: Vault, name: str) -> Session:
    """Return the conversation of a session; one that does not exist is an error."""
    kept = Sessions.of(vault).load(name)
    if not kept.turns:
        raise NoteError(f"There is no session '{without_hidden(name)[:100]}'", "`notewell chat --list` lists them")
    indexed: frozenset[str] = frozenset()
    if vault.indexed:
        with vault.shown.answering() as snapshot:
            indexed = frozenset(snapshot.ids())
    turns = (SessionTurn(one.question, one.answer, one.paths) for one in without_gone(kept.turns, indexed))
    return Session(name, kept.first, tuple(turns))
