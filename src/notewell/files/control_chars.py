"""Control and invisible characters, and how to keep them out of terminals, lines and prompts."""

from __future__ import annotations

import re

# All control characters except tabs and line ends.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u202a-\u202e\u2066-\u2069"
# Characters that Unicode does not display: soft hyphens, joiners, direction marks, fillers, tags.
_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# Variation selectors change how the character before them looks, as in many emoji; a prompt loses nothing without them.
_VARIATIONS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

# Lone surrogates: bytes in a file name that are not valid text.
_SURROGATES = "\ud800-\udfff"

# Removed for a terminal: a note must not be able to move its cursor, colour it or set its title.
TERMINAL_CONTROLS = re.compile(f"[{_CONTROL}{_DIRECTION}]")
# Removed from a single line: also line ends of all kinds.
NOT_IN_A_LINE = re.compile(f"[{_CONTROL}{_DIRECTION}{_IGNORED}{_SURROGATES}\t\n\u2028\u2029]+")
# Removed from a prompt: a note must not hide lines, or parts of a tag, from its human reader.
INVISIBLE = re.compile(f"[{_CONTROL}{_DIRECTION}{_IGNORED}{_VARIATIONS}]")


def visible_line(text: str) -> str:
    """Return text of a note as one line, without control or invisible characters.

    >>> visible_line("Bees\\n\\x1b[31mand  honey")
    'Bees [31mand honey'
    """
    return " ".join(NOT_IN_A_LINE.sub(" ", text).split())


def shown_path(path: str) -> str:
    """Return a path as it is, or escaped like a Python string if it has line ends or invisible characters.

    >>> shown_path("Garden/Bees.md"), shown_path("a\\nb\\u3164.md")
    ('Garden/Bees.md', "'a\\\\nb\\\\u3164.md'")
    """
    # Not `repr`, which prints some of these characters unescaped.
    return ascii(path) if NOT_IN_A_LINE.search(path) else path
