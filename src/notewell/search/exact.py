"""A third retriever, for what terms lose: chunks that hold a string of the query as it is written, signs and all."""

from __future__ import annotations

import re
from functools import lru_cache

from notewell.asked import Plan
from notewell.store import Snapshot
from notewell.terms import DATA, KEY, SEVERAL, TOKEN, fold, split_terms, token_terms, whole_terms
from notewell.types import Chunk, Ranking

# So many of the chunks that hold all of a string's terms are read, the best first. 100 miss one string in forty more.
READ = 300
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


def find_verbatim(plan: Plan, store: Snapshot) -> list[Ranking]:
    """Return the chunks that hold strings of the plan, those that hold most first; nothing where there are none."""
    held: dict[int, int] = {}
    for string in plan.strings:
        ids = [chunk_id for chunk_id, _ in store.matching_all(whole_terms(string), plan.scope, READ).found]
        size = len(split_terms(string))
        for chunk_id, chunk in zip(ids, store.chunks(ids), strict=True):
            if size > held.get(chunk_id, 0) and holds(chunk, string):
                held[chunk_id] = size
    if not held:
        return []
    best_first = tuple(sorted(((chunk_id, float(size)) for chunk_id, size in held.items()), key=lambda item: -item[1]))
    # Of a long question a string is a small part, and says little about the answer: the square costs SciFact .002.
    share = min(1.0, best_first[0][1] / len(plan.terms)) if plan.terms else 1.0
    return [Ranking("exact", best_first, trust=share**4)]


def holds(chunk: Chunk, string: str) -> bool:
    """Tell whether a chunk's lines, headings, path or tags hold a string; case, accents and spaces do not matter.

    >>> holds(Chunk("a.md", "since V1.2.3, see § 3", 1, 1), "v1.2.3"), holds(Chunk("a.md", "v1.2.30", 1, 1), "v1.2.3")
    (True, False)
    """
    tags = (f"#{tag}" for tag in chunk.tags)
    # A key stands with every entry of a file: that it is written so makes no entry an answer.
    text = KEY.sub("\0", chunk.text) if chunk.path.endswith(DATA) else chunk.text
    return bool(_pattern(string).search(fold("\0".join((text, chunk.path, chunk.title, *chunk.headings, *tags)))))


def _bare(piece: str) -> str:
    return piece.lstrip(BEFORE).rstrip(AFTER)


def _loses(word: str, *, alone: bool) -> bool:
    """Tell whether a word is more than its terms say: it has signs that count, or is several words in one."""
    tokens = TOKEN.findall(word)
    if tokens == [word]:
        return len(token_terms(word)) > 1 and not SEVERAL.search(word)
    # One hyphen between words is how people write.
    return bool(tokens) and (alone or not re.fullmatch(r"[^\W\d_]+-[^\W\d_]+(?:['’]\w+)?", word))


@lru_cache(maxsize=64)
def _pattern(string: str) -> re.Pattern[str]:
    """Return what a folded text is searched with; a section sign stands with a space or without."""
    words = re.sub(r"§\s*", "§", fold(string)).split()
    before = rf"(?<!{INSIDE})" if re.match(INSIDE, words[0]) else ""
    after = rf"(?!{INSIDE})" if re.match(INSIDE, words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(re.escape(word).replace("§", r"§\s*") for word in words) + after)
