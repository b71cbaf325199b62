"""Where a store may be: in a folder that no link leads to, under a name for its vault, and owned by that vault."""

from __future__ import annotations

import os
import re
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

import apsw

from notewell.errors import StoreError, StoreUnfit
from notewell.files.user import PRIVATE_FOLDER
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import fetch, fetch_one
from notewell.store.sqlite.connection import BUSY_MS, explained, open_to_read
from notewell.store.tables.checked import damaged

# Notewell's own folder in a vault's root.
OURS = ".notewell"
# The key under which a store has the path of its vault.
OWNER = "vault"
# A readable name, and enough of a hash that no two vaults of one user collide.
LONGEST, DIGITS = 40, 10
NO_LINK = "Move it away; to have stores elsewhere, set store.folder in your own settings, or NOTEWELL_STORE_FOLDER"
# With most of so many notes, a folder is a copy of the vault that a store was made for.
COMPARED = 1_000
OWN_STORE = "Run `notewell index --full` to build a store for this vault in its place"
NOT_SHARED = "Set store.path to another file: two vaults cannot share a store"

SIZES = """
select path, size
from note
order by id
limit :limit
"""


def name_for(root: Path) -> str:
    """Return the name of a vault's store in the folder that has the stores of all the user's vaults.

    >>> name_for(Path("/home/ada/My notes"))[:9]
    'My-notes-'
    """
    path = os.path.realpath(root)
    plain = re.sub(r"[^\w.]+", "-", Path(path).name)[:LONGEST]
    return f"{plain or 'vault'}-{sha256(os.fsencode(path)).hexdigest()[:DIGITS]}.db"


def check_no_link(file: Path, root: Path) -> None:
    """Reject a store in the vault behind a link: in a vault from somebody else, it may lead to any file."""
    for folder in _folders(file, root):
        if os.path.islink(folder):  # noqa: PTH114
            raise StoreError(f"{folder} is a link, and a vault's store must not be behind one", NO_LINK)


def check_place(file: Path, root: Path, usual: Path) -> None:
    """Reject the place where another vault would have its store; `usual` is that place from a vault's root."""
    place, top = Path(os.path.realpath(file)), Path(os.path.realpath(root))
    owner = place.parent.parent
    if place == owner / usual and owner != top:
        raise StoreError(f"{file} is where another vault, {owner}, has its store", NOT_SHARED)


def make_folder(file: Path, root: Path) -> None:
    """Create the folder of a store; inside a vault one level at a time, and never the vault itself."""
    try:
        if not file.is_relative_to(root):
            # It holds the notes' text, so only its user may read it, as in the vault's own folder.
            file.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        for folder in _folders(file, root):
            with suppress(FileExistsError):
                folder.mkdir()
        if file.parent.name == OURS:
            _keep_from_git(file.parent)
    except OSError as error:
        hint = "Check its permissions, or set store.path to a place that can be written"
        raise StoreError(f"{file.parent} cannot be written: {error.strerror or error}", hint) from error


def claim(db: apsw.Connection, file: Path, root: Path, *, is_own: bool) -> None:
    """Write into a store of this user's that it is this vault's; reject the store of another vault."""
    with explained(file):
        owner = _owner(db)
    if owner == root:
        return
    if owner and is_another(owner, root):
        _check_copied(db, file, root, owner)
    if not is_own:
        return
    # A process that may only read, or that meets a writer, leaves it to the next one.
    db.set_busy_timeout(0)
    with suppress(apsw.Error):
        db.execute(queries.SET_META, {"key": OWNER, "value": os.fsencode(root)})
    db.set_busy_timeout(BUSY_MS)


def _folders(file: Path, root: Path) -> list[Path]:
    """Return the folders between a vault's root and a file in it, the outermost first."""
    return [folder for folder in reversed(file.parents) if folder.is_relative_to(root) and folder != root]


def _keep_from_git(folder: Path) -> None:
    # An existing file stays as it is, even a dangling link.
    with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as stream:
        stream.write("*\n")


def owner_of(file: Path) -> Path | None:
    """Return the vault that a store file was made for; None if it does not say."""
    with explained(file), closing(open_to_read(file)) as db:
        return _owner(db)


def _owner(db: apsw.Connection) -> Path | None:
    value = fetch_one(db, queries.META, {"key": OWNER})
    if value and (not isinstance(value, bytes) or b"\0" in value):
        raise damaged("the vault it belongs to is not a path")
    return Path(os.fsdecode(value)) if value else None


def is_another(owner: Path, root: Path) -> bool:
    """Tell whether a vault is another one that still exists; one that is gone was probably moved."""
    with suppress(OSError):
        return owner.is_dir() and not owner.samefile(root)
    return False


def _check_copied(db: apsw.Connection, file: Path, root: Path, owner: Path) -> None:
    """Reject the store of a vault that is still there; it may have been copied, but only together with its notes."""
    place, mine, theirs = (Path(os.path.realpath(path)) for path in (file, root, owner))
    # The store of a copied vault is inside the copy; but a vault may be inside another, and its store with it.
    in_another = theirs.is_relative_to(mine) and place.is_relative_to(theirs)
    if in_another or not place.is_relative_to(mine):
        raise StoreError(f"{file} is the store of another vault, {owner}", NOT_SHARED)
    with explained(file):
        sizes = fetch(db, SIZES, {"limit": COMPARED})
    if 2 * sum(_has_size(root / path, size) for path, size in sizes) < len(sizes):
        raise StoreUnfit(f"{file} is a copy of the store of another vault, {owner}", OWN_STORE)


def _has_size(file: Path, size: int) -> bool:
    with suppress(OSError):
        return file.stat().st_size == size
    return False
