"""SQLite stores made on the spot, and short ways to fill them and ask them."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.embed.words import WordsEmbedder
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING

FIXTURES = Path(__file__).parent / "fixtures"
MADE_FOR = MadeFor("words/27", 27, "1")


def made(file: Path, made_for: MadeFor = MADE_FOR) -> SqliteStore:
    return SqliteStore(file, lambda: made_for)


def opened(file: Path) -> SqliteStore:
    """Open a store that is there: nobody is asked what to make it for."""

    def unasked() -> MadeFor:
        pytest.fail("a store that is there was asked what it is made for")

    return SqliteStore(file, unasked)


def put_all(store: SqliteStore, notes: dict[str, str]) -> None:
    """Put notes (path → text), each line a chunk."""
    with store.writing() as writer:
        for path, text in notes.items():
            texts = text.split("\n")
            chunks = [Chunk(path, line, number, number) for number, line in enumerate(texts, start=1)]
            writer.put(Note(path, text, Stamp(1, len(text), text)), chunks, WordsEmbedder().embed(texts))


def paths(store: SqliteStore, term: str) -> list[str]:
    with store.reading() as snapshot:
        found = snapshot.match([term], EVERYTHING, 100).found
        return [chunk.path for chunk in snapshot.chunks([slot for slot, _ in found]).values()]
