"""Zip files, which documents of most kinds are: opened only if what they unpack to is bounded, never onto a disk."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from notewell.errors import NoteError
from notewell.index.readers.content import MOST_MEMBERS, MOST_UNPACKED, locked

# What files of Microsoft's older container begin with: documents before 2007, and newer ones under a password.
OLE = bytes.fromhex("d0cf11e0a1b11ae1")
LOCKED = "EncryptedPackage".encode("utf-16-le")
# How many times its size a file may unpack to, once that is worth a look.
RATIO = 200
WORTH_A_LOOK = 64 << 20
# Where a document type stands, if a file has one.
HEAD = 64 << 10
ENCRYPTED = 0x1


def opened(data: bytes) -> zipfile.ZipFile:
    """Return the zip file, or say why it is not unpacked."""
    if data.startswith(OLE):
        check_unlocked(data)
        raise NoteError("of an old format, that of Office before 2007", "Save it in the format of today")
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        fact = "damaged, or not what its suffix says" if data else "empty: it has no bytes"
        raise NoteError(fact, "Mend it, or copy it anew") from error
    _check_size(archive.infolist(), len(data))
    if any(member.flag_bits & ENCRYPTED for member in archive.infolist()):
        raise locked()
    return archive


def check_unlocked(data: bytes) -> None:
    """Refuse a document that is locked up in a file of the older kind."""
    if LOCKED in data:
        raise locked()


def unpacked(archive: zipfile.ZipFile, name: str, size: int = -1) -> bytes:
    """Return a member of a zip file, or its first bytes; one that is not there is damage as well."""
    try:
        with archive.open(name) as file:
            return file.read(size)
    except (KeyError, ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise NoteError("damaged: some of it is missing or cannot be unpacked", "Mend it, or copy it anew") from error


def check_office(data: bytes) -> None:
    """Refuse what is no document of an office program, or declares entities, which no such program does."""
    with opened(data) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                # Without the zero bytes of UTF-16, which XML may be in.
                head = unpacked(archive, name, HEAD).replace(b"\0", b"")
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                    raise NoteError("made to harm: its XML declares entities", "Exclude it by index.exclude")


def _check_size(members: list[zipfile.ZipInfo], size: int) -> None:
    # Python unpacks no more of a member than it declares, so that declared sizes can be relied on here.
    total = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS or total > MOST_UNPACKED or total > max(WORTH_A_LOOK, size * RATIO):
        raise NoteError(
            f"unpacks to more than a note should: {total:,} bytes in {len(members):,} files",
            "Split it, or exclude it by index.exclude",
        )
