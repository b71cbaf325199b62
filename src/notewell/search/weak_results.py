"""What a page of hits does not show: that no word was found, or that nothing is there to look in, and what is near."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from notewell.errors import NoteError
from notewell.names.find import MOST_PLACES, find_chunks, suggest_folders
from notewell.names.suggest import SHOWN, suggest
from notewell.redact import redact_text
from notewell.search.describe import told, told_values
from notewell.search.exact import tell_missing
from notewell.search.fuse import SearchRules
from notewell.search.spelling import tell_guesses
from notewell.search.unread import near_keys
from notewell.store import Snapshot
from notewell.terms import fold
from notewell.types.candidates import Candidate
from notewell.types.query import EVERYTHING, Filter, Plan, Range, Scope

# More values than these are not compared: a hint may not take longer than the search.
COMPARED = 5_000
# As many notices as one reads, and as much of one.
LINES = 8
LONGEST = 400
NO_WORDS = "there are no words to look for"
NEAREST = "these are nearest by meaning"
LIKE = re.compile(r'(?:^|\s)like:("[^"]+"|“[^”]+”|\S+)')
NAMES = {
    "path": "there is no note or folder",
    "tag": "no note has the tag",
    "type": "no note has the type",
    "lang": "no note is in the language",
}


def find_doubts(
    plan: Plan, page: Sequence[Candidate], left_out: int, store: Snapshot, rules: SearchRules
) -> tuple[str, ...]:
    """Return what the user should know of a page, as many lines as one reads; a secret in the query is not repeated."""
    doubts = [*plan.notices, *tell_guesses(plan, page), *_unknown_notes(plan, store)]
    if left_out and not page:
        doubts.append(f"nothing fits into {rules.max_tokens} tokens")
    else:
        doubts += _found(plan, page, store, rules)
    doubts = doubts or [*tell_missing(plan, page)]
    shown = [_line(doubt) for doubt in dict.fromkeys(doubts)]
    more = len(shown) - LINES + 1
    return (*shown[: LINES - 1], f"… and {more} more such notes") if more > 1 else tuple(shown)


def _line(doubt: str) -> str:
    line = " ".join(redact_text(doubt)[0].split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _found(plan: Plan, page: Sequence[Candidate], store: Snapshot, rules: SearchRules) -> tuple[str, ...]:
    if page:
        asked = plan.by_words and rules.lexical_weight and not plan.only_filters and not plan.related
        return _by_words(plan, page, store) if asked else ()
    if plan.related and not store.within(plan.scope, 1):
        # The last filter leaves out the notes themselves, and was asked for by nobody.
        asked_for = replace(plan.scope, filters=plan.scope.filters[:-1])
        return _nothing_in(asked_for, store) or ("there is no other note here to compare with",)
    return _nothing_in(plan.scope, store) or (() if plan.terms or not plan.text else (NO_WORDS,))


def _nothing_in(scope: Scope, store: Snapshot) -> tuple[str, ...]:
    """Say why there is nothing to look in, if there is nothing."""
    if scope == EVERYTHING or store.within(scope, 1):
        return ()
    if scope.under and not store.within(Scope(scope.under), 1):
        near = ", ".join(suggest_folders(scope.under, store.ids()))
        return (f"there is no note or folder '{scope.under}' in this vault{near and f'; near: {near}'}",)
    alone = (asked for asked in scope.filters if not store.within(Scope(filters=(asked,)), 1))
    if missing := list(islice(alone, LINES)):
        return tuple(_missing(asked, store) for asked in missing)
    conditions = (*([f"under {scope.under}"] if scope.under else []), *map(told, scope.filters))
    return (f"nothing has all of this: {'; '.join(conditions)}",)


def _by_words(plan: Plan, page: Sequence[Candidate], store: Snapshot) -> tuple[str, ...]:
    """Say which words the hits do not have because nothing has them."""
    if not plan.terms:
        return (f"{NO_WORDS}; {NEAREST}",)
    beginnings = [term for term in plan.terms if term.endswith("*")]
    unknown = [term for term in beginnings[:LINES] if not store.match([term], EVERYTHING, 1).found]
    doubts = tuple(f"no word in the notes begins with '{term[:-1]}'" for term in unknown)
    if any(one.ranks["lexical"] for one in page) or store.match(plan.terms, plan.scope, 1).found:
        return doubts
    if len(unknown) == len(plan.terms):
        return (*doubts[:-1], f"{doubts[-1]}; {NEAREST}")
    where = "the notes" if plan.scope == EVERYTHING else "the notes that fit"
    return (*doubts, f"none of these words is in {where}; {NEAREST}")


def _unknown_notes(plan: Plan, store: Snapshot) -> list[str]:
    """Say of each `like:place` that was not read, up to a few, that there is no such place, and what is near."""
    doubts = []
    for place in list(dict.fromkeys(LIKE.findall(plan.text)))[:SHOWN]:
        try:
            found = find_chunks(place.strip('"“”'), store)
        except NoteError as error:
            doubts.append(f"{error.fact}, so it is text. {error.hint}")
        else:
            doubts.append(f"{MOST_PLACES} places are read in one query, so like:{found.place} is text")
    return doubts


def _missing(asked: Filter, store: Snapshot) -> str:
    """Say that nothing fits a filter, and what is near to it."""
    if asked.negated:
        return f"every note has what you excluded: {told(replace(asked, negated=False))}"
    values, near = told_values(asked), []
    if asked.of == "field" and fold(asked.key) not in (keys := store.values("key")):
        fact, near = f"no note has the key '{asked.key}'", near_keys(asked.key, keys)
    elif asked.of == "field":
        fact = f"no note has {asked.key}: {values}"
    elif asked.of in NAMES:
        fact = f"{NAMES[asked.of]} '{values}'"
    elif asked.of == "date":
        fact = f"no note is of {_days(asked)}"
    elif asked.of == "heading":
        fact = "no heading has all of these words"
    else:
        fact = f"no chunk holds {told(asked)}"
    near = near or _near(asked, store)
    return f"{fact}; near: {', '.join(near)}" if near else fact


def _days(asked: Filter) -> str:
    (days,) = asked.values
    assert isinstance(days, Range), "dates are ranges"
    return f"{days.low} or later" if days.low else f"a day before {days.high}"


def _near(asked: Filter, store: Snapshot) -> list[str]:
    wanted = [value for value in asked.values if isinstance(value, str)]
    known = store.values(asked.of, asked.key, most=COMPARED) if wanted else []
    return list(dict.fromkeys(near for value in wanted for near in suggest(value, known)))
