"""Questions with known answers: notes of several collections, the places that answer, and questions nothing answers."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.child import BenchError
from bench.chunking import load_questions, merged
from notewell.files.formats import WRAPPED
from notewell.measure.collection import load_collection
from notewell.search.sentences import Unit, find_blocks, find_sentences
from notewell.types.note import Span

SQUAD = "dev-v2.0.json"
# Every second article: a threshold or a weight is chosen on the first half, and looked at on the others.
CHOSEN_ON = "squad, chosen on"
HELD_OUT = "squad, held out"
XQUAD = ("xquad-en", "xquad-de")
LONG = "five long documents"
# Whose questions have nothing to do with the notes above. Not those of `xquad`: they are about SQuAD's articles.
OTHERS = ("cosqa", "cranfield", "legalquad-de", "scifact", "se-beer")
# Questions of each of them.
EACH = 60
# A longer line is more than a paragraph, and only its sentences are taken out.
PARAGRAPH = 3_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the note that answers it, where, and what would have to be taken out for nothing to answer.

    Each of `answers` is enough; without any, all that is known is the note, and all of it would be taken out.
    """

    text: str
    note: str
    answers: tuple[tuple[Span, ...], ...] = ()
    place: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedSet:
    """Notes by path, the questions they answer, those that only sound as if, and those about something else."""

    name: str
    notes: Mapping[str, str]
    asked: Sequence[Asked]
    adversarial: Sequence[str]
    unrelated: Sequence[str]

    def without(self, asked: Sequence[Asked]) -> dict[str, str]:
        """Return the notes that answer these questions, without what answers; empty if nothing is left."""
        spans: dict[str, list[Span]] = {}
        for one in asked:
            spans.setdefault(one.note, []).extend(one.place or (Span(0, len(self.notes[one.note])),))
        return {note: cut_out(self.notes[note], found) for note, found in spans.items()}


def load_sets(data: Path, squad: Path) -> Iterator[AskedSet]:
    """Yield all sets; SQuAD's are left out if the file is not there."""
    unrelated = list(_unrelated(data / "beir"))
    if squad.is_file():
        articles = json.loads(squad.read_text(encoding="utf-8"))["data"]
        for name, half in ((CHOSEN_ON, articles[::2]), (HELD_OUT, articles[1::2])):
            yield load_squad(name, half, unrelated)
    for name in XQUAD:
        yield _load_xquad(data / "beir" / name, unrelated)
    yield _load_long(data / "chunking-eval", unrelated)


def load_squad(name: str, articles: Sequence[dict], unrelated: Sequence[str]) -> AskedSet:  # type: ignore[type-arg]
    """Return a set of SQuAD's articles: a note for each paragraph, below the article's name."""
    notes, asked, adversarial = {}, [], []
    for article in articles:
        head = f"# {article['title'].replace('_', ' ')}\n\n"
        for number, paragraph in enumerate(article["paragraphs"]):
            path = f"{article['title']}/{number:02}.md"
            notes[path] = f"{head}{paragraph['context']}\n"
            for one in paragraph["qas"]:
                spans = {(len(head) + each["answer_start"], len(each["text"])) for each in one["answers"]}
                answers = tuple((Span(start, start + length),) for start, length in sorted(spans))
                if one["is_impossible"]:
                    adversarial.append(one["question"])
                else:
                    asked.append(Asked(one["question"], path, answers))
    return AskedSet(name, notes, asked, adversarial, unrelated)


def _load_xquad(folder: Path, unrelated: Sequence[str]) -> AskedSet:
    collection = load_collection(folder)
    notes = {f"{one.name}.md": f"# {one.title}\n\n{one.text}\n" for one in collection.documents}
    asked = [
        Asked(text, f"{max(judged, key=lambda name: judged[name])}.md")
        for query, text in collection.queries.items()
        if (judged := collection.judgements[query])
    ]
    return AskedSet(folder.name, notes, asked, (), unrelated)


def _load_long(folder: Path, unrelated: Sequence[str]) -> AskedSet:
    notes = {file.name: file.read_text(encoding="utf-8") for file in sorted((folder / "corpora").glob("*.md"))}
    asked = [
        Asked(one.text, one.path, (one.answers,), tuple(around(notes[one.path], one.answers)))
        for one in load_questions(folder / "questions_df.csv", notes)
    ]
    return AskedSet(LONG, notes, asked, (), unrelated)


def _unrelated(folder: Path) -> Iterator[str]:
    chance = random.Random(5)
    for name in OTHERS:
        if not (folder / name).is_dir():
            raise BenchError(f"There is no collection {folder / name}", "Name the folder that holds beir/ with --data")
        yield from chance.sample(sorted(load_collection(folder / name).queries.values()), EACH)


def around(text: str, answers: Sequence[Span]) -> list[Span]:
    """Return the lines that hold the answers, or the sentences if a line is very long.

    >>> around("One.\\nTwo. Three.\\nFour.", [Span(10, 14)])
    [Span(start=5, end=16)]
    """
    found = []
    for answer in answers:
        start, end = text.rfind("\n", 0, answer.start) + 1, text.find("\n", answer.end)
        end = len(text) if end < 0 else end
        inside = [Span(start, end)] if end - start <= PARAGRAPH else sentences_of(text, answer)
        found += inside
    return merged(found)


def sentences_of(text: str, answer: Span) -> list[Span]:
    """Return the sentences that an answer is in."""
    around = find_blocks(text, WRAPPED, [answer.start, max(answer.start, answer.end - 1)])
    units = [unit for block in around or [Unit(answer.start, answer.end)] for unit in find_sentences(text, block)]
    return [Span(unit.start, unit.end) for unit in units if unit.start < answer.end and answer.start < unit.end]


def cut_out(text: str, spans: Sequence[Span]) -> str:
    """Return the text without these spans.

    >>> cut_out("One. Two. Three.", [Span(5, 9), Span(4, 6)])
    'One. Three.'
    """
    kept, at = "", 0
    for span in merged(spans):
        kept, at = kept + text[at : span.start], span.end
    return kept + text[at:]
