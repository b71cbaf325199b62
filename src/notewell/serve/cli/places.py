"""Places as they are typed: from where one is, or `last` for those that `notewell read` showed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from notewell.errors import NoteError, StoreError
from notewell.index.place import Reading, exists
from notewell.serve.cli.options import from_root
from notewell.session import Session, keep_opened, place_read, recall_opened
from notewell.vault import Vault

PLACE = re.compile(r"(.+?)((?::\d+(?:-\d*)?|#[^/]*)?)", re.DOTALL)
# Stands for what was read last.
LAST = "last"
# At the end of the name of the file that keeps it.
OPENED = ".opened"


def place_from_root(root: Path, place: str) -> str:
    """Return a place as one from the vault's root; one that is such already stays, also if there is one here, too."""
    match = PLACE.fullmatch(place)
    if match is None or os.path.lexists(root / match[1]):
        return place
    return from_root(root, match[1]) + match[2]


def read_places(vault: Vault, written: Sequence[str]) -> list[str]:
    """Return the places that were typed, as the store names them; `last` stands for several."""
    places = [place_from_root(vault.root, place) for place in written if place != LAST]
    last = (
        Session(vault, recall_opened(vault.beside_store(OPENED), datetime.now(UTC))).leant_to if LAST in written else ()
    )
    if LAST in written and not last:
        raise NoteError("Nothing that is indexed was read within the hour", "Run `notewell read NOTE` first")
    return list(dict.fromkeys((*last, *map(vault.find, places))))


def keep_reading(vault: Vault, reading: Reading) -> None:
    """Keep what was read, for `last`; only where there is a store to keep it beside."""
    with suppress(StoreError):
        if exists(vault.store_file):
            keep_opened(vault.beside_store(OPENED), place_read(reading), datetime.now(UTC))
