"""What may be read through a server: what is indexed, and so nothing that the owner excluded."""

from __future__ import annotations

from notewell.index.place import Reading
from notewell.vault import Vault


def read_indexed(vault: Vault, place: str) -> Reading:
    """Return lines of a note by its path, name or title; one that the store does not hold is an error."""
    return vault.read(vault.find(place))
