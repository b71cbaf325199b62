"""Rankers by words: marks of secrets, names, keyword stuffing, and the best hit of each related note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from notewell.search.exact import is_called
from notewell.search.rank.sections import name_terms, named_section
from notewell.terms import DATA, KEY, TOKEN, split_terms, stop_terms, token_terms
from notewell.types.candidates import Candidate
from notewell.types.note import BETWEEN, Chunk
from notewell.types.query import Plan

# What stands in place of a secret; among properties without brackets.
MARK = re.compile(r"\[?REDACTED:[\w-]+\]?")
# What a note with exactly this name gains; with half the words in common, a quarter of that. With it, a query that is
# a file's name finds that file first in 86 of 100 cases instead of 44 (13,416 notes). 1.0 costs SciFact .002.
NAME_GAIN = 0.6
# What a note gains if a property of it, such as its description, says what the query does; with half the words in
# common, a sixteenth of that. Titles of 16,894 pages without their titles: MRR@10 .811 → .885.
PROPERTY_GAIN = 0.6
# A property that more candidates share, such as a status, does not tell which note is meant.
FEW = 3
# A property this many times as long as the query, or as short, cannot have half its words in common with it.
LONGER = 3
# How far above the best other hit a note with exactly this name comes: links and age may still change the order.
FIRST = 1.2
# The share of its score that a stuffed chunk keeps, chosen on the notes of tests/test_failure_modes.py. No candidate of
# the nine collections is stuffed, so they speak neither for it nor against it.
STUFFED_LEFT = 0.4
# Longer chunks are not checked, which saves time: among that many words, BM25 gives little for repetition.
SHORT = 300
# Text that a program wrote is searched for as it is written, and has no grammar either.
STUFFED_INTENTS = ("question", "keywords", "one word")
# The share of its score that entries of a data file keep if only their keys have words of the query.
KEYS_LEFT = 0.8
# Shared words that a reader is shown.
SHARED_SHOWN = 5


def drop_marked(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leave out chunks whose only words of the query are in the marks of secrets: `[REDACTED:password]`."""
    wanted = frozenset(plan.terms)
    return [one for one in candidates if not _is_marked(one.chunk, wanted)]


def _is_marked(chunk: Chunk, wanted: frozenset[str]) -> bool:
    written = (chunk.text, chunk.path, chunk.title, chunk.kind, chunk.properties)
    # Most chunks have no mark.
    if "REDACTED:" not in "\n".join((*written, *chunk.headings, *chunk.tags, *chunk.aliases)):
        return False
    text = "\n".join((chunk.text, chunk.heading, chunk.context))
    if wanted.isdisjoint(split_terms(" ".join(MARK.findall(text)))):
        return False
    return wanted.isdisjoint(split_terms(MARK.sub(" ", text)))


def favour_names(plan: Plan, candidates: Sequence[Candidate], *, weight: float = 1.0) -> list[Candidate]:
    """Raise notes whose title, file name or alias shares words with the query; what it names in full comes first.

    All but the latter counts `weight` times as much.
    """
    share = name_share(plan)
    told = _told_by_properties(plan, candidates, share)
    notes = {one.chunk.path: one.chunk for one in candidates}
    gains = {path: _gain(chunk, share, told.get(path), weight) for path, chunk in notes.items()}
    favoured = sorted((_favoured(one, gains[one.chunk.path]) for one in candidates), key=lambda one: -one.score)
    if not favoured:
        return []
    best = favoured[0].score
    first = dict(named_section(plan, favoured))
    named = {path for path, chunk in notes.items() if is_called(chunk, plan)}
    called: dict[str, Candidate] = {}
    # A reader who asks for a note by its name wants to begin at its beginning.
    for one in sorted((one for one in favoured if one.chunk.path in named), key=lambda one: one.chunk.start):
        called.setdefault(one.chunk.path, one)
    first |= {id(one): "the query is its name" for one in called.values()}
    return [_first(one, best, first[id(one)]) if id(one) in first else one for one in favoured]


def _first(candidate: Candidate, best: float, why: str) -> Candidate:
    """Return a candidate that the query names, above all others."""
    return candidate.rescored(max(candidate.score, best * FIRST), by="name", why=why)


# What a note gains, by what, and why.
Gain = tuple[float, str, str]


def _gain(chunk: Chunk, share: Callable[[str], float], told: tuple[float, str] | None, weight: float) -> Gain:
    """Return what its names give the chunks of a note, or a property if that gives more."""
    shared, name = max((share(name), name) for name in chunk.names)
    gain, by = NAME_GAIN * shared**2, "name"
    if told and PROPERTY_GAIN * told[0] ** 4 > gain:
        gain, by, (shared, name) = PROPERTY_GAIN * told[0] ** 4, "property", told
    return weight * gain, by, f"{shared:.2f} of '{name}' and the query" if gain else ""


def _favoured(candidate: Candidate, gained: Gain) -> Candidate:
    gain, by, why = gained
    return candidate.rescored(candidate.score * (1 + gain), by=by, why=why) if gain else candidate


def _told_by_properties(
    plan: Plan, candidates: Sequence[Candidate], share: Callable[[str], float]
) -> dict[str, tuple[float, str]]:
    """Return the words in common with a property of each note, and the property; none that many of the notes have."""
    length = len(plan.text)
    properties = {one.chunk.path: one.chunk.properties for one in candidates if one.chunk.properties}
    values = {
        path: [value for value in text.split(BETWEEN) if length <= LONGER * len(value) <= LONGER**2 * length]
        for path, text in properties.items()
    }
    often = Counter(value for of_note in values.values() for value in {*of_note})
    told = {}
    for path, of_note in values.items():
        shares = ((share(value), value) for value in of_note if often[value] <= FEW)
        if (best := max(shares, default=(0.0, "")))[0]:
            told[path] = best
    return told


def lower_stuffed(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Lower short chunks without grammar that mostly repeat the query, unless the query names the note."""
    if plan.intent not in STUFFED_INTENTS:
        return list(candidates)
    wanted, written = frozenset(plan.terms), frozenset(plan.written)
    return [_lowered(one, wanted, written) if len(one.chunk.text) < SHORT else one for one in candidates]


def _lowered(candidate: Candidate, wanted: frozenset[str], written: frozenset[str]) -> Candidate:
    terms = split_terms(candidate.chunk.text)
    shared = [term for term in terms if term in wanted]
    says_something = 2 * len(shared) <= len(terms) or not stop_terms().isdisjoint(terms)
    if says_something or len(shared) == len(set(shared)) or _is_called(candidate.chunk, written):
        return candidate
    why = f"{len(shared)} of its {len(terms)} words are the query's, repeated"
    return candidate.rescored(candidate.score * STUFFED_LEFT, by="stuffed", why=why)


def _is_called(chunk: Chunk, wanted: frozenset[str]) -> bool:
    return any(name_terms(name) == wanted for name in chunk.names)


def lower_keys(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Lower entries of data files that have words of the query only in their keys: others explain what a key means."""
    wanted = frozenset(plan.terms)
    return [
        one.rescored(one.score * KEYS_LEFT, by="keys", why="only its keys have words of the query")
        if one.chunk.path.endswith(DATA) and _has_only_keys(one.chunk, wanted)
        else one
        for one in candidates
    ]


def _has_only_keys(chunk: Chunk, wanted: frozenset[str]) -> bool:
    """Tell whether keys that repeat have words of the query, and no value has."""
    keys = Counter(split_terms("\n".join(KEY.findall(chunk.text))))
    repeated = any(keys[term] > 1 for term in wanted)
    return repeated and wanted.isdisjoint(split_terms(KEY.sub(" ", chunk.text)))


def keep_one_a_note(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Keep the best candidate of each note, with the words it shares, if the plan asks for related notes."""
    if not plan.related:
        return list(candidates)
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        best.setdefault(candidate.chunk.path, candidate)
    return [one.rescored(one.score, by="shared", why=_shared(plan, one.chunk)) for one in best.values()]


def _shared(plan: Plan, chunk: Chunk) -> str:
    """Return the most distinctive words that a chunk shares with the plan, as it writes them."""
    written: dict[str, str] = {}
    for token in TOKEN.findall("\n".join((chunk.text, chunk.heading, chunk.context))):
        for term in token_terms(token):
            written.setdefault(term, token)
    words = dict.fromkeys(written[term] for term in plan.terms if term in written)
    return ", ".join(list(words)[:SHARED_SHOWN]) or "no distinctive word, but close in meaning"


def name_share(plan: Plan) -> Callable[[str], float]:
    """Return a function that tells how many words a name shares with the query, from 0 to 1."""
    wanted = frozenset(plan.terms)
    prefixes = tuple(term for term in wanted if term.endswith("*"))
    return cache(lambda name: share_words(name_terms(name), wanted, prefixes, plan.stand_ins))


def share_words(
    name: frozenset[str], wanted: frozenset[str], prefixes: Sequence[str], stand_ins: Mapping[str, tuple[str, ...]]
) -> float:
    """Return the words in common as a share of all words of both; a prefix or stand-in counts as the word it is for."""
    for term in prefixes:
        words = {word for word in name if word.startswith(term[:-1])}
        wanted = (wanted - {term}) | words if words else wanted
    for term, others in stand_ins.items():
        # Of twenty words that stand in for one, the name has one.
        wanted = (wanted - {term, *others}) | (name.intersection((term, *others)) or {term})
    common = len(name & wanted)
    return common / (len(name) + len(wanted) - common) if common else 0.0
