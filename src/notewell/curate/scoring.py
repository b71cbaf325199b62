"""Scores of a signal: how relevant, actionable, deep and authoritative it is, each from 0 to 1 with its reasons."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from statistics import quantiles

from notewell.curate.neighbours import Neighbour, embedded, neighbours, subject_of, subject_of_note
from notewell.curate.signals import Signal, bare_url, host_of, words_in
from notewell.embed import Embedder
from notewell.frozen import frozen
from notewell.index.chunk import ChunkRules
from notewell.index.readers.loading import shape_of
from notewell.store import Snapshot
from notewell.types.note import Chunk, Note, Stamp

# A signal is as similar to a vault as its nearest notes are on average.
NEAREST = 3
# Notes of the vault that show how similar its own notes are to each other; with twice as many, scores move by .02.
SAMPLE = 40
# Notes that are looked at for those: stubs and templates, which are all alike, say nothing about texts.
LOOKED_AT = 400
SHORTEST = 300
# How similar notes are where there are too few to measure it.
USUAL = (0.2, 0.5)
FEWEST = 8
DIMENSIONS = ("relevance", "actionability", "depth", "authority")
# A text of so few words says nothing, and one of so many says enough.
SHORT, LONG = 40, 1_500

STEPS = re.compile(r"(?m)^[ \t]{0,20}\d{1,2}[.)][ \t]+\S")
BOXES = re.compile(r"(?m)^[ \t]{0,20}[-*+] \[[ xX]\]")
CODE = re.compile(r"(?m)^```|^ {4}\S|`[^`\n]{3,}`")
HOW = re.compile(r"(?i)\b(?:how to|guide|tutorial|checklist|recipe|step by step|cheat ?sheet|anleitung|so geht)\b")
DO = re.compile(
    r"(?im)^(?:[-*+] |\d{1,2}[.)] |#+ )?(?:use|add|run|set|make|try|avoid|check|open|create|install|write|keep|remove|"
    r"start|choose|read|click|select|ask|plan|build|test|mix|cut|stir|put|call|enter|type|turn|copy|move)\b"
)
DUE = re.compile(
    r"(?i)\b(?:deadline|due|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|register|sign up|frist|bis zum)\b"
)
HEADING = re.compile(r"(?m)^#{1,6} \S")
TABLE = re.compile(r"(?m)^\|.*\|")
FIGURE = re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:%|[a-zA-Z]{1,3}\b)")
ADDRESS = re.compile(r"https?://[^\s)>\]]+")
WORD = re.compile(r"\w+")


@frozen
class Score:
    """One score of a signal."""

    value: float
    """From 0 to 1."""
    why: str
    """The reasons."""


@frozen
class Scores:
    """The four scores of a signal."""

    relevance: Score
    """How similar it is to the notes."""
    actionability: Score
    """How much it tells the reader to do."""
    depth: Score
    """How much content it has."""
    authority: Score
    """How much is known of where it comes from."""

    def total(self, weights: Mapping[str, float]) -> float:
        """Return the mean of the scores with these weights."""
        whole = sum(weights.values()) or 1.0
        return float(sum(getattr(self, name).value * weight for name, weight in weights.items()) / whole)


@frozen
class Scored:
    """A signal with its scores and its nearest notes."""

    signal: Signal
    scores: Scores
    near: Sequence[Neighbour]
    chunks: Sequence[Chunk]


# Without slots and not frozen, as the scale is measured once.
@dataclass
class Judge:
    """Scores signals by one state of a vault, and by what was accepted from a host before."""

    snapshot: Snapshot
    embedder: Embedder | None
    rules: ChunkRules = ChunkRules()
    # How many signals of a host were accepted, and how many were decided.
    history: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    without: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.scale = self._measured()
        sources = [self.snapshot.values("field", key) for key in ("source", "url", "link")]
        every = [value for values in sources for value in values if value.startswith("http")]
        self.hosts, self.addresses = Counter(map(host_of, every)), {*map(bare_url, every)}
        self.authors = {name.casefold() for name in self.snapshot.values("field", "author")}

    def score(self, signal: Signal) -> Scored:
        """Return a signal with its scores."""
        text = signal.text or " ".join(words_in(signal.url))
        chunks = chunked(signal.title, text, self.rules)
        subject = subject_of(chunks, self.snapshot, embedded(chunks, self.embedder))
        near = neighbours(subject, self.snapshot, self.without)[: 4 * NEAREST]
        scores = Scores(self._relevance(near), actionability(signal), _depth(signal), self._authority(signal))
        return Scored(signal, scores, near, chunks)

    def _relevance(self, near: Sequence[Neighbour]) -> Score:
        found = _similarity(near)
        low, high = self.scale
        value = min(1.0, max(0.0, (found - low) / (high - low)))
        names = " and ".join(f"“{one.chunk.title or one.path}”" for one in near[:2])
        how = "as your own notes are to each other" if found >= high else "less than your own notes are to each other"
        return Score(
            round(value, 3), f"like {names}, {how} ({found:.2f}, yours {high:.2f})" if near else "like no note"
        )

    def _measured(self) -> tuple[float, float]:
        """Return the similarities that count 0 and 1: half of the vault's own notes are more like others than that."""
        paths = [path for path in self.snapshot.ids() if path.endswith(".md") and path not in self.without]
        # The same notes in every run, also when others are added, so that a signal has the same score in each.
        order = sorted(paths, key=lambda path: blake2b(path.encode("utf-8", "replace"), digest_size=8).digest())
        drawn = [*islice(filter(self._has_text, order[:LOOKED_AT]), SAMPLE)]
        if len(drawn) < FEWEST:
            return USUAL
        own = [
            _similarity(neighbours(subject_of_note(path, self.snapshot), self.snapshot, (path, *self.without)))
            for path in drawn
        ]
        tenth, *_, _ = quantiles(own, n=10)
        middle = sorted(own)[len(own) // 2]
        # Chosen on zettelkasten-13419: as far again below the tenth, a third of the pages of elsewhere came through.
        low = max(0.0, tenth - (middle - tenth) / 2)
        return (low, middle) if middle - low > 0.05 else USUAL

    def _has_text(self, path: str) -> bool:
        chunks = self.snapshot.chunks(self.snapshot.chunks_of(path)).values()
        return sum(len(chunk.text) for chunk in chunks) >= SHORTEST

    def _authority(self, signal: Signal) -> Score:
        known = self.hosts[signal.host] if signal.host else 0
        accepted, decided = self.history.get(signal.host, (0, 0))
        points = [
            (0.3, "a source that you chose", bool(signal.source)),
            (0.3, f"{'a note comes' if known == 1 else f'{known:,} notes come'} from {signal.host}", known > 0),
            (0.2, f"by {signal.author}", bool(signal.author)),
            (0.2, "an author of your notes", signal.author.casefold() in self.authors),
            (0.1, f"dated {signal.published}", bool(signal.published)),
            (0.2, "names its sources", len({host_of(url) for url in ADDRESS.findall(signal.text)}) > 2),
        ]
        score = _summed(points, "of unknown origin")
        if decided < 3:
            return score
        share = accepted / decided
        why = f"you kept {accepted} of {decided} from {signal.host}"
        return Score(round((score.value + share) / 2, 3), f"{score.why}; {why}")


def _similarity(near: Sequence[Neighbour]) -> float:
    best = near[:NEAREST]
    return sum(one.similarity for one in best) / len(best) if best else 0.0


def chunked(title: str, text: str, rules: ChunkRules) -> list[Chunk]:
    """Return a text as the chunks that a note with it would have."""
    shape = shape_of("signal.md")
    note = shape.parse(Note("signal.md", f"# {title}\n\n{text}\n" if title else text, Stamp(0, 0)))
    return shape.chunk(note, rules)


def actionability(signal: Signal) -> Score:
    """Return how much a signal says what to do."""
    text = f"{signal.title}\n{signal.text}"
    sentences = max(1, text.count(". ") + text.count("\n"))
    steps, told = len(STEPS.findall(text)), len(DO.findall(text))
    points = [
        (0.35, f"{steps} numbered steps", steps > 2),
        (0.25, "says how to", bool(HOW.search(signal.title) or HOW.search(signal.text[:500]))),
        (0.25, "has code or commands", bool(CODE.search(text))),
        (0.25, "tells you what to do", told > 1 and told / sentences > 0.04),
        (0.2, "has tasks", bool(BOXES.search(text))),
        (0.2, "names a deadline", bool(DUE.search(text))),
    ]
    return _summed(points, "nothing to do in it")


def _depth(signal: Signal) -> Score:
    words = len(WORD.findall(signal.text))
    length = min(1.0, max(0.0, math.log((words + 1) / SHORT) / math.log(LONG / SHORT)))
    points = [
        (0.5 * length, f"{words:,} words", True),
        (0.2, "several sections", len(HEADING.findall(signal.text)) > 1),
        (0.1, "figures", len(FIGURE.findall(signal.text)) > 4),
        (0.1, "code or tables", bool(CODE.search(signal.text) or TABLE.search(signal.text))),
        (0.1, "links to more", len(ADDRESS.findall(signal.text)) > 2),
    ]
    return _summed(points, "no text")


def _summed(points: Sequence[tuple[float, str, bool]], nothing: str) -> Score:
    """Return the sum of the points that apply, and their reasons."""
    held = [(value, why) for value, why, applies in points if applies]
    why = ", ".join(why for _, why in held) or nothing
    return Score(round(min(1.0, sum(value for value, _ in held)), 3), why)
