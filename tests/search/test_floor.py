from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from notewell import Query, Vault
from notewell.embed.words import WordsEmbedder
from notewell.search.floor import NOISE, keep_answering
from notewell.search.plan import make_plan
from notewell.store import Snapshot
from notewell.types.candidates import Candidate, CastVote
from notewell.types.note import Chunk
from notewell.types.notices import Notice
from notewell.types.query import Plan
from notewell.types.results import Step

Hold = Callable[[Mapping[str, str]], Snapshot]
MakeVault = Callable[..., Vault]

BREAD = {f"{number}.md": f"Bread number {number} is baked of rye." for number in range(9)}


class KnowsAll(WordsEmbedder):
    """An embedder that knows every word whole."""

    def pieces(self, word: str) -> int:
        return 1


def hit(text: str = "", words: float = 0.0, meaning: float | None = None, score: float = 1.0) -> Candidate:
    by_words = CastVote("lexical", 1 if words else None, words or None, 0.0, 0.75)
    by_meaning = () if meaning is None else (CastVote("vector", 1, meaning, 0.0, 0.25),)
    return Candidate(Chunk("a.md", text, 1, 1), score, (Step("scores", "", score),), votes=(by_words, *by_meaning))


def kept(plan: Plan, hits: list[Candidate], store: Snapshot) -> int:
    return len(keep_answering(plan, hits, store, 0.22, KnowsAll()))


@pytest.mark.parametrize("text", ["zxqv blorf", "asdfgh", "???", "xyzzy plugh frobozz"])
def test_nonsense_finds_nothing_and_says_so(vault: Vault, text: str) -> None:
    results = vault.search(text)
    assert len(results) == 0 and results.hidden > 0
    assert results.notices[-1] == Notice("only_weak", {"count": results.hidden})
    shown = vault.search(text, all=True)
    assert len(shown) == results.hidden and shown.hidden == 0


def test_a_good_hit_is_not_followed_by_noise(vault: Vault) -> None:
    few, every = vault.search("Grandma's plum cake"), vault.search("Grandma's plum cake", all=True)
    assert few[0].path == every[0].path and few.hidden == len(every) - len(few) > 0
    assert few.notices == (Notice("weak_hidden", {"count": few.hidden}),)
    assert min(hit.trace[0].score for hit in few) >= NOISE * few[0].trace[0].score


def test_without_vectors_nonsense_finds_nothing_either(make_vault: MakeVault) -> None:
    vault = make_vault(BREAD, {"search.vector_weight": 0, "search.floor": 0.22})
    vault.index()
    assert not len(vault.search("zxqv blorf")) and len(vault.search("rye")) == len(BREAD)


@pytest.mark.parametrize(
    "query",
    [
        Query(under="Recipes"),
        Query('"the"'),
        Query("what went wrong type:postmortem"),
        Query("vec:parliament"),
        Query("hyde:parliament"),
        Query("parliament", like="Recipes/Rye bread.md"),
        Query("parliament", mode="deep"),
        Query(like="Recipes/Rye bread.md", mode="related"),
    ],
)
def test_queries_that_say_what_answers_them_have_no_floor(vault: Vault, query: Query) -> None:
    query = replace(query, like=vault.search("rye bread")[0].path if query.like else ())
    assert vault.search(query).hidden == 0 and len(vault.search(query)) > 0


def test_the_floor_is_a_setting(make_vault: MakeVault) -> None:
    vault = make_vault(BREAD, {"search.floor": 1.0})
    vault.index()
    assert not len(vault.search("rye carrots parsnips turnips"))
    assert len(vault.search("rye")) == len(BREAD), "what has all the words is never hidden"


def test_a_query_is_answered_by_words_by_meaning_or_by_both(hold: Hold) -> None:
    store = hold({"a.md": "rye", "b.md": "oats"})
    plan = make_plan("rye carrots parsnips turnips")
    assert kept(plan, [hit(words=0.01, meaning=0.1)], store) == 0
    assert kept(plan, [hit(words=1.0, meaning=0.1)], store) == 1
    assert kept(plan, [hit(words=0.01)], store) == 0
    assert (kept(plan, [hit(meaning=0.26)], store), kept(plan, [hit(meaning=0.28)], store)) == (0, 1)
    assert kept(plan, [hit("carrots, parsnips, turnips", words=0.01)], store) == 1
    assert len(keep_answering(plan, [hit(meaning=0.36)], store, 0.22, WordsEmbedder())) == 0, "it knows no words"
    assert len(keep_answering(plan, [hit(words=0.01, meaning=0.6)], store, 0.22, WordsEmbedder())) == 1


def test_below_a_share_of_the_best_score_a_hit_is_noise_unless_it_has_the_words_or_is_close(hold: Hold) -> None:
    store, plan = hold({"a.md": "rye"}), make_plan("rye")
    best, noise, mention = hit("rye", 0.5), hit("oats", score=0.2), hit("rye", 0.1, score=0.2)
    assert kept(plan, [best, mention, noise], store) == 2
    assert kept(plan, [best, hit(meaning=0.36, score=0.2), hit(meaning=0.34, score=0.2)], store) == 2


def test_exact_strings_are_never_hidden(hold: Hold) -> None:
    store, plan = hold({"a.md": "rye"}), make_plan("v1.2.3 carrots parsnips turnips")
    weak = hit(words=0.01)
    exact = weak._replace(votes=(*weak.votes, CastVote("exact", 1, None, 0.0, 1.0)))
    assert (kept(plan, [weak], store), kept(plan, [exact], store)) == (0, 1)


@pytest.mark.parametrize("text", ["encrytpion", "Datenschutz", "encr*", "Verschluesselung"])
def test_a_guess_at_the_only_word_is_shown(make_vault: MakeVault, text: str) -> None:
    notes = {"a.md": "Encryption of Datenschutzerklärungen, Verschlüsselung.", **BREAD}
    vault = make_vault(notes, {"search.floor": 0.22})
    vault.index()
    assert vault.search(text)[0].path == "a.md"
