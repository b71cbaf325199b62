"""Measure a static model alone: nDCG@10 by brute force cosine on collections in BEIR's layout."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LIMIT = 10
DISCOUNTS = 1 / np.log2(np.arange(2, LIMIT + 2))

Judgements = dict[str, dict[str, int]]


def embed(texts: Sequence[str], *, tokenizer: Tokenizer, table: NDArray[np.int8]) -> NDArray[np.float32]:
    """One unit vector per text: the mean of its tokens' rows (zero for a text without tokens)."""
    vectors = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
    for row, encoding in enumerate(tokenizer.encode_batch_fast(texts)):
        vectors[row] = table[encoding.ids].sum(axis=0, dtype=np.float32)
    norms: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
    # A text without a known token has no direction: its vector stays zero.
    return (vectors / np.maximum(norms, 1e-9)).astype(np.float32)


def read_lines(path: Path) -> list[dict[str, str]]:
    """The objects of a .jsonl file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_judgements(path: Path) -> Judgements:
    """Question → document → gain, for gains above zero."""
    judgements: Judgements = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        question, document, gain = line.split("\t")
        if int(gain) > 0:
            judgements.setdefault(question, {})[document] = int(gain)
    return judgements


def ndcg(found: Sequence[str], gains: dict[str, int]) -> float:
    """nDCG@10 with linear gains, as trec_eval counts it.

    >>> round(ndcg(["b", "a"], {"a": 1}), 3)
    0.631
    """
    got = np.array([gains.get(document, 0) for document in found[:LIMIT]])
    best = np.array(sorted(gains.values(), reverse=True)[:LIMIT])
    return float(got @ DISCOUNTS[: len(got)] / (best @ DISCOUNTS[: len(best)]))


def measure(folder: Path, *, tokenizer: Tokenizer, table: NDArray[np.int8]) -> float:
    """The mean nDCG@10 over the judged questions of one collection."""
    documents = read_lines(folder / "corpus.jsonl")
    judgements = read_judgements(folder / "qrels" / "test.tsv")
    questions = {line["_id"]: line["text"] for line in read_lines(folder / "queries.jsonl")}
    bodies = [f"{document.get('title', '')} {document['text']}" for document in documents]
    asked = embed([questions[name] for name in judgements], tokenizer=tokenizer, table=table)
    scores = asked @ embed(bodies, tokenizer=tokenizer, table=table).T
    orders = np.argsort(-scores, axis=1, kind="stable")[:, :LIMIT]
    found = [[documents[place]["_id"] for place in order] for order in orders]
    return float(np.mean([ndcg(f, g) for f, g in zip(found, judgements.values(), strict=True)]))


def main() -> None:
    """Print one line per collection, then their mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder that distill.py wrote")
    parser.add_argument("collections", type=Path, help="folder with one collection per folder")
    given = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(given.model / "tokenizer.json"))
    table = load_file(given.model / "model.safetensors")["embeddings"]
    values = []
    for folder in sorted(path for path in given.collections.iterdir() if path.is_dir()):
        values.append(measure(folder, tokenizer=tokenizer, table=table))
        print(f"{folder.name:20} {values[-1]:.3f}", flush=True)
    print(f"{'mean':20} {np.mean(values):.3f}")


if __name__ == "__main__":
    main()
