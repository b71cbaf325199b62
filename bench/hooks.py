"""How well the prompt hook distinguishes prompts that a vault answers from others."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bench.child import Measured, say
from bench.sample import sample_questions, sample_vault
from notewell.config.sections import HookSettings
from notewell.config.settings import Settings
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import collection_vault, documents_of, note_names
from notewell.search.relevance import telling_terms
from notewell.serve.hooks.block import CANDIDATES, PASSAGES, find_sure
from notewell.serve.hooks.prompt import gist, questions
from notewell.types.results import Hit
from notewell.vault import Vault

# The formula and its threshold were chosen on the first group and checked on the second.
CHOSEN_ON = ("cosqa", "cranfield", "hotpotqa-train100", "legalquad-de", "nfcorpus", "xquad-en")
HELD_OUT = ("scifact", "se-beer", "xquad-de", "sample", "sample, in chatter")
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
# One may answer questions of the other: the same articles in two languages, medicine in both.
NEAR = (frozenset(("xquad-de", "xquad-en")), frozenset(("nfcorpus", "scifact")))
# The number of a collection's own questions, and of each other collection's.
OWN, OTHERS = 200, 30
# Code can answer prompts about code.
ABOUT_CODE = "cosqa"
CHATTER = "I have been at this since yesterday. {}? Please keep the answer short and do not change any other files."

# Whether a hit answers the question.
Answers = Callable[[Hit], bool]


class Prompt(NamedTuple):
    """A prompt, and which hits answer it; none if the vault cannot."""

    kind: str
    text: str
    answers: Answers | None = None


def measure_hooks(folder: str) -> Measured:
    """Ask every vault its own questions, those of the others, and everyday prompts about code."""
    places = {place.name: place for place in sorted(Path(folder).iterdir()) if place.is_dir()}
    questions = {name: list(load_collection(place).queries.values()) for name, place in places.items()}
    questions["sample"] = [question["text"] for question in sample_questions()]
    measured: Measured = {"threshold": HookSettings().threshold, "vaults": {}}
    for name, place in places.items():
        say(f"hooks: {name}")
        with _of_collection(place) as (vault, own):
            measured["vaults"][name] = _measure(vault, [*own, *_unrelated(name, questions)])
    with sample_vault() as vault:
        for name, frame in (("sample", "{}"), ("sample, in chatter", CHATTER)):
            say(f"hooks: {name}")
            own = [Prompt("own", frame.format(one["text"]), _at_places(one["want"])) for one in sample_questions()]
            unrelated = [one._replace(text=frame.format(one.text)) for one in _unrelated("sample", questions)]
            measured["vaults"][name] = _measure(vault, [*own, *unrelated])
    return measured


def _measure(vault: Vault, prompts: Sequence[Prompt]) -> Measured:
    """Return, for every threshold, how many blocks were shown and how many of them were right."""
    judged = [(prompt, _found(vault, prompt.text)) for prompt in prompts]
    return {str(threshold): _counts(judged, threshold) for threshold in THRESHOLDS}


def _found(vault: Vault, prompt: str) -> list[Hit]:
    asked = gist(prompt)
    if len(telling_terms(asked)) < 2:
        return []
    return find_sure(vault, questions(asked), limit=CANDIDATES, floor=0.0)


def _counts(judged: Sequence[tuple[Prompt, list[Hit]]], threshold: float) -> Measured:
    counts = dict.fromkeys(("own", "shown", "right", "answerable", "code", "code_shown", "other", "other_shown"), 0)
    for prompt, hits in judged:
        block = [hit for hit in hits if hit.score >= threshold][:PASSAGES]
        if prompt.answers is None:
            counts[prompt.kind] += 1
            counts[f"{prompt.kind}_shown"] += bool(block)
            continue
        counts["own"] += 1
        counts["shown"] += bool(block)
        counts["right"] += any(map(prompt.answers, block))
        counts["answerable"] += any(map(prompt.answers, hits))
    return counts


def _unrelated(name: str, questions: dict[str, list[str]]) -> Iterator[Prompt]:
    chance = random.Random(7)
    for other, texts in questions.items():
        if other != name and frozenset((other, name)) not in NEAR:
            asked = [text for text in texts if len(telling_terms(text)) > 1]
            yield from (Prompt("other", text) for text in chance.sample(asked, min(OTHERS, len(asked))))
    if name != ABOUT_CODE:
        prompts = (Path(__file__).parent / "prompts.txt").read_text(encoding="utf-8").splitlines()
        yield from (Prompt("code", text) for text in prompts)


@contextmanager
def _of_collection(place: Path) -> Iterator[tuple[Vault, list[Prompt]]]:
    collection = load_collection(place)
    names = note_names(collection)
    chosen = random.Random(11).sample(list(collection.queries), min(OWN, len(collection.queries)))

    def answers(query: str) -> Answers:
        judged = collection.judgements[query]
        return lambda hit: not judged.keys().isdisjoint(documents_of(_paths(hit), names))

    usual = Settings()
    with collection_vault(collection, replace(usual, embed=replace(usual.embed, encoder="off"))) as vault:
        yield vault, [Prompt("own", collection.queries[query], answers(query)) for query in chosen]


def _paths(hit: Hit) -> list[str]:
    """Return the notes with the content of a hit, its own first."""
    return [hit.path, *(place.rpartition(":")[0] for place in hit.also)]


def _at_places(wanted: Sequence[str]) -> Answers:
    places = [(path, int(line)) for path, _, line in (place.rpartition(":") for place in wanted)]
    return lambda hit: any(hit.path == path and hit.line <= line <= hit.end_line for path, line in places)
