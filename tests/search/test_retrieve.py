from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError
from notewell.search import Embedders, ModeRules, Rules, search
from notewell.search.plan import make_plan
from notewell.search.retrieve import DEPTH, find_newest, retrieve
from notewell.search.rules import SearchRules
from notewell.store import CLONED_AT_LEAST, Snapshot
from notewell.types.candidates import Ranking
from notewell.types.note import Vectors
from notewell.types.query import Query, Scope

Hold = Callable[[Mapping[str, str]], Snapshot]

NOTES = {
    "bees.md": "bees buzz around the hive",
    "bread.md": "bread dough rises overnight",
    "garden/hive.md": "the hive needs a new roof",
}

BY_BOTH = Embedders(WordsEmbedder())


def found_paths(ranking: Ranking, snapshot: Snapshot) -> list[str]:
    return [chunk.path for chunk in snapshot.chunks([chunk for chunk, _ in ranking.found]).values()]


def test_both_retrievers_are_asked_and_named(hold: Hold) -> None:
    snapshot = hold(NOTES)
    rankings = retrieve(make_plan("hive"), snapshot, BY_BOTH, SearchRules())
    assert [ranking.retriever for ranking in rankings] == ["lexical", "vector"]
    assert set(found_paths(rankings[0], snapshot)) == {"bees.md", "garden/hive.md"}
    assert len(rankings[1].found) == 3


def test_without_an_embedder_only_words_are_matched(hold: Hold) -> None:
    rankings = retrieve(make_plan("hive"), hold(NOTES), Embedders(), SearchRules())
    assert [ranking.retriever for ranking in rankings] == ["lexical"]


def test_a_retriever_of_weight_zero_is_not_asked(hold: Hold) -> None:
    snapshot = hold(NOTES)
    by_words = retrieve(make_plan("hive"), snapshot, BY_BOTH, SearchRules(lexical_weight=1, vector_weight=0))
    by_meaning = retrieve(make_plan("hive"), snapshot, BY_BOTH, SearchRules(lexical_weight=0, vector_weight=1))
    assert [ranking.retriever for ranking in (*by_words, *by_meaning)] == ["lexical", "vector"]


def test_words_are_matched_when_neither_their_weight_nor_an_embedder_is_there(hold: Hold) -> None:
    snapshot = hold(NOTES)
    rankings = retrieve(make_plan("dough"), snapshot, Embedders(), SearchRules(lexical_weight=0, vector_weight=1))
    assert [found_paths(ranking, snapshot) for ranking in rankings] == [["bread.md"]]


def test_an_empty_query_finds_nothing(hold: Hold) -> None:
    rankings = retrieve(make_plan(""), hold(NOTES), BY_BOTH, SearchRules())
    assert [ranking.found for ranking in rankings] == [()]


def test_the_scope_is_applied_before_the_best_are_chosen(hold: Hold) -> None:
    notes = {f"other/{number}.md": "hive hive hive hive" for number in range(40)}
    snapshot = hold({**notes, "garden/hive.md": "a long text that names the hive only once, far from anything else"})
    plan = make_plan("hive", Scope("garden"))
    for ranking in retrieve(plan, snapshot, BY_BOTH, SearchRules(candidates=5, limit=5)):
        assert found_paths(ranking, snapshot) == ["garden/hive.md"]


def test_rankings_go_deeper_than_their_candidates(hold: Hold) -> None:
    assert DEPTH > 30
    snapshot = hold({f"{number:03}.md": f"hive number {number}" for number in range(DEPTH + 20)})
    for ranking in retrieve(make_plan("hive"), snapshot, BY_BOTH, SearchRules()):
        assert len(ranking.found) == DEPTH
        assert len(ranking.candidates) == 30


def test_every_hit_that_was_asked_for_may_be_a_candidate(hold: Hold) -> None:
    snapshot = hold({f"{number:03}.md": f"hive number {number}" for number in range(60)})
    for ranking in retrieve(make_plan("hive"), snapshot, BY_BOTH, SearchRules(candidates=5, limit=40)):
        assert len(ranking.candidates) == 40


class Telling(WordsEmbedder):
    """The words embedder, which records its queries and can return vectors of another length."""

    def __init__(self, length: int = 27) -> None:
        self.length = length
        self.queries: list[str] = []
        self.passages: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.passages += texts
        return super().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        row: Vectors = WordsEmbedder().embed_query(text)[: self.length]
        return row


@pytest.mark.parametrize(
    ("remote", "told"),
    [(True, "password: [REDACTED:password]"), (False, "password: hunter2-again")],
)
def test_a_query_leaves_the_machine_without_its_secrets(hold: Hold, remote: bool, told: str) -> None:
    embedder = Telling()
    query = Query('hive password: hunter2-again hyde:"password: hunter2-again"')
    search(
        query,
        store=hold(NOTES),
        embedders=Embedders(embedder, remote=remote),
        rules=Rules(mode=ModeRules(excerpts=False)),
    )
    assert embedder.queries == [f"hive {told}"] and embedder.passages == [told]


def test_whoever_does_not_say_where_an_embedder_is_has_queries_redacted() -> None:
    assert Embedders().remote


def test_a_vector_of_another_length_than_the_stores_is_an_error(hold: Hold) -> None:
    with pytest.raises(EmbedError, match="makes vectors of 5 numbers, but the store has 27"):
        retrieve(make_plan("hive"), hold(NOTES), Embedders(Telling(5)), SearchRules())


@pytest.mark.parametrize(
    ("text", "asked"),
    [("lex:hive", ["lexical"]), ("vec:hive", ["vector"]), ("lex:hive vec:bees", ["lexical", "vector"])],
)
def test_only_the_retriever_that_was_named_is_asked(hold: Hold, text: str, asked: list[str]) -> None:
    rankings = retrieve(make_plan(text), hold(NOTES), BY_BOTH, SearchRules())
    assert [ranking.retriever for ranking in rankings] == asked


@pytest.mark.parametrize(
    ("text", "embedders", "rules"),
    [
        ("vec:hive", Embedders(), SearchRules()),
        ("hyde:hive", BY_BOTH, SearchRules(vector_weight=0)),
        ("lex:hive", BY_BOTH, SearchRules(lexical_weight=0)),
    ],
)
def test_what_cannot_be_answered_as_it_was_asked_is_answered_by_words(
    hold: Hold, text: str, embedders: Embedders, rules: SearchRules
) -> None:
    (ranking,) = retrieve(make_plan(text), hold(NOTES), embedders, rules)
    assert (ranking.retriever, len(ranking.found)) == ("lexical", 2)


def test_a_listed_note_of_a_clone_is_called_undated(hold: Hold) -> None:
    cloned = hold({f"{number}.md": "rye" for number in range(CLONED_AT_LEAST)})
    listed = find_newest(make_plan("-wheat"), cloned, SearchRules())
    assert {step.why for (step,) in listed.values()} == {"without a date"}
