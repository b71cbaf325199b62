"""The teachers' forward pass in plain PyTorch: all-MiniLM-L6-v2 (BERT) and all-mpnet-base-v2 (MPNet).

Weights travel as int8 with one scale per row, a quarter of their size; both read BERT's ids.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from torch import Tensor
from torch.nn import functional as F

START, END, UNKNOWN = 101, 102, 100
HEADS = 12
# What both models were trained to read at most.
LONGEST = 256
# Tokens in flight at once: enough to fill a large GPU, small enough for any other.
TOKENS_PER_BATCH = 131_072

Arrays = dict[str, NDArray[np.generic]]
BERT = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "o": "attention.output.dense",
    "n1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "n2": "output.LayerNorm",
}  # fmt: skip
MPNET = BERT | {
    "q": "attention.attn.q", "k": "attention.attn.k", "v": "attention.attn.v", "o": "attention.attn.o",
    "n1": "attention.LayerNorm",
}  # fmt: skip


def gather_weights(path: Path) -> Arrays:
    """The weights of either model under one set of names, positions and token types folded in."""
    raw = load_file(path)
    is_mpnet = "encoder.relative_attention_bias.weight" in raw
    word, place = raw["embeddings.word_embeddings.weight"], raw["embeddings.position_embeddings.weight"]
    if is_mpnet:
        # MPNet's vocabulary is BERT's moved by four, with its own start and end; its places begin at 2.
        bounds = {START: word[0], END: word[2]}
        word, place = word[4:30526].copy(), place[2:]
        for row, vector in bounds.items():
            word[row] = vector
    else:
        place = place + raw["embeddings.token_type_embeddings.weight"][0]
    arrays: Arrays = {"word": word, "place": place[:LONGEST], "eps": np.array(1e-5 if is_mpnet else 1e-12)}
    for kind in ("weight", "bias"):
        arrays[f"n0.{kind}"] = raw[f"embeddings.LayerNorm.{kind}"]
        for layer in range(sum(name.endswith("output.dense.weight") and "attention" not in name for name in raw)):
            for short, long in (MPNET if is_mpnet else BERT).items():
                arrays[f"{layer}.{short}.{kind}"] = raw[f"encoder.layer.{layer}.{long}.{kind}"]
    return arrays | ({"relative": raw["encoder.relative_attention_bias.weight"]} if is_mpnet else {})


def pack(arrays: Mapping[str, NDArray[np.generic]]) -> Arrays:
    """The matrices as int8 rows and their scales; the rest as float32."""
    packed: Arrays = {}
    for name, array in arrays.items():
        if array.ndim == 2 and name != "relative":
            scale = np.abs(array).max(axis=1, keepdims=True) / 127 + 1e-12
            packed[name] = np.round(array / scale).astype(np.int8)
            packed[f"{name}.scale"] = scale.astype(np.float32)
        else:
            packed[name] = array.astype(np.float32)
    return packed


@dataclass(frozen=True, slots=True)
class Teacher:
    """A sentence encoder: ids in BERT's numbering in, unit vectors out."""

    weights: dict[str, Tensor]
    layers: int

    @classmethod
    def load(cls, paths: list[Path], device: torch.device) -> Teacher:
        """Read a packed teacher from its part files."""
        packed: Arrays = {}
        for path in paths:
            packed |= dict(np.load(path))
        kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        weights = {}
        for name, array in packed.items():
            if not name.endswith(".scale"):
                scale = packed.get(f"{name}.scale", np.ones(1, np.float32))
                weights[name] = torch.from_numpy(array.astype(np.float32) * scale.astype(np.float32)).to(device, kind)
        return cls(weights, 1 + max(int(name.split(".")[0]) for name in weights if name[0].isdigit()))

    def embed(self, ids: NDArray[np.integer], sizes: NDArray[np.int64]) -> Tensor:
        """One unit vector per text, as float16."""
        device = self.weights["word"].device
        out = torch.empty(len(sizes), self.weights["word"].shape[1], dtype=torch.float16, device=device)
        starts = torch.from_numpy(np.concatenate([[0], np.cumsum(sizes)[:-1]])).to(device)
        flat = torch.from_numpy(ids.astype(np.int32)).to(device)
        lengths = torch.from_numpy(np.minimum(sizes, LONGEST - 2)).to(device)
        order = torch.argsort(lengths)
        begin = 0
        with torch.inference_mode():
            while begin < len(order):
                # Sorted by length: the last of a guess tells how wide the batch will be.
                longest = int(lengths[order[min(begin + 4096, len(order)) - 1]]) + 2
                rows = order[begin : begin + max(1, min(4096, TOKENS_PER_BATCH // longest))]
                out[rows] = self._vectors(*frame(flat, starts[rows], lengths[rows]))
                begin += len(rows)
        return out

    def _vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The mean of the last states, scaled to length one."""
        w = self.weights
        state = self._norm(w["word"][ids] + w["place"][: ids.shape[1]], "n0")
        bias = torch.zeros(mask.shape, dtype=state.dtype, device=state.device).masked_fill(~mask, -1e4)[
            :, None, None, :
        ]
        if "relative" in w:
            bias = bias + w["relative"][buckets(ids.shape[1], ids.device)].permute(2, 0, 1)[None]
        for layer in range(self.layers):
            state = self._layer(state, bias, layer)
        kept = state * mask[..., None]
        return F.normalize(kept.sum(1, dtype=torch.float32), dim=1).half()

    def _layer(self, state: Tensor, bias: Tensor, layer: int) -> Tensor:
        batch, length, width = state.shape
        q, k, v = (self._dense(state, f"{layer}.{n}").view(batch, length, HEADS, -1).transpose(1, 2) for n in "qkv")
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(batch, HEADS, length, length))
        mixed = self._dense(mixed.transpose(1, 2).reshape(batch, length, width), f"{layer}.o")
        state = self._norm(state + mixed, f"{layer}.n1")
        inner = self._dense(F.gelu(self._dense(state, f"{layer}.up")), f"{layer}.down")
        return self._norm(state + inner, f"{layer}.n2")

    def _dense(self, state: Tensor, name: str) -> Tensor:
        return F.linear(state, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, state: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(state, (state.shape[-1],), weight, bias, float(self.weights["eps"]))


def frame(flat: Tensor, starts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Ids between start and end, padded to one width, and which of them count."""
    # A multiple of eight suits the attention kernels.
    width = -(-(int(lengths.max()) + 2) // 8) * 8
    place = torch.arange(width, device=flat.device)[None]
    inside = (place >= 1) & (place <= lengths[:, None])
    ids = flat[(starts[:, None] + place - 1).clamp(0, len(flat) - 1)]
    ids = torch.where(inside, ids, torch.where(place == 0, START, END))
    return ids, place < lengths[:, None] + 2


def buckets(length: int, device: torch.device) -> Tensor:
    """MPNet's 32 classes of distance between two places: exact up to 8, then logarithmic up to 128."""
    places = torch.arange(length, device=device)
    distance = places[:, None] - places[None, :]
    far = distance.abs().clamp(min=1).float()
    large = (8 + torch.log(far / 8) / math.log(16) * 8).long().clamp(max=15)
    return torch.where(distance.abs() < 8, distance.abs(), large) + (distance < 0) * 16


def main() -> None:
    """Write a teacher's weights, packed, in one or more parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("weights", type=Path, help="model.safetensors of the teacher")
    parser.add_argument("out", type=Path, help="files to write: OUT.0.npz, OUT.1.npz, …")
    parser.add_argument("--parts", type=int, default=1)
    given = parser.parse_args()
    packed = pack(gather_weights(given.weights))
    groups: list[Arrays] = [{} for _ in range(given.parts)]
    for name, array in sorted(packed.items(), key=lambda item: -item[1].nbytes):
        min(groups, key=lambda group: sum(a.nbytes for a in group.values()))[name] = array
    for number, group in enumerate(groups):
        np.savez(Path(f"{given.out}.{number}.npz"), **group)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
