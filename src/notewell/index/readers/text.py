"""Text files: decodes them, whatever their encoding, and refuses binary files."""

from __future__ import annotations

import codecs
import re

from notewell.errors import NoteError
from notewell.index.readers.content import Content, not_text_error
from notewell.index.readers.encodings import detect_encoding, encoding_name

# Byte order marks; UTF-32's begins with that of UTF-16, so it comes first.
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Escape sequences of ISO-2022-JP, which is ASCII otherwise.
SHIFTS = (b"\x1b$B", b"\x1b$@")

# Bytes or characters that decide whether it is text.
SAMPLE = 64_000
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffe\uffff]")
# The share of control characters that no text reaches, coloured logs included.
MOST_CONTROL = 0.1
# UTF-16 without a mark shows in the zeros between its letters: at least one in this many bytes, all on one side.
FEWEST_ZEROS = 10

HIGH = re.compile(rb"[\x80-\xff]")
UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# If this share of the bytes beyond ASCII is UTF-8, the others are damage; short texts in other encodings reach 0.7.
MEANT = 0.8


def extract(data: bytes) -> Content:
    """Return the file's text, or raise `NoteError` if it is not text."""
    text, warnings = decode(data)
    return Content(text, warnings=warnings)


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of bytes in any encoding, and a warning if the encoding was detected."""
    text, warning = _decoded(data)
    if "\0" in text:
        raise not_text_error("contains zero bytes")
    if len(CONTROL.findall(text, 0, SAMPLE)) > MOST_CONTROL * min(len(text), SAMPLE):
        raise not_text_error("full of control characters")
    # A lone \r is the line end of old Macs. A \r before \n stays, so that offsets are those of the file.
    return text if "\n" in text else text.replace("\r", "\n"), (warning,) if warning else ()


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the text, and a warning: the detected encoding, or damage."""
    if marked := next((name for mark, name in MARKS.items() if data.startswith(mark)), ""):
        return _strictly(data, marked, marked.removesuffix("-sig").upper()), ""
    if encoding := _sixteen_bits(data) if b"\0" in data else _shifted(data):
        return _guessed(data, encoding)
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        damage = error
    if b"\0" in data:
        raise not_text_error("contains zero bytes")
    if _is_meant_as_utf_8(data):
        # A few bad bytes are no reason to lose a note.
        return data.decode("utf-8", "replace"), f"damaged: not UTF-8 at byte {damage.start:,}; such bytes are left out"
    if encoding := detect_encoding(data):
        return _guessed(data, encoding)
    raise NoteError(f"not text: not UTF-8 at byte {damage.start:,}, nor any other encoding", "Save it as UTF-8")


def _guessed(data: bytes, encoding: str) -> tuple[str, str]:
    return _strictly(data, encoding, encoding_name(encoding)), f"read as {encoding_name(encoding)}"


def _strictly(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise NoteError(f"damaged: {name}, but not at byte {error.start:,}", "Save it as UTF-8") from error


def _shifted(data: bytes) -> str:
    return "iso2022_jp" if any(shift in data for shift in SHIFTS) and data.isascii() else ""


def _sixteen_bits(data: bytes) -> str:
    """Return the byte order of UTF-16 without a mark, by the side of the zeros; empty if it is not UTF-16."""
    if len(data) % 2:
        return ""
    left, right = (data[side : SAMPLE * 2 : 2].count(0) for side in (0, 1))
    if min(left, right) or (left + right) * FEWEST_ZEROS < min(len(data), SAMPLE * 2):
        return ""
    return "utf_16_be" if left else "utf_16_le"


def _is_meant_as_utf_8(data: bytes) -> bool:
    sample = data[max(0, _first_high(data) - 1) :][:SAMPLE]
    meant = sum(len(found) for found in UTF_8.findall(sample))
    return meant >= MEANT * len(HIGH.findall(sample))


def _first_high(data: bytes) -> int:
    found = HIGH.search(data)
    return found.start() if found else 0
