"""Other ways to read a text: without escapes, entities and invisible characters, with plain letters and spaces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from notewell.patterns import lazy_pattern

# A backslash escape, of a string or of Markdown; several backslashes are a string in a string in a string.
_ESCAPED = lazy_pattern(r"\\\\{0,3}([^A-Za-z0-9\s\\|]|[nrt])")
# A cell of CSV doubles its quotes. These patterns have one character to begin with: all else is slow to look for.
_DOUBLED = lazy_pattern(r"\"(?:(\")(?=\w)|(?<=\w\")(\"))")
# Signs between a label and its value that HTML spells out: `password&#58; …`.
_ENTITIES = {
    **dict.fromkeys(("#58", "#x3a", "#x3A", "colon"), ":"),
    **dict.fromkeys(("#61", "#x3d", "#x3D", "equals"), "="),
    **dict.fromkeys(("#160", "#xa0", "#xA0", "nbsp", "#32", "#x20"), " "),
    **dict.fromkeys(("#34", "#x22", "quot"), '"'),
}
_ENTITY = lazy_pattern(f"&({'|'.join(_ENTITIES)});")
_UNESCAPED = {"n": "\n", "r": "\n", "t": "\t", **_ENTITIES}
# Spaces of other widths, and characters of other scripts that look like one.
_SPACES = "\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0"
# Characters that show as nothing, which hide the word they are in, or stand in place of a space.
_UNSEEN = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef"
)
_INVISIBLE = lazy_pattern(f"[{_UNSEEN}]+()")
_INVISIBLE_OR_SPACE = lazy_pattern(f"[{_UNSEEN}{_SPACES}]+()")
_BLANK_END = lazy_pattern(f"[{_UNSEEN}{_SPACES}]+\\Z")
_INVISIBLE_AS_SPACE = lazy_pattern(f"[{_UNSEEN}]+")
# Full-width letters, digits and signs, and all spaces: each has a plain twin of the same length.
_WIDE = lazy_pattern(f"[{_SPACES}\uff10-\uff19\uff1d\uff21-\uff3a\uff3f\uff41-\uff5a]")
_UNUSUAL = lazy_pattern(f"[{_UNSEEN}{_WIDE.pattern[1:]}")
# Words and numbers are a phrase, and no value with spaces in it.
_PHRASE = lazy_pattern(r"(?:[^\W\d_]+|[\d.,:]+)[.,;:!?)]*")
_GAP = "\n\n\n"


@dataclass(frozen=True, slots=True)
class Spelling:
    """A text read in another way; from each of `starts` on, offsets in its source are larger by one of `shifts`."""

    text: str
    source: str
    starts: Sequence[int] = (0,)
    shifts: Sequence[int] = (0,)
    # Without the spaces of its source, so that a phrase looks like one word.
    joined: bool = False

    def in_source(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a span is in the source; none for a phrase that only looks like one word."""
        first, last = (at + self.shifts[bisect_right(self.starts, at) - 1] for at in (start, end))
        if not self.joined:
            return first, last
        words = _INVISIBLE_OR_SPACE.sub(" ", self.source[first:last])
        if all(map(_PHRASE.fullmatch, words.split())):
            return None
        # What was left out behind the span is not part of it.
        behind = _BLANK_END.search(self.source, first, last)
        return first, behind.start() if behind else last


def spellings(text: str) -> Iterator[Spelling]:
    """Yield the text with plain letters and spaces, then those of its lines that may be read in another way."""
    unusual = not text.isascii() and _UNUSUAL.search(text)
    plain = _WIDE.sub(_plain, text) if unusual else text
    yield Spelling(plain, plain)
    for sign, escaped in (("\\", _ESCAPED), ('""', _DOUBLED), ("&", _ENTITY)):
        if sign in plain:
            yield _unescaped(plain, escaped)
    if unusual:
        if _INVISIBLE.search(plain):
            yield _unescaped(plain, _INVISIBLE)
            yield _unescaped(plain, _INVISIBLE_AS_SPACE, " ")
        yield replace(_unescaped(text, _INVISIBLE_OR_SPACE), joined=True)


def _plain(wide: re.Match[str]) -> str:
    """Return the plain twin of a wide character."""
    # Full-width forms are in the order of ASCII.
    return chr(ord(wide[0]) - 0xFEE0) if "\uff00" < wide[0] < "\uff80" else " "


def _unescaped(text: str, escaped: re.Pattern[str], instead: str = "") -> Spelling:
    """Return the lines that contain escapes, unescaped; an escape without a group becomes `instead`."""
    parts: list[str] = []
    starts: list[int] = [0]
    shifts: list[int] = [0]
    length = 0
    for line_start, line_end in _escaped_lines(text, escaped):
        read = line_start
        starts.append(length)
        shifts.append(read - length)
        for escape in escaped.finditer(text, line_start, line_end):
            written = escape[escape.lastindex] if escape.lastindex else instead
            plain = _UNESCAPED.get(written, written)
            parts += text[read : escape.start()], plain
            length += escape.start() - read + len(plain)
            read = escape.end()
            starts.append(length)
            shifts.append(read - length)
        # Lines that are not neighbours must not look like neighbours.
        parts += text[read:line_end], _GAP
        length += line_end - read + len(_GAP)
    return Spelling("".join(parts), text, starts, shifts)


def _escaped_lines(text: str, escaped: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while escape := escaped.search(text, at):
        start = text.rfind("\n", at, escape.start()) + 1 or at
        end = text.find("\n", escape.end())
        if end == escape.end():
            # At the end of a line, it may hide that the next one belongs to it.
            end = text.find("\n", end + 1)
        at = len(text) if end < 0 else end
        yield start, at
