"""A cross-encoder in a few bytes, made by hand: an ONNX file whose score is the sum of the text's token ids."""

from __future__ import annotations

FLOAT, INT64 = 1, 7


def _varint(number: int) -> bytes:
    parts = b""
    while number > 127:
        parts, number = parts + bytes([number & 127 | 128]), number >> 7
    return parts + bytes([number])


def _field(number: int, value: int | str | bytes) -> bytes:
    """Return a field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _node(kind: str, given: list[str], made: str, *attributes: bytes) -> bytes:
    return b"".join(
        (
            *(_field(1, name) for name in given),
            _field(2, made),
            _field(4, kind),
            *(_field(5, one) for one in attributes),
        )
    )


def _tensor(name: str, kind: int, *shape: str | int) -> bytes:
    """Return the description of an input or output."""
    sizes = b"".join(_field(1, _field(2, one) if isinstance(one, str) else _field(1, one)) for one in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def cross_encoder(columns: int = 1) -> bytes:
    """Return a model with `input_ids` and `token_type_ids`; its score is the sum of the ids of the second text.

    With two columns, a class "does not answer" comes before it, and scores half as much as the true one.
    """
    to_float = _field(1, "to") + _field(3, FLOAT) + _field(20, 2)
    axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)
    nodes = [
        _node("Mul", ["input_ids", "token_type_ids"], "of_text"),
        _node("Cast", ["of_text"], "as_float", to_float),
        _node("ReduceSum", ["as_float"], "score", axes),
    ]
    output = "score"
    if columns == 2:
        axis = _field(1, "axis") + _field(3, 1) + _field(20, 2)
        nodes += [
            _node("Sub", ["score", "score"], "nothing"),
            _node("Concat", ["nothing", "score"], output := "scores", axis),
        ]
    inputs = [_tensor(name, INT64, "batch", "tokens") for name in ("input_ids", "token_type_ids")]
    graph = b"".join(
        (
            *(_field(1, node) for node in nodes),
            _field(2, "tiny"),
            *(_field(11, one) for one in inputs),
            _field(12, _tensor(output, FLOAT, "batch", columns)),
        )
    )
    return _field(1, 7) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 11))
