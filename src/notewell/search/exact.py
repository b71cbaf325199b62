"""A third retriever, for what terms lose: chunks that hold a string of the query as it is written, signs and all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from notewell.store import Matching
from notewell.terms import DATA, KEY, TOKEN, fold, is_several, split_terms, token_terms, whole_terms
from notewell.types.candidates import Candidate, Ranking
from notewell.types.note import Chunk
from notewell.types.notices import Notice
from notewell.types.query import Filter, Plan

# So many of the chunks that hold all of a string's terms are read, the best first. 100 miss one string in forty more.
READ = 300
# They are read so many at a time, until so many hold it.
AT_ONCE, ENOUGH = 50, 30
# A string that is a smaller part of the query's terms would count a hundredth of the words.
LEAST_SHARE = 0.3
# Of a long question a string is a small part, and says little about the answer: the square costs SciFact .002.
STEEPNESS = 4
# What is less of a query is not all that was asked for.
MOST = 0.6
# So many chunks of what has the path that is asked for are put forward.
CALLED = 10
# A query of more words is a question, and does not stand in a note as a whole.
FEW = 6
# So many strings at most: each costs as much as a search.
STRINGS = 4
# What a sentence puts around a string; a dot, dash or other sign before it may be its own.
BEFORE, AFTER = "\"'“”„«»‘’`*([{<,;:!?", "\"'“”„«»‘’`*)]}>,;:!?."
# Inside a word no string begins or ends.
INSIDE = r"[^\W_]"


def find_strings(text: str) -> tuple[str, ...]:
    """Return what of a text only its signs tell apart: the whole of a short one, and words with signs.

    >>> find_strings("§3 Absatz 2"), find_strings("is it fixed in v1.2.3?")
    (('§3 Absatz 2', '§3'), ('is it fixed in v1.2.3', 'v1.2.3'))
    >>> find_strings("well-known loaf"), find_strings("404B"), find_strings("--no-warn")
    ((), (), ('--no-warn',))
    """
    words = [word for piece in text.split() if (word := _bare(piece))]
    telling = [word for word in words if _loses(word, alone=len(words) == 1)]
    numbered = any(map(str.isdigit, text)) and len(words) > 1
    whole = [" ".join(words)] if (telling or numbered) and len(words) <= FEW else []
    return tuple(dict.fromkeys((*whole, *telling)))[:STRINGS]


def find_verbatim(plan: Plan, store: Matching) -> list[Ranking]:
    """Return the chunks that hold strings of the plan, those that hold most first; nothing where there are none."""
    # What is called so comes before what only names it.
    held = dict.fromkeys(_called(plan, store), 2 * len(plan.terms))
    for string in plan.strings:
        size = len(split_terms(string))
        if size >= LEAST_SHARE * len(plan.terms):
            for chunk_id in _holding(string, plan, store):
                held[chunk_id] = max(size, held.get(chunk_id, 0))
    if not held:
        return []
    best_first = tuple(sorted(((chunk_id, float(size)) for chunk_id, size in held.items()), key=lambda item: -item[1]))
    share = min(1.0, best_first[0][1] / len(plan.terms)) if plan.terms else 1.0
    return [Ranking("exact", best_first, trust=share**STEEPNESS)]


def find_missing(plan: Plan, page: Sequence[Candidate]) -> tuple[Notice, ...]:
    """Return a notice for each string that no hit holds as it is written, where it is most of the query."""
    if not plan.strings or any(one.ranks.get("exact") for one in page):
        return ()
    # Several words in a row are seldom meant to the letter.
    asked = (one for one in plan.strings if " " not in one and len(split_terms(one)) >= MOST * len(plan.terms))
    return tuple(Notice("no_exact_match", {"text": string}) for string in asked)


def _called(plan: Plan, store: Matching) -> list[int]:
    """Return the first chunks of the notes that have the path, or the file's name, that the query is."""
    wanted = plan.text.strip().removeprefix("./")
    if plan.intent != "path" or "*" in wanted:
        return []
    for pattern in (wanted, f"*/{wanted}"):
        called = Filter("path", (pattern,))
        if found := store.within(replace(plan.scope, filters=(*plan.scope.filters, called))):
            return list(found[:CALLED])
    return []


def _holding(string: str, plan: Plan, store: Matching) -> list[int]:
    """Return the chunks that hold a string, among those that hold all its terms; a page of them is enough."""
    ids = [chunk_id for chunk_id, _ in store.match_all(whole_terms(string), plan.scope, READ).found]
    found: list[int] = []
    for first in range(0, len(ids), AT_ONCE):
        batch = ids[first : first + AT_ONCE]
        found += [chunk_id for chunk_id, chunk in store.chunks(batch).items() if holds(chunk, string)]
        if len(found) >= ENOUGH:
            break
    return found


def holds(chunk: Chunk, string: str) -> bool:
    """Tell whether a chunk's lines, headings, path or tags hold a string; case, accents and spaces do not matter.

    >>> holds(Chunk("a.md", "since V1.2.3, see § 3", 1, 1), "v1.2.3"), holds(Chunk("a.md", "v1.2.30", 1, 1), "v1.2.3")
    (True, False)
    """
    tags = (f"#{tag}" for tag in chunk.tags)
    # A key stands with every entry of a file: that it is written so makes no entry an answer.
    text = KEY.sub("\0", chunk.text) if chunk.path.endswith(DATA) else chunk.text
    return is_written(string, fold("\0".join((text, chunk.path, chunk.title, *chunk.headings, *tags))))


def is_written(string: str, folded: str) -> bool:
    """Tell whether a text without case and accents holds a string.

    >>> is_written("Formic acid", "oxalic acid, formic\\nacid"), is_written("acid", "acidic")
    (True, False)
    """
    # Most texts lack some word of it: that is seen in a tenth of the time.
    return all(word in folded for word in _words(string)) and bool(_pattern(string).search(folded))


def _bare(piece: str) -> str:
    return piece.lstrip(BEFORE).rstrip(AFTER)


def _loses(word: str, *, alone: bool) -> bool:
    """Tell whether a word is more than its terms say: it has signs that count, or is several words in one."""
    tokens = TOKEN.findall(word)
    if tokens == [word]:
        return len(token_terms(word)) > 1 and not is_several(word)
    # One hyphen between words is how people write.
    return bool(tokens) and (alone or not re.fullmatch(r"[^\W\d_]+-[^\W\d_]+(?:['’]\w+)?", word))


@lru_cache(maxsize=64)
def _pattern(string: str) -> re.Pattern[str]:
    """Return what a folded text is searched with; a section sign stands with a space or without."""
    words = re.sub(r"§\s*", "§", fold(string)).split()
    before = rf"(?<!{INSIDE})" if re.match(INSIDE, words[0]) else ""
    after = rf"(?!{INSIDE})" if re.match(INSIDE, words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(re.escape(word).replace("§", r"§\s*") for word in words) + after)


@lru_cache(maxsize=64)
def _words(string: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(fold(string)))
