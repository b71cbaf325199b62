"""A note, its parts and its chunks: what indexing makes of a file, and what the store keeps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.frozen import frozen
from notewell.types.tasks import Task

# A matrix with one row per text.
Vectors = npt.NDArray[np.float32]

# Every chunk of a note carries its tags and aliases, so their number and length are limited.
MOST = 100

LONGEST = 200
# Between the properties of a note, and the parts of its context.
BETWEEN = " | "


class Stamp(NamedTuple):
    """Identifies one state of a file: by its times and size, and by a digest of its content.

    `ctime_ns`, the time of the last change of any kind, reveals a file whose `mtime_ns` was reset.
    """

    mtime_ns: int
    size: int
    digest: str = ""
    ctime_ns: int = 0

    def same_file(self, other: Stamp) -> bool:
        """Return whether the file did not change between the two."""
        return self.mtime_ns == other.mtime_ns and self.ctime_ns == other.ctime_ns and self.size == other.size


class RedactedSpan(NamedTuple):
    """A redacted secret: the rule, the line, its span in the source, and the span of its placeholder in the note."""

    rule: str
    line: int
    start: int
    end: int
    at: int
    length: int


@frozen
class Link:
    """A link in a note: `[[target#anchor|text]]`, `[text](target#anchor)` and their relatives.

    `kind` is its syntax; `raw` is the original text if it cannot be rebuilt from the parts.
    """

    target: str
    line: int
    kind: str = "wiki"
    anchor: str = ""
    text: str = ""
    embed: bool = False
    raw: str = ""

    @property
    def written(self) -> str:
        """Return the link as written.

        >>> Link("Bees", 3, anchor="Honey", text="sweet", embed=True).written, Link("b.md", 1, "markdown").written
        ('![[Bees#Honey|sweet]]', '[](b.md)')
        """
        if self.raw:
            return self.raw
        target = f"{self.target}#{self.anchor}" if self.anchor else self.target
        text = f"[{self.text}]({target})" if self.kind == "markdown" else f"[[{target}{self.text and f'|{self.text}'}]]"
        return f"!{text}" if self.embed else text


class Part(NamedTuple):
    """A part of a text, by its first line: a page, a slide, a cell, a turn, some rows.

    Parts are identified by lines, because redaction keeps line numbers. `under` are the lines that head it, such as a
    sheet's name and its header.
    """

    line: int
    name: str
    under: tuple[int, ...] = ()


def parts_of(parts: Sequence[Part], line: int, end_line: int) -> Sequence[Part]:
    """Return the parts that lines are in."""
    first, last = (bisect_right(parts, at, key=lambda part: part.line) for at in (line, end_line))
    return parts[max(0, first - 1) : last]


def place_of(parts: Sequence[Part], line: int, end_line: int) -> str:
    """Return the names of the parts that lines are in; empty if there are none.

    >>> place_of((Part(1, "page 1"), Part(40, "page 2"), Part(80, "page 3")), 30, 50)
    'page 1 to page 2'
    """
    inside = parts_of(parts, line, end_line)
    return " to ".join(dict.fromkeys(part.name for part in (*inside[:1], *inside[-1:])))


class Span(NamedTuple):
    """A run of characters, from `start` up to `end`."""

    start: int
    end: int


class Heading(NamedTuple):
    """A heading: its level, its name, where its line starts, and where the text below it starts."""

    level: int
    name: str
    start: int
    body: int


@frozen
class Outline:
    """The title of a text, its headings, and the blocks whose lines cannot be headings, such as code."""

    title: str = ""
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Span] = field(default_factory=list)


# Without slots, so that it can remember where its lines start.
@dataclass(frozen=True)
class Note:
    """One file of the vault, of any format, as text."""

    path: str
    text: str
    stamp: Stamp
    title: str = ""
    body: int = 0
    parts: tuple[Part, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    redactions: tuple[RedactedSpan, ...] = ()
    warnings: tuple[str, ...] = ()
    outline: Outline = field(default_factory=Outline)
    inline_tags: tuple[str, ...] = ()
    day: str = ""
    dated_by: str = ""
    properties: str = ""

    @cached_property
    def line_starts(self) -> list[int]:
        """Return the offset at which each line of the text starts."""
        return line_starts(self.text)

    def line_at(self, offset: int) -> int:
        """Return the number of the line, from 1, that contains the character at `offset`."""
        return bisect_right(self.line_starts, offset)

    def source_offset(self, offset: int, *, ending: bool = False) -> int:
        """Return the offset in the source file for an `offset` in the redacted text.

        Inside a placeholder, that is the start of the secret, or its end if the offset is `ending` a span.

        >>> jwt = RedactedSpan("jwt", 1, 4, 99, 4, 14)
        >>> note = Note("a.md", "key [REDACTED:jwt] end", Stamp(0, 0), redactions=(jwt,))
        >>> note.source_offset(19), note.source_offset(9), note.source_offset(9, ending=True)
        (100, 4, 99)
        """
        before = bisect_right(self.redactions, offset - ending, key=lambda redaction: redaction.at)
        if not before:
            return offset
        last = self.redactions[before - 1]
        past = offset - (last.at + last.length)
        if past >= 0:
            return last.end + past
        return last.end if ending else last.start

    @property
    def kind(self) -> str:
        """Return the `type` of the front matter, or an empty text."""
        return "".join(as_list([self.fields.get("type")]))

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags of the front matter and of the text, without `#`; spellings that differ in case are one."""
        written = as_list(self.fields.get("tags") or self.fields.get("tag"))
        first: dict[str, str] = {}
        for tag in (*(tag.removeprefix("#") for tag in written), *self.inline_tags):
            first.setdefault(tag.casefold(), tag)
        return tuple(first.values())[:MOST]

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return the aliases in the front matter."""
        return tuple(as_list(self.fields.get("aliases") or self.fields.get("alias"))[:MOST])


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line starts.

    >>> line_starts("one\\ntwo")
    [0, 4]
    """
    return [0, *(match.end() for match in re.finditer("\n", text))]


def as_list(value: Any) -> list[str]:
    """Return a front-matter value as a list of texts: `a, b`, `[a, b]` and a block list are the same.

    >>> as_list("a, b"), as_list(["a", 1]), as_list(None)
    (['a', 'b'], ['a', '1'], [])
    """
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
    texts = (str(item).strip()[:LONGEST] for item in items if not isinstance(item, list | dict | None))
    return [text for text in texts if text]


@frozen
class Chunk:
    """A run of lines of a note: what is stored, matched and shown."""

    path: str
    """The note, from the vault's root."""
    text: str
    """The lines, with secrets removed."""
    line: int
    """The first line."""
    end_line: int
    """The last line."""
    start: int = 0
    """Where the lines start in the text before redaction, in characters."""
    end: int = 0
    """Where the lines end in that text."""
    parts: tuple[Part, ...] = ()
    """The parts of the note that the lines are in, such as pages."""
    headings: tuple[str, ...] = ()
    """The headings above the lines."""
    title: str = ""
    """The note's title."""
    kind: str = ""
    """The `type` in the note's front matter."""
    tags: tuple[str, ...] = ()
    """The note's tags, without `#`."""
    aliases: tuple[str, ...] = ()
    """The note's aliases."""
    properties: str = ""
    """The note's properties that are text, such as `Stadtwerke` of `company: Stadtwerke`."""
    day: str = ""
    """The day in the headings above the lines, in ISO format; empty if there is none."""
    tasks: tuple[Task, ...] = ()
    """The tasks in the lines."""

    @property
    def heading(self) -> str:
        """Return the breadcrumb: the note's title, then the headings above these lines.

        >>> Chunk("a.md", "", 1, 1, title="Privacy", headings=("Vault Audit", "Indicators")).heading
        'Privacy > Vault Audit > Indicators'
        """
        crumbs = self.headings if self.headings[:1] == (self.title,) else (self.title, *self.headings)
        return " > ".join(crumb for crumb in crumbs if crumb)

    @property
    def place(self) -> str:
        """Return the page, slide or other part that the lines are in; empty if the note has no parts."""
        return place_of(self.parts, self.line, self.end_line)

    @property
    def name(self) -> str:
        """Return the file's name without its folder and suffix."""
        return self.path.rpartition("/")[2].rpartition(".")[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the note: its title, its file's name, and its aliases."""
        return self.title, self.name, *self.aliases

    @property
    def context(self) -> str:
        """Return the searchable context of the note: title, folders and file name, type, tags, aliases, properties."""
        path = self.path.rpartition(".")[0].replace("/", BETWEEN)
        parts = self.title, path, self.kind, *self.tags, *self.aliases, self.properties
        return BETWEEN.join(part for part in parts if part)

    @property
    def meaning(self) -> str:
        """Return the text to embed: the headings above the lines, and the lines.

        The file's name is not included, so a renamed note keeps its vectors.

        >>> Chunk("a.md", "## Crumb\\nIt is open.", 1, 2, headings=("Bread", "Crumb")).meaning
        'Bread\\n## Crumb\\nIt is open.'
        """
        first = self.text.partition("\n")[0]
        return "\n".join((*(name for name in self.headings if name not in first), self.text))
