"""The vector of a query: what is embedded of a plan, by which embedder, and what happens if one fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np

from notewell.embed import Embedder, Models, check_length, is_instant
from notewell.embed.none import NO_EMBEDDER
from notewell.embed.vectors import unit
from notewell.errors import EmbedError
from notewell.redact import redact_text
from notewell.search.related import liked
from notewell.store import Snapshot
from notewell.types.note import Vectors
from notewell.types.notices import Notice
from notewell.types.query import Plan

# How much the liked chunks count beside the query: half of the direction is theirs. With it, half a title and a linked
# note find the note meant at MRR .361 instead of .316 (214 of 13,416 notes) and .537 instead of .479 (184 of 348).
# Larger values find a few more of these, and less of what was asked for.
LIKE_WEIGHT = 1.0

NO_VECTORS = "There are no vectors to compare the query with"

Answer = TypeVar("Answer")


class Embedders(NamedTuple):
    """The embedders of a search: the quick one, and the encoder behind it.

    Unless the quick one is known to run on this machine, it is `remote`: a query goes to it without its secrets. Unless
    a search `waits` for the encoder to be loaded, it does without until then.
    """

    quick: Embedder | None = None
    encoder: Embedder | None = None
    remote: bool = True
    waits: bool = True
    others: Mapping[str, Embedder] = MappingProxyType({})
    """Those of domains whose vectors another one made, by the domain's name."""


def usable_embedders(models: Models, stored: str, *, hurried: bool = True) -> tuple[Embedders, tuple[Notice, ...]]:
    """Return the models that can search a store whose vectors `stored` made, and what the user should know.

    A `hurried` search gives a server less time to answer.
    """
    if stored == NO_EMBEDDER:
        return Embedders(remote=models.rules.is_remote), (Notice("no_vectors"),)
    try:
        embedder = models.quick_embedder if hurried else models.embedder
        if embedder.fingerprint != stored:
            return Embedders(remote=models.rules.is_remote), (Notice("other_embedder", {"embedder": stored}),)
    except EmbedError as error:
        return Embedders(remote=models.rules.is_remote), (Notice("words_only", {"reason": error.fact}),)
    try:
        return Embedders(embedder, models.encoder, models.rules.is_remote), ()
    except EmbedError as error:
        return Embedders(embedder, None, models.rules.is_remote), (Notice("searching_without", {"reason": error.fact}),)


def no_vectors(notice: Notice) -> EmbedError:
    """Return the error for a query that needs vectors; the notice says why there are none."""
    return EmbedError(NO_VECTORS, str(notice.facts.get("reason", "Run `notewell index` to make them")))


def answer_with_working(
    embedders: Embedders, answer: Callable[[Embedders], Answer]
) -> tuple[Answer, tuple[Notice, ...]]:
    """Return the answer with all embedders, or with those that work, and a notice about the one that failed.

    If no combination works, because a walk needs vectors, the first failure is raised.
    """
    try:
        return answer(embedders), ()
    except EmbedError as error:
        first = last = error
    ways = (embedders, embedders._replace(encoder=None), embedders._replace(quick=None), Embedders())
    # An embedder that is not there cannot be left out: no combination is tried twice.
    for way in (way for number, way in enumerate(ways) if way not in ways[:number] and number):
        try:
            answered = answer(way)
        except EmbedError as error:
            last = error
        else:
            code = "searching_without" if way.quick or way.encoder else "words_only"
            return answered, (Notice(code, {"reason": last.fact}),)
    raise first


def embed_plan(plan: Plan, embedder: Embedder, like: Vectors | None = None) -> Vectors:
    """Return the vector of a plan: of its text as a query, of its passage as a note, or the mean of both.

    It is drawn towards `like`, or is that, if there is nothing else to embed.
    """
    vectors: list[Vectors] = [embedder.embed([plan.passage])[0]] if plan.passage else []
    if plan.text or (not plan.passage and like is None):
        vectors += [embedder.embed_query(text) for text in (plan.text, *plan.variations)]
    if like is not None:
        vectors += [like * np.float32(LIKE_WEIGHT if vectors else 1)]
    # The vector whose cosine with a chunk is, except for scale, the mean of theirs: one search serves for all.
    return vectors[0] if len(vectors) == 1 else unit(np.sum(vectors, axis=0, keepdims=True))[0]


def plan_vector(plan: Plan, embedder: Embedder | None, store: Snapshot) -> Vectors:
    """Return the vector of a plan to compare with stored ones; without a suitable embedder, that is an error."""
    if embedder is None:
        raise EmbedError(NO_VECTORS, "Run `notewell index`, or search by words")
    return check_length(embed_plan(plan, embedder, liked(plan, store)), store.state.made_for.dimensions, embedder)


def without_secrets(plan: Plan) -> Plan:
    """Return the plan as it may be sent to a server: redacted, as notes are."""
    variations = tuple(redact_text(text)[0] for text in plan.variations)
    return plan._replace(text=redact_text(plan.text)[0], passage=redact_text(plan.passage)[0], variations=variations)


def similarity_to(plan: Plan, embedder: Embedder | None) -> Callable[[Sequence[str]], Vectors] | None:
    """Return a function that compares sentences with the plan; None if that would keep a search waiting."""
    if embedder is None or not is_instant(embedder) or not (plan.text or plan.passage):
        return None
    asked = cache(lambda: embed_plan(plan, embedder))
    return lambda texts: embedder.embed(texts) @ asked()
