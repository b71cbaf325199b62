"""Hidden characters, and the one rule for them: whatever leaves Notewell has them removed or escaped."""

from __future__ import annotations

import re

from notewell.patterns import lazy_pattern

# All control characters except tabs and line ends.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u202a-\u202e\u2066-\u2069"
# Characters that Unicode does not display: soft hyphens, zero-width spaces, direction marks, fillers, tags.
_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# Variation selectors, which can carry any text unseen, and joiners.
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINERS = "\u200c\u200d"
# Line ends that few programs know, lone surrogates (bytes in a file name that are not valid text), and code points that
# are no characters.
_OTHERS = "\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
# A pattern of braille without dots is a space between two others, and nothing else.
_BLANK, _DOTS = "\u2800", "[\u2801-\u28ff]"
# Pictures, and letters of scripts that are joined: Arabic, Indic, Tibetan, Burmese, Khmer.
_EMOJI = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_LETTER = "[\u0620-\u0dff\u0f00-\u109f\u1780-\u17b3]"
# Joiners between two of these are spelling; after a picture, or in a keycap, U+FE0F makes it coloured.
_SPELLED = (
    f"(?<={_LETTER}[{_JOINERS}]){_LETTER}|(?<={_EMOJI}\u200d){_EMOJI}|(?<={_EMOJI}\ufe0f\u200d){_EMOJI}"
    f"|(?<={_EMOJI}\ufe0f)|(?<=[0-9#*]\ufe0f)\u20e3|(?<={_DOTS}{_BLANK}){_DOTS}"
)

# Those that are hidden in most places, and those that are hidden where they are.
_SUSPECT = lazy_pattern(f"[{_CONTROL}{_DIRECTION}{_IGNORED}{_SELECTORS}{_JOINERS}{_OTHERS}{_BLANK}]")
HIDDEN = lazy_pattern(f"{_SUSPECT.pattern}(?!{_SPELLED})")
# Also escaped in a path, which is shown on one line: tabs, line ends, and the backslash that begins an escape.
_NOT_IN_A_NAME = lazy_pattern(rf"{HIDDEN.pattern}|[\t\n\\]")
# Not `\n` nor `\t`: titles may have `\nabla` and `\theta` in them.
_ESCAPE = lazy_pattern(r"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})")


def without_hidden(text: str) -> str:
    """Return a text without hidden characters; emoji and joined scripts keep theirs.

    >>> without_hidden("r\\u202ey\\u200be \\u2764\\ufe0f")
    'rye ❤️'
    """
    return text if _is_plain(text) else HIDDEN.sub("", text)


def _is_plain(text: str) -> bool:
    # Most texts, and these are all that a short command prints: it need not compile the pattern, which takes 1 ms.
    return text.isascii() and text.isprintable()


def visible_line(text: str) -> str:
    """Return text of a note as one line, without hidden characters.

    >>> visible_line("Bees\\n\\x1b[31mand  honey")
    'Bees [31mand honey'
    """
    return without_hidden(" ".join(text.split()))


def escaped(text: str) -> str:
    """Return a text with hidden characters escaped; tabs and line ends stay.

    >>> escaped("rye\\x1b[31m\\n")
    'rye\\\\x1b[31m\\n'
    """
    return text if _is_plain(text) else HIDDEN.sub(_escape, text)


def shown_path(path: str) -> str:
    """Return a path on one line, with hidden characters and backslashes escaped; `real_path` returns it as it was.

    >>> shown_path("Garden/Bees.md"), shown_path("a\\nb\\u3164.md")
    ('Garden/Bees.md', 'a\\\\x0ab\\\\u3164.md')
    """
    return path if _is_plain(path) and "\\" not in path else _NOT_IN_A_NAME.sub(_escape_in_name, path)


def real_path(shown: str) -> str:
    """Return the path, or place, that is shown like this.

    >>> real_path("a\\\\x0ab.md:3") == "a\\nb.md:3"
    True
    """
    return _ESCAPE.sub(lambda match: match.group().encode("ascii").decode("unicode_escape"), shown)


def escaped_json(text: str) -> str:
    """Return JSON with hidden characters in JSON's own escapes, so that programs read the same values.

    >>> escaped_json('["r\\u202eye", "\\U000e0041"]')
    '["r\\\\u202eye", "\\\\udb40\\\\udc41"]'
    """
    # Of the answer to a search, 20,000 characters, the few distinct ones are looked at in a tenth of the time.
    return HIDDEN.sub(_json_escape, text) if _SUSPECT.search("".join({*text})) else text


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


def _escape_in_name(match: re.Match[str]) -> str:
    return f"\\x{ord(match.group()):02x}" if match.group() in "\t\n\r" else _escape(match)


def _json_escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
