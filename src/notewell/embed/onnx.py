"""Sentence encoders as ONNX files: a folder on disk, or all-MiniLM-L6-v2, which ships with Notewell."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from notewell.embed.english import is_english
from notewell.embed.model_files import digest_of, open_weights, read_text
from notewell.embed.rules import EmbedRules, Prefixes, find_prefixes
from notewell.embed.tokens import load_tokenizer, panics_explained
from notewell.embed.vectors import unit
from notewell.errors import EmbedError
from notewell.files.machine import count_cores
from notewell.types.note import Vectors

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from tokenizers import Tokenizer

# all-MiniLM-L6-v2, which ships inside the package; training/minilm.py made the file.
MINILM = Path(__file__).parent / "minilm"
# The positions that most models of this kind have.
MAX_TOKENS = 512
# Query vectors that are remembered: people page through results, and ask again with another filter.
QUERIES = 256
# Tells whether a model can read a text's language.
Reads = Callable[[str], bool]
Session = Any
INSTALL = "Run `pip install 'notewell[minilm]'`"


class OnnxEmbedder:
    """Embeds by running a transformer, one text at a time: on a CPU, batches are no faster."""

    def __init__(self, folder: Path, *, max_tokens: int, reads: Reads, prefixes: Prefixes) -> None:
        self._folder = folder
        self._max_tokens = max_tokens
        self._reads = reads
        self._prefixes = prefixes
        with explained(folder):
            self._first = _uses_first_state(folder)
            self.fingerprint = _fingerprint(folder, max_tokens, prefixes.passage, first=self._first)
        self._query_vector = lru_cache(QUERIES)(self._embed_query)
        self._was_loaded = False

    @property
    def is_loaded(self) -> bool:
        """Tell whether onnxruntime and the model need not be loaded for a query any more, which takes 0.2 s."""
        return self._was_loaded or "_session" in self.__dict__

    def load(self) -> None:
        """Load what a query needs; after a failure the next query tries again, and has the error."""
        try:
            self._query_vector("a")
        finally:
            self._was_loaded = True

    @cached_property
    def dimensions(self) -> int:
        """Return the length of its vectors; for our own model without loading it."""
        return int(_about(self._folder).get("dimensions") or self._state("a", self._session).size)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of each text's last states, or the first state, scaled to length 1.

        A text in a language that the model does not read gets the zero vector.
        """
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        read = [number for number, text in enumerate(texts) if text.strip() and self._reads(text)]
        # The longest first, so that no core waits at the end for another's long text.
        read.sort(key=lambda number: -len(texts[number]))
        session, prefix = self._session, self._prefixes.passage
        states = self._threads.map(lambda number: self._state(prefix + texts[number], session), read)
        for number, state in zip(read, states, strict=True):
            vectors[number] = state
        return unit(vectors)

    def embed_query(self, text: str) -> Vectors:
        """Return a query's vector, with the prefix that the model wants."""
        return self._query_vector(text)

    def _embed_query(self, text: str) -> Vectors:
        vector: Vectors = np.zeros(self.dimensions, dtype=np.float32)
        if text.strip() and self._reads(text):
            vector = unit(self._state(self._prefixes.query + text, self._session)[np.newaxis])[0]
        # It is shared from now on.
        vector.setflags(write=False)
        return vector

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        # Only embedding many texts needs it, and it takes 5 ms to load.
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        return ThreadPoolExecutor(count_cores())

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with explained(self._folder):
            tokenizer = load_tokenizer(self._folder)
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer

    @cached_property
    def _session(self) -> Session:
        # With many texts, each core takes one. A query alone would be 1.5 times as fast with two threads on two idle
        # cores; beside the retrievers it is not, and a second session would take 42 MB.
        return open_session(self._folder)

    def _state(self, text: str, session: Session) -> Vectors:
        with panics_explained(self._folder):
            ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        known = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        with explained(self._folder):
            inputs = {entry.name: known[entry.name] for entry in session.get_inputs()}
            output = np.asarray(session.run(None, inputs)[0], np.float32)
        # Two dimensions: the model itself has pooled the states of its tokens.
        if output.ndim == 2:
            state: Vectors = output[0]
        else:
            state = output[0, 0] if self._first else output[0].mean(axis=0)
        return state


def open_session(folder: Path) -> Session:
    """Return the model of a folder, ready to run on one core at a time."""
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # A spinning thread would take its core from searches.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with explained(folder):
        open_weights(folder / "model.onnx").close()
        return onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])


def _runtime() -> Any:
    """Return onnxruntime; a search that does without the encoder does not wait the 0.1 s that it takes to load."""
    # It reports its use, and stores a machine id in the user's folder, unless this is set before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime  # noqa: PLC0415
    except Exception as error:  # a broken package raises anything
        raise EmbedError(f"onnxruntime cannot be loaded: {error}"[:200], INSTALL) from error
    onnxruntime.disable_telemetry_events()
    return onnxruntime


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn any error of a model's files into a fact and a hint."""
    try:
        yield
    except EmbedError:
        raise
    except Exception as error:  # neither library raises anything narrower
        hint = "A folder with an ONNX model contains model.onnx and tokenizer.json"
        raise EmbedError(f"The model in {folder} cannot be used: {error!r}"[:300], hint) from error


def load_onnx(folder: Path | None, rules: EmbedRules) -> OnnxEmbedder:
    """Return the encoder in a folder, or MiniLM without one; what it runs on is loaded with its first text."""
    if find_spec("onnxruntime") is None:
        raise EmbedError("onnxruntime is not installed", INSTALL)
    return load_folder(folder, rules) if folder else load_minilm()


def load_folder(folder: Path, rules: EmbedRules) -> OnnxEmbedder:
    """Return the encoder of a folder with `model.onnx` and `tokenizer.json`."""
    prefixes = find_prefixes(folder.name, rules)
    return OnnxEmbedder(folder, max_tokens=MAX_TOKENS, reads=lambda text: True, prefixes=prefixes)


def load_minilm() -> OnnxEmbedder:
    """Return all-MiniLM-L6-v2, which was trained to read 256 tokens of English."""
    return OnnxEmbedder(MINILM, max_tokens=_about(MINILM)["max_tokens"], reads=is_english, prefixes=Prefixes())


def _about(folder: Path) -> dict[str, Any]:
    """Return our own model's config; that of another model is not trusted."""
    about: dict[str, Any] = json.loads(read_text(folder / "config.json")) if folder == MINILM else {}
    return about


def _fingerprint(folder: Path, max_tokens: int, prefix: str, *, first: bool) -> str:
    ours = _about(folder)
    weights = ours.get("sha256") or digest_of(folder / "model.onnx")
    words = hashlib.sha256(read_text(folder / "tokenizer.json") + prefix.encode("utf-8")).hexdigest()
    pooling = "first" if first else "mean"
    return f"{ours.get('name') or folder.name}/{max_tokens}/{pooling}/{weights[:12]}-{words[:8]}"


def _uses_first_state(folder: Path) -> bool:
    """Tell whether the model's own settings say that a text's vector is its first state, as for bge."""
    file = folder / "1_Pooling" / "config.json"
    return file.is_file() and bool(json.loads(read_text(file)).get("pooling_mode_cls_token"))
