"""The last search of a vault in a shell, for `last:2`: its text and its hits, in the user's folder of state."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from notewell.errors import NoteError
from notewell.files.safe_open import NO_LINK, read_plain
from notewell.files.user import clean_up, home_folder, overwrite_private, state_folder
from notewell.redact import names_secret
from notewell.types.results import Results

FOLDER = "searched"
KEPT_SECONDS, KEPT_FILES = 30 * 86_400.0, 100
# More than a page has.
MOST_HITS = 20
LARGEST = 64 * 1024
NAMED = re.compile(r"last:(\d{1,3})")


class LastSearch(NamedTuple):
    """A search: what was typed, and the places of its hits, the best first."""

    text: str
    places: tuple[str, ...]

    def place(self, number: int) -> str:
        """Return the place of a hit, counted from 1."""
        if not 1 <= number <= len(self.places):
            raise NoteError(
                f"The last search showed {len(self.places)} hits, and no hit {number}", "Search again, then count them"
            )
        return self.places[number - 1]


def hit_number(written: str) -> int | None:
    """Return which hit of the last search is meant; None for anything else.

    >>> hit_number("last:2"), hit_number("last")
    (2, None)
    """
    found = NAMED.fullmatch(written)
    return int(found[1]) if found else None


def remember_search(root: Path, results: Results) -> None:
    """Remember what a search showed; nothing if its text has a secret, or nothing can be written."""
    if not results.query or not results.hits or names_secret(results.query):
        return
    places = [f"{hit.path}:{hit.excerpt.line}" for hit in results.hits[:MOST_HITS]]
    with suppress(OSError):
        overwrite_private(_file(root), json.dumps({"text": results.query, "places": places}).encode("ascii"))


def last_search(root: Path) -> LastSearch:
    """Return the last search of a vault that found something."""
    file = _file(root)
    clean_up(file.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)
    try:
        kept = json.loads(read_plain(file, LARGEST, os.O_RDONLY | NO_LINK))
        return LastSearch(str(kept["text"]), tuple(map(str, kept["places"])))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoteError("There is no last search in this vault", "Run `notewell search TEXT` first") from error


def _file(root: Path) -> Path:
    folder = state_folder(os.environ, home_folder(os.environ)) / FOLDER
    return folder / sha256(os.fsencode(os.path.abspath(root))).hexdigest()[:16]  # noqa: PTH100
