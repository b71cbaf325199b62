"""What the styles and numberings of a Word document make of a paragraph: a heading, an item of a list, neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from docx.oxml.ns import qn

# Styles that are based on one another in a circle end here.
LONGEST_CHAIN = 20
NAMED_HEADING = re.compile(r"heading ([1-9])")
CONTENTS = re.compile(r"toc [1-9]")
VALUE = qn("w:val")
BULLETS = ("bullet", "none")


@dataclass(frozen=True, slots=True)
class Looks:
    """How paragraphs look by their style: each style by its id, each numbering by its id and level."""

    styles: dict[str, Any] = field(default_factory=dict)
    formats: dict[tuple[str, int], str] = field(default_factory=dict)

    def is_contents(self, paragraph: Any) -> bool:
        """Tell whether a paragraph is a line of the table of contents."""
        return any(CONTENTS.fullmatch(name) for name in self._names(paragraph))

    def is_title(self, paragraph: Any) -> bool:
        """Tell whether a paragraph is the document's title."""
        return "title" in self._names(paragraph)

    def level(self, paragraph: Any) -> int:
        """Return the level of a heading, or 0: by its own outline, that of its style, or the name of its style."""
        for properties in self._properties(paragraph):
            outline = _number(properties, "w:outlineLvl")
            if outline is not None:
                return outline + 1 if 0 <= outline < 9 else 0
        named = (NAMED_HEADING.fullmatch(name) for name in self._names(paragraph))
        return next((int(found[1]) for found in named if found), 1 if self.is_title(paragraph) else 0)

    def numbering(self, paragraph: Any) -> tuple[str, int] | None:
        """Return the numbering of an item of a list, and how deep it stands."""
        for properties in self._properties(paragraph):
            found = properties.find(qn("w:numPr"))
            identity = None if found is None else _value(found, "w:numId")
            if found is not None and identity is not None:
                depth = min(max(_number(found, "w:ilvl") or 0, 0), 8)
                return None if identity == "0" else (identity, depth)
        return None

    def is_bullet(self, numbering: tuple[str, int]) -> bool:
        """Tell whether the items of a list have no numbers."""
        return self.formats.get(numbering, "bullet") in BULLETS

    def _chain(self, paragraph: Any) -> Iterator[Any]:
        """Yield the paragraph's style, then those it is based on."""
        own = paragraph.find(qn("w:pPr"))
        name = None if own is None else _value(own, "w:pStyle")
        for _ in range(LONGEST_CHAIN):
            style = self.styles.get(name or "")
            if style is None:
                return
            yield style
            name = _value(style, "w:basedOn")

    def _properties(self, paragraph: Any) -> Iterator[Any]:
        for holder in (paragraph, *self._chain(paragraph)):
            properties = holder.find(qn("w:pPr"))
            if properties is not None:
                yield properties

    def _names(self, paragraph: Any) -> list[str]:
        # Programs show these names in the user's language, and write them in English.
        return [(_value(style, "w:name") or "").lower() for style in self._chain(paragraph)]


def looks_of(styles: Any, numbering: Any | None) -> Looks:
    """Return what the two parts of the document say."""
    by_id = {style.get(qn("w:styleId"), ""): style for style in styles.iter(qn("w:style"))}
    return Looks(by_id, {} if numbering is None else dict(_formats(numbering)))


def _formats(numbering: Any) -> Iterator[tuple[tuple[str, int], str]]:
    kinds = {kind.get(qn("w:abstractNumId")): kind for kind in numbering.iter(qn("w:abstractNum"))}
    for number in numbering.iter(qn("w:num")):
        kind = kinds.get(_value(number, "w:abstractNumId"))
        for level in () if kind is None else kind.iter(qn("w:lvl")):
            depth = level.get(qn("w:ilvl"), "")
            if depth.isdecimal():
                yield (number.get(qn("w:numId"), ""), int(depth)), _value(level, "w:numFmt") or "bullet"


def _value(element: Any, name: str) -> str | None:
    child = element.find(qn(name))
    return None if child is None else child.get(VALUE)


def _number(element: Any, name: str) -> int | None:
    value = _value(element, name)
    return int(value) if value is not None and re.fullmatch(r"[0-9]{1,4}", value) else None
