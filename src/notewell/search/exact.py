"""A third retriever: chunks that contain strings of the query as they are written, with signs that terms lose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from notewell.store import Matching
from notewell.terms import DATA, KEY, TOKEN, fold, is_several_words, split_terms, token_terms, whole_terms
from notewell.types.candidates import Candidate, Ranking
from notewell.types.note import Chunk
from notewell.types.notices import Notice
from notewell.types.query import EVERYTHING, Filter, Plan

# This many of the chunks with all of a string's terms are read, the best first. 100 miss one string in forty more.
READ = 300
# They are read in groups of this size, until this many contain the string.
AT_ONCE, ENOUGH = 50, 30
# A string with a smaller share of the query's terms is not looked for: it would count a hundredth of the words.
LEAST_SHARE = 0.3
# In a long question a string is a small part, and says little about the answer: the square costs SciFact .002.
STEEPNESS = 4
# A string with a smaller share of the terms is not the subject of the query.
MOST = 0.6
# Chunks proposed of the notes whose path the query is.
CALLED = 10
# No name that people type has more words.
NAME = 12
# A query of more words is a question, which no note contains as a whole.
FEW = 6
# The most strings of a query: each costs as much as a search.
STRINGS = 4
# Signs of a sentence around a string; a dot, dash or other sign before it may be part of it.
BEFORE, AFTER = "\"'“”„«»‘’`*([{<,;:!?", "\"'“”„«»‘’`*)]}>,;:!?."
# Links to notes of the vault, without those that lead out of it. What is embedded is a part of the note, as is the name
# of an image.
LINKS = re.compile(r"(?<!!)(?:\[\[[^\[\]\n]*+\]\]|\[[^\[\]\n]*+\]\((?![a-z]+:)[^()\n]*+\))")
# A string does not begin or end inside a word.
INSIDE = r"[^\W_]"


def find_strings(text: str) -> tuple[str, ...]:
    """Return the strings of a text that its terms do not capture: a short text as a whole, and words with signs.

    >>> find_strings("§3 Absatz 2"), find_strings("is it fixed in v1.2.3?")
    (('§3 Absatz 2', '§3'), ('is it fixed in v1.2.3', 'v1.2.3'))
    >>> find_strings("well-known loaf"), find_strings("404B"), find_strings("--no-warn")
    ((), (), ('--no-warn',))
    """
    words = [word for piece in text.split() if (word := _bare(piece))]
    telling = [word for word in words if _loses_signs(word, alone=len(words) == 1)]
    numbered = any(map(str.isdigit, text)) and len(words) > 1
    whole = [" ".join(words)] if (telling or numbered) and len(words) <= FEW else []
    return tuple(dict.fromkeys((*whole, *telling)))[:STRINGS]


def find_verbatim(plan: Plan, store: Matching, by_words: Sequence[int] = ()) -> list[Ranking]:
    """Return the ranking of the chunks that contain strings of the plan, the longest first; none if there are none.

    The best chunks `by_words` are read too: of a frequent string, only some of the chunks with it are.
    """
    # A note with this name comes before notes that only mention it.
    held = dict.fromkeys(_called(plan, store), 2 * len(plan.written))
    for string in plan.strings:
        size = len(split_terms(string))
        if size >= LEAST_SHARE * len(plan.written):
            for chunk_id in _holding(string, plan, store, by_words):
                held[chunk_id] = max(size, held.get(chunk_id, 0))
    if not held:
        return []
    best_first = tuple(sorted(((chunk_id, float(size)) for chunk_id, size in held.items()), key=lambda item: -item[1]))
    share = min(1.0, best_first[0][1] / len(plan.written)) if plan.terms else 1.0
    return [Ranking("exact", best_first, trust=share**STEEPNESS)]


def find_missing(plan: Plan, page: Sequence[Candidate], store: Matching) -> tuple[Notice, ...]:
    """Return a notice for each string that is most of the query and that no note contains as it is written."""
    if not plan.strings or any(one.ranks.get("exact") for one in page):
        return ()
    # Several words in a row are seldom meant literally.
    asked = (one for one in plan.strings if " " not in one and len(split_terms(one)) >= MOST * len(plan.written))
    return tuple(Notice("no_exact_match", {"text": string}) for string in asked if _is_nowhere(string, store))


def _is_nowhere(string: str, store: Matching) -> bool:
    """Tell whether no chunk of the vault contains a string; False if there are too many to read."""
    ids = [chunk_id for chunk_id, _ in store.match_all(whole_terms(string), EVERYTHING, READ + 1).found]
    return len(ids) <= READ and not _containing(string, ids, store)


def _called(plan: Plan, store: Matching) -> list[int]:
    """Return the first chunks of the notes whose path or file name the query is, or whose title or alias."""
    return _named(plan, store) or _at_path(plan, store)


def _named(plan: Plan, store: Matching) -> list[int]:
    """Return the chunks of notes that are called as the query, if it has words that are not searched for: "of", "May".

    Without those, the words of the name alone put the note first.
    """
    every = split_terms(plan.text)
    if not len(plan.written) < len(every) <= NAME:
        return []
    ranking = store.match_all(every, plan.scope, AT_ONCE)
    # The chunks of a note have the same names: one of them is read.
    notes = {chunk_id: ranking.firsts.get(chunk_id, chunk_id) for chunk_id, _ in ranking.found}
    chunks = store.chunks([*{note: chunk_id for chunk_id, note in notes.items()}.values()])
    called = {notes[chunk_id] for chunk_id, chunk in chunks.items() if is_called(chunk, plan)}
    return [chunk_id for chunk_id, note in notes.items() if note in called][:CALLED]


def is_called(chunk: Chunk, plan: Plan) -> bool:
    """Tell whether the query is a name of a chunk's note, but for case, accents and hyphens."""
    return _spaced(plan.text) in map(_spaced, chunk.names)


@lru_cache(maxsize=4_000)
def _spaced(name: str) -> str:
    """Return a name folded, and with spaces for hyphens: `bitwise-and.md` is asked for as "bitwise and"."""
    return " ".join(fold(name).replace("-", " ").replace("_", " ").split())


def _at_path(plan: Plan, store: Matching) -> list[int]:
    wanted = plan.text.strip().removeprefix("./")
    if plan.intent != "path" or "*" in wanted:
        return []
    for pattern in (wanted, f"*/{wanted}"):
        called = Filter("path", (pattern,))
        if found := store.within(plan.scope._replace(filters=(*plan.scope.filters, called))):
            return list(found[:CALLED])
    return []


def _holding(string: str, plan: Plan, store: Matching, by_words: Sequence[int]) -> list[int]:
    """Return chunks that contain a string, among those with all its terms; a page of them is enough."""
    ids = [chunk_id for chunk_id, _ in store.match_all(whole_terms(string), plan.scope, READ).found]
    found: list[int] = []
    for first in range(0, len(ids), AT_ONCE):
        found += _containing(string, ids[first : first + AT_ONCE], store)
        if len(found) >= ENOUGH:
            return found + _containing(string, by_words, store)
    return found


def _containing(string: str, ids: Sequence[int], store: Matching) -> list[int]:
    holding = store.chunks(ids, words=_words(string))
    return [chunk_id for chunk_id, chunk in holding.items() if contains_string(chunk, string)]


def contains_string(chunk: Chunk, string: str) -> bool:
    """Tell whether a chunk's lines, headings, path or tags contain a string, ignoring case, accents and spaces.

    What a link to another note is called does not count: it names that note.

    >>> [contains_string(Chunk("a.md", text, 1, 1), "v1.2.3") for text in ("since V1.2.3, see § 3", "v1.2.30")]
    [True, False]
    >>> texts = "see [v1.2.3](b.md)", "[[b|v1.2.3]]", "![[v1.2.3.png]]"
    >>> [contains_string(Chunk("a.md", text, 1, 1), "v1.2.3") for text in texts]
    [False, False, True]
    """
    tags = (f"#{tag}" for tag in chunk.tags)
    # A key is repeated with every entry of a file: it makes no entry an answer.
    unsaid = KEY if chunk.path.endswith(DATA) else LINKS
    text = unsaid.sub("\0", chunk.text)
    return is_written(string, fold("\0".join((text, chunk.path, chunk.title, *chunk.headings, *tags))))


def is_written(string: str, folded: str) -> bool:
    """Tell whether a folded text contains a string.

    >>> is_written("Formic acid", "oxalic acid, formic\\nacid"), is_written("acid", "acidic")
    (True, False)
    """
    # Most texts lack a word of it, which takes a tenth of the time to see.
    return all(word in folded for word in _words(string)) and bool(_pattern(string).search(folded))


def _bare(piece: str) -> str:
    return piece.lstrip(BEFORE).rstrip(AFTER)


def _loses_signs(word: str, *, alone: bool) -> bool:
    """Tell whether terms lose something of a word: it has signs that count, or is several words in one."""
    tokens = TOKEN.findall(word)
    if tokens == [word]:
        return len(token_terms(word)) > 1 and not is_several_words(word)
    # One hyphen between words is ordinary writing.
    return bool(tokens) and (alone or not re.fullmatch(r"[^\W\d_]+-[^\W\d_]+(?:['’]\w+)?", word))


@lru_cache(maxsize=64)
def _pattern(string: str) -> re.Pattern[str]:
    """Return the pattern of a string in folded text; a section sign may have a space after it."""
    words = re.sub(r"§\s*", "§", fold(string)).split()
    before = rf"(?<!{INSIDE})" if re.match(INSIDE, words[0]) else ""
    after = rf"(?!{INSIDE})" if re.match(INSIDE, words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(re.escape(word).replace("§", r"§\s*") for word in words) + after)


@lru_cache(maxsize=64)
def _words(string: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(fold(string)))
