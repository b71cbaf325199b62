"""Embedders behind HTTP: Ollama, and servers with OpenAI's interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from notewell.embed.rules import EmbedRules, find_prefixes, make_fingerprint
from notewell.embed.vectors import unit, zero_where_blank
from notewell.errors import EmbedError
from notewell.frozen import frozen
from notewell.remote.address import ServerAddress, parse_address
from notewell.remote.endpoint import HURRIED, Endpoint, Failures, Patience
from notewell.remote.exchange import Answer
from notewell.types.note import Vectors

# Texts in one request.
BATCH = 64
# Whole chunks fit; a hostile text of a million words costs no more than this.
MAX_CHARS = 8_000
# Four times the length of any model's vectors; the store counts the bits of a vector in 16 bits.
MAX_DIMENSIONS = 16_384
# No model has numbers beyond this, and their squares would be infinite.
LARGEST = 1e15


@frozen
class Dialect:
    """How to call a kind of server, and where its answer contains the vectors."""

    title: str
    url: str
    path: str
    rows: Callable[[Any], list[Any]]
    when_down: str
    when_missing: str


def _ollama_rows(answer: Any) -> list[Any]:
    return list(answer["embeddings"])


def _openai_rows(answer: Any) -> list[Any]:
    """Return the vectors in the order of the texts; the server may send them in another."""
    by_index = {item["index"]: item["embedding"] for item in answer["data"]}
    if len(by_index) != len(answer["data"]):
        raise ValueError("two vectors for one text")
    return [by_index[number] for number in range(len(by_index))]


DIALECTS = {
    "ollama": Dialect(
        title="Ollama",
        url="http://127.0.0.1:11434",
        path="/api/embed",
        rows=_ollama_rows,
        when_down="Start it with `ollama serve`, or set embed.url to where it runs",
        when_missing="Run `ollama pull {name}`, or check embed.url",
    ),
    "openai": Dialect(
        title="The embedding server",
        url="",
        path="/v1/embeddings",
        rows=_openai_rows,
        when_down="Start it, or check embed.url",
        when_missing="Check embed.url, and that the server has a model '{name}'",
    ),
}


class RemoteEmbedder:
    """Embeds by asking a server; the first text, or asking for `dimensions`, makes the first request."""

    def __init__(
        self, rules: EmbedRules, patience: Patience | None = None, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        kind, _, self._name = rules.model.partition(":")
        self._dialect = DIALECTS[kind]
        self._prefixes = find_prefixes(self._name, rules)
        self._patience = patience or Patience(request=rules.timeout)
        self._dimensions = 0
        self._endpoint = Endpoint(
            _full_address(rules, self._dialect),
            failures=Failures(EmbedError, self._dialect.title, partial(_hint, self._dialect, self._name)),
            key=rules.key,
            patience=self._patience,
            sleep=sleep,
        )
        self.fingerprint = make_fingerprint(kind, self._name.removesuffix(":latest"), self._prefixes)

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors, if need be by asking for one."""
        return self._dimensions or self._ask(["length"]).shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text."""
        return zero_where_blank(texts, lambda nonblank: self._ask([self._prefixes.passage + text for text in nonblank]))

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query."""
        row: Vectors = self._ask([self._prefixes.query + text])[0]
        return row

    def _ask(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        until = time.monotonic() + self._patience.whole
        parts: list[Vectors] = []
        for first in range(0, len(texts), BATCH):
            batch = [text[:MAX_CHARS] for text in texts[first : first + BATCH]]
            answer = self._endpoint.post({"model": self._name, "input": batch}, secret=batch, until=until)
            parts.append(self._vectors(answer, len(batch)))
            if parts[-1].shape[1] != parts[0].shape[1]:
                raise self._endpoint.error("answers with vectors of different lengths")
        self._dimensions = parts[0].shape[1]
        return np.concatenate(parts)

    def _vectors(self, answer: Any, count: int) -> Vectors:
        try:
            rows = self._dialect.rows(answer)
        except (LookupError, TypeError, ValueError) as error:
            raise self._endpoint.error("answers with JSON that contains no vectors") from error
        if len(rows) != count:
            raise self._endpoint.error(f"answers with {len(rows)} vectors for {count} texts")
        if not all(isinstance(row, list) and row and set(map(type, row)) <= {int, float} for row in rows):
            raise self._endpoint.error("answers with vectors that are not lists of numbers")
        if len({len(row) for row in rows}) > 1:
            raise self._endpoint.error("answers with vectors of different lengths")
        if len(rows[0]) > MAX_DIMENSIONS:
            raise self._endpoint.error(f"answers with vectors of {len(rows[0]):,} numbers")
        # An integer too large for a float is an error here, and not infinite.
        if not all(-LARGEST <= number <= LARGEST for row in rows for number in row):
            raise self._endpoint.error("answers with numbers that are not finite")
        return unit(np.array(rows, dtype=np.float64)).astype(np.float32)


def load_remote(rules: EmbedRules, *, hurried: bool) -> RemoteEmbedder:
    """Return the embedder that rules name; if `hurried`, it gives up on a slow server soon."""
    return RemoteEmbedder(rules, HURRIED if hurried else None)


def _full_address(rules: EmbedRules, dialect: Dialect) -> ServerAddress:
    """Return the address with the path that is called.

    >>> str(_full_address(EmbedRules(url="https://example.org/v1/"), DIALECTS["openai"]))
    'https://example.org/v1/embeddings'
    """
    if not (rules.url or dialect.url):
        raise EmbedError(
            f"'{rules.model}' needs an address, but embed.url is empty",
            "Set NOTEWELL_EMBED_URL, such as https://api.openai.com/v1 or http://127.0.0.1:8080",
        )
    return parse_address(rules.url or dialect.url).at(dialect.path)


def _hint(dialect: Dialect, name: str, answer: Answer) -> str:
    status = answer.status
    if status in (401, 403):
        return "Set NOTEWELL_EMBED_KEY and NOTEWELL_EMBED_URL: a key is only sent to an address from the environment"
    if status == 404:
        return dialect.when_missing.format(name=name)
    if 300 <= status < 400:
        return "Set embed.url to the address it redirects to, if you trust it"
    if not status or status >= 500:
        return dialect.when_down
    return f"Check embed.url, and that '{name}' is an embedding model"
