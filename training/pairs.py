"""Turn gathered pairs into token ids small enough to carry: vocabulary, decontamination, packing.

<source>.tsv ─words→ vocabulary ─tokenise→ ids ─leave out what is measured on→ shards of .npz.xz
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import lzma
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from distill import Json
from evaluate import read_lines
from gather import SOURCES, Source
from numpy.typing import NDArray
from tokenizers import Tokenizer

Ids = NDArray[np.uint16]
Sizes = NDArray[np.int64]
Hashes = NDArray[np.uint64]

QUERY_TOKENS, PASSAGE_TOKENS = 48, 210
# A run of this many tokens in common with a measured collection is no accident.
SHINGLE = 13
# Ids are two bytes wide: told so, xz saves a twentieth.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 4, "lc": 3, "lp": 1, "pb": 1}]
FLAGS = np.uint64(2**27 - 1)
# Pairs of each source counted for the vocabulary, so that large sources do not choose it alone.
SAMPLE = 15_000
# Seen less often than this, a word's own vector would stay near where it began.
RAREST = 8
ENGLISH_WORDS, FOREIGN_WORDS, FOREIGN_ENDS = 17_000, 6_500, 2_900


@dataclass(frozen=True, slots=True)
class Ragged:
    """Many texts as one run of ids and their sizes."""

    ids: Ids
    sizes: Sizes

    def keep(self, wanted: NDArray[np.bool_]) -> Ragged:
        """Only the wanted texts."""
        return Ragged(self.ids[np.repeat(wanted, self.sizes)], self.sizes[wanted])


def read_pairs(path: Path) -> tuple[list[str], list[str]]:
    """Queries and passages of a source's file."""
    rows = [line.split("\t", 1) for line in path.read_text(encoding="utf-8").split("\n") if "\t" in line]
    return [row[0] for row in rows], [row[1] for row in rows]


def encode(texts: Sequence[str], tokenizer: Tokenizer, limit: int) -> Ragged:
    """The texts' ids, each text cut at the limit."""
    parts: list[Ids] = []
    for start in range(0, len(texts), 4096):
        parts += [np.array(e.ids[:limit], np.uint16) for e in tokenizer.encode_batch_fast(texts[start : start + 4096])]
    return Ragged(np.concatenate(parts), np.array([len(part) for part in parts]))


def words_of(texts: Iterable[str], tokenizer: Tokenizer) -> Iterator[str]:
    """The texts' words as the tokenizer's normaliser leaves them."""
    for text in texts:
        yield from re.findall(r"[^\W\d_]{3,24}", tokenizer.normalizer.normalize_str(text))


def add_shares(total: dict[str, float], counts: Counter[str], weight: float) -> None:
    """Add the counts to the total as shares of their sum, times the weight."""
    scale = weight / max(sum(counts.values()), 1)
    for word, count in counts.items():
        if count >= RAREST:
            total[word] = total.get(word, 0.0) + count * scale


def choose_tokens(folder: Path, sources: Sequence[Source], tokenizer: Tokenizer) -> list[str]:
    """Whole words (and German word ends) that the vocabulary splits, the most frequent first."""
    english: dict[str, float] = {}
    foreign: dict[str, float] = {}
    for source in sources:
        queries, passages = read_pairs(folder / f"{source.name}.tsv")
        texts = queries[:SAMPLE] if source.language == "xx-en" else queries[:SAMPLE] + passages[:SAMPLE]
        # By the root of its size, so that neither the largest source nor many small ones choose alone.
        weight = math.sqrt(len(queries))
        add_shares(english if source.language == "en" else foreign, Counter(words_of(texts, tokenizer)), weight)
    chosen = split_words(english, tokenizer)[:ENGLISH_WORDS]
    rest = [word for word in split_words(foreign, tokenizer) if word not in set(chosen)]
    chosen += rest[:FOREIGN_WORDS]
    return chosen + word_ends(foreign, set(chosen) | set(tokenizer.get_vocab()))[:FOREIGN_ENDS]


def split_words(counts: dict[str, float], tokenizer: Tokenizer) -> list[str]:
    """The words of more than one piece, the most frequent first."""
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    encoded = tokenizer.encode_batch_fast(ordered)
    return [word for word, e in zip(ordered, encoded, strict=True) if len(e.ids) > 1 and 0 not in e.ids]


def word_ends(counts: dict[str, float], known: set[str]) -> list[str]:
    """What remains of unknown words after their longest known beginning: where German compounds meet."""
    ends: dict[str, float] = {}
    for word, count in counts.items():
        cut = next((n for n in range(len(word), 3, -1) if word[:n] in known), 0)
        if 0 < cut <= len(word) - 3:
            end = f"##{word[cut:]}"
            ends[end] = ends.get(end, 0.0) + count
    return [end for end in sorted(ends, key=lambda end: (-ends[end], end)) if end not in known]


def extend(tokenizer: Json, tokens: Sequence[str]) -> Json:
    """The tokenizer with more tokens at the end of its vocabulary."""
    vocabulary = dict(tokenizer["model"]["vocab"])
    for token in tokens:
        vocabulary.setdefault(token, len(vocabulary))
    return tokenizer | {"model": tokenizer["model"] | {"vocab": vocabulary}}


def pieces(added: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    """Each added token as the pieces of the smaller vocabulary."""
    vocabulary = tokenizer.get_vocab()
    return [
        _ending(token[2:], vocabulary) if token.startswith("##") else tokenizer.encode(token).ids for token in added
    ]


def _ending(text: str, vocabulary: dict[str, int]) -> list[int]:
    """WordPiece on the inside of a word: the longest known piece, again and again."""
    found: list[int] = []
    while text:
        cut = next((n for n in range(len(text), 0, -1) if f"##{text[:n]}" in vocabulary), 0)
        if not cut:
            return [0]
        found.append(vocabulary[f"##{text[:cut]}"])
        text = text[cut:]
    return found


def shingles(ids: Ids) -> Hashes:
    """A hash of the run of tokens that begins at each place."""
    hashes = np.zeros(max(len(ids) - SHINGLE + 1, 0), np.uint64)
    for offset in range(SHINGLE):
        hashes = hashes * np.uint64(1_000_003) + ids[offset : offset + len(hashes)].astype(np.uint64) + np.uint64(7)
    return hashes


@dataclass(frozen=True, slots=True)
class Measured:
    """The shingles of all texts we measure on (sorted, and as a table of flags), and their queries whole."""

    known: Hashes
    flags: NDArray[np.bool_]
    asked: set[bytes]

    def hits(self, hashes: Hashes) -> Sizes:
        """Where a known shingle begins. The flags rule out nearly all, a search the rest."""
        maybe = np.flatnonzero(self.flags[hashes & FLAGS])
        found = np.minimum(np.searchsorted(self.known, hashes[maybe]), len(self.known) - 1)
        hits: Sizes = maybe[self.known[found] == hashes[maybe]]
        return hits


def measured(folder: Path, tokenizer: Tokenizer) -> Measured:
    """What the collections in a folder hold."""
    parts: list[Hashes] = []
    queries: set[bytes] = set()
    for collection in sorted(path for path in folder.iterdir() if path.is_dir()):
        texts = [f"{d.get('title', '')} {d['text']}" for d in read_lines(collection / "corpus.jsonl")]
        asked = [line["text"] for line in read_lines(collection / "queries.jsonl")]
        parts += [shingles(np.array(e.ids, np.uint16)) for e in tokenizer.encode_batch_fast(texts + asked)]
        queries |= {np.array(e.ids, np.uint16).tobytes() for e in tokenizer.encode_batch_fast(asked)}
    known = np.unique(np.concatenate(parts))
    flags = np.zeros(int(FLAGS) + 1, bool)
    flags[known & FLAGS] = True
    return Measured(known, flags, queries)


def clean_rows(queries: Ragged, passages: Ragged, leave: Measured) -> NDArray[np.bool_]:
    """Which pairs share nothing with what we measure on."""
    wanted = (queries.sizes > 0) & (passages.sizes > 0)
    for side in (queries, passages):
        ends = np.cumsum(side.sizes)
        hits = leave.hits(shingles(side.ids))
        # A shingle may reach into the next text; then it cannot match a measured one but by chance.
        wanted[np.searchsorted(ends, hits, side="right")] = False
    starts = np.concatenate([[0], np.cumsum(queries.sizes)])
    same = [queries.ids[a:b].tobytes() in leave.asked for a, b in itertools.pairwise(starts)]
    clean: NDArray[np.bool_] = wanted & ~np.array(same)
    return clean


def write_shard(path: Path, arrays: dict[str, NDArray[np.generic]]) -> None:
    """Write the arrays as one .npz under xz: half the size of numpy's own compression."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    path.write_bytes(lzma.compress(buffer.getvalue(), filters=FILTERS))


def main() -> None:
    """Write the tokenizer, the pieces of its added tokens and one shard for each source."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("pairs", type=Path, help="folder that gather.py wrote")
    parser.add_argument("--model", type=Path, required=True, help="folder that distill.py wrote")
    parser.add_argument("--exclude", type=Path, required=True, help="collections in BEIR's layout, to leave out")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    raw = json.loads((given.model / "tokenizer.json").read_text(encoding="utf-8"))
    small = Tokenizer.from_str(json.dumps(raw))
    sources = [source for source in SOURCES if (given.pairs / f"{source.name}.tsv").exists()]
    added = choose_tokens(given.pairs, sources, small)
    tokenizer = Tokenizer.from_str(json.dumps(extend(raw, added)))
    tokenizer.save(str(given.out / "tokenizer.json"), pretty=False)
    parts = pieces(added, small)
    np.savez(
        given.out / "pieces.npz",
        ids=np.concatenate([np.array(p, np.uint16) for p in parts]),
        sizes=np.array([len(p) for p in parts]),
    )
    languages = {source.name: source.language for source in sources}
    (given.out / "languages.json").write_text(json.dumps(languages), encoding="utf-8")
    leave = measured(given.exclude, tokenizer)
    print(f"{tokenizer.get_vocab_size()} tokens, {len(leave.known)} shingles to leave out", flush=True)
    for source in sources:
        pack(source, given.pairs, given.out, tokenizer, leave)


def pack(source: Source, pairs: Path, out: Path, tokenizer: Tokenizer, leave: Measured) -> None:
    """Write one source's shard and say what it holds."""
    asked, answers = read_pairs(pairs / f"{source.name}.tsv")
    queries, passages = encode(asked, tokenizer, QUERY_TOKENS), encode(answers, tokenizer, PASSAGE_TOKENS)
    wanted = clean_rows(queries, passages, leave)
    q, p = queries.keep(wanted), passages.keep(wanted)
    path = out / f"{source.name}.npz.xz"
    sizes = {"query_sizes": q.sizes.astype(np.uint8), "passage_sizes": p.sizes.astype(np.uint8)}
    write_shard(path, {"queries": q.ids, "passages": p.ids, **sizes})
    kept, tokens = f"{wanted.sum():8} of {len(wanted):8}", (len(q.ids) + len(p.ids)) / 1e6
    print(f"{source.name:18} {kept}, {tokens:6.1f} M tokens, {path.stat().st_size / 1e6:6.1f} MB", flush=True)


if __name__ == "__main__":
    main()
