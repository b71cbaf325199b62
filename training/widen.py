"""Give a static model rows for the frequent words of more languages; the rows that it has stay as they are.

word frequencies ─choose→ words ─translate→ rows ─train→ rows ─write→ model folder
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgpack
import numpy as np
import scipy.sparse as sp
import Stemmer
from distill import layout, write
from numpy.typing import NDArray
from tokenizers import Tokenizer

Floats = NDArray[np.float32]

NAME, VERSION = "notewell-static-3", "3.0.0"
SNOWBALL = {"es": "spanish", "fr": "french", "it": "italian", "pt": "portuguese", "nl": "dutch", "de": "german"}
# A table's eight-bit numbers are 127 times what they stand for.
SCALE = 127
# Sources whose second text is English.
ENGLISH = ("words", "wordnet", "freedict", "tatoeba", "lo-par")
# How often an English word occurs that a new token must not cut in another place.
ENGLISH_AT_LEAST = 1.2e-8
# A word of both languages is new only if it is this much rarer in English.
RARER = 5
WORDS_READ = 120_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """How many words of each language, and how their rows are trained."""

    words: dict[str, int] = field(
        default_factory=lambda: {"es": 6500, "fr": 6500, "it": 5500, "pt": 5000, "nl": 4500, "de": 3000}
    )
    shares: dict[str, float] = field(
        default_factory=lambda: {
            "lo": 1.5,
            "mdn": 1.5,
            "gimp": 1.5,
            "lo-par": 1.0,
            "man": 1.0,
            "tatoeba": 3.0,
            "wordnet": 0.6,
            "freedict": 0.4,
            "mythes": 0.4,
        }
    )
    steps: int = 4000
    batch: int = 1024
    rate: float = 0.003
    temperature: float = 0.1
    dropout: float = 0.1
    translated: float = 0.8
    seed: int = 4


def fold(word: str) -> str:
    """A word as the tokenizer's normaliser leaves it."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(sign))


def frequencies(folder: Path, language: str, most: int = WORDS_READ) -> Counter[str]:
    """How often the most frequent folded words of a language occur, from wordfreq's lists."""
    bins = msgpack.unpackb(gzip.decompress((folder / f"large_{language}.msgpack.gz").read_bytes()), raw=False)[1:]
    found: Counter[str] = Counter()
    for centibels, words in enumerate(bins):
        for word in words:
            found[fold(word)] += 10 ** (-centibels / 100)
        if len(found) > most:
            break
    return found


def read_pairs(file: Path) -> list[tuple[str, str]]:
    """The pairs of a source."""
    lines = file.read_text(encoding="utf-8").split("\n")
    return [(line.split("\t")[0], line.split("\t")[1]) for line in lines if "\t" in line]


def cut_elsewhere(tokenizer: Tokenizer, english: Counter[str], dictionary: Path) -> set[str]:
    """The beginnings of English words that would take more of a word than its first piece does today."""
    words = {fold(line.strip()) for line in dictionary.read_text(encoding="utf-8").splitlines()}
    split = sorted(w for w in words - tokenizer.get_vocab().keys() if w.isalpha() and english[w] >= ENGLISH_AT_LEAST)
    taken: set[str] = set()
    for word, encoded in zip(split, tokenizer.encode_batch_fast(split, add_special_tokens=False), strict=True):
        first = len(encoded.tokens[0]) if encoded.tokens[0] != "[UNK]" else 0
        taken.update(word[:end] for end in range(first + 1, len(word) + 1))
    return taken


def choose(given: argparse.Namespace, tokenizer: Tokenizer, recipe: Recipe) -> dict[str, str]:
    """The new words, the most frequent of each language, with their languages."""
    known = tokenizer.get_vocab()
    english = frequencies(given.frequencies, "en", 300_000)
    taken = cut_elsewhere(tokenizer, english, given.english)
    chosen: dict[str, str] = {}
    for language, most in recipe.words.items():
        seen: Counter[str] = Counter()
        for file in sorted(given.pairs.glob(f"*.{language}.tsv")):
            for pair in read_pairs(file):
                text = pair[0] if file.name.split(".")[0] in ENGLISH else " ".join(pair)
                seen.update(re.findall(r"[^\W\d_]+", fold(text)))
        ordered = sorted(frequencies(given.frequencies, language).items(), key=lambda item: (-item[1], item[0]))
        fit = [
            word
            for word, often in ordered
            if re.fullmatch("[a-z]{3,24}", word)
            and word not in known
            and word not in chosen
            and word not in taken
            and seen[word] >= 3
            and english[word] * RARER <= often
        ]
        chosen |= dict.fromkeys(fit[:most], language)
    return chosen


def sums(texts: list[str], tokenizer: Tokenizer, table: Floats) -> Floats:
    """The sum of each text's rows."""
    encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    return np.array([table[one.ids].sum(axis=0) for one in encoded], dtype=np.float32)


def translate(folder: Path, words: dict[str, str], tokenizer: Tokenizer, table: Floats, share: float) -> Floats:
    """The rows to begin with: the mean of a word's translations, or of words with its stem, and its own pieces."""
    rows = sums(list(words), tokenizer, table)
    for language, name in SNOWBALL.items():
        stem = Stemmer.Stemmer(name).stemWord
        said: dict[str, list[str]] = defaultdict(list)
        for source in ("freedict", "words"):
            for foreign, english in read_pairs(folder / f"{source}.{language}.tsv"):
                if re.fullmatch("[a-z]+", word := fold(foreign.strip())):
                    meanings = (re.sub(r"^(to|the|a) ", "", one.strip()) for one in re.split("[;,]", english)[:4])
                    said[word] += [one for one in meanings if one and len(one.split()) <= 2]
        by_stem: dict[str, list[str]] = defaultdict(list)
        for word, meanings_of in said.items():
            by_stem[stem(word)] += meanings_of
        for place, (word, of) in enumerate(words.items()):
            if of == language and (found := said.get(word) or by_stem.get(stem(word))):
                vectors = sums(found, tokenizer, table)
                mean = vectors.mean(axis=0)
                length = np.linalg.norm(vectors, axis=1).mean() / max(float(np.linalg.norm(mean)), 1e-6)
                rows[place] = share * length * mean + (1 - share) * rows[place]
    return rows


class Side:
    """The texts of one side of a source: what the model's own rows add up to, and the new tokens."""

    def __init__(self, texts: list[str], tokenizer: Tokenizer, table: Floats, limit: int) -> None:
        encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        ids = [np.array(one.ids[:limit], dtype=np.int64) for one in encoded]
        self.fixed = np.array([table[row[row < len(table)]].sum(axis=0) for row in ids], dtype=np.float16)
        new = [row[row >= len(table)] - len(table) for row in ids]
        ends = np.cumsum([0, *map(len, new)])
        size = (len(texts), tokenizer.get_vocab_size() - len(table))
        self.new = sp.csr_matrix((np.ones(ends[-1], dtype=np.float32), np.concatenate(new), ends), shape=size)

    def __call__(self, pick: NDArray[np.int64], rows: Floats, kept: NDArray[np.float32]) -> tuple[sp.csr_matrix, ...]:
        """The new tokens of some texts, without those that are dropped, their unit vectors, and their lengths."""
        tokens = self.new[pick]
        tokens.data = kept[: len(tokens.data)]
        vectors = self.fixed[pick].astype(np.float32) + tokens @ rows
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-3)
        return tokens, vectors / lengths, lengths


def soft(scores: Floats) -> Floats:
    """The softmax of each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def train(start: Floats, sources: dict[str, tuple[Side, Side]], recipe: Recipe) -> Floats:
    """The rows after pulling both texts of a pair together, and apart from the others of their batch."""
    rng = np.random.default_rng(recipe.seed)
    rows, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    sides = list(sources.values())
    weights = np.array(
        [recipe.shares[name.split(".")[0]] * one.fixed.shape[0] ** 0.5 for name, (one, _) in sources.items()]
    )
    for step in range(1, recipe.steps + 1):
        source = sides[rng.choice(len(sides), p=weights / weights.sum())]
        size = min(recipe.batch, source[0].fixed.shape[0])
        pick = rng.choice(source[0].fixed.shape[0], size, replace=False)
        drawn = [(rng.random(size * 256) > recipe.dropout).astype(np.float32) for _ in source]
        (xq, q, nq), (xp, p, np_) = (side(pick, rows, kept) for side, kept in zip(source, drawn, strict=True))
        scores = q @ p.T / recipe.temperature
        error = ((soft(scores) + soft(scores.T).T) / 2 - np.eye(size)) / (size * recipe.temperature)
        gradient = np.zeros_like(rows)
        for tokens, unit, length, pull in ((xq, q, nq, error @ p), (xp, p, np_, error.T @ q)):
            gradient += tokens.T @ ((pull - (pull * unit).sum(axis=1, keepdims=True) * unit) / length)
        seen = np.flatnonzero(np.asarray(xq.astype(bool).sum(axis=0) + xp.astype(bool).sum(axis=0)).ravel())
        mean[seen] = 0.9 * mean[seen] + 0.1 * gradient[seen]
        square[seen] = 0.999 * square[seen] + 0.001 * gradient[seen] ** 2
        done = step / recipe.steps
        rate = recipe.rate * (done / 0.1 if done < 0.1 else 0.02 + 0.98 * (1 - (done - 0.1) / 0.9))
        rows[seen] -= rate * mean[seen] / (1 - 0.9**step) / (np.sqrt(square[seen] / (1 - 0.999**step)) + 1e-8)
    return rows


def load_table(folder: Path) -> NDArray[np.int8]:
    """The table of a model folder."""
    data = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    shape = json.loads(data[8 : 8 + size])["embeddings"]["shape"]
    return np.frombuffer(data[8 + size :], dtype=np.int8).reshape(shape)


def main() -> None:
    """Write the wider model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path, help="folder that languages.py wrote")
    parser.add_argument("--model", type=Path, required=True, help="folder of the model to widen")
    parser.add_argument("--frequencies", type=Path, required=True, help="folder data of the package wordfreq 3.1.1")
    parser.add_argument("--english", type=Path, required=True, help="word list of wamerican-huge")
    parser.add_argument("--out", type=Path, required=True, help="folder for the new model")
    given, recipe = parser.parse_args(), Recipe()
    own = load_table(given.model)
    table = own.astype(np.float32) / SCALE
    tokenizer = Tokenizer.from_file(str(given.model / "tokenizer.json"))
    words = choose(given, tokenizer, recipe)
    start = translate(given.pairs, words, tokenizer, table, recipe.translated)
    wide = json.loads(tokenizer.to_str())
    wide["model"]["vocab"] |= {word: len(table) + place for place, word in enumerate(words)}
    tokenizer = Tokenizer.from_str(json.dumps(wide))
    sources = {}
    for file in sorted(given.pairs.glob("*.tsv")):
        if file.name.split(".")[0] in recipe.shares and (pairs := read_pairs(file)):
            queries, passages = zip(*pairs, strict=True)
            limits = ((list(queries), 64), (list(passages), 150))
            sources[file.stem] = tuple(Side(texts, tokenizer, table, limit) for texts, limit in limits)
    rows = train(start, sources, recipe)
    new = np.clip(np.round(rows * SCALE), -SCALE, SCALE).astype(np.int8)
    whole = np.concatenate([own, new])
    before = json.loads((given.model / "config.json").read_text(encoding="utf-8"))
    about = {**layout(NAME, VERSION, whole), "teacher": before["teacher"], "recipe": before["recipe"]}
    write(given.out, whole, tokenizer, {**about, "widened": asdict(recipe), "seed": recipe.seed})


if __name__ == "__main__":
    main()
