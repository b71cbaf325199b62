"""What a page of hits does not show: that no word was found, or that nothing is there to look in, and what is near."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from notewell.asked import EVERYTHING, Filter, Plan, Scope
from notewell.errors import NoteError
from notewell.search.fallback import Found
from notewell.search.fuse import SearchRules
from notewell.search.named import find_chunks
from notewell.search.told import told, told_value
from notewell.store import Snapshot
from notewell.types import Excerpt

# More values than these are not compared: a hint may not take longer than the search.
COMPARED = 5_000
# What looks like a filter; not an address, a path or a name of C++.
KEYED = re.compile(r"(?:^|\s)-?([^\W\d_][\w.-]+):(?=[^\s:/\\])")
LIKE = re.compile(r'(?:^|\s)like:("[^"]+"|“[^”]+”|\S+)')
FILTERS = ("like", "path", "tag", "type", "lang", "after", "before")
NAMES = {
    "path": "there is no note or folder",
    "tag": "no note has the tag",
    "type": "no note has the type",
    "lang": "no note is in the language",
}


def find_doubts(found: Found, store: Snapshot, rules: SearchRules) -> tuple[str, ...]:
    """Return what the user should know of a page."""
    plan = found.plan
    told = (*_unknown_notes(plan, store), *_unknown_keys(plan, store))
    if found.left_out and not found.excerpts:
        return (*told, f"nothing fits into {rules.max_tokens} tokens")
    return (*told, *_found(plan, found.excerpts, store, rules))


def _found(plan: Plan, excerpts: Sequence[Excerpt], store: Snapshot, rules: SearchRules) -> tuple[str, ...]:
    if plan.related:
        return () if excerpts else ("there is no other note here to be like it",)
    if excerpts:
        asked = plan.by_words and rules.lexical_weight and not plan.only_filters
        shown = any(excerpt.hit.ranks["lexical"] for excerpt in excerpts)
        found = shown or not asked or store.matching(plan.terms, plan.scope, 1).found
        return () if found else ("none of these words is in the notes; these are nearest by meaning",)
    if plan.scope == EVERYTHING or store.holds(plan.scope):
        return ()
    under = plan.scope.under
    if under and not store.holds(Scope(under)):
        return (f"there is no note or folder '{under}' in this vault",)
    alone = [asked for asked in plan.scope.filters if not store.holds(Scope(filters=(asked,)))]
    if alone:
        return tuple(_missing(asked, store) for asked in alone)
    conditions = (*([f"under {under}"] if under else []), *map(told, plan.scope.filters))
    return (f"nothing has all of this: {'; '.join(conditions)}",)


def _unknown_notes(plan: Plan, store: Snapshot) -> list[str]:
    """Say of each `like:place` that there is no such place, and what is near."""
    doubts = []
    for place in LIKE.findall(plan.text):
        try:
            find_chunks(place.strip('"“”'), store)
        except NoteError as error:
            doubts.append(f"{error.fact}, so it is text. {error.hint}")
    return doubts


def _unknown_keys(plan: Plan, store: Snapshot) -> list[str]:
    """Say of each `key:value` that no note has the key, if there is one like it."""
    if not (written := KEYED.findall(plan.text)):
        return []
    keys = {*FILTERS, *store.keys()}
    near = {key: get_close_matches(key.lower(), keys, 1, 0.75) for key in written if key.lower() not in keys}
    return [f"no note has the key '{key}', so it is text; near: {close[0]}" for key, close in near.items() if close]


def _missing(asked: Filter, store: Snapshot) -> str:
    """Say that nothing fits a filter, and what is near to it."""
    if asked.negated:
        return f"everything has what was left out: {told(replace(asked, negated=False))}"
    values = " or ".join(told_value("", value) for value in asked.values)
    if asked.of == "field":
        fact = f"no note has the {asked.key} '{values}'"
    elif asked.of in NAMES:
        fact = f"{NAMES[asked.of]} '{values}'"
    elif asked.of == "date":
        fact = f"no note is dated {told(asked)}"
    elif asked.of == "heading":
        fact = "no heading has all of these words"
    else:
        fact = f"no chunk holds {told(asked)}"
    near = _near(asked, store)
    return f"{fact}; near: {', '.join(near)}" if near else fact


def _near(asked: Filter, store: Snapshot) -> list[str]:
    wanted = [value.lower() for value in asked.values if isinstance(value, str)]
    known = store.values(asked) if wanted else []
    folded = {value.lower(): value for value in known} if len(known) <= COMPARED else {}
    close = (name for value in wanted for name in get_close_matches(value, folded, 3))
    return [folded[name] for name in dict.fromkeys(close)]
