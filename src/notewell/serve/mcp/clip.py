"""Words of notes cut to fit."""

from __future__ import annotations


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
