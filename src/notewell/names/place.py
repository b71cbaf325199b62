"""Places as people write them: `Bees`, `bees:12`, `bees:12-20`, `Bees#Swarm`, `Paper.pdf#page=3`, `[[Bees#Honey]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from notewell.errors import NoteError

LINES = re.compile(r"(.+):(\d{1,9})(-\d{0,9})?", re.DOTALL)
# As Obsidian writes it: `[[Bees#Honey|sweet]]`.
LINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")


class Lines(NamedTuple):
    """Lines of a note, from 1; without a last one, all from the first on."""

    first: int
    last: int | None = None


def bare_place(written: str) -> str:
    """Return a place without the brackets of a link.

    >>> bare_place("[[Bees#Honey|sweet]]"), bare_place("Bees:12")
    ('Bees#Honey', 'Bees:12')
    """
    link = LINK.fullmatch(written.strip())
    return link[1].strip() if link else written


def before_lines(place: str) -> str:
    """Return what stands before the line numbers of a place; nothing, if it has none.

    >>> before_lines("bees:12-20"), before_lines("bees")
    ('bees', '')
    """
    match = LINES.fullmatch(place)
    return match[1] if match else ""


def lines_of(place: str) -> Lines | None:
    """Return the lines that a place names, if it does; numbers that cannot be lines are an error.

    >>> lines_of("bees:12"), lines_of("bees:12-"), lines_of("bees")
    (Lines(first=12, last=12), Lines(first=12, last=None), None)
    """
    match = LINES.fullmatch(place)
    if match is None:
        return None
    first = int(match[2])
    if not first:
        raise NoteError("There is no line 0", "Lines are counted from 1")
    last: int | None = first
    if match[3] is not None:
        last = int(match[3][1:]) if match[3] != "-" else None
    if last is not None and last < first:
        raise NoteError(f"Lines {first} to {last} run backwards", f"Ask for {match[1]}:{last}-{first}")
    return Lines(first, last)


def split_part(place: str) -> Iterator[tuple[str, str]]:
    """Yield every way to read a place as a note and a part, heading or block of it: both may contain `#`.

    >>> list(split_part("C# notes#Why#Speed"))
    [('C# notes#Why', 'Speed'), ('C# notes', 'Why#Speed'), ('C', ' notes#Why#Speed')]
    """
    # Nobody writes more of them by hand; a pasted line may have hundreds.
    pieces = place.rsplit("#", 4)
    for last in range(len(pieces) - 1, 0, -1):
        yield "#".join(pieces[:last]), "#".join(pieces[last:])


def part_name(written: str) -> str:
    """Return the name of a part as hits show it; `page=3` is how Obsidian and browsers write it.

    >>> part_name("page=3"), part_name("Slide 4")
    ('page 3', 'slide 4')
    """
    return " ".join(written.replace("=", " ").casefold().split())
