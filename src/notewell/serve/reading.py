"""What may be read through a server: what is indexed, and so nothing that the owner excluded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from notewell.errors import NoteError
from notewell.index.place import Reading
from notewell.serve.wording import sentences
from notewell.types.notices import Notice
from notewell.vault import Vault


def read_indexed(vault: Vault, place: str) -> Reading:
    """Return lines of a note by its path, name or title; one that the store does not hold is an error."""
    return vault.read(vault.find(place))


@contextmanager
def maybe_not_yet(notices: Sequence[Notice]) -> Iterator[None]:
    """Let the error of a note that is not there say, too, why it may not be there yet."""
    try:
        yield
    except NoteError as error:
        if not notices:
            raise
        raise NoteError(error.fact, ". ".join((*sentences(notices), error.hint))) from error
