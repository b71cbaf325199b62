"""What in a query looks like syntax and is text, as a reader is told: a day that is none, a key that no note has."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from notewell.names.suggest import CLOSE, suggest
from notewell.terms import TOKEN
from notewell.types.notices import Notice

FILTERS = ("like", "path", "tag", "type", "lang", "after", "before")
DAYS = ("after", "before")
# A part with a type, and nothing that would be of it.
EMPTY = re.compile(r"(?:^|\s)((?:lex|vec|hyde):)(?=\s|$)", re.IGNORECASE)
# So many keys are told at most, and so many looked up; a pasted log has hundreds.
TOLD = 3
LOOKED_UP = 8
# More keys than these are not compared: a hint may not take longer than the search.
COMPARED = 5_000


@dataclass(frozen=True, slots=True)
class Unread:
    """What is told of syntax that is text, and the words in it, which are no misspelt words of a question."""

    notices: tuple[Notice, ...] = ()
    words: frozenset[str] = frozenset()


def tell_unread(text: str, left: Sequence[re.Match[str]], keys: Callable[[], Collection[str]]) -> Unread:
    """Say what of a text was not read as syntax; `left` are the `key:value` of it that are text."""
    told = {Notice("empty_part", {"part": empty}): empty for empty in EMPTY.findall(text)}
    keyed = [match for match in left if match["value"][0] not in ":/\\"]
    for match in keyed:
        if match["key"].lower() in DAYS and len(told) < TOLD:
            told[Notice("invalid_date", {"text": match[0]})] = match[0]
    told |= _unknown(keyed, keys)
    # Of a note that is not there, whoever looks for its name tells more.
    liked = (match[0] for match in left if match["key"].lower() == "like")
    words = frozenset(word for written in (*told.values(), *liked) for word in TOKEN.findall(written))
    return Unread(tuple(told), words)


def near_keys(key: str, keys: Collection[str]) -> list[str]:
    """Return the key of front matter, or the filter, that may be meant.

    >>> near_keys("Statsu", ["status", "rating"]), near_keys("mood", ["status"])
    (['status'], [])
    """
    return suggest(key, sorted({*FILTERS, *keys}), limit=1, least=CLOSE) if len(keys) <= COMPARED else []


def _unknown(keyed: Sequence[re.Match[str]], keys: Callable[[], Collection[str]]) -> dict[Notice, str]:
    """Return what is told of keys that no note has, if there is one like it, each with what was written."""
    # One letter is a drive, or a variable.
    unknown = {
        key: match[0] for match in reversed(keyed) if len(key := match["key"]) > 1 and key.lower() not in FILTERS
    }
    told: dict[Notice, str] = {}
    for key in list(reversed(unknown))[:LOOKED_UP]:
        if len(told) < TOLD and (near := near_keys(key, keys())):
            told[Notice("unknown_key", {"key": key, "near": tuple(near)})] = unknown[key]
    return told
