"""Whose store it is: the vault's folder, written down in the store, so that no other vault takes it for its own."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from notewell.errors import StoreError
from notewell.store.sqlite import queries
from notewell.store.sqlite.connection import BUSY_MS

OWNER = "vault"
# A name for the eyes, and so much of a hash that no two vaults of one user meet.
LONGEST, DIGITS = 40, 10
HINT = "Set store.path to another file: two vaults cannot share a store"


def name_for(root: Path) -> str:
    """Return the name of a vault's store in the folder where the user has those of all vaults.

    >>> name_for(Path("/home/ada/My notes"))[:9]
    'My-notes-'
    """
    path = os.path.realpath(root)
    plain = re.sub(r"[^\w.]+", "-", Path(path).name)[:LONGEST]
    return f"{plain or 'vault'}-{sha256(os.fsencode(path)).hexdigest()[:DIGITS]}.db"


def claim(db: apsw.Connection, file: Path, root: Path) -> None:
    """Write down that a store is of this vault; one that is another's is refused."""
    owner = _owner(db)
    if owner == root:
        return
    if owner and _is_anothers(file, root, owner):
        raise StoreError(f"{file} is the store of another vault, {owner}", HINT)
    # Whoever may only read, or comes while somebody writes, leaves it to the next.
    db.set_busy_timeout(0)
    with suppress(apsw.Error):
        db.execute(queries.SET_META, {"key": OWNER, "value": os.fsencode(root)})
    db.set_busy_timeout(BUSY_MS)


def check_place(file: Path, root: Path, usual: Path) -> None:
    """Refuse the place where another folder has its store, if it has one; `usual` is that place from a vault's root."""
    place, top = Path(os.path.realpath(file)), Path(os.path.realpath(root))
    owner = place.parent.parent
    if place == owner / usual and owner != top:
        raise StoreError(f"{file} is the place of the store of another vault, {owner}", HINT)


def _owner(db: apsw.Connection) -> Path | None:
    value: Any = db.execute(queries.META, {"key": OWNER}).get
    return Path(os.fsdecode(value)) if value else None


def _is_anothers(file: Path, root: Path, owner: Path) -> bool:
    """Tell whether a store is still its owner's: a vault that was moved, copied or has two names keeps its own."""
    with suppress(OSError):
        if owner.samefile(root):
            return False
    place, mine, theirs = (Path(os.path.realpath(path)) for path in (file, root, owner))
    if not theirs.is_dir():
        return False
    # What came along with a copied vault lies in it; but a vault may lie in another, and its store with it.
    in_another = theirs.is_relative_to(mine) and place.is_relative_to(theirs)
    return in_another or not place.is_relative_to(mine)
