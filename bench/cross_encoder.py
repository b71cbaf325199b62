"""A cross-encoder of MiniLM's shape as an ONNX file; its weights are random, and it costs what a real one does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tests.embed.tiny_onnx import FLOAT, INT64, field, node, tensor

# all-MiniLM-L6 and the cross-encoders made of it.
LAYERS, WIDTH, HEADS, INNER, WORDS = 6, 384, 12, 1536, 30_522
IR, OPSET = 8, 17
Weights = npt.NDArray[np.float32] | npt.NDArray[np.int64]
KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}


def make_cross_encoder() -> bytes:
    """Return the file: 90 MB, 23 million weights, one score for a query and a text."""
    made = _Graph()
    state = made.normed(
        made.gathered(made.drawn(WORDS, WIDTH), "input_ids"), made.gathered(made.drawn(2, WIDTH), "token_type_ids")
    )
    for _ in range(LAYERS):
        state = _inner(made, made.normed(state, _attention(made, state)))
    first = made.add("Gather", [state, made.constant(0, np.int64)], field(1, "axis") + field(3, 1) + field(20, 2))
    return made.as_file(made.linear(made.add("Tanh", [made.linear(first, WIDTH, WIDTH)]), WIDTH, 1))


def _attention(made: _Graph, state: str) -> str:
    by_head = made.constant([0, -1, HEADS, WIDTH // HEADS], np.int64)

    def heads(*order: int) -> str:
        return made.transposed(made.add("Reshape", [made.linear(state, WIDTH, WIDTH), by_head]), order)

    query, key, value = heads(0, 2, 1, 3), heads(0, 2, 3, 1), heads(0, 2, 1, 3)
    scale = made.constant((WIDTH / HEADS) ** -0.5)
    shares = made.add("Softmax", [made.add("Mul", [made.add("MatMul", [query, key]), scale])])
    mixed = made.transposed(made.add("MatMul", [shares, value]), (0, 2, 1, 3))
    joined = made.add("Reshape", [mixed, made.constant([0, -1, WIDTH], np.int64)])
    return made.linear(joined, WIDTH, WIDTH)


def _inner(made: _Graph, state: str) -> str:
    wide = made.linear(state, WIDTH, INNER)
    erf = made.add("Erf", [made.add("Mul", [wide, made.constant(0.5**0.5)])])
    gelu = made.add("Mul", [wide, made.add("Add", [erf, made.constant(1)])])
    return made.normed(state, made.linear(gelu, INNER, WIDTH))


class _Graph:
    """The nodes and weights of a model; each method adds some, and returns the name of what they give."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []
        self._chance = np.random.default_rng(0)

    def add(self, kind: str, given: Sequence[str], *attributes: bytes) -> str:
        self._nodes.append(node(kind, list(given), name := f"n{len(self._nodes)}", *attributes))
        return name

    def constant(self, values: npt.ArrayLike, kind: type = np.float32) -> str:
        array: Weights = np.array(values, dtype=kind)
        sizes, name = b"".join(field(1, size) for size in array.shape), f"w{len(self._weights)}"
        self._weights.append(sizes + field(2, KINDS[array.dtype]) + field(8, name) + field(9, array.tobytes()))
        return name

    def drawn(self, *shape: int) -> str:
        return self.constant(self._chance.standard_normal(shape, dtype=np.float32) / 20)

    def gathered(self, table: str, ids: str) -> str:
        return self.add("Gather", [table, ids])

    def linear(self, source: str, wide: int, to: int) -> str:
        return self.add("Add", [self.add("MatMul", [source, self.drawn(wide, to)]), self.drawn(to)])

    def normed(self, one: str, other: str) -> str:
        scale, shift = self.constant(np.ones(WIDTH)), self.constant(np.zeros(WIDTH))
        return self.add("LayerNormalization", [self.add("Add", [one, other]), scale, shift])

    def transposed(self, source: str, order: Sequence[int]) -> str:
        axes = b"".join(field(8, axis) for axis in order)
        return self.add("Transpose", [source], field(1, "perm") + axes + field(20, 7))

    def as_file(self, output: str) -> bytes:
        inputs = [tensor(name, INT64, "batch", "tokens") for name in ("input_ids", "token_type_ids")]
        parts = [
            *(field(1, one) for one in self._nodes),
            field(2, "by-chance"),
            *(field(5, one) for one in self._weights),
            *(field(11, one) for one in inputs),
            field(12, tensor(output, FLOAT, "batch", 1)),
        ]
        return field(1, IR) + field(7, b"".join(parts)) + field(8, field(1, "") + field(2, OPSET))
