from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import cases

from notewell.search.fuse import FUSIONS, cast_votes, fuse, fuse_ranks, fuse_scores
from notewell.search.rules import EXACT, SearchRules
from notewell.types.candidates import Ranking


def ranked(retriever: str, places: dict[int, int]) -> Ranking:
    """Return a ranking with these chunks at these ranks, and strangers at all the others."""
    at = {rank: chunk for chunk, rank in places.items()}
    depth = max(at)
    return Ranking(retriever, tuple((at.get(rank, 1000 + rank), 1 / rank) for rank in range(1, depth + 1)))


def weighed(lexical: float = 1.0, vector: float = 1.0, fusion: str = "scores") -> SearchRules:
    return SearchRules(lexical_weight=lexical, vector_weight=vector, fusion=fusion)


def best_first(fused: dict[int, float]) -> list[int]:
    return sorted(fused, key=lambda chunk: -fused[chunk])


def test_ranks_are_fused_as_in_the_worked_example() -> None:
    lexical = ranked("lexical", {1: 3, 2: 1, 3: 7, 4: 2})
    vector = ranked("vector", {1: 1, 2: 8, 3: 2, 4: 12, 5: 3})
    fused = fuse_ranks([lexical, vector], weighed())
    scores = {chunk: fused[chunk][0].score for chunk in (1, 2, 3, 4, 5)}
    # The example adds up rounded parts: its .0310 is .03105.
    assert list(scores.values()) == pytest.approx([0.0323, 0.0311, 0.0310, 0.0300, 0.0159], abs=6e-5)
    assert best_first(scores) == [1, 2, 3, 4, 5]
    exact = [Fraction(1, 63) + Fraction(1, 61), Fraction(1, 61) + Fraction(1, 68), Fraction(1, 67) + Fraction(1, 62)]
    assert list(scores.values())[:3] == pytest.approx([float(share) for share in exact])


def test_weights_of_ranks_multiply_each_retrievers_share() -> None:
    rankings = [Ranking("lexical", ((7, 3.0),)), Ranking("vector", ((5, 0.9), (7, 0.8)))]
    fused = fuse_ranks(rankings, weighed(lexical=2.0, vector=0.5))
    assert fused[7][0].score == pytest.approx(2 / 61 + 0.5 / 62)
    assert fused[5][0].score == pytest.approx(0.5 / 61)
    assert fused[7][0].why == "lexical 2/61 + vector 0.5/62"


def test_scores_are_stretched_from_the_floor_to_the_best_and_averaged_by_weight() -> None:
    lexical = Ranking("lexical", ((1, 10.0), (2, 4.0)))
    vector = Ranking("vector", ((3, 0.9), (2, 0.5), (1, 0.1)), floor=0.1)
    fused = fuse_scores([lexical, vector], weighed(0.8, 0.2))
    # By hand: lexical 10/10, 4/10; vector (.9-.1)/.8, (.5-.1)/.8, (.1-.1)/.8.
    assert fused[1][0].score == pytest.approx(0.8 * 1.0 + 0.2 * 0.0)
    assert fused[2][0].score == pytest.approx(0.8 * 0.4 + 0.2 * 0.5)
    assert fused[3][0].score == pytest.approx(0.8 * 0.0 + 0.2 * 1.0)
    assert fused[2][0].why == "lexical 0.8 × 0.400 + vector 0.2 × 0.500"


def test_only_the_shares_of_the_weights_matter_to_scores() -> None:
    rankings = [Ranking("lexical", ((1, 10.0), (2, 4.0))), Ranking("vector", ((2, 0.9), (1, 0.3)), floor=0.3)]
    small, large = fuse_scores(rankings, weighed(0.8, 0.2)), fuse_scores(rankings, weighed(8, 2))
    assert {chunk: step.score for chunk, (step,) in small.items()} == pytest.approx(
        {chunk: step.score for chunk, (step,) in large.items()}
    )


def test_a_ranking_that_found_nothing_keeps_its_share() -> None:
    fused = fuse_scores([Ranking("lexical", ()), Ranking("vector", ((4, 0.7), (6, 0.2)), floor=0.2)], weighed(0.8, 0.2))
    assert {chunk: step.score for chunk, (step,) in fused.items()} == pytest.approx({4: 0.2, 6: 0.0})
    assert fused[4][0].why == "lexical 0.8 × 0.000 + vector 0.2 × 1.000"


def test_a_ranking_that_found_nothing_adds_nothing_to_ranks() -> None:
    fused = fuse_ranks([Ranking("lexical", ()), Ranking("vector", ((4, 0.7),))], weighed())
    assert {chunk: step.score for chunk, (step,) in fused.items()} == pytest.approx({4: 1 / 61})


@cases("name", FUSIONS)
def test_rankings_that_all_found_nothing_give_nothing(name: str) -> None:
    assert fuse([Ranking("lexical", ()), Ranking("vector", ())], weighed(fusion=name)) == {}
    assert fuse([], weighed(fusion=name)) == {}


@cases("name", FUSIONS)
def test_a_retriever_of_weight_zero_changes_no_order(name: str) -> None:
    lexical = Ranking("lexical", ((1, 9.0), (2, 5.0), (3, 1.0)))
    vector = Ranking("vector", ((3, 0.9), (2, 0.5), (1, 0.1)), floor=0.1)
    fused = fuse([lexical, vector], weighed(1.0, 0.0, fusion=name))
    assert best_first({chunk: step.score for chunk, (step,) in fused.items()}) == [1, 2, 3]


def test_equal_scores_at_the_floor_count_as_best() -> None:
    fused = fuse_scores([Ranking("vector", ((1, 0.4), (2, 0.4)), floor=0.4)], weighed())
    assert {chunk: step.score for chunk, (step,) in fused.items()} == {1: 1.0, 2: 1.0}


def test_a_chunk_beyond_the_reach_lends_its_score_and_is_not_a_hit_of_its_own() -> None:
    lexical = Ranking("lexical", ((1, 8.0), (2, 4.0), (3, 2.0)), reach=1)
    vector = Ranking("vector", ((2, 0.9), (3, 0.6), (1, 0.3)), floor=0.3, reach=1)
    fused = fuse_scores([lexical, vector], weighed(0.5, 0.5))
    assert {chunk: step.score for chunk, (step,) in fused.items()} == pytest.approx({1: 0.5, 2: 0.75})
    assert fuse_ranks([lexical, vector], weighed()).keys() == {1, 2}


@cases("name", FUSIONS)
def test_the_rules_name_the_fusion(name: str) -> None:
    rankings = [Ranking("lexical", ((1, 9.0), (2, 5.0))), Ranking("vector", ((2, 0.9), (1, 0.1)), floor=0.1)]
    rules = weighed(2, 1, fusion=name)
    assert fuse(rankings, rules) == FUSIONS[name](rankings, rules)
    assert {step.by for (step,) in fuse(rankings, rules).values()} == {name}


@cases("name", FUSIONS)
def test_what_was_found_counts_when_only_what_is_not_there_has_a_weight(name: str) -> None:
    fused = fuse([Ranking("lexical", ((1, 9.0), (2, 4.5)))], weighed(0.0, 1.0, fusion=name))
    assert fused[1][0].score > fused[2][0].score > 0


def test_every_retriever_has_its_own_weight() -> None:
    rules = weighed(0.7, 0.3)
    assert (rules.weight(Ranking("lexical", ())), rules.weight(Ranking("vector", ()))) == (0.7, 0.3)
    assert rules.weight(Ranking("fine", (), trust=0.5)) == rules.fine_weight / 2
    assert rules.weight(Ranking("exact", (), trust=0.5)) == EXACT / 2
    with pytest.raises(LookupError):
        rules.weight(Ranking("magic", ()))


def test_meaning_never_lowers_a_note_that_has_every_word() -> None:
    lexical = Ranking("lexical", ((1, 10.0), (2, 9.0), (3, 8.0)), complete=frozenset({1, 3}))
    vector = Ranking("vector", ((2, 0.9), (1, 0.3)), floor=0.3)
    fused = fuse_scores([lexical, vector], weighed(0.75, 0.25))
    assert {chunk: steps[-1].score for chunk, steps in fused.items()} == pytest.approx({1: 1.0, 2: 0.925, 3: 0.8})
    assert [step.by for step in fused[1]] == ["scores", "words"]
    assert fused[1][0].score == pytest.approx(0.75)
    assert fused[1][1].why == "its note has every word of the query"


def test_by_words_alone_counts_strings_as_they_are_written_too() -> None:
    lexical = Ranking("lexical", ((1, 10.0), (2, 9.0)), complete=frozenset({1, 2}))
    exact = Ranking("exact", ((2, 3.0),))
    best = fuse_scores([lexical, exact, Ranking("vector", ((1, 0.9),))], SearchRules())
    assert best[2][-1].score > best[1][-1].score


def test_a_vote_by_words_is_shown_as_the_chunks_and_its_notes() -> None:
    lexical = Ranking("lexical", ((1, 10.0), (2, 5.0)), of_notes={1: 6.0, 2: 4.0})
    votes = cast_votes([lexical], weighed(), [2])[2]
    assert [(vote.retriever, vote.rank, vote.score) for vote in votes] == [("lexical", 2, 1.0), ("note", None, 4.0)]
    assert [vote.scaled for vote in votes] == pytest.approx([0.1, 0.4])


found = st.lists(
    st.tuples(st.integers(0, 40), st.floats(0.01, 50)), min_size=1, max_size=20, unique_by=lambda pair: pair[0]
).map(lambda pairs: tuple(sorted(pairs, key=lambda pair: -pair[1])))


@given(found, found, st.sampled_from([0.25, 0.5, 1, 2]), st.sampled_from([0.25, 0.5, 1, 2]))
@settings(deadline=None)
def test_the_reason_of_a_rank_fusion_adds_up_to_its_score(
    lexical: tuple[tuple[int, float], ...], vector: tuple[tuple[int, float], ...], first: float, second: float
) -> None:
    fused = fuse_ranks([Ranking("lexical", lexical), Ranking("vector", vector)], weighed(first, second))
    for (step,) in fused.values():
        shares = [Fraction(part.split()[1].split("/")[0]) / int(part.split("/")[1]) for part in step.why.split(" + ")]
        assert step.score == pytest.approx(float(sum(shares)))


@given(found, found, st.floats(0.1, 5), st.floats(0.1, 5))
@settings(deadline=None)
def test_a_fused_score_lies_between_nothing_and_one(
    lexical: tuple[tuple[int, float], ...], vector: tuple[tuple[int, float], ...], first: float, second: float
) -> None:
    rankings = [Ranking("lexical", lexical), Ranking("vector", vector, floor=vector[-1][1])]
    fused = fuse_scores(
        rankings, SearchRules(lexical_weight=first, vector_weight=second, candidates=len(lexical + vector))
    )
    assert fused.keys() == {chunk for chunk, _ in (*lexical, *vector)}
    assert all(-1e-9 <= step.score <= 1 + 1e-9 for (step,) in fused.values())
