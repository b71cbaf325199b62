"""Notes of a small vault, short ways to ask it, and an embedder that counts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.database import database

from notewell import Progress, Vault
from notewell.embed.words import WordsEmbedder
from notewell.files.user import home_folder, state_folder, user_key, write_private
from notewell.freshness import BY_PYTHON, Opening
from notewell.types.note import Vectors

NOTES = {
    "bread.md": "# Bread\n\nThe loaf collapsed because the oven was too cold.\n",
    "garden/bees.md": "# Bees\n\nThe hive hums in the warm evening of a summer day.\n",
    "garden-old/bees.md": "# Old bees\n\nThe hive of last year, which the wind took away.\n",
}


def opened(root: Path, settings: Mapping[str, Any] | None = None, opening: Opening = BY_PYTHON) -> Vault:
    return Vault.open(root, {"embed.model": "words", "search.floor": 0, **(settings or {})}, opening)


def same_user(state: Path) -> str:
    """Put this user's key into another folder of state, so that their stores are theirs there, too; return it."""
    key = user_key(state_folder(os.environ, home_folder(os.environ)))
    write_private(state / "notewell" / "key", key.value)
    return str(state)


def found(vault: Vault, text: str, under: str = "") -> list[str]:
    """Return the paths that hold a word of the text, the best first."""
    return [excerpt.path for excerpt in vault.search(text, under=under) if excerpt.retrievers["lexical"]]


def vectors(vault: Vault) -> list[bytes]:
    """Return the vectors of the store."""
    return [data for (data,) in database(vault.store).execute("select data from vector order by data")]


def stop_after(notes: int) -> Progress:
    """Stop a run when it is done with this many notes."""
    told: list[int] = []
    return Progress(tell=lambda done, total: told.append(done), stop=lambda: len(told) >= notes)


class CountingEmbedder:
    """The words embedder, remembering every text it was given."""

    def __init__(self, fingerprint: str = "words/27") -> None:
        self.fingerprint = fingerprint
        self.dimensions = WordsEmbedder.dimensions
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return WordsEmbedder().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        return WordsEmbedder().embed_query(text)
