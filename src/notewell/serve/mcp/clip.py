"""Text of notes, cut to fit."""

from __future__ import annotations

from itertools import accumulate


def clipped(text: str, most: int) -> str:
    """Return a text of at most `most` characters, cut between words.

    >>> clipped("The hive hums in the warm evening of May", 24), clipped("The hive hums", 24)
    ('The hive hums in the …', 'The hive hums')
    """
    if len(text) <= most:
        return text
    piece = text[: most - 1]
    cut = piece.rpartition(" ")[0] if " " in piece[-most // 4 :] else piece[: most - 2]
    return f"{cut.rstrip()} …"


def first_lines(text: str, most: int) -> str:
    """Return the first lines of a text that fit into `most` characters, or the beginning of a longer first line.

    >>> first_lines("The hive hums.\\nIt is May.", 20)
    'The hive hums.'
    """
    lines = text.split("\n")
    lengths = accumulate(len(line) + 1 for line in lines)
    fitting = sum(length <= most + 1 for length in lengths)
    return "\n".join(lines[:fitting]) if fitting else clipped(lines[0], most)
