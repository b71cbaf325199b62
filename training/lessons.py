"""What the student learns from: token ids on the device, with the teachers' vectors beside them."""

from __future__ import annotations

import io
import json
import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from teacher import UNKNOWN, Teacher
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

# Held out of each source that is large enough; a model is chosen by these alone.
HELD_OUT = 1_500
LARGE_ENOUGH = 5_000
# Tokens of a passage that stand in for a question: as many as people type, or a sentence.
SPAN = (4, 24)
CLUSTERS = 1_024

Sizes = NDArray[np.int64]


@dataclass(slots=True)
class Texts:
    """Ragged ids on the device, in student's tokens."""

    ids: Tensor
    starts: Tensor
    sizes: Tensor

    def bags(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The rows' ids in one run and where each row begins."""
        sizes = self.sizes[rows]
        ends = torch.cumsum(sizes, 0)
        offsets = ends - sizes
        owner = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), sizes, output_size=int(ends[-1]))
        inside = torch.arange(len(owner), device=rows.device) - offsets[owner]
        return self.ids[self.starts[rows][owner] + inside], offsets


@dataclass(slots=True)
class Side:
    """One side of the pairs: what the student reads and what the teachers made of it."""

    texts: dict[str, Texts]
    vectors: dict[str, Tensor]


@dataclass(slots=True)
class Data:
    """All pairs: queries, spans of passages in place of queries, passages; and each pair's source."""

    queries: Side
    spans: Side
    passages: Side
    source: Tensor
    cluster: Tensor
    names: list[str]
    foreign: Tensor
    held: Tensor


def unpack(path: Path) -> dict[str, NDArray[np.generic]]:
    """A shard that pairs.py wrote."""
    return dict(np.load(io.BytesIO(lzma.decompress(path.read_bytes()))))


def starts_of(sizes: Sizes) -> Sizes:
    """Where each text begins in the run."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)[:-1]])


@dataclass(frozen=True, slots=True)
class Pieces:
    """Each token of the large vocabulary as tokens of the small one."""

    ids: NDArray[np.int64]
    starts: Sizes
    sizes: Sizes

    @classmethod
    def read(cls, path: Path, small: int) -> Pieces:
        """The identity for the small vocabulary, then what pairs.py wrote."""
        added = np.load(path)
        ids = np.concatenate([np.arange(small), added["ids"].astype(np.int64)])
        sizes = np.concatenate([np.ones(small, np.int64), added["sizes"].astype(np.int64)])
        return cls(ids, starts_of(sizes), sizes)

    def expand(self, ids: NDArray[np.integer], sizes: Sizes) -> tuple[NDArray[np.int64], Sizes]:
        """The texts in the small vocabulary."""
        each = self.sizes[ids]
        owner = np.repeat(np.arange(len(ids)), each)
        inside = np.arange(len(owner)) - np.repeat(starts_of(each), each)
        totals = np.add.reduceat(each, starts_of(sizes)) if len(sizes) else sizes
        return self.ids[self.starts[ids[owner]] + inside], totals


def cut_spans(ids: NDArray[np.integer], sizes: Sizes, chance: np.random.Generator) -> tuple[NDArray[np.integer], Sizes]:
    """A random run of tokens of each text."""
    lengths = np.minimum(chance.integers(*SPAN, size=len(sizes), endpoint=True), sizes)
    begin = starts_of(sizes) + (chance.random(len(sizes)) * (sizes - lengths + 1)).astype(np.int64)
    owner = np.repeat(np.arange(len(sizes)), lengths)
    inside = np.arange(len(owner)) - np.repeat(starts_of(lengths), lengths)
    return ids[begin[owner] + inside], lengths


@dataclass(frozen=True, slots=True)
class School:
    """What turns ids into two students' texts and the teachers' vectors."""

    pieces: Pieces
    bert: NDArray[np.int64]
    teachers: dict[str, Teacher]
    device: torch.device

    def side(self, ids: NDArray[np.integer], sizes: Sizes) -> Side:
        """Both readings and all teachers' vectors of some texts."""
        small, small_sizes = self.pieces.expand(ids, sizes)
        texts = {"large": self._texts(ids, sizes), "small": self._texts(small, small_sizes)}
        return Side(texts, {name: t.embed(self.bert[small], small_sizes) for name, t in self.teachers.items()})

    def _texts(self, ids: NDArray[np.integer], sizes: Sizes) -> Texts:
        starts = torch.from_numpy(starts_of(sizes)).to(self.device)
        return Texts(
            torch.from_numpy(ids.astype(np.int32)).to(self.device), starts, torch.from_numpy(sizes).to(self.device)
        )


def read_data(folder: Path, school: School, *, most: int) -> Data:
    """The shards of a folder, taught. Translations get their English's vectors on both sides."""
    queries, query_sizes, passages, passage_sizes, source, names, foreign = [], [], [], [], [], [], []
    languages = json.loads((folder / "languages.json").read_text(encoding="utf-8"))
    for number, path in enumerate(sorted(folder.glob("*.npz.xz"))):
        shard = unpack(path)
        qs, ps = (shard[f"{side}_sizes"].astype(np.int64)[:most] for side in ("query", "passage"))
        queries.append(shard["queries"][: qs.sum()])
        passages.append(shard["passages"][: ps.sum()])
        query_sizes.append(qs)
        passage_sizes.append(ps)
        names.append(path.name.removesuffix(".npz.xz"))
        foreign.append(languages[names[-1]] != "en")
        source.append(np.full(len(qs), number))
    chance = np.random.default_rng(4)
    p, ps, q, qs = (
        np.concatenate(passages),
        np.concatenate(passage_sizes),
        np.concatenate(queries),
        np.concatenate(query_sizes),
    )
    sources = torch.from_numpy(np.concatenate(source)).to(school.device)
    answers = school.side(p, ps)
    clusters = cluster(next(iter(answers.vectors.values())), min(CLUSTERS, len(ps) // 8))
    is_foreign = torch.tensor(foreign, device=school.device)[sources]
    questions, cuts = school.side(q, qs), school.side(*cut_spans(p, ps, chance))
    data = Data(questions, cuts, answers, sources, clusters, names, is_foreign, torch.zeros_like(is_foreign))
    translated = torch.tensor([languages[name] == "xx-en" for name in names], device=school.device)[sources]
    for name, vectors in data.passages.vectors.items():
        data.queries.vectors[name][translated] = vectors[translated]
    return data


def cached(path: Path | None, make: Callable[[], Data], device: torch.device) -> Data:
    """What was made before, or is made now and kept."""
    if path and path.exists():
        found: Data = torch.load(path, map_location=device, weights_only=False)
        return found
    data = make()
    if path:
        torch.save(data, path)
    return data


def hold_out(data: Data, unseen: Sequence[str]) -> None:
    """Mark some pairs of each large source, and all of the unseen ones, as held out of training."""
    data.held[:] = False
    for number, name in enumerate(data.names):
        rows = torch.nonzero(data.source == number).squeeze(1)
        # gather.py shuffled each source, so its first rows are as good as any.
        few = min(HELD_OUT, len(rows) // 10) if len(rows) > LARGE_ENOUGH else 0
        data.held[rows if name in unseen else rows[:few]] = True


@torch.no_grad()
def cluster(vectors: Tensor, count: int) -> Tensor:
    """The nearest of `count` centres for each vector, after a few rounds of k-means."""
    chance = torch.Generator().manual_seed(4)
    centres = vectors[torch.randperm(len(vectors), generator=chance)[:count].to(vectors.device)].float()
    nearest = torch.zeros(len(vectors), dtype=torch.long, device=vectors.device)
    for _ in range(6):
        for start in range(0, len(vectors), 100_000):
            nearest[start : start + 100_000] = (vectors[start : start + 100_000].float() @ centres.T).argmax(1)
        sums = torch.zeros_like(centres).index_add_(0, nearest, vectors.float())
        centres = F.normalize(torch.where(sums.norm(dim=1, keepdim=True) > 0, sums, centres), dim=1)
    return nearest


def open_school(folder: Path, model: Path, device: torch.device, teachers: Sequence[str]) -> School:
    """The vocabulary's pieces, their ids in BERT's numbering, and the teachers."""
    words = Tokenizer.from_file(str(model / "tokenizer.json")).get_vocab()
    numbers = {t: i for i, t in enumerate((folder / "vocab.txt").read_text(encoding="utf-8").split("\n")) if t}
    bert = np.full(len(words), UNKNOWN)
    for token, row in words.items():
        bert[row] = numbers[token]
    loaded = {name: Teacher.load(sorted(folder.glob(f"{name}.*.npz")), device) for name in teachers}
    return School(Pieces.read(folder / "pieces.npz", len(words)), bert, loaded, device)
