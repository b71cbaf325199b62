"""A cross-encoder in a few bytes, made by hand: an ONNX file whose score is the sum of the text's token ids."""

from __future__ import annotations

FLOAT, INT64 = 1, 7


def varint(number: int) -> bytes:
    parts = b""
    while number > 127:
        parts, number = parts + bytes([number & 127 | 128]), number >> 7
    return parts + bytes([number])


def field(number: int, value: int | str | bytes) -> bytes:
    """Return a field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(kind: str, given: list[str], made: str, *attributes: bytes) -> bytes:
    return b"".join(
        (
            *(field(1, name) for name in given),
            field(2, made),
            field(4, kind),
            *(field(5, one) for one in attributes),
        )
    )


def tensor(name: str, kind: int, *shape: str | int) -> bytes:
    """Return the description of an input or output."""
    sizes = b"".join(field(1, field(2, one) if isinstance(one, str) else field(1, one)) for one in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, sizes)))


def cross_encoder(columns: int = 1, *, broken: bool = False) -> bytes:
    """Return a model with `input_ids` and `token_type_ids`; its score is the sum of the ids of the second text.

    With two columns, a class "does not answer" comes before it, and scores half as much as the true one. A `broken` one
    gives no number.
    """
    to_float = field(1, "to") + field(3, FLOAT) + field(20, 2)
    axes = field(1, "axes") + field(8, 1) + field(20, 7)
    nodes = [
        node("Mul", ["input_ids", "token_type_ids"], "of_text"),
        node("Cast", ["of_text"], "as_float", to_float),
        node("ReduceSum", ["as_float"], "score", axes),
    ]
    output = "score"
    if columns == 2:
        axis = field(1, "axis") + field(3, 1) + field(20, 2)
        nodes += [
            node("Sub", ["score", "score"], "nothing"),
            node("Concat", ["nothing", "score"], output := "scores", axis),
        ]
    if broken:
        nodes += [
            node("Sub", [output, output], "zero"),
            node("Div", ["zero", "zero"], output := "no_number"),
        ]
    inputs = [tensor(name, INT64, "batch", "tokens") for name in ("input_ids", "token_type_ids")]
    graph = b"".join(
        (
            *(field(1, node) for node in nodes),
            field(2, "tiny"),
            *(field(11, one) for one in inputs),
            field(12, tensor(output, FLOAT, "batch", columns)),
        )
    )
    return field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 11))
