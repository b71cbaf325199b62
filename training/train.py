"""Train the static model: its similarities within a batch are to be the teachers'.

    shards ─read→ texts ─teach→ vectors ─distil→ table ─quantise→ int8 ─write→ folder

A query and its passage are the means of their tokens' rows. Each batch compares all its queries and passages
with one another, once by the student and once by the teachers, and pulls the first distribution to the second.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from lessons import HELD_OUT, SPAN, Data, Pieces, Side, Texts, cached, hold_out, open_school, read_data
from safetensors.numpy import load_file
from torch import Tensor
from torch.nn import functional as F

# Passages of a source among which its held-out ones are sought.
AMONG = 13_500
# Words and their meanings, quiz clues: worth learning from, but not what is searched for in notes.
NOT_JUDGED = {"wordnet", "gcide", "foldoc", "jargon", "trivia", "deu-eng", "fra-eng", "nld-eng"}
VALIDATE_EVERY = 500
CLUSTERS_PER_BATCH = 8


@dataclass(frozen=True, slots=True)
class Recipe:
    """What shapes one training run."""

    name: str = "default"
    steps: int = 6_000
    batch: int = 4_096
    rate: float = 0.003
    temperature: float = 0.05
    # Weight of the true pair against the teachers' opinion, in English and in other languages.
    truth: float = 0.1
    truth_foreign: float = 0.5
    # Share of batches drawn from one source only: near misses instead of far ones.
    single: float = 0.5
    # Share of batches drawn from a few clusters of passages alike to the teachers.
    clustered: float = 0.0
    # Share of queries that are spans of their own passage.
    spans: float = 0.25
    teachers: str = "both"
    vocabulary: str = "large"
    # Sources are drawn by size to this power: below 1, small ones count for more.
    balance: float = 0.6
    dropout: float = 0.0
    dimensions: int = 256
    seed: int = 4


def average(table: Tensor, texts: Texts, rows: Tensor, dropout: float = 0.0) -> Tensor:
    """One unit vector per text: the mean of its tokens' rows."""
    ids, offsets = texts.bags(rows)
    # A dropped token counts as [UNK], whose row is zero.
    ids = torch.where(torch.rand(ids.shape, device=ids.device) < dropout, 0, ids) if dropout else ids
    return F.normalize(F.embedding_bag(ids, table, offsets.to(ids.dtype), mode="sum"), dim=1)


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows sorted by group, where each group begins, and how many it has."""

    rows: Tensor
    begins: Tensor
    sizes: Tensor

    @classmethod
    def of(cls, rows: Tensor, group: Tensor) -> Groups:
        """The rows by the group of each."""
        sizes = torch.bincount(group[rows]).double()
        return cls(rows[torch.argsort(group[rows], stable=True)], torch.cumsum(sizes, 0) - sizes, sizes)

    def draw(self, groups: Tensor, chance: torch.Generator) -> Tensor:
        """One random row of each named group."""
        inside = (
            torch.rand(len(groups), generator=chance, device=groups.device, dtype=torch.double) * self.sizes[groups]
        )
        return self.rows[(self.begins[groups] + inside).long()]


def batches(data: Data, recipe: Recipe, device: torch.device) -> Iterator[Tensor]:
    """Rows of pairs: some batches over all sources, some within one, some within a few clusters."""
    chance = torch.Generator(device=device).manual_seed(recipe.seed)
    rows = torch.nonzero(~data.held).squeeze(1)
    sources, clusters = Groups.of(rows, data.source), Groups.of(rows, data.cluster)
    share = sources.sizes.pow(recipe.balance)
    large = torch.where(sources.sizes >= recipe.batch, share, torch.zeros_like(share))
    for _ in range(recipe.steps):
        kind = float(torch.rand(1, generator=chance, device=device))
        if kind < recipe.clustered:
            few = torch.multinomial(clusters.sizes.sqrt(), CLUSTERS_PER_BATCH, replacement=True, generator=chance)
            yield clusters.draw(few.repeat_interleave(recipe.batch // CLUSTERS_PER_BATCH), chance)
        elif kind < recipe.clustered + recipe.single and large.sum() > 0:
            yield sources.draw(torch.multinomial(large, 1, generator=chance).expand(recipe.batch), chance)
        else:
            yield sources.draw(torch.multinomial(share, recipe.batch, replacement=True, generator=chance), chance)


def opinion(one: Tensor, other: Tensor, recipe: Recipe) -> Tensor:
    """The teachers' similarities: the mean of their cosines."""
    return one @ other.T / recipe.temperature


def divergence(student: Tensor, teacher: Tensor, truth: Tensor | None = None) -> Tensor:
    """Cross-entropy of the student against the teachers, both ways; the diagonal takes its share of truth."""
    total = student.new_zeros(())
    for s, t in ((student, teacher), (student.T, teacher.T)):
        wanted = F.softmax(t, dim=1)
        logs = F.log_softmax(s, dim=1)
        if truth is None:
            total = total - (wanted * logs).sum(1).mean()
        else:
            total = total - ((1 - truth) * (wanted * logs).sum(1) + truth * logs.diagonal()).mean()
    return total


def without_self(scores: Tensor) -> Tensor:
    """The scores with each text's similarity to itself out of the race."""
    return scores.masked_fill(torch.eye(len(scores), dtype=torch.bool, device=scores.device), -1e4)


def taught(side: Side, rows: Tensor, recipe: Recipe) -> Tensor:
    """The teachers' vectors side by side, so that a product is the mean of their cosines."""
    chosen = list(side.vectors) if recipe.teachers == "both" else [recipe.teachers]
    beside = torch.cat([side.vectors[name][rows].float() for name in chosen], dim=1)
    return beside * (1 / math.sqrt(len(chosen)))


def step_loss(table: Tensor, data: Data, rows: Tensor, recipe: Recipe) -> Tensor:
    """Query to passage and passage to passage, against the teachers."""
    as_span = torch.rand(len(rows), device=rows.device) < recipe.spans
    # A translation has no span of its own that would mean the same.
    as_span &= ~data.foreign[rows] | (data.passages.texts["large"].sizes[rows] > SPAN[1])
    order = torch.argsort(as_span.int(), stable=True)
    rows, cut = rows[order], int((~as_span).sum())
    kind, sides = recipe.vocabulary, ((data.queries, rows[:cut]), (data.spans, rows[cut:]))
    q = torch.cat([average(table, side.texts[kind], part, recipe.dropout) for side, part in sides if len(part)])
    tq = torch.cat([taught(side, part, recipe) for side, part in sides if len(part)])
    p = average(table, data.passages.texts[kind], rows, recipe.dropout)
    tp = taught(data.passages, rows, recipe)
    foreign = data.foreign[rows].float()
    truth = recipe.truth + (recipe.truth_foreign - recipe.truth) * foreign
    across = divergence(q @ p.T / recipe.temperature, opinion(tq, tp, recipe), truth)
    within = divergence(without_self(p @ p.T / recipe.temperature), without_self(opinion(tp, tp, recipe)))
    return across + within


@torch.no_grad()
def validate(table: Tensor, data: Data, kind: str) -> dict[str, float]:
    """nDCG@10 of each source's held-out queries among its held-out passages and others."""
    values = {}
    for number, name in enumerate(data.names):
        held = torch.nonzero(data.held & (data.source == number)).squeeze(1)
        if len(held):
            others = torch.nonzero(~data.held & (data.source == number)).squeeze(1)
            passages = average(table, data.passages.texts[kind], torch.cat([held, others])[:AMONG])
            scores = average(table, data.queries.texts[kind], held[:HELD_OUT]) @ passages.T
            place = (scores > scores.diagonal()[:, None]).sum(1)
            values[name] = float(torch.where(place < 10, 1 / torch.log2(place + 2.0), 0.0).mean())
    return values


def fit(table: Tensor, data: Data, recipe: Recipe) -> tuple[Tensor, dict[str, float]]:
    """The best table met on the way, by the held-out pairs."""
    torch.manual_seed(recipe.seed)
    weights = table[:, : recipe.dimensions].clone().requires_grad_()
    optimiser = torch.optim.Adam([weights], lr=recipe.rate)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=recipe.steps + 1, pct_start=0.05)
    best, best_values, began = weights.detach().clone(), validate(weights, data, recipe.vocabulary), time.time()
    print(f"  {recipe.name:24} start {mean(best_values):.4f}", flush=True)
    for step, rows in enumerate(batches(data, recipe, table.device), 1):
        loss = step_loss(weights, data, rows, recipe)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if weights.grad is not None:
            weights.grad[0] = 0
        optimiser.step()
        plan.step()
        if step % VALIDATE_EVERY == 0 or step == recipe.steps:
            values = validate(weights, data, recipe.vocabulary)
            if mean(values) > mean(best_values):
                best, best_values = weights.detach().clone(), values
            if step % (4 * VALIDATE_EVERY) == 0 or step == recipe.steps:
                took = f"{time.time() - began:.0f} s"
                print(
                    f"  {recipe.name:24} {step:6} loss {loss.item():.4f} held-out {mean(values):.4f} {took}", flush=True
                )
    return best, best_values


def mean(values: dict[str, float]) -> float:
    """The mean over the sources that resemble notes."""
    judged = [value for name, value in values.items() if name not in NOT_JUDGED]
    return sum(judged) / max(len(judged), 1)


def quantise(table: Tensor, share: float) -> Tensor:
    """The table as int8 under one scale that clips all but this share of the entries."""
    sample = table.abs().flatten()[:: max(1, table.numel() // 4_000_000)]
    scale = torch.quantile(sample, share) / 127
    return (table / scale).round().clamp(-127, 127).to(torch.int8)


def begin_table(model: Path, pieces: Pieces, device: torch.device) -> Tensor:
    """The present model's rows; an added token begins as the sum of its pieces."""
    rows = torch.from_numpy(load_file(model / "model.safetensors")["embeddings"].astype(np.float32)).to(device)
    rows = rows / rows.norm(dim=1).mean()
    starts = torch.from_numpy(pieces.starts).to(device)
    return F.embedding_bag(torch.from_numpy(pieces.ids).to(device), rows, starts, mode="sum")


def main() -> None:
    """Train each recipe of a file (or the default one) and write its table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("data", type=Path, help="folder of shards (pairs.py) and packed teachers (teacher.py)")
    parser.add_argument("--model", type=Path, required=True, help="folder that distill.py wrote, to begin from")
    parser.add_argument("--recipes", type=Path, help="JSON list of changes to the default recipe")
    parser.add_argument("--out", type=Path, required=True, help="folder for <name>.npz and results.json")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--teachers", nargs="+", default=["minilm", "mpnet"])
    parser.add_argument("--unseen", nargs="*", default=[], help="sources to hold out whole")
    parser.add_argument("--most", type=int, default=10_000_000, help="pairs per source, for a trial")
    parser.add_argument("--cache", type=Path, help="file to keep the taught data in between runs")
    parser.add_argument("--keep", type=int, default=2, help="write this many of the best tables")
    given = parser.parse_args()
    device, began = torch.device(given.device), time.time()
    torch.set_float32_matmul_precision("high")
    school = open_school(given.data, given.model, device, given.teachers)
    data = cached(given.cache, lambda: read_data(given.data, school, most=given.most), device)
    hold_out(data, given.unseen)
    print(f"{len(data.source)} pairs of {len(data.names)} sources taught in {time.time() - began:.0f} s", flush=True)
    large = begin_table(given.model, school.pieces, device)
    small = large[: len(school.bert)]
    changes = json.loads(given.recipes.read_text(encoding="utf-8")) if given.recipes else [{}]
    results: list[tuple[float, Recipe, dict[str, float], Tensor]] = []
    for change in changes:
        recipe = replace(Recipe(), **change)
        table, values = fit(large if recipe.vocabulary == "large" else small, data, recipe)
        results.append((mean(values), recipe, values, table.cpu()))
    write_results(given.out, sorted(results, key=lambda r: -r[0]), data, device, given.keep)


def write_results(
    out: Path,
    results: list[tuple[float, Recipe, dict[str, float], Tensor]],
    data: Data,
    device: torch.device,
    keep: int,
) -> None:
    """Write all figures and the best tables, and print a line for each run."""
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    for place, (value, recipe, values, table) in enumerate(results):
        rounded = {}
        for share in (1.0, 0.9999, 0.999):
            int8 = quantise(table, share)
            rounded[share] = mean(validate(int8.float().to(device), data, recipe.vocabulary))
            if place < keep and rounded[share] == max(rounded.values()):
                np.savez(out / f"{recipe.name}.npz", table=int8.numpy())
        lines.append({"recipe": asdict(recipe), "held_out": value, "int8": rounded, "sources": values})
        print(f"{recipe.name:24} {value:.4f} int8 {' '.join(f'{v:.4f}' for v in rounded.values())}", flush=True)
    (out / "results.json").write_text(json.dumps(lines, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
