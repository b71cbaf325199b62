"""A digest of folder and store, kept after a comparison that found no change, so that the next walk can skip it.

It is in the user's own state folder, where nobody else can write. Without it, every file is compared.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from notewell.files.safe_open import read_plain
from notewell.files.user import clean_up, home_folder, state_folder, write_private
from notewell.index.walk import DIGEST_BYTES, Walked, WalkRules
from notewell.store import State

# The folder in the user's state folder, and how long a file there is kept, in seconds, and how many.
FOLDER = "walked"
KEPT_SECONDS, KEPT_FILES = 30 * 86_400.0, 100
# Appended to the digest if skipped files should be tried again.
RETRIES = b"again"


class LastWalk:
    """The last comparison of a vault with its store that found no change."""

    def __init__(self, store: Path) -> None:
        name = blake2b(os.fsencode(store), digest_size=DIGEST_BYTES).hexdigest()
        self._file = state_folder(os.environ, home_folder(os.environ)) / FOLDER / name

    def is_same(self, digest: bytes, *, again: bool) -> bool:
        """Tell whether folder and store are the same, and with `again`, that no skipped file is worth another try."""
        with suppress(OSError):
            found = read_plain(self._file)
            return found == digest or (not again and found == digest + RETRIES)
        return False

    def keep(self, digest: bytes, *, retries: bool) -> None:
        """Remember a folder and store in which every file is stored or skipped; `retries` if some could be tried."""
        with suppress(OSError):
            write_private(self._file, digest + RETRIES if retries else digest)
            clean_up(self._file.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)


def digest_of(walked: Walked, rules: WalkRules, state: State) -> bytes:
    """Return a digest of what was found in a folder, by which rules, and of the store's state."""
    # The time of indexing changes with the stamps of files whose content is the same.
    about = (rules, state.id, state.made_for, state.notes_changed, state.indexed_at)
    return blake2b(walked.digest + repr(about).encode(), digest_size=DIGEST_BYTES).digest()
