"""Notes that say nearly the same, for the page."""

from __future__ import annotations

from dataclasses import replace

from notewell.curate.duplicates import Duplicate, find_duplicates
from notewell.files.control_chars import escaped
from notewell.frozen import frozen
from notewell.vault import Vault

# Pairs that are listed.
MOST = 100


@frozen
class Duplicates:
    """The notes of a vault that say nearly the same."""

    pairs: tuple[Duplicate, ...]
    """Pairs of notes, the most similar first; at most 100."""


def list_duplicates(vault: Vault) -> Duplicates:
    """Return the pairs of notes that say nearly the same; none for a vault that is not indexed."""
    if not vault.indexed:
        return Duplicates(())
    with vault.shown.answering() as snapshot:
        found = find_duplicates(snapshot, MOST)
    return Duplicates(tuple(replace(pair, path=escaped(pair.path), of=escaped(pair.of)) for pair in found))
