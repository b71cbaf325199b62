from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.measure.metrics import interval, ndcg, recall, reciprocal_rank

GRADED = {"a": 3, "b": 2, "c": 1}


def test_ndcg_by_hand() -> None:
    # Gains 2^grade - 1, discounted by log2(place + 1), places from 1; best possible is a, b, c.
    gained = 3 / math.log2(2) + 0 + 7 / math.log2(4) + 1 / math.log2(5)
    best = 7 / math.log2(2) + 3 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(["b", "x", "a", "c"], GRADED) == pytest.approx(gained / best)


def test_ndcg_of_the_best_order_is_one_and_of_nothing_found_zero() -> None:
    assert ndcg(["a", "b", "c", "x"], GRADED) == pytest.approx(1)
    assert ndcg(["x", "y"], GRADED) == ndcg([], GRADED) == 0


def test_ndcg_looks_at_the_first_ten_only() -> None:
    strangers = [f"x{place}" for place in range(10)]
    assert ndcg([*strangers, "a"], {"a": 1}) == 0
    assert ndcg([*strangers[:9], "a"], {"a": 1}) == pytest.approx(1 / math.log2(11))


def test_ndcg_can_be_perfect_with_more_relevant_documents_than_places() -> None:
    judged = {f"d{number}": 1 for number in range(30)}
    assert ndcg([f"d{number}" for number in range(10)], judged) == pytest.approx(1)


def test_ndcg_without_a_relevant_document_is_zero() -> None:
    assert ndcg(["a"], {}) == ndcg(["a"], {"a": 0}) == 0


def test_recall_by_hand() -> None:
    assert recall(["a", "x", "b"], GRADED, 2) == pytest.approx(1 / 3)
    assert recall(["a", "x", "b"], GRADED, 3) == pytest.approx(2 / 3)
    assert recall(["a"], {"a": 1, "z": 0}, 10) == 1
    assert recall(["a"], {}, 10) == 0


def test_reciprocal_rank_by_hand() -> None:
    assert reciprocal_rank(["x", "y", "c", "a"], GRADED) == pytest.approx(1 / 3)
    assert reciprocal_rank(["a"], GRADED) == 1
    assert reciprocal_rank(["x"] * 10 + ["a"], GRADED) == 0
    assert reciprocal_rank(["z"], {"z": 0}) == 0


def test_an_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    values = [0.0, 1.0, 0.5, 0.5, 1.0, 0.0, 0.25, 0.75] * 10
    low, high = interval(values)
    assert 0 < low < 0.5 < high < 1
    assert (low, high) == interval(values)
    assert (low, high) != interval(values, seed=1)


def test_more_queries_make_a_narrower_interval() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 200
    assert interval(many)[1] - interval(many)[0] < interval(few)[1] - interval(few)[0]


names = st.sampled_from("abcdefghijklmnop")


@given(st.lists(names, unique=True), st.dictionaries(names, st.integers(0, 3)))
@settings(deadline=None)
def test_every_measure_lies_between_nothing_and_one(ranked: list[str], judged: dict[str, int]) -> None:
    for value in (ndcg(ranked, judged), recall(ranked, judged, 10), reciprocal_rank(ranked, judged)):
        assert 0 <= value <= 1 + 1e-12
