"""What a command answered, and what a search found, for tests of bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from notewell import Vault

RYE = "# Rye\n\nThe loaf needs a long and patient rest before baking.\n"


class Answer(NamedTuple):
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


Cli = Callable[..., Answer]
MakeVault = Callable[..., Vault]


def assert_explained(answer: Answer, fact: str) -> None:
    assert answer.code == 1
    assert answer.out == ""
    assert answer.err.startswith("error: ") and fact in answer.err and "\nhint: " in answer.err


def paths(vault: Vault, text: str) -> list[str]:
    """Return the notes that a search finds, those that say the same as another included."""
    hits = [hit for hit in vault.search(text) if hit.retrievers["lexical"]]
    return sorted(path for hit in hits for path in (hit.path, *(place.rpartition(":")[0] for place in hit.also)))


def skipped(vault: Vault) -> dict[str, str]:
    return dict(vault.store.about().skipped)
