"""Queries as people type them, drawn from a vault's files with a fixed seed, so that every version gets the same."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

SEED = 2009
# Enough notes for different draws of all kinds, few enough to be read in a second.
SAMPLED_NOTES = 4_000
# The most common words, which have the longest posting lists.
COMMON_WORDS = 150
SENTENCE_WORDS = 10

HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"[^\W\d_]{4,14}")
# camelCase, snake_case, dotted.names
IDENTIFIER = re.compile(r"\b(?:[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Za-z]+(?:_[A-Za-z0-9]+)+|[a-z]{2,}(?:\.[a-z_]{3,})+)\b")
# Link targets, anchors and emphasis: nobody types these into a search box.
MARKUP = re.compile(r"\]\([^)]*\)|\{[^}]*\}|<[^>]*>|[\[\]`*|]")
QUESTIONS = ("how do I {}", "what is {}?", "where is {} explained", "why does {} fail", "{} example")

# Only Notewell understands filters, so peers do not get these.
FILTERED = "with a filter"

Query = tuple[str, str]


def make_queries(root: Path, count: int) -> list[Query]:
    """Return about `count` pairs of kind and text, kinds in turn; a kind the vault has little of yields fewer."""
    draw = random.Random(SEED)
    files = sorted(file for file in root.rglob("*.md") if not _hidden(file.relative_to(root)))
    sampled = draw.sample(files, min(SAMPLED_NOTES, len(files)))
    notes = [(file.stem, FRONT_MATTER.sub("", file.read_text(encoding="utf-8", errors="replace"))) for file in sampled]
    pools = {kind: sorted(set(texts)) for kind, texts in _pools(notes, draw).items()}
    folders = sorted({file.parent.relative_to(root).as_posix() for file in sampled if " " not in str(file.parent)})
    pools[FILTERED] = _filtered(pools["heading"], folders, draw)
    for pool in pools.values():
        draw.shuffle(pool)
    return _in_turn(pools, count)


def _filtered(texts: list[str], folders: list[str], draw: random.Random) -> list[str]:
    """Return texts with a filter each, of the kinds that people use."""
    forms = (
        *("{text} path:{folder}", "{text} -path:{folder}", "{text} after:2020", "{text} before:{year}-06"),
        *('"{first}" {text}', "{text} -{first}", "in:heading {text}", "{first}* path:{folder}"),
    )
    known = folders or ["notes"]
    return [
        draw.choice(forms).format(
            text=text, first=text.split()[0], folder=draw.choice(known), year=draw.randint(2022, 2026)
        )
        for text in texts
    ]


def save_queries(queries: list[Query], file: Path) -> None:
    """Write the queries to a file for the processes that run them."""
    file.write_text(json.dumps(queries, ensure_ascii=False, indent=0), encoding="utf-8")


def load_queries(file: str | Path) -> list[Query]:
    """Read the file that `save_queries` wrote."""
    return [(kind, text) for kind, text in json.loads(Path(file).read_text(encoding="utf-8"))]


def _pools(notes: list[tuple[str, str]], draw: random.Random) -> dict[str, Iterable[str]]:
    headings = [_clean(heading) for _, text in notes for heading in HEADING.findall(FENCE.sub("", text))]
    headings = [heading for heading in headings if 2 < len(heading) < 80]
    spread = Counter(word for _, text in notes for word in set(WORD.findall(text.lower())))
    return {
        "title": [_title(stem, text) for stem, text in notes],
        "heading": headings,
        "question": [draw.choice(QUESTIONS).format(heading.lower()) for heading in headings],
        "common word": sorted(spread, key=lambda word: (-spread[word], word))[:COMMON_WORDS],
        "rare word": [word for word, times in spread.items() if times == 1 and word.isascii()],
        "sentence": [sentence for _, text in notes for sentence in _sentences(text, draw)],
        "identifier": [name for _, text in notes for name in IDENTIFIER.findall(text) if len(name) < 50],
    }


def _in_turn(pools: dict[str, list[str]], count: int) -> list[Query]:
    """Take from each pool in turn until there are enough.

    >>> _in_turn({"a": ["1", "2", "3"], "b": ["4"]}, 3)
    [('a', '1'), ('b', '4'), ('a', '2')]
    """
    longest = max(map(len, pools.values()), default=0)
    turns = ((kind, pool[place]) for place in range(longest) for kind, pool in pools.items() if place < len(pool))
    return [query for query, _ in zip(turns, range(count), strict=False)]


def _title(stem: str, text: str) -> str:
    heading = HEADING.search(FENCE.sub("", text))
    return _clean(heading.group(1)) if heading else stem.replace("-", " ").replace("_", " ")


def _sentences(text: str, draw: random.Random) -> Iterator[str]:
    """Yield at most one run of ten words out of the note's prose."""
    lines = [_clean(line) for line in text.split("\n") if len(line) > 80 and line[0].isalpha()]
    words = draw.choice(lines).split() if lines else []
    if len(words) >= SENTENCE_WORDS:
        start = draw.randrange(len(words) - SENTENCE_WORDS + 1)
        yield " ".join(words[start : start + SENTENCE_WORDS])


def _clean(text: str) -> str:
    """Return the text as a person would type it.

    >>> _clean("Set up [the `index`](a.md) {#set-up}")
    'Set up the index'
    """
    return " ".join(MARKUP.sub(" ", text).split())


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
