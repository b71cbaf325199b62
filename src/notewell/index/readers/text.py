"""Files that are text already: which encoding they are in, and what cannot be read as text."""

from __future__ import annotations

import codecs

from notewell.errors import NoteError
from notewell.types import Content

# What a file may begin with to say its encoding; UTF-32's begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def extract(data: bytes) -> Content:
    """Return the file's text, or say why it is none."""
    text, warnings = decode(data)
    return Content(text, warnings=warnings)


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of bytes in whatever encoding, and what is to be said of that."""
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise NoteError(f"not {encoding.upper()} at byte {error.start:,}", "Save it as UTF-8") from error
    if "\0" in text:
        raise NoteError("not text: it holds zero bytes", "Exclude it by index.exclude if it is no note")
    # Line ends of old Macs; a \r before \n stays, so that offsets are those of the file.
    return text if "\n" in text else text.replace("\r", "\n"), ()
