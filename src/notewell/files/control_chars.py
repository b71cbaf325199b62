"""Signs that nobody sees: what a terminal obeys, and what hides words in a line or in a prompt."""

from __future__ import annotations

import re

# But for tabs and line ends, which everybody sees.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u202a-\u202e\u2066-\u2069"
# What Unicode says is not shown: soft hyphens, joiners, marks of direction, fillers, tags.
_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# They say how the sign before them looks, as in many an emoji of a file's name; in a prompt nothing is lost with them.
_LOOKS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

# Half a character, as names of files have it whose bytes are no text.
_HALVES = "\ud800-\udfff"

# What a terminal obeys: a note must not be able to move its cursor, colour it or set its title.
OBEYED = re.compile(f"[{_CONTROL}{_DIRECTION}]")
# What a line of text must not hold: line ends of all kinds, too.
UNLIKE_A_LINE = re.compile(f"[{_CONTROL}{_DIRECTION}{_IGNORED}{_HALVES}\t\n\u2028\u2029]+")
# What a prompt must not hold: a note must not hide lines, or parts of a tag, from who reads the note.
UNSEEN = re.compile(f"[{_CONTROL}{_DIRECTION}{_IGNORED}{_LOOKS}]")


def one_line(text: str) -> str:
    """Return words of a note in one line, without signs that are not seen.

    >>> one_line("Bees\\n\\x1b[31mand  honey")
    'Bees [31mand honey'
    """
    return " ".join(UNLIKE_A_LINE.sub(" ", text).split())


def shown_path(path: str) -> str:
    """Return a path as it is; one that would not stay in its line, or hides something, as Python writes it.

    >>> shown_path("Garden/Bees.md"), shown_path("a\\nb\\u3164.md")
    ('Garden/Bees.md', "'a\\\\nb\\\\u3164.md'")
    """
    # Not `repr`: it takes some of these signs for letters.
    return ascii(path) if UNLIKE_A_LINE.search(path) else path
