"""Zip files, which most documents are: opened only if they unpack to a limited size, and only in memory."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from notewell.errors import NoteError
from notewell.index.readers.content import MOST_MEMBERS, MOST_UNPACKED, password_error

# The first bytes of Microsoft's older container: documents before 2007, and newer ones with a password.
OLE = bytes.fromhex("d0cf11e0a1b11ae1")
LOCKED = "EncryptedPackage".encode("utf-16-le")
# How many times its size a file may unpack to, if that is more than the limit below.
RATIO = 200
NEVER_TOO_MUCH = 64 << 20
# Bytes in which an XML file has its document type, if it has one.
HEAD = 64 << 10
ENCRYPTED = 0x1


def open_zip(data: bytes, most: int = MOST_UNPACKED) -> zipfile.ZipFile:
    """Return the zip file, or raise `NoteError` if it is damaged, locked, or unpacks to more than `most` bytes."""
    if data.startswith(OLE):
        check_unlocked(data)
        raise NoteError("in the old format of Office before 2007", "Save it in the current format")
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        fact = "damaged, or not what its suffix says" if data else "empty: it has no bytes"
        raise NoteError(fact, "Repair it, or copy it again") from error
    _check_size(archive.infolist(), len(data), most)
    if any(member.flag_bits & ENCRYPTED for member in archive.infolist()):
        raise password_error()
    return archive


def check_unlocked(data: bytes) -> None:
    """Raise `NoteError` for a document with a password, in the older container."""
    if LOCKED in data:
        raise password_error()


def read_member(archive: zipfile.ZipFile, name: str, size: int = -1) -> bytes:
    """Return a member of a zip file, or its first `size` bytes, or raise `NoteError` if it is missing or damaged."""
    try:
        with archive.open(name) as file:
            return file.read(size)
    except (KeyError, ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise NoteError("damaged: part of it is missing or unreadable", "Repair it, or copy it again") from error


def check_office(data: bytes) -> None:
    """Raise `NoteError` for anything but an Office document, or one whose XML declares entities."""
    with open_zip(data) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                # XML may be in UTF-16: without its zero bytes it reads as ASCII.
                head = read_member(archive, name, HEAD).replace(b"\0", b"")
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                    raise NoteError("suspicious: its XML declares entities", "Exclude it with index.exclude")


def _check_size(members: list[zipfile.ZipInfo], size: int, most: int) -> None:
    # Python unpacks no more of a member than its declared size, so these sizes are reliable.
    total = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS or total > most or total > max(NEVER_TOO_MUCH, size * RATIO):
        raise NoteError(
            f"unpacks to too much: {total:,} bytes in {len(members):,} files",
            "Split it, or exclude it with index.exclude",
        )
