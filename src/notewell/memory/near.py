"""Notes that already say nearly the same as a text, compared by words and by meaning, a passage at a time."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from notewell.embed import Embedder, EmbedRules, load_embedder
from notewell.errors import NoteError
from notewell.files.formats import WRAPPED
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index.readers import load
from notewell.index.shown import Shown
from notewell.index.walk import VaultFile, walk
from notewell.memory.page import SUFFIX, split_page
from notewell.redact import redact_text
from notewell.search.sentences import CODE, find_blocks, find_sentences, text_kind
from notewell.store import Matching, Store
from notewell.terms import count_terms, stop_terms
from notewell.types.note import Chunk
from notewell.types.query import EVERYTHING

# From this similarity on, two texts say nearly the same. On the pairs it was chosen by, .62 separates best; it is
# higher, since a memory that is wrongly refused may be lost, and one that is written twice is not
# (tests/quality/near.toml).
THRESHOLD = 0.66
# The highest similarity of texts that are not the same word for word.
ALMOST = 0.99
# How many chunks each retriever contributes, and how many near notes are returned.
CANDIDATES = 20
SHOWN = 3
# The rarest words of a long text are enough to find similar notes.
TERMS = 40
# Characters of a passage that are returned.
EXCERPT = 300
# A text up to this length without headings is one chunk, so the store finds its repetition; for others, files are read.
ONE_CHUNK = 1_000
# Bytes by which a repetition may differ in size: the front matter of a memory, and spaces.
OTHER_BYTES = 2_000


@frozen
class Near:
    """A passage that says nearly the same."""

    path: str
    """The note."""
    line: int
    """The first line of the passage."""
    title: str
    """The note's title."""
    similarity: float
    """How similar it is; 1 is the same, word for word."""
    text: str
    """The passage, without secrets."""


@frozen
class Passage:
    """Lines that can be compared with a text."""

    path: str
    line: int
    title: str
    text: str


def same_words(text: str) -> str:
    """Return a text for comparing: without differences in case, spaces and Unicode form.

    >>> same_words("Rye  needs\\nWater") == same_words("rye needs water")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def find_similar(text: str, root: Path, folder: str, rules: WalkRules, shown: Shown) -> list[Near]:
    """Return the notes that say nearly the same as the text; if a memory repeats it word for word, only that one."""
    same, length = same_words(text), len(text.encode())
    cut = len(text) > ONE_CHUNK or "\n#" in text
    unknown: list[Passage] = []
    for found, indexed in _memories(root, folder, rules, shown.store):
        if indexed and not (cut and abs(found.stamp.size - length) < OTHER_BYTES + length // 4):
            continue
        passage = _read(root, found, rules)
        if same_words(passage.text) == same:
            return [_near(passage, 1.0)]
        unknown += [] if indexed else [passage]
    embedder = _embedder()
    with shown.answering() as snapshot:
        of_store = stored_passages(
            text, snapshot, embedder if snapshot.state.made_for.embedder == embedder.fingerprint else None
        )
        return find_near(text, [*unknown, *of_store], embedder)


@cache
def _embedder() -> Embedder:
    # Always the model that ships with Notewell: the threshold was measured with it, whatever model a vault uses.
    return load_embedder(EmbedRules("static"))


def _memories(root: Path, folder: str, rules: WalkRules, store: Store) -> Iterator[tuple[VaultFile, bool]]:
    """Yield the files of the folder, and whether each is indexed as it is now."""
    if not (root / folder).is_dir():
        return
    known = store.files().notes
    for found in walk(root, replace(rules, include=(folder,)), (SUFFIX,)):
        stamp = known.get(found.path)
        yield found, stamp is not None and stamp.same_file(found.stamp)


def _read(root: Path, found: VaultFile, rules: WalkRules) -> Passage:
    page = ""
    # A file that is gone by now, or cannot be read, cannot be compared.
    with suppress(NoteError):
        # It is shown to the agent, and was not indexed yet: secrets are redacted here, too.
        page = redact_text(load(root, found, rules)[0].decode("utf-8", "replace"))[0]
    fields, body = split_page(page)
    line = page.count("\n", 0, page.find(body)) + 1
    return Passage(found.path, line, redact_text(str(fields.get("title", "")))[0], body)


def find_near(text: str, passages: Sequence[Passage], embedder: Embedder) -> list[Near]:
    """Return the passages that say nearly the same as the text, the nearest first, one of each note."""
    vectors = embedder.embed([text, *(passage.text for passage in passages)])
    cosines = vectors[1:] @ vectors[0]
    words, same = distinctive_terms(text), same_words(text)
    best: dict[str, Near] = {}
    for passage, cosine in zip(passages, cosines.tolist(), strict=True):
        repeated = same_words(passage.text) == same
        similarity = 1.0 if repeated else similarity_of(cosine, overlap(words, distinctive_terms(passage.text)))
        if similarity >= THRESHOLD and similarity > getattr(best.get(passage.path), "similarity", 0.0):
            best[passage.path] = _near(passage, similarity)
    return sorted(best.values(), key=lambda near: (-near.similarity, near.path))[:SHOWN]


def _near(passage: Passage, similarity: float) -> Near:
    return Near(passage.path, passage.line, passage.title, round(similarity, 3), passage.text[:EXCERPT])


def similarity_of(cosine: float, words: float) -> float:
    """Return the similarity of two texts: by meaning and by words, half each."""
    return min(ALMOST, max(0.0, cosine) / 2 + words / 2)


def distinctive_terms(text: str) -> frozenset[str]:
    """Return the terms of a text that are not stopwords; all, if there are no others."""
    terms = frozenset(count_terms(text))
    return terms - stop_terms() or terms


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of their terms that two texts have in common.

    >>> overlap(frozenset({"rye", "water"}), frozenset({"rye", "salt"}))
    0.5
    """
    return 2 * len(one & other) / max(1, len(one) + len(other))


def stored_passages(text: str, snapshot: Matching, embedder: Embedder | None) -> Iterator[Passage]:
    """Yield the stored passages that may say the same: those of the chunks nearest to the text."""
    words = distinctive_terms(text)
    rarities = snapshot.counts(words).rarities(words)
    terms = sorted(rarities, key=lambda term: (-rarities[term], term))[:TERMS]
    found = snapshot.match(terms, EVERYTHING, CANDIDATES).found
    if embedder is not None:
        found += snapshot.nearest(embedder.embed([text])[0], EVERYTHING, CANDIDATES).found
    sentences = count_sentences(text)
    for chunk in snapshot.chunks(list(dict.fromkeys(number for number, _ in found))).values():
        yield from passages_of(chunk, sentences)


def count_sentences(text: str) -> int:
    """Return how many sentences a text has."""
    return sum(len(find_sentences(text, block)) for block in find_blocks(text, WRAPPED)) or 1


def passages_of(chunk: Chunk, sentences: int) -> Iterator[Passage]:
    """Yield a whole chunk, and each run of that many sentences in it; lines of code are left out."""
    yield Passage(chunk.path, chunk.line, chunk.title, chunk.text)
    blocks = (block for block in find_blocks(chunk.text, text_kind(chunk)) if block.kind != CODE)
    units = [unit for block in blocks for unit in find_sentences(chunk.text, block)]
    for first in range(len(units) - sentences + 1):
        start, end = units[first].start, units[first + sentences - 1].end
        if end - start < len(chunk.text.strip()):
            line = chunk.line + chunk.text.count("\n", 0, start)
            yield Passage(chunk.path, line, chunk.title, chunk.text[start:end])
