"""What a session of Claude Code was shown, and the words of its last prompt: only hashes, in a file per session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from hashlib import blake2b
from pathlib import Path

from notewell.errors import StoreBusy
from notewell.files.lock import held
from notewell.files.safe_open import read_plain
from notewell.files.user import clean_up, private_folder, write_private
from notewell.frozen import frozen
from notewell.serve.hooks.payload import NothingToSay

FOLDER = "sessions"
# Sessions are kept for a week, and no more than this many.
OLD, MOST = 7 * 86_400.0, 500
# Seconds to wait for another hook of the session, which holds the lock while it writes this file.
PATIENCE = 0.1
# More chunks than a session is ever shown, and more words than a prompt is searched by.
SHOWN, WORDS = 5_000, 64
# A larger file is not ours, and not read.
LARGEST = 512 * 1024


@frozen
class HookSession:
    """Hashes of the texts that a session was shown, and of the words of its last prompt."""

    shown: tuple[str, ...] = ()
    words: frozenset[str] = field(default_factory=frozenset)

    def was_shown(self, text: str) -> bool:
        """Tell whether a text was shown before, wherever it stood."""
        return short_hash(text) in self.shown

    def with_shown(self, texts: Iterable[str]) -> HookSession:
        """Return the session after these texts were shown, too."""
        return replace(self, shown=(*self.shown, *map(short_hash, texts))[-SHOWN:])


def short_hash(text: str) -> str:
    """Return a short hash of a text.

    >>> short_hash("rye")
    '11e969286bbd9376'
    """
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def word_digest(session: str, term: str) -> str:
    """Return the hash of a word of a prompt, which nobody can guess without the id of the session."""
    return short_hash(f"{session}\0{term}")


def read_session(state: Path, session: str) -> HookSession:
    """Return a session; an empty one if it is new or has no id."""
    return _read(_file(state, session)) if session else HookSession()


@contextmanager
def hold_session(state: Path, session: str) -> Iterator[tuple[HookSession, Callable[[HookSession], None]]]:
    """Lock a session, so that two hooks never show the same; yield it and a function that saves it."""
    if not session:
        yield HookSession(), lambda changed: None
        return
    file = _file(state, session)
    try:
        with held(private_folder(file.parent) / "lock", PATIENCE, "is writing what a session was shown"):
            if not file.exists():
                clean_up(file.parent, seconds=OLD, most=MOST)
            yield _read(file), lambda changed: _write(file, changed)
    except StoreBusy as error:
        raise NothingToSay("another hook is running") from error


def save_words(state: Path, session: str, terms: Iterable[str]) -> None:
    """Save the words of the last prompt for the hooks that follow it; they do without where that fails."""
    words = frozenset(word_digest(session, term) for term in list(terms)[:WORDS])
    with suppress(OSError, NothingToSay), hold_session(state, session) as (known, save):
        if known.words != words:
            save(replace(known, words=words))


def _file(state: Path, session: str) -> Path:
    """Return the file of a session; its name is a hash, since the id may be any text."""
    return state / FOLDER / f"{short_hash(session)}.json"


def _read(file: Path) -> HookSession:
    try:
        if file.is_symlink() or file.stat().st_size > LARGEST:
            return HookSession()
        value = json.loads(read_plain(file, LARGEST))
        return HookSession(tuple(map(str, value["shown"]))[-SHOWN:], frozenset(map(str, value["words"])))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return HookSession()


def _write(file: Path, session: HookSession) -> None:
    value = {"shown": session.shown, "words": sorted(session.words)}
    write_private(file, json.dumps(value).encode("ascii"))
