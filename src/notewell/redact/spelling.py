"""Other ways to read a text: without escapes, entities and invisible characters, with plain letters and spaces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from notewell.frozen import frozen
from notewell.patterns import lazy_pattern

# A backslash escape, of a string or of Markdown; several backslashes are a string in a string in a string.
# A picture has two numbers.
_ESCAPED = lazy_pattern(
    r"\\\\{0,3}(?:([^A-Za-z0-9\s\\|]|[nrt])|(?P<numbers>u[0-9A-Fa-f]{4}(?:\\{1,4}u[Dd][C-Fc-f][0-9A-Fa-f]{2})?))"
)
# A cell of CSV doubles its quotes. These patterns have one character to begin with: all else is slow to look for.
_DOUBLED = lazy_pattern(r"\"(?:(\")(?=\w)|(?<=\w\")(\"))")
# Signs between a label and its value that HTML spells out: `password&#58; …`.
_ENTITIES = {
    **dict.fromkeys(("#58", "#x3a", "colon"), ":"),
    **dict.fromkeys(("#61", "#x3d", "equals"), "="),
    **dict.fromkeys(("#160", "#xa0", "nbsp", "#32", "#x20", "ensp", "emsp", "thinsp"), " "),
    **dict.fromkeys(("#34", "#x22", "quot"), '"'),
    **dict.fromkeys(("#8211", "#x2013", "ndash"), "–"),
    **dict.fromkeys(("#8212", "#x2014", "mdash"), "—"),
    **dict.fromkeys(("#8594", "#x2192", "rarr"), "→"),
}
# Tags of HTML by what they do: begin a cell, begin another line, or only mark up a word. Other names in angle brackets
# are types of a program, placeholders, or fields of XML.
_CELL_TAGS = "t[dh]"
_LINE_TAGS = (
    "br|tr|p|div|li|d[dtl]|h[1-6]|summary|details|caption|table|t(?:head|body|foot)|blockquote|section|pre|ul|ol|hr"
)
_WORD_TAGS = (
    "[abiqsu]|em|strong|span|code|kbd|samp|tt|var|mark|font|small|big|label|del|ins|cite|abbr|center|strike|wbr"
)
_TAG_END = r"(?:\s[^<>]{0,200})?/?>"
_MARKUP = lazy_pattern(
    rf"[<&](?:(?<=&)(?P<entity>{'|'.join(_ENTITIES)});|(?<=<)(?:"
    # Rows and cells may stand on lines of their own.
    rf"(?P<cell>{_CELL_TAGS}){_TAG_END}\s{{0,40}}+|/{_CELL_TAGS}>(?P<gap>\s{{0,40}}+)(?=<)"
    rf"|/?(?P<line>{_LINE_TAGS}){_TAG_END}(?>(?:\s{{0,40}}</?(?:{_LINE_TAGS}){_TAG_END})*)\s{{0,40}}+"
    rf"|/?(?P<word>{_WORD_TAGS}|{_CELL_TAGS}){_TAG_END}|/?(?P<apart>su[bp]){_TAG_END}))",
    re.IGNORECASE,
)
# The lines above a label that may be cells of the same row.
_MOST_CELLS = 12
_READ_AS = {"cell": " | ", "gap": "", "line": "\n", "word": "", "apart": " "}
_UNESCAPED = {"n": "\n", "r": "\n", "t": "\t"}
# Every character of the categories Zs, Cc, Cf, Zl and Zp of Unicode, except the plain space, tab and line ends, and
# others that look like one of these. `tests/redact/test_spelling.py` holds the list to the categories.
_SPACES = "\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0"
# Characters that begin another line or page.
_LINES = "\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
# Characters that show as nothing, which hide the word they are in, or stand in place of a space.
_UNSEEN = (
    "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffd\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e01ef"
)
# The first sets the colours of a terminal.
_HIDDEN = rf"\x1b\[[0-9;]{{0,16}}[A-Za-z]|[{_UNSEEN}]"
_INVISIBLE = lazy_pattern(f"(?:{_HIDDEN})+")
_INVISIBLE_AS_SPACE = lazy_pattern(f"(?:{_HIDDEN}|[{_LINES}])+")
_INVISIBLE_OR_SPACE = lazy_pattern(f"(?:{_HIDDEN}|[{_LINES}{_SPACES}])+")
# Full-width letters, digits and signs, and all spaces: each has a plain twin of the same length.
_WIDE_SIGNS = "\uff10-\uff19\uff1d\uff21-\uff3a\uff3f\uff41-\uff5a"
_SPACE_OR_WIDE = lazy_pattern(f"[{_SPACES}{_WIDE_SIGNS}]")
_WIDE = lazy_pattern(f"[{_LINES}{_SPACES}{_WIDE_SIGNS}]")
_UNUSUAL = lazy_pattern(f"[{_UNSEEN}{_LINES}{_SPACES}{_WIDE_SIGNS}]")
# The control characters of ASCII, except tab and line ends.
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\r"))
# Words and numbers are a phrase, and no value with spaces in it.
_PHRASE = lazy_pattern(r"(?:[^\W\d_]+|[\d.,:]+)[.,;:!?)]*")
_GAP = "\n\n\n"
_Meant = Callable[[re.Match[str]], str]
# Where lines begin, and where they end.
Lines = tuple[int, int]


@frozen
class Spelling:
    """A text read in another way; from each of `starts` on, offsets in its source are larger by one of `shifts`.

    `ends` are the same for the end of a span, which what was left out behind it is no part of.
    """

    text: str
    source: str
    starts: Sequence[int] = (0,)
    ends: Sequence[int] = (0,)
    shifts: Sequence[int] = (0,)
    # Without the spaces of its source, so that a phrase looks like one word.
    joined: bool = False

    def in_source(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a span is in the source; none for a phrase that only looks like one word."""
        first = start + self.shifts[bisect_right(self.starts, start) - 1]
        last = end + self.shifts[bisect_right(self.ends, end) - 1]
        if self.joined:
            words = _INVISIBLE_OR_SPACE.sub(" ", self.source[first:last])
            if all(map(_PHRASE.fullmatch, words.split())):
                return None
        return first, last


def spellings(text: str, labels: Sequence[int]) -> Iterator[Spelling]:
    """Yield the text with plain letters and spaces, then those of its lines that may be read in another way.

    Markup is left out only around the labels of secrets, which the caller adds to `labels` when it has read the first.
    """
    unusual = _is_unusual(text)
    read = _WIDE.sub(_plain, text) if unusual else text
    yield Spelling(read, read)
    if labels and ("&" in read or "<" in read):
        yield _unescaped(read, _marked_up_lines(read, labels), _MARKUP, _without_markup)
    if "\\" in read:
        yield _unescaped(read, _lines_with(_ESCAPED, read), _ESCAPED, _without_escape)
    if '""' in read:
        yield _unescaped(read, _lines_with(_DOUBLED, read), _DOUBLED, _without_escape)
    if unusual:
        if _INVISIBLE.search(read):
            yield _unescaped(read, _lines_with(_INVISIBLE, read), _INVISIBLE, _as_nothing)
        spaced = _SPACE_OR_WIDE.sub(_plain, text)
        yield _unescaped(spaced, _lines_with(_INVISIBLE_AS_SPACE, spaced), _INVISIBLE_AS_SPACE, _as_space)
        joined = _unescaped(text, _lines_with(_INVISIBLE_OR_SPACE, text), _INVISIBLE_OR_SPACE, _as_nothing)
        yield replace(joined, joined=True)


def _is_unusual(text: str) -> bool:
    if text.isascii():
        # To delete bytes takes a tenth of the time of a search for them.
        return len(text.encode().translate(None, _CONTROLS)) < len(text)
    return _UNUSUAL.search(text) is not None


def _plain(wide: re.Match[str]) -> str:
    """Return the plain twin of a wide character."""
    # Full-width forms are in the order of ASCII.
    if "\uff00" < wide[0] < "\uff80":
        return chr(ord(wide[0]) - 0xFEE0)
    return "\n" if wide[0] in "\v\f\x1c\x1d\x1e\x85\u2028\u2029" else " "


def _without_escape(escape: re.Match[str]) -> str:
    """Return the character that an escape means."""
    written = escape[escape.lastindex or 0]
    if escape.lastgroup:
        numbers = bytes.fromhex(written.replace("\\", "").replace("u", ""))
        return numbers.decode("utf-16-be", "replace")
    return _UNESCAPED.get(written, written)


def _without_markup(markup: re.Match[str]) -> str:
    """Return what shows in the place of a tag or an entity."""
    kind = markup.lastgroup or ""
    if kind == "line" and markup["line"].lower() == "br":
        line = markup.string.rfind("\n", 0, markup.start()) + 1
        # In a cell of Markdown it does not end the row.
        return " " if markup.string.find("|", line, markup.start()) >= 0 else "\n"
    return _READ_AS[kind] if kind in _READ_AS else _ENTITIES[markup[kind].lower()]


def _as_nothing(_: re.Match[str]) -> str:
    return ""


def _as_space(_: re.Match[str]) -> str:
    return " "


def _unescaped(text: str, lines: Iterable[Lines], escaped: re.Pattern[str], meant: _Meant) -> Spelling:
    """Return lines of a text, with what each escape means in its place."""
    parts: list[str] = []
    starts: list[int] = [0]
    ends: list[int] = [0]
    shifts: list[int] = [0]
    length = 0
    for line_start, line_end in lines:
        read = line_start
        starts.append(length)
        ends.append(length)
        shifts.append(read - length)
        for escape in escaped.finditer(text, line_start, line_end):
            plain = meant(escape)
            parts += text[read : escape.start()], plain
            length += escape.start() - read + len(plain)
            read = escape.end()
            starts.append(length)
            ends.append(length if plain else length + 1)
            shifts.append(read - length)
        # Lines that are not neighbours must not look like neighbours.
        parts += text[read:line_end], _GAP
        length += line_end - read + len(_GAP)
    return Spelling("".join(parts), text, starts, ends, shifts)


def _lines_with(escaped: re.Pattern[str], text: str) -> Iterator[Lines]:
    """Yield where lines with escapes begin and end."""
    at = 0
    while escape := escaped.search(text, at):
        start = text.rfind("\n", at, escape.start()) + 1 or at
        end = text.find("\n", escape.end())
        if end == escape.end():
            # At the end of a line, it may hide that the next one belongs to it.
            end = text.find("\n", end + 1)
        at = len(text) if end < 0 else end
        yield start, at


def _marked_up_lines(text: str, labels: Sequence[int]) -> Iterator[Lines]:
    """Yield where lines with a label begin, and where the marked-up lines end that begin there or just below it."""
    done = line_end = 0
    for label in sorted(set(labels)):
        if label < line_end:
            continue
        start, line_end = text.rfind("\n", line_end, label) + 1 or line_end, _lines_later(text, label, 1)
        if text.find("|", start, label) >= 0:
            # A row of Markdown stands alone: read without the rows above it, it would look like their header.
            end = line_end if _MARKUP.search(text, start, line_end) else start
        else:
            end = _end_of_markup(text, start)
            # The cells before it, on lines of their own, tell its column.
            start = _first_cell(text, start, done) if end > start else start
        if end > start:
            done = line_end = max(end, line_end)
            yield start, done


def _end_of_markup(text: str, start: int) -> int:
    """Return where the lines end that have markup, with up to two without any between and behind them."""
    end = start
    while markup := _MARKUP.search(text, end, _lines_later(text, end, 3)):
        end = _lines_later(text, markup.end(), 1)
    return _lines_later(text, end, 2) if end > start else start


def _first_cell(text: str, start: int, done: int) -> int:
    for _ in range(_MOST_CELLS):
        above = text.rfind("\n", done, max(done, start - 1)) + 1 or done
        if text.find("<", above, start) < 0:
            break
        start = above
    return start


def _lines_later(text: str, at: int, count: int) -> int:
    """Return where so many lines end, the first of which has this offset in it."""
    for _ in range(count):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at
