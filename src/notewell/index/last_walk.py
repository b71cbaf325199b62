"""A digest of folder and store, kept after a comparison that found no change, so that the next walk can skip it.

It is in the user's own state folder, where nobody else can write. Without it, every file is compared.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from notewell.files.safe_open import read_plain
from notewell.files.survey import DIGEST_BYTES, Walked, WalkRules
from notewell.files.user import clean_up, write_private
from notewell.files.walk_ahead import FILES, file_of_walk, keep_rules, take
from notewell.store import State

# How long a file of a walk is kept, in seconds, and how many: two for each vault.
KEPT_SECONDS, KEPT_FILES = 30 * 86_400.0, 200
# Appended to the digest if skipped files should be tried again.
RETRIES = b"again"


class LastWalk:
    """The last comparison of a vault with its store that found no change."""

    def __init__(self, store: Path) -> None:
        self._file = file_of_walk(store, FILES)

    def foretells(self, root: Path, rules: WalkRules, state: State, *, again: bool) -> bool:
        """Tell whether a walk that began while this command loaded found that nothing changed."""
        digest = take(root, rules)
        return digest is not None and self.is_same(_digest(digest, rules, state), again=again)

    def is_same(self, digest: bytes, *, again: bool) -> bool:
        """Tell whether folder and store are the same, and with `again`, that no skipped file is worth another try."""
        with suppress(OSError):
            found = read_plain(self._file)
            return found == digest or (not again and found == digest + RETRIES)
        return False

    def keep(self, digest: bytes, root: Path, rules: WalkRules, *, retries: bool) -> None:
        """Remember a folder and store in which every file is stored or skipped; `retries` if some could be tried."""
        with suppress(OSError):
            write_private(self._file, digest + RETRIES if retries else digest)
            keep_rules(root, rules)
            clean_up(self._file.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)


def digest_of(walked: Walked, rules: WalkRules, state: State) -> bytes:
    """Return a digest of what was found in a folder, by which rules, and of the store's state."""
    return _digest(walked.digest, rules, state)


def _digest(walked: bytes, rules: WalkRules, state: State) -> bytes:
    # The time of indexing changes with the stamps of files whose content is the same.
    about = (rules, state.id, state.made_for, state.notes_changed, state.indexed_at)
    return blake2b(walked + repr(about).encode(), digest_size=DIGEST_BYTES).digest()
