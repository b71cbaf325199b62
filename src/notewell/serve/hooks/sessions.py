"""What a session of Claude Code was shown, and the words of its last prompt: hashes alone, in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from notewell.errors import StoreBusy
from notewell.files.lock import held
from notewell.files.user import clean_up, private_folder, write_private
from notewell.serve.hooks.payload import Nothing

FOLDER = "sessions"
# A session that nobody went on with for a week is over; nobody has so many at once.
OLD, MOST = 7 * 86_400.0, 500
# Two hooks of one session run at the same time for as long as one writes this file, in seconds.
PATIENCE = 0.1
# More chunks than a session is ever shown, and more words than a prompt is searched by.
SHOWN, WORDS = 5_000, 64
# Of a file that is larger nothing is read: it is not ours.
LARGEST = 512 * 1024


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one session was shown, and the words that its last prompt was about, as hashes."""

    shown: tuple[str, ...] = ()
    words: frozenset[str] = field(default_factory=frozenset)

    def was_shown(self, text: str) -> bool:
        """Tell whether lines were shown before, wherever they stood."""
        return digest(text) in self.shown

    def with_shown(self, texts: Iterable[str]) -> Conversation:
        """Return the session after these lines were shown, too."""
        return replace(self, shown=(*self.shown, *map(digest, texts))[-SHOWN:])


def digest(text: str) -> str:
    """Return what a text is known by.

    >>> digest("rye")
    '11e969286bbd9376'
    """
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def word_digest(session: str, term: str) -> str:
    """Return what a word of a prompt is known by in its session: without the session's name, nobody can guess it."""
    return digest(f"{session}\0{term}")


def read_conversation(state: Path, session: str) -> Conversation:
    """Return what a session was shown; a session without a name, or that is new, was shown nothing."""
    return _read(_file(state, session)) if session else Conversation()


@contextmanager
def remembering(state: Path, session: str) -> Iterator[tuple[Conversation, Callable[[Conversation], None]]]:
    """Hold a session, so that two hooks at once never show the same; yield it, and what keeps it as it is then."""
    if not session:
        yield Conversation(), lambda changed: None
        return
    file = _file(state, session)
    try:
        with held(private_folder(file.parent) / "lock", PATIENCE, "is keeping what a session was shown"):
            if not file.exists():
                clean_up(file.parent, seconds=OLD, most=MOST)
            yield _read(file), lambda changed: _write(file, changed)
    except StoreBusy as error:
        raise Nothing("another hook of this user is at work") from error


def keep_words(state: Path, session: str, terms: Iterable[str]) -> None:
    """Keep what the last prompt was about, for the hooks that follow it; where that cannot be, they do without."""
    words = frozenset(word_digest(session, term) for term in list(terms)[:WORDS])
    with suppress(OSError, Nothing), remembering(state, session) as (known, keep):
        if known.words != words:
            keep(replace(known, words=words))


def _file(state: Path, session: str) -> Path:
    """Return a session's file; its name is a hash, since a session's is whatever somebody calls it."""
    return state / FOLDER / f"{digest(session)}.json"


def _read(file: Path) -> Conversation:
    try:
        if file.is_symlink() or file.stat().st_size > LARGEST:
            return Conversation()
        kept = json.loads(file.read_bytes())
        return Conversation(tuple(map(str, kept["shown"]))[-SHOWN:], frozenset(map(str, kept["words"])))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return Conversation()


def _write(file: Path, session: Conversation) -> None:
    kept = {"shown": session.shown, "words": sorted(session.words)}
    write_private(file, json.dumps(kept).encode("ascii"))
