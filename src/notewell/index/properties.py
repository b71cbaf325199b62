"""The properties of a note that are text: `Stadtwerke` of `company: Stadtwerke`, but no ids, addresses or layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from notewell.patterns import lazy_pattern
from notewell.types.note import BETWEEN, LONGEST

# Names, tags and type are found anyway; the others say how a note is shown, published or identified.
NOT_TEXT = lazy_pattern(
    r"""title|tags?|alias(?:es)?|type|lang|language
    |id|uid|uuid|guid|hash|checksum|slug|permalink|ur[li]|links?|href|src|path|file|version
    |images?|img|cover|banner|banner[_-][xy]|icon|thumbnail|logo|colou?r|cssclass(?:es)?|layout|template
    |publish|published|draft|weight|order|position|index|sidebar_position|sort
    |excalidraw-[\w-]+|kanban-plugin""",
    re.IGNORECASE | re.VERBOSE,
)
# Characters of all properties of a note: every chunk has them.
MOST = 1_000
# Values that are no words: numbers, days and times, addresses, hashes and other ids.
ADDRESS = lazy_pattern(r"[a-z][a-z+.-]*://\S*|www\.\S+|\S+@\S+\.\S+", re.IGNORECASE)
LINK = lazy_pattern(r"!?\[\[(?:[^\]|\n]*/)?([^\]|/\n]*)(?:\|([^\]\n]*))?\]\]")
WORD = lazy_pattern(r"[^\W\d_]{2,}")
# Letters and digits mixed in a long word, or a UUID: made by a machine.
MACHINE = lazy_pattern(r"\b(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]{12,}\b|\b[0-9a-f]{8}-[0-9a-f-]{20,}\b", re.IGNORECASE)


def property_text(fields: Mapping[str, Any]) -> str:
    """Return the text of a note's properties, each value once.

    >>> property_text({"company": "Stadtwerke", "contact": ["[[People/Ada|Ada]]"], "id": "x1", "due": "2025-07-11"})
    'Stadtwerke | Ada'
    """
    values = (text for key, value in fields.items() if not NOT_TEXT.fullmatch(str(key)) for text in _texts(value))
    return BETWEEN.join(dict.fromkeys(filter(None, map(_worded, values))))[:MOST]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (text for item in value.values() for text in _texts(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in _texts(item))
    elif isinstance(value, str):
        yield value


def _worded(value: str) -> str:
    """Return a value without addresses and ids, links as their text; nothing if no word is left.

    >>> _worded("See [[Bees|the bees]] https://bees.example"), _worded("0f8fad5b-d9cb-469f-a165-70867728950e")
    ('See the bees', '')
    """
    linked = LINK.sub(lambda match: match[2] or match[1], value[: 2 * LONGEST])
    text = " ".join(MACHINE.sub("", ADDRESS.sub("", linked)).split())
    return text if WORD.search(text) else ""
