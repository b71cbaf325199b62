"""Sessions: conversations that survive a restart, in private files of the user's state folder."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Generator
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from notewell.chat import answering
from notewell.chat.history import BUDGET, Conversation, Turn, scope_of, usable_turns, without_gone
from notewell.errors import QueryError, StoreError
from notewell.files.control_chars import without_hidden
from notewell.files.lock import held
from notewell.files.safe_open import NO_LINK, read_plain
from notewell.files.user import clean_up, home_folder, private_folder, state_folder, write_private
from notewell.frozen import frozen
from notewell.llm import Model
from notewell.redact import redact_text
from notewell.types.answer import Answer, Event, Memory, Metadata
from notewell.types.notices import Notice
from notewell.types.query import Query
from notewell.vault import Vault

FOLDER = "chats"
LONGEST_NAME = 100
# Sessions of a vault that are kept, and for how many seconds after their last question.
MOST, OLD = 200, 365 * 86_400.0
# The budget in the longest form of its characters; a larger file is not ours.
LARGEST = 1 << 20
# Saving takes a millisecond; a process that holds the lock for this many seconds hangs.
PATIENCE = 5.0


@frozen
class SessionSummary:
    """A session, as a list shows it."""

    session: str
    """Its name."""
    turns: int
    """How many questions and answers are kept."""
    used: int
    """Their characters."""
    budget: int
    """How many characters are kept at most."""
    last: str
    """The last question."""
    at: str
    """When it was answered."""


def chatting(
    vault: Vault, query: Query, model: Model | None, session: str, edit: int | None = None
) -> Generator[Event, None, None]:
    """Yield the events of `answering` with the session's history, and the state of its memory before the answer.

    `edit` is the number of an earlier question that this one replaces; later ones are forgotten.
    """
    sessions = Sessions.of(vault)
    kept = sessions.load(session)
    history = kept if edit is None else kept.before(edit)
    scope, paths = scope_of(query), list[str]()
    for event in answering(vault, query, model, usable_turns(history.turns, scope, _indexed(vault, history))):
        if isinstance(event, Metadata):
            paths.append(event.citation.path)
        if not isinstance(event, Answer):
            yield event
            continue
        turn, notices = Turn(event.question, event.text, tuple(dict.fromkeys(paths)), scope), tuple[Notice, ...]()
        try:
            kept = sessions.add(session, turn, edit, _indexed(vault, history))
        except (OSError, StoreError) as error:
            reason = error.fact if isinstance(error, StoreError) else error.strerror or str(error)
            kept, notices = history.with_turn(turn), (Notice("session_not_saved", {"reason": reason}),)
        yield Memory(session, len(kept.turns), kept.used, BUDGET)
        yield replace(event, notices=(*event.notices, *notices))


def _indexed(vault: Vault, history: Conversation) -> Collection[str]:
    """Return the notes that answers may rest on; a conversation without answers needs none."""
    if not history.turns or not vault.indexed:
        return ()
    with vault.shown.answering() as snapshot:
        return snapshot.ids().keys()


class Sessions:
    """The sessions of one vault."""

    def __init__(self, state: Path, root: Path) -> None:
        # Sessions of two vaults never meet, whatever they are called.
        self._folder = state / FOLDER / _hash(str(root))

    @classmethod
    def of(cls, vault: Vault) -> Sessions:
        """Return the sessions of a vault."""
        return cls(state_folder(os.environ, home_folder(os.environ)), vault.root)

    def load(self, session: str) -> Conversation:
        """Return a session's conversation; that of a new one is empty."""
        name, conversation = _read(self._file(session))
        return conversation if name == session else Conversation()

    def add(
        self, session: str, turn: Turn, edit: int | None = None, indexed: Collection[str] | None = None
    ) -> Conversation:
        """Add a turn, without its secrets, to the stored conversation, and return that.

        With `edit`, the turns from that number on are removed first. Answers that may rest on notes which are no longer
        `indexed` are deleted.
        """
        file = self._file(session)
        clean = replace(turn, question=redact_text(turn.question)[0], answer=redact_text(turn.answer)[0])
        private_folder(self._folder)
        with self._lock():
            kept = self.load(session)
            # Another process may have forgotten it meanwhile.
            still = edit is not None and kept.first <= edit < kept.first + len(kept.turns)
            kept = (kept.before(edit) if edit is not None and still else kept).with_turn(clean)
            if not file.exists():
                clean_up(self._folder, seconds=OLD, most=MOST - 1)
            if indexed is not None:
                kept = replace(kept, turns=(*without_gone(kept.turns[:-1], indexed), *kept.turns[-1:]))
            turns = [[one.question, one.answer, one.paths, one.scope] for one in kept.turns]
            value = {"session": session, "first": kept.first, "turns": turns}
            write_private(file, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        return kept

    def list(self) -> tuple[SessionSummary, ...]:
        """Return all sessions, the latest first."""
        with suppress(FileNotFoundError):
            files = sorted(self._folder.glob("*.json"), key=lambda file: (-_changed(file), file.name))
            found = [(_changed(file), *_read(file)) for file in files]
            return tuple(_summary(at, name, kept) for at, name, kept in found if name)
        return ()

    def forget(self, session: str) -> None:
        """Delete a session; one that does not exist is an error."""
        file = self._file(session)
        if _read(file)[0] != session:
            raise QueryError(f"There is no session '{session}'", "`notewell chat --list` lists them")
        with self._lock():
            file.unlink(missing_ok=True)

    def _file(self, session: str) -> Path:
        if not without_hidden(session).strip() or len(session) > LONGEST_NAME:
            raise QueryError(f"A session needs a name of 1 to {LONGEST_NAME} characters", "For example: garden")
        # A name may contain any characters; its hash is a valid file name.
        return self._folder / f"{_hash(session)}.json"

    def _lock(self) -> AbstractContextManager[None]:
        return held(self._folder.with_suffix(".lock"), PATIENCE, "is saving a session")


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _read(file: Path) -> tuple[str, Conversation]:
    """Return the name and conversation of a file; no name if it cannot be read."""
    try:
        content = read_plain(file, LARGEST + 1, os.O_RDONLY | NO_LINK)
        if len(content) > LARGEST:
            return "", Conversation()
        value = json.loads(content)
        turns = tuple(
            Turn(str(question), str(answer), tuple(map(str, paths)), str(scope))
            for question, answer, paths, scope in value["turns"]
        )
        return str(value["session"]), Conversation(turns, int(value["first"]))
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return "", Conversation()


def _summary(at: float, name: str, kept: Conversation) -> SessionSummary:
    last = kept.turns[-1].question if kept.turns else ""
    when = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    return SessionSummary(name, len(kept.turns), kept.used, BUDGET, last, when)
