from __future__ import annotations

import pytest

from notewell import Chunk, Vault
from notewell.search.relevance import keep_sure, telling_terms
from notewell.serve.hooks.block import find_sure
from notewell.types.candidates import Candidate, CastVote


def hit(text: str, cosine: float | None = None) -> Candidate:
    votes = () if cosine is None else (CastVote("vector", 1, cosine, 1.0, 0.25),)
    return Candidate(Chunk("a.md", text, 1, 1), 1.0, votes=votes)


RARITIES = {"formic": 4.0, "acid": 3.0, "mite": 3.0}


def test_relevance_is_the_cosine_and_the_share_of_the_words_weight() -> None:
    (found,) = keep_sure([hit("Formic acid in autumn", cosine=0.5)], RARITIES, floor=0.0)
    assert found.score == pytest.approx(0.6 * 0.5 + 0.4 * 0.7)
    assert found.trace[-1].why == "0.70 of the words' weight, cosine 0.50, 2 words"


def test_without_vectors_the_words_alone_say_how_sure_it_is() -> None:
    (found,) = keep_sure([hit("Formic acid against the mite")], RARITIES, floor=0.0)
    assert found.score == 1.0


def test_one_word_alone_makes_nothing_sure() -> None:
    (one,) = keep_sure([hit("formic", cosine=0.6)], {"formic": 4.0}, floor=0.0)
    (two,) = keep_sure([hit("formic acid", cosine=0.6)], {"formic": 4.0, "acid": 3.0}, floor=0.0)
    assert one.score == pytest.approx(two.score * 2 / 3)


def test_hits_that_are_not_sure_enough_are_left_out_and_the_surest_comes_first() -> None:
    hits = [hit("acid and mite", 0.3), hit("bread", 0.1), hit("formic acid, mite", 0.9)]
    assert [found.chunk.text for found in keep_sure(hits, RARITIES, floor=0.4)] == [
        "formic acid, mite",
        "acid and mite",
    ]


def test_a_cosine_below_zero_counts_as_zero() -> None:
    (found,) = keep_sure([hit("formic acid mite", -0.5)], RARITIES, floor=0.0)
    assert found.score == pytest.approx(0.4)


def test_terms_that_tell_something_are_taken_once() -> None:
    assert telling_terms("the mites and the mite") == ("mite",)


def test_a_vault_finds_what_a_prompt_is_about_and_nothing_for_one_that_is_about_nothing_it_knows(vault: Vault) -> None:
    found = vault.search("why does my sourdough loaf spread flat in the oven", mode="sure", limit=3, floor=0.45)
    assert next(hit.path for hit in found).startswith("Recipes/Sourdough")
    assert not list(vault.search("fix the failing test in utils.py", mode="sure", limit=3, floor=0.45))


def test_what_a_prompt_says_is_text_and_no_syntax(vault: Vault) -> None:
    usual = vault.search("sourdough loaf tag:nothing -oven", mode="sure", limit=3)
    assert list(usual), "a filter that no note fits would leave nothing"


def test_only_chunks_that_hold_what_is_asked_for_are_found(vault: Vault) -> None:
    found = vault.search("deploy.sh", mode="sure", limit=5, containing="deploy.sh")
    assert [excerpt.path for excerpt in found] == ["Engineering/Deploy runbook.md"]
    assert not list(vault.search("deploy.zsh", mode="sure", limit=5, containing="deploy.zsh"))


def test_of_several_texts_each_chunk_is_found_once_as_it_is_surest(vault: Vault) -> None:
    asked = "why does my sourdough loaf spread flat in the oven"
    longer = f"{asked} and please keep all of the answers rather short today"
    alone = vault.search(asked, mode="sure", limit=5, floor=vault.settings.hook.threshold)
    both = find_sure(vault, [longer, asked], limit=5, floor=vault.settings.hook.threshold)
    assert [(one.path, one.line, one.score) for one in both] == [(one.path, one.line, one.score) for one in alone]
    assert [one.score for one in both] == sorted((one.score for one in both), reverse=True)
