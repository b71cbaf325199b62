"""How well `ask` answers without a model: where its quotes lead, what it refuses, and how long it takes."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.asked import SQUAD, Asked, AskedSet, load_sets, sentences_of
from bench.child import Measured, in_child, percentiles, say
from bench.chunking import merged
from bench.queries import load_queries
from bench.vaults import BenchVault
from notewell import Vault, ask
from notewell.chat import ANSWERS, answering
from notewell.types.answer import Answer, Citation, Metadata
from notewell.types.note import Span
from notewell.types.query import Query

# Of the notes that answer, so many parts are taken out, one at a time: a tenth of the vault is gone, never half.
PARTS = 10
# Queries of these kinds are asked for their latency: the others are no questions.
QUESTIONS = ("question", "sentence")
PASSES = 2
# Beside the latencies of the vaults, under this name.
ANSWERED = "answers"
WORD = re.compile(r"\w+")


def measure_latency(vault: BenchVault) -> Measured:
    """Time questions from the vault's own words, in one warmed-up process."""
    say(f"{vault.name}: asking")
    return in_child("ask:time_questions", root=str(vault.root), queries=str(vault.queries))


def time_questions(root: str, queries: str) -> Measured:
    """Return the time to the first citation and to the end, without a model; by the clock and by the processor."""
    asked = [text for kind, text in load_queries(queries) if kind in QUESTIONS]
    with Vault.open(root) as vault:
        _times(vault, asked)
        timed = [one for _ in range(PASSES) for one in _times(vault, asked)]
    first, last, processor = zip(*timed, strict=True)
    return {
        "questions": len(asked),
        "first_citation": percentiles(list(first)),
        "end": percentiles(list(last)),
        "processor": percentiles(list(processor)),
    }


def _times(vault: Vault, asked: Sequence[str]) -> list[tuple[float, float, float]]:
    """Return, for each question, milliseconds to the first citation, to the end, and of the processor."""
    times = []
    for text in asked:
        began, worked, first = time.perf_counter(), time.process_time(), 0.0
        for event in answering(vault, Query(text)):
            if isinstance(event, Metadata) and not first:
                first = time.perf_counter() - began
        end = time.perf_counter() - began
        times.append(((first or end) * 1000, end * 1000, (time.process_time() - worked) * 1000))
    return times


def measure_answers(folder: str, squad: str = "") -> Measured:
    """Ask every set its own questions, with and without the notes that answer, and questions nothing answers."""
    file = Path(squad) if squad else Path(folder) / "squad" / SQUAD
    if not file.is_file():
        say(f"ask: SQuAD 2.0 is not at {file}, its rows are left out; name the file with --squad")
    sets: Measured = {}
    for one in load_sets(Path(folder), file):
        say(f"ask: {one.name}, {len(one.asked):,} questions")
        sets[one.name] = measure_set(one)
    return {ANSWERED: {"threshold": ANSWERS, "sets": sets}}


def measure_set(one: AskedSet) -> Measured:
    """Return how well one set is answered and refused."""
    with asked_vault(one) as vault:
        answers = [_ask(vault, asked.text) for asked in one.asked]
        others = {
            "unrelated": [_ask(vault, text) for text in one.unrelated],
            "adversarial": [_ask(vault, text) for text in one.adversarial],
            "answer removed": [_ask(vault, asked.text) for asked in asked_without(vault, one)],
        }
    own = [answer.confidence for answer in answers]
    quotes = [citation for answer in answers for citation in answer.citations]
    return {
        "notes": len(one.notes),
        "questions": len(one.asked),
        "recall": {
            "all quotes": _recall(one, [answer.citations for answer in answers]),
            "first quote": _recall(one, [answer.citations[:1] for answer in answers]),
        },
        "verified": _mean([citation.citation_verified for citation in quotes]),
        "quotes": round(len(quotes) / len(answers), 2),
        "characters": round(float(np.mean([len(citation.quote) for citation in quotes])), 0),
        "auroc": {kind: auroc(own, [one.confidence for one in asked]) for kind, asked in others.items() if asked},
        "answered": {
            "answerable": _mean([answer.answered for answer in answers]),
            **{kind: _mean([answer.answered for answer in asked]) for kind, asked in others.items() if asked},
        },
    }


@contextmanager
def asked_vault(one: AskedSet) -> Iterator[Vault]:
    """Open a vault of a set's notes, indexed."""
    with tempfile.TemporaryDirectory(prefix="notewell-ask-") as name:
        _write(Path(name), one.notes)
        with Vault.open(name) as vault:
            vault.index()
            yield vault


def asked_without(vault: Vault, one: AskedSet) -> Iterator[Asked]:
    """Yield each question while what answers it is not in the vault."""
    places = {
        place: number for number, place in enumerate(dict.fromkeys((each.note, each.place) for each in one.asked))
    }
    for part in range(PARTS):
        asked = [each for each in one.asked if places[each.note, each.place] % PARTS == part]
        cut = one.without(asked)
        _write(vault.root, cut)
        vault.index()
        yield from asked
        _write(vault.root, {note: one.notes[note] for note in cut})
    vault.index()


def _write(root: Path, notes: Mapping[str, str]) -> None:
    """Write notes below a folder, and remove those without text."""
    for path, text in notes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if text.strip():
            file.write_text(text, encoding="utf-8")
        else:
            file.unlink()


def _ask(vault: Vault, text: str) -> Answer:
    return ask(vault, Query(text, refresh=False))


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the chance that one of the first is above one of the second; equal ones count half.

    >>> auroc([0.5, 0.9], [0.1, 0.5])
    0.875
    """
    ordered = np.sort(np.array(lower))
    below, equal = (np.searchsorted(ordered, np.array(higher), side) for side in ("left", "right"))
    return round(float((below + equal).mean()) / 2 / len(ordered), 4)


def _recall(one: AskedSet, cited: Sequence[Sequence[Citation]]) -> Measured:
    """Return how many answers cite the right note, quote a sentence that answers, and quote the answer's words."""
    right = [
        [quote_spans(citation.quote, one.notes[asked.note]) for citation in citations if citation.path == asked.note]
        for asked, citations in zip(one.asked, cited, strict=True)
    ]
    quoted = [merged(span for spans in found for span in spans) for found in right]
    recall = {"note": _mean([bool(found) for found in right])}
    if not any(asked.answers for asked in one.asked):
        return recall
    judged = [_judge(one.notes[asked.note], asked, spans) for asked, spans in zip(one.asked, quoted, strict=True)]
    return {**recall, "sentence": _mean([each[0] for each in judged]), "span": _mean([each[1] for each in judged])}


def _judge(text: str, asked: Asked, quoted: Sequence[Span]) -> tuple[bool, float]:
    """Tell whether at least half of a sentence that answers is quoted, and which share of the answer is."""
    sentences = [sentence for answer in asked.answers for span in answer for sentence in sentences_of(text, span)]
    half = any(2 * _covered([sentence], quoted) >= sentence.end - sentence.start for sentence in sentences)
    return half, max(_covered(one, quoted) / sum(span.end - span.start for span in one) for one in asked.answers)


def _covered(spans: Sequence[Span], by: Sequence[Span]) -> int:
    return sum(max(0, min(one.end, other.end) - max(one.start, other.start)) for one in spans for other in by)


def quote_spans(quote: str, text: str) -> list[Span]:
    """Return where the parts of a quote are in a text, whatever signs and spaces are between their words.

    >>> quote_spans("the oven … too hot", "Is the *oven* on? It was too hot.")
    [Span(start=3, end=12), Span(start=25, end=32)]
    """
    spans, at = [], 0
    for part in quote.split("…"):
        words = WORD.findall(part)
        found = re.compile(r"\W+".join(map(re.escape, words))).search(text, at) if words else None
        if found:
            spans.append(Span(*found.span()))
            at = found.end()
    return spans


def _mean(values: Sequence[float | bool]) -> float:
    return round(float(np.mean(values)), 4) if values else 0.0
