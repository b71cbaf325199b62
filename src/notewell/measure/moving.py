"""A vault's store moved to another place, without embedding again, and its answers compared with those before."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from notewell.errors import StoreError
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.index.report import QUIET
from notewell.index.runs import WAIT_SECONDS
from notewell.measure.evaluate import find_candidates
from notewell.vault import Vault

# The name of the other end: the store in a file.
FILE = "file"
# Titles of so many notes are asked of both stores, spread over the whole vault.
ASKED = 50
# Candidates of each that are compared.
COMPARED = 10
# Hits of both that count as equally good: sums are added up in another order.
SAME_SCORE = 1e-4


@frozen
class Moved:
    """What was moved, and how the answers compare."""

    store: str
    """Where the store is now."""
    notes: int
    """How many notes it has."""
    chunks: int
    """How many chunks they have."""
    encoded: int
    """How many texts have a vector of the encoder."""
    asked: int
    """How many queries were asked of both stores."""
    same: int
    """How many of them have the same hits with the same scores."""
    different: tuple[str, ...] = ()
    """The queries that have not."""


def move(vault: Vault, to: str, progress: Progress = QUIET) -> Moved:
    """Copy a vault's store to a server, or with `file` back to the file, and compare the answers of both.

    The settings still name the old store, which stays as it is. What a killed move left is continued. One that
    `progress` stops raises KeyboardInterrupt.
    """

    def copied(done: int, of: int) -> None:
        progress.tell(done, of)
        if progress.stop():
            raise KeyboardInterrupt
        if done == of:
            progress.stage("check")

    url = "" if to == FILE else to
    vault.storage.check_indexed()
    with closing(Vault.open(vault.root, {"store.url": url})) as other:
        if other.storage.place == vault.storage.place:
            raise StoreError(f"The store is already at {vault.storage.place}", "Name another server, or `file`")
        queries = _queries(vault)
        with vault.store.locked(wait=WAIT_SECONDS):
            problems = other.storage.take_over(vault.store, copied, WAIT_SECONDS)
            if problems:
                raise StoreError(
                    f"The copy has errors: {problems[0]}", "Run `notewell doctor` on the store, then move it again"
                )
            progress.stage("answers")
            different = tuple(query for query in queries if not is_same(_answers(vault, query), _answers(other, query)))
        about = other.store.about()
        return Moved(
            store=other.storage.place,
            notes=about.notes,
            chunks=about.chunks,
            encoded=about.encoded,
            asked=len(queries),
            same=len(queries) - len(different),
            different=different,
        )


def _queries(vault: Vault) -> list[str]:
    """Return the titles of some notes, each once."""
    with vault.shown.answering() as snapshot:
        titles = [name.title or Path(name.path).stem for name in snapshot.names()]
    return list(dict.fromkeys(titles[:: max(1, len(titles) // ASKED)]))[:ASKED]


def _answers(vault: Vault, text: str) -> dict[str, float]:
    """Return the scores of the best candidates."""
    # Without the encoder: while it works in the background, each store has other vectors of it.
    found = find_candidates(vault, text, limit=COMPARED, encoder=False)
    return {f"{one.chunk.path}:{one.chunk.line}": one.score for one in found}


def is_same(ones: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Tell whether two answers have the same hits; of those that are as good as the last, there may be more.

    >>> is_same({"a": 1.0, "b": 0.5}, {"a": 1.00001, "c": 0.5}), is_same({"a": 1.0, "b": 0.5}, {"b": 1.0, "a": 0.5})
    (True, False)
    """
    last = max(min(ones.values(), default=0), min(others.values(), default=0)) + SAME_SCORE
    return len(ones) == len(others) and all(
        abs(ones.get(place, last) - others.get(place, last)) < 2 * SAME_SCORE for place in ones.keys() | others.keys()
    )
