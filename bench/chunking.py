"""How well chunks contain answers: recall and precision of a page of limited tokens, for several ways of cutting."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.child import BenchError, Measured, say
from bench.cutters import Cutter, paragraphs_of, sentence_before, windows_of
from bench.tokens import first_tokens, tokens_in
from notewell import Vault
from notewell.measure.evaluate import find_candidates
from notewell.measure.metrics import interval
from notewell.types.candidates import Candidate
from notewell.types.note import Span

# Tokens that a page of hits may have.
BUDGETS = (500, 1_000, 2_000, 4_000)
# Enough chunks that the shortest fill the largest page.
DEPTH = 100
OURS = "ours, 2,000 chars (default)"
CUTTERS = {
    OURS: Cutter(),
    **{f"ours, {size:,} chars": Cutter({"chunk.max_chars": size}) for size in (600, 800, 1_000, 1_200, 1_500, 3_000)},
    "ours, 1,000, a sentence shared": sentence_before(1_000),
    "ours, 600 words, 80 shared": Cutter({"chunk.target_words": 600, "chunk.overlap_words": 80}),
    "ours, 200 words, 30 shared": Cutter({"chunk.target_words": 200, "chunk.overlap_words": 30}),
    "paragraphs, 1,000, 100 shared": paragraphs_of(1_000, overlap=100, min_chars=100),
    **{f"windows, {tokens} tokens": windows_of(tokens) for tokens in (200, 400, 800)},
    "windows, 400 tokens, 200 shared": windows_of(400, overlap=200),
}
# Encoding takes a minute for each, so only the most informative ones.
WITH_ENCODER = (
    OURS,
    "ours, 1,000 chars",
    "ours, 1,500 chars",
    "paragraphs, 1,000, 100 shared",
    "windows, 200 tokens",
    "windows, 400 tokens",
    "windows, 800 tokens",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the note that answers it, and where."""

    text: str
    path: str
    answers: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of the answers a page shows, and of how much text."""

    held: int
    wanted: int
    length: int

    @property
    def recall(self) -> float:
        """Return the share of the answers' characters that the page has."""
        return self.held / self.wanted

    @property
    def precision(self) -> float:
        """Return the share of the page that is answers; what it shows twice is an answer once."""
        return self.held / self.length if self.length else 0.0

    @property
    def iou(self) -> float:
        """Return what is both answer and page, as a share of what is either."""
        return self.held / (self.wanted + self.length - self.held)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many chunks a way of cutting makes, and what each question's page shows, by budget."""

    chunks: int
    shown: Mapping[int, Sequence[Shown]]


Page = list[tuple[str, Span]]


def measure_chunking(folder: str) -> Measured:
    """Cut the corpora in every way and ask all questions, with static vectors and for some ways with the encoder."""
    source = Path(folder)
    texts = {file.name: file.read_text(encoding="utf-8") for file in sorted((source / "corpora").glob("*.md"))}
    questions = list(load_questions(source / "questions_df.csv", texts))
    found: Measured = {"questions": len(questions), "chars": sum(map(len, texts.values()))}
    for how, names in (("off", tuple(CUTTERS)), ("minilm", WITH_ENCODER)):
        each = {}
        for name in names:
            say(f"chunking: {name}, encoder {how}")
            each[name] = measure_cutter(CUTTERS[name], texts, questions, encoder=how)
        found["static" if how == "off" else "encoder"] = {
            name: _as_dict(one, each[OURS], questions) for name, one in each.items()
        }
    return found


def load_questions(file: Path, texts: Mapping[str, str]) -> Iterator[Question]:
    """Yield the questions, after checking that each answer is where it should be."""
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            path, references = f"{row['corpus_id']}.md", json.loads(row["references"])
            for one in references:
                if texts[path][one["start_index"] : one["end_index"]] != one["content"]:
                    raise BenchError(f"{path} does not have the answer to: {row['question']}", "Check the corpora")
            spans = (Span(one["start_index"], one["end_index"]) for one in references)
            yield Question(row["question"], path, tuple(merged(spans)))


def measure_cutter(cutter: Cutter, texts: Mapping[str, str], questions: Sequence[Question], *, encoder: str) -> Outcome:
    """Index the corpora cut this way, and ask everything."""
    with tempfile.TemporaryDirectory(prefix="notewell-chunking-") as folder, cutter.at_work():
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        settings: dict[str, Any] = {**cutter.settings, "embed.encoder": encoder, "search.on_demand": 0}
        with Vault.open(folder, settings) as vault:
            vault.index()
            vault.encode()
            chunks = vault.store.about().chunks
            pages = [find_candidates(vault, question.text, limit=DEPTH) for question in questions]
    shown = {
        budget: [judge(fill_page(hits, texts, budget), one) for hits, one in zip(pages, questions, strict=True)]
        for budget in BUDGETS
    }
    return Outcome(chunks, shown)


def fill_page(hits: Sequence[Candidate], texts: Mapping[str, str], budget: int) -> Page:
    """Return the best hits that fit the budget, the last of them cut to what is left of it."""
    page: Page = []
    for hit in hits:
        if budget <= 0:
            break
        span = first_tokens(texts[hit.chunk.path], Span(hit.chunk.start, hit.chunk.end), budget)
        page.append((hit.chunk.path, span))
        budget -= tokens_in(texts[hit.chunk.path], span)
    return page


def judge(page: Page, question: Question) -> Shown:
    """Compare a page with the places of the answers."""
    of_note = merged(span for path, span in page if path == question.path)
    held = sum(_shared(answer, span) for span in of_note for answer in question.answers)
    wanted = sum(answer.end - answer.start for answer in question.answers)
    return Shown(held, wanted, sum(span.end - span.start for _, span in page))


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, with touching ones merged.

    >>> merged([Span(5, 9), Span(0, 3), Span(2, 4)])
    [Span(start=0, end=4), Span(start=5, end=9)]
    """
    runs: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if runs and span.start <= runs[-1].end:
            runs[-1] = Span(runs[-1].start, max(runs[-1].end, span.end))
        else:
            runs.append(span)
    return runs


def _shared(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _as_dict(one: Outcome, ours: Outcome, questions: Sequence[Question]) -> Measured:
    corpora = sorted({question.path for question in questions})
    budgets = {
        str(budget): {
            **{name: _mean([getattr(each, name) for each in shown]) for name in ("recall", "precision", "iou")},
            "gain": _gain(shown, ours.shown[budget]),
            "corpora": {
                path: _mean([each.recall for each, asked in zip(shown, questions, strict=True) if asked.path == path])
                for path in corpora
            },
        }
        for budget, shown in one.shown.items()
    }
    return {"chunks": one.chunks, "budgets": budgets}


def _gain(shown: Sequence[Shown], ours: Sequence[Shown]) -> Measured:
    """Return how much more is recalled than with our default, with the interval, question by question."""
    differences = [one.recall - other.recall for one, other in zip(shown, ours, strict=True)]
    return {"recall": _mean(differences), "interval": [round(bound, 4) for bound in interval(differences)]}


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)
