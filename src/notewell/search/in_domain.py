"""`in:NAME` in a query: the domains that are asked, which decide what is opened before anything else is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from notewell.names.suggest import suggest
from notewell.search.query import HEADINGS, PASTED, SYNTAX, WORD
from notewell.types.notices import Notice

KEY = "in"


class InDomains(NamedTuple):
    """A query's text without `in:NAME`, the domains that it names, and names that no domain has."""

    text: str
    domains: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def split_domains(text: str, names: Sequence[str]) -> InDomains:
    """Return the domains that a text asks for, in the order of `names`; none for all of them.

    `-in:NAME` asks for all others. A name that no domain has stays text, and a notice says so.

    >>> split_domains("squats in:fitness", ["fitness", "food", "rest"])[:2]
    ('squats', ('fitness',))
    >>> split_domains("-in:food|rest eggs", ["fitness", "food", "rest"])[:2]
    ('eggs', ('fitness',))
    """
    if not names or f"{KEY}:" not in text.lower() or len(text.split()) > PASTED:
        return InDomains(text)
    kept, asked, left, notices = [], set[str](), set[str](), []
    at = 0
    for word in WORD.finditer(text):
        match = SYNTAX.match(text, word.start())
        if not match or (match["key"] or "").lower() != KEY or match["value"].lower() in HEADINGS:
            continue
        wanted = [name.strip('"“”').casefold() for name in match["value"].split("|")]
        found = {name for name in names if name.casefold() in wanted}
        if len(found) < len({*wanted}):
            notices.append(Notice("unknown_domain", {"name": match["value"], "near": _near(wanted, names)}))
            continue
        (left if match["minus"] else asked).update(found)
        kept.append(text[at : match.start()])
        at = match.end()
    chosen = tuple(name for name in names if (name in asked or not asked) and name not in left)
    rest = " ".join("".join((*kept, text[at:])).split()) if kept else text
    return InDomains(rest, chosen if asked or left else (), tuple(notices))


def _near(wanted: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(near for name in wanted for near in suggest(name, names, limit=1))) or tuple(names)
