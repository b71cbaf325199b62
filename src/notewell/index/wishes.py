"""The chunks for which searches lacked a vector of the encoder's: the encoding process takes them first.

They are numbers in a file in the user's own state folder, not in the vault's: nobody else can write there, a store that
cannot be written needs no special case, and numbers tell nothing of a note. A number that means nothing is ignored.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from notewell.files.safe_open import NO_LINK, read_plain
from notewell.files.user import clean_up, overwrite_private

# The folder in the user's state folder, and how long a file there is kept, in seconds, and how many.
FOLDER = "wished"
KEPT_SECONDS, KEPT_FILES = 30 * 86_400.0, 100
# The most chunks that are remembered: those of the last two searches or more, some seconds of work.
MOST = 400
# A signed number of eight bytes, as ids are in the store.
NUMBER = "q"


class Wishes:
    """The wished chunks of one store, the latest first."""

    def __init__(self, state: Path, store: Path) -> None:
        self._file = state / FOLDER / sha256(os.fsencode(store)).hexdigest()[:16]

    def add(self, ids: Sequence[int]) -> None:
        """Put chunks before those already there."""
        known = self.read()
        wished = [*dict.fromkeys([*ids, *known])][:MOST]
        # Without a folder to write to, the encoder goes on in its own order.
        with suppress(OSError):
            if wished != known:
                overwrite_private(self._file, array(NUMBER, wished).tobytes())

    def read(self) -> list[int]:
        """Return the wished chunks; none if there is no file."""
        numbers = array(NUMBER)
        with suppress(OSError):
            data = read_plain(self._file, MOST * numbers.itemsize, os.O_RDONLY | NO_LINK)
            numbers.frombytes(data[: len(data) // numbers.itemsize * numbers.itemsize])
        return numbers.tolist()

    def clear(self) -> None:
        """Delete the file once all is encoded, and those of vaults that are gone."""
        with suppress(OSError):
            self._file.unlink()
        clean_up(self._file.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)
