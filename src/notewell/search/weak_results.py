"""Notices on weak results: words and filters that nothing matches, and what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from notewell.errors import NoteError
from notewell.names.find import MOST_PLACES, find_chunks, suggest_folders
from notewell.names.suggest import SHOWN, suggest
from notewell.redact import redact_text
from notewell.search.exact import find_missing
from notewell.search.filters import describe_filter, describe_values
from notewell.search.query import near_keys
from notewell.search.rules import SearchRules
from notewell.search.spelling import find_replaced
from notewell.store import Snapshot
from notewell.store.filters import plain
from notewell.terms import TOKEN, fold, token_terms
from notewell.types.candidates import Candidate
from notewell.types.notices import Fact, Notice
from notewell.types.query import EVERYTHING, Filter, Plan, Range, Scope

# More values than these are not compared: a suggestion may not take longer than the search.
COMPARED = 5_000
# The most notices that a user reads, and the longest text in one.
MOST = 8
LONGEST = 400
# The most words or symbols that one notice names.
NAMED = 5
# Signs that sentences have between words, and that nobody searches for.
ORDINARY = re.compile(r"""[-–—+&/|.,;:!?…'"“”„‘’«»()<>*_#~]|\.{2,}|-{2,}|[!?]{2,}""")
LIKE = re.compile(r'(?:^|\s)like:("[^"]+"|“[^”]+”|\S+)')
# The notice if no note passes a filter of a kind.
CODES = {"path": "no_path", "tag": "no_tag", "type": "no_type", "lang": "no_language"}


class Missing(NamedTuple):
    """How many hits are not on the page: those that did not fit, and those that are hidden as weak."""

    left_out: int = 0
    hidden: int = 0


def find_notices(
    plan: Plan, page: Sequence[Candidate], missing: Missing, store: Snapshot, rules: SearchRules
) -> tuple[Notice, ...]:
    """Return what the user should know about poor results; a secret in the query is not repeated."""
    found = [*plan.notices, *find_replaced(plan, page), *_unknown_notes(plan, store)]
    if missing.left_out and not page:
        found.append(Notice("nothing_fits", {"tokens": rules.max_tokens}))
    else:
        found += _poor(plan, page, store, rules)
    found = found or [*find_missing(plan, page, store)]
    if missing.hidden:
        weak = "weak_hidden" if page or missing.left_out else "only_weak"
        found.append(Notice(weak, {"count": missing.hidden}))
    notices = [_shortened(notice) for notice in dict.fromkeys(found)]
    more = len(notices) - MOST + 1
    return (*notices[: MOST - 1], Notice("more_notices", {"count": more})) if more > 1 else tuple(notices)


def _shortened(notice: Notice) -> Notice:
    """Return a notice whose texts are on one line each, not too long, and without secrets."""
    return Notice(notice.code, {name: _shown(fact) for name, fact in notice.facts.items()})


def _shown(fact: Fact) -> Fact:
    if isinstance(fact, int):
        return fact
    if isinstance(fact, tuple):
        return tuple(str(_shown(one)) for one in fact)
    line = " ".join(redact_text(fact)[0].split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _poor(plan: Plan, page: Sequence[Candidate], store: Snapshot, rules: SearchRules) -> tuple[Notice, ...]:
    if page or store.within(plan.scope, 1):
        asked = plan.by_words and plan.text and rules.lexical_weight
        return (*_missing_words(plan, page, store), *_dropped(plan)) if asked else ()
    if plan.related:
        # The last filter leaves out the notes themselves, and is not the user's.
        asked_for = plan.scope._replace(filters=plan.scope.filters[:-1])
        return _nothing_in(asked_for, store) or (Notice("nothing_to_compare"),)
    return _nothing_in(plan.scope, store)


def _nothing_in(scope: Scope, store: Snapshot) -> tuple[Notice, ...]:
    """Return why a scope is empty; nothing if it is not."""
    if scope == EVERYTHING or store.within(scope, 1):
        return ()
    if scope.under and not store.within(Scope(scope.under), 1):
        return (_with_near("unknown_folder", {"path": scope.under}, suggest_folders(scope.under, store.ids())),)
    alone = (asked for asked in scope.filters if not store.within(Scope(filters=(asked,)), 1))
    if missing := list(islice(alone, MOST)):
        return tuple(_nothing_passes(asked, store) for asked in missing)
    conditions = (*([f"under {scope.under}"] if scope.under else []), *map(describe_filter, scope.filters))
    return (Notice("no_match_for_all", {"conditions": tuple(conditions)}),)


def _missing_words(plan: Plan, page: Sequence[Candidate], store: Snapshot) -> tuple[Notice, ...]:
    """Return notices about words of the query that no note contains."""
    nearest = (Notice("nearest"),) if page else ()
    if not plan.terms:
        return (Notice("no_words"), *nearest)
    beginnings = [term for term in plan.terms if term.endswith("*")]
    unknown = [term[:-1] for term in beginnings[:MOST] if not store.match([term], EVERYTHING, 1).found]
    notices = tuple(Notice("no_prefix", {"prefix": prefix}) for prefix in unknown)
    if any(one.ranks["lexical"] for one in page) or store.match(plan.terms, plan.scope, 1).found:
        return notices
    words = tuple(word for word in plan.words if not set(token_terms(word)).isdisjoint(plan.terms))[:NAMED]
    code = "none_of_the_words" if plan.scope == EVERYTHING else "none_of_the_words_here"
    return (*notices, *([Notice(code, {"words": words})] if words else ()), *nearest)


def _dropped(plan: Plan) -> tuple[Notice, ...]:
    """Return a notice about symbols that stand alone, such as `==`, for which nothing searches."""
    alone = (word for word in plan.text.split() if not TOKEN.search(word) and not ORDINARY.fullmatch(word))
    dropped = [word for word in dict.fromkeys(alone) if not any(word in string for string in plan.strings)]
    return (Notice("symbols_dropped", {"symbols": tuple(dropped[:NAMED])}),) if dropped and plan.terms else ()


def _unknown_notes(plan: Plan, store: Snapshot) -> Iterator[Notice]:
    """Yield a notice for the first few `like:place` read as text, since the place is unknown or there are too many."""
    for place in list(dict.fromkeys(LIKE.findall(plan.text)))[:SHOWN]:
        try:
            found = find_chunks(place.strip('"“”'), store)
        except NoteError as error:
            yield Notice("unknown_like", {"fact": error.fact, "hint": error.hint})
        else:
            yield Notice("too_many_places", {"most": MOST_PLACES, "place": found.place})


def _nothing_passes(asked: Filter, store: Snapshot) -> Notice:
    """Return the notice that no note passes a filter, with similar values."""
    if asked.negated:
        return Notice("all_excluded", {"condition": describe_filter(asked._replace(negated=False))})
    values = describe_values(asked)
    if asked.of == "field" and fold(asked.key) not in (keys := store.values("key")):
        return _with_near("no_property", {"key": asked.key}, near_keys(asked.key, keys))
    if asked.of == "note" and asked.key:
        return Notice("no_entity", {"value": values})
    near = _near(asked, store)
    if asked.of == "field":
        return _with_near("no_value", {"condition": f"{asked.key}: {values}"}, near)
    if asked.of in CODES:
        return _with_near(CODES[asked.of], {"value": values}, near)
    if asked.of == "date":
        return Notice("no_day", {"days": _days(asked)})
    if asked.of == "heading":
        return Notice("no_heading")
    if asked.of == "task":
        return Notice("no_task", {"condition": describe_filter(asked)})
    if asked.of == "due":
        return Notice("nothing_due", {"days": values})
    return Notice("no_chunk", {"condition": values})


def _with_near(code: str, facts: Mapping[str, Fact], near: Iterable[str]) -> Notice:
    return Notice(code, {**facts, "near": found} if (found := tuple(near)) else facts)


def _folders_called(names: Sequence[str], store: Snapshot) -> list[str]:
    """Return the folders that have one of these names, wherever they are."""
    called = {plain(name).strip("/") for name in names}
    folders = {path.rpartition("/")[0] for path in store.values("path")}
    above = {folder[:at] for folder in folders for at, sign in enumerate(folder) if sign == "/"}
    return sorted(folder for folder in folders | above if plain(folder).rpartition("/")[2] in called)[:SHOWN]


def _days(asked: Filter) -> str:
    (days,) = asked.values
    assert isinstance(days, Range), "dates are ranges"
    return f"{days.low} or later" if days.low else f"before {days.high}"


def _near(asked: Filter, store: Snapshot) -> list[str]:
    wanted = [value for value in asked.values if isinstance(value, str)]
    if asked.of == "path" and (folders := _folders_called(wanted, store)):
        return folders
    known = store.values(asked.of, asked.key, most=COMPARED) if wanted else []
    return list(dict.fromkeys(near for value in wanted for near in suggest(value, known)))
