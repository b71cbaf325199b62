"""Words of notes cut to fit."""

from __future__ import annotations

from itertools import accumulate


def clipped(text: str, most: int, *, around: int = 0) -> str:
    """Return a text of at most so many characters, from a little before `around` on, cut between words.

    >>> clipped("The hive hums in the warm evening of May", 24, around=21)
    '… the warm evening …'
    >>> clipped("The hive hums", 24)
    'The hive hums'
    """
    if len(text) <= most:
        return text
    start = 0 if around < most * 2 // 3 else around - most // 4
    head, room = ("… ", most - 4) if start else ("", most - 2)
    piece = text[start : start + room + 1]
    if start and " " in piece[: most // 4]:
        piece = piece.partition(" ")[2]
    if start + room < len(text):
        cut = piece.rpartition(" ")[0] if " " in piece[-most // 4 :] else piece[:room]
        return f"{head}{cut.rstrip()} …"
    return head + piece


def first_lines(text: str, most: int) -> str:
    """Return the first lines of a text that are together no longer; of a first line that is, its beginning.

    >>> first_lines("The hive hums.\\nIt is May.", 20)
    'The hive hums.'
    """
    lines = text.split("\n")
    lengths = accumulate(len(line) + 1 for line in lines)
    fitting = sum(length <= most + 1 for length in lengths)
    return "\n".join(lines[:fitting]) if fitting else clipped(lines[0], most)
