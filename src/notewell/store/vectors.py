"""Vectors as every store keeps them: by direction, with eight bits for each number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from notewell.types.note import Vectors

EightBit = npt.NDArray[np.int8]


def eight_bit(vectors: Vectors) -> EightBit:
    """Return each row as whole numbers up to 127: the direction stays, the length is lost.

    >>> eight_bit(np.array([[0.5, -1.0, 0.0]], dtype=np.float32)).tolist()
    [[64, -127, 0]]
    """
    peaks = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(vectors * 127, peaks, out=np.zeros_like(vectors), where=peaks > 0)
    whole: EightBit = np.rint(scaled).astype(np.int8)
    return whole


def rounded(vectors: Vectors) -> Vectors:
    """Return vectors as a store will return them, so that a score does not change once they are stored."""
    return eight_bit(vectors).astype(np.float32)


def unit_rows(rows: Iterable[Vectors | None]) -> Vectors:
    """Return vectors of a store as one matrix, each row of length 1; those that are missing are left out.

    >>> unit_rows([np.array([0, 5], dtype=np.float32), None]).tolist()
    [[0.0, 1.0]]
    """
    present = [row for row in rows if row is not None]
    matrix: Vectors = np.array(present, dtype=np.float32) if present else np.zeros((0, 0), dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, np.newaxis]
    scaled: Vectors = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    return scaled


def lengths_of(rows: npt.NDArray[np.int8] | Vectors) -> Vectors:
    """Return the length of each row."""
    matrix = rows.astype(np.float32, copy=False)
    lengths: Vectors = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    return lengths


def cosines(vector: Vectors, rows: npt.NDArray[np.int8] | Vectors, lengths: Vectors | None = None) -> Vectors:
    """Return the cosine of each row with a vector of length 1; the `lengths` of the rows may be known."""
    matrix = rows.astype(np.float32, copy=False)
    lengths = lengths_of(matrix) if lengths is None else lengths
    # Not a product of matrices: that adds up in another order for another number of rows.
    products = np.einsum("ij,j->i", matrix, vector)
    found: Vectors = products / np.where(lengths > 0, lengths, 1)
    return found


def _stacked(rows: Sequence[Vectors]) -> Vectors:
    # Three times as fast as making an array of a list of rows.
    return np.concatenate(rows).reshape(len(rows), -1)


def cosines_by_id(vector: Vectors, rows: Mapping[int, Vectors | None]) -> dict[int, float | None]:
    """Return the cosine of each chunk with a vector; None where the chunk has none, or one of another length."""
    known = {chunk: row for chunk, row in rows.items() if row is not None and row.size == vector.size}
    if not known:
        return dict.fromkeys(rows)
    return {
        **dict.fromkeys(rows),
        **dict(zip(known, cosines(vector, _stacked([*known.values()])).tolist(), strict=True)),
    }
