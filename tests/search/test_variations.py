from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cases import cases

from notewell import Vault
from notewell.embed import DEFAULT_MODEL
from notewell.embed.static import StaticEmbedder
from notewell.embed.words import WordsEmbedder
from notewell.measure.evaluate import find_candidates
from notewell.search.embedding import embed_plan
from notewell.search.plan import as_statement, make_plan, technical_words, vary


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder(DEFAULT_MODEL)


@cases(
    ("question", "statement"),
    [
        ("How do I reset the hive?", "reset the hive"),
        ("why does the loaf collapse", "the loaf collapse"),
        ("What's a good crumb?", "a good crumb"),
        ("Wie füttere ich die Bienen?", "füttere ich die Bienen"),
        ("whichever comes first", "whichever comes first"),
        ("reset the hive", "reset the hive"),
        ("", ""),
    ],
)
def test_a_question_becomes_a_statement(question: str, statement: str) -> None:
    assert as_statement(question) == statement


def test_words_that_the_tokenizer_breaks_up_are_technical(static: StaticEmbedder) -> None:
    assert technical_words("how does getTenantId treat the bread of the tenant", static) == "getTenantId"


def test_a_plan_has_each_wording_once_and_tells_it(static: StaticEmbedder) -> None:
    plan = vary(make_plan("how do I call getTenantId?"), static)
    assert plan.variations == ("getTenantId", "call getTenantId")
    assert plan.read_as[-2:] == ('also as "getTenantId"', 'also as "call getTenantId"')
    assert vary(make_plan("warm bread"), static).variations == ()


def test_an_embedder_without_a_tokenizer_gets_the_statement_alone() -> None:
    assert vary(make_plan("how do I call getTenantId?"), WordsEmbedder()).variations == ("call getTenantId",)


def test_a_chunks_cosine_is_the_mean_of_those_with_every_wording(static: StaticEmbedder) -> None:
    plan = vary(make_plan("how do I call getTenantId?"), static)
    chunks = static.embed(["The tenant of a request", "Rye bread", "call it with an id"])
    means = np.mean([chunks @ static.embed_query(text) for text in (plan.text, *plan.variations)], axis=0)
    cosines = chunks @ embed_plan(plan, static)
    assert np.allclose(cosines / cosines[0], means / means[0], atol=1e-5)


def test_variations_are_off_unless_they_are_wanted(indexed_sample: Path) -> None:
    text = "how do I restore PGDATA?"
    with (
        Vault.open(indexed_sample, {"embed.encoder": "off"}) as usual,
        Vault.open(indexed_sample, {"embed.encoder": "off", "search.variations": True}) as varied,
    ):
        assert not any(told.startswith("also as") for told in usual.search(text, explain=True).read_as or ())
        assert 'also as "restore PGDATA"' in (varied.search(text, explain=True).read_as or ())
        scores = [[one.score for one in find_candidates(vault, text, limit=10)] for vault in (varied, usual)]
        assert scores[0] != scores[1]
