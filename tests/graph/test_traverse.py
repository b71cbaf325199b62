from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.cases import cases

from notewell.errors import SettingsError
from notewell.graph.deep import DEEP, SEEDS, deepen, describe, with_decay
from notewell.graph.traverse import (
    ABOVE,
    BELOW,
    BY_QUERY,
    DESPITE_DECAY,
    FAST,
    OVERFLOW,
    SEED,
    START,
    Likeness,
    Trail,
    traverse,
    walk,
    walk_rules,
)
from notewell.types.note import Vectors

# What is asked for points along the first axis, so that a note's similarity is its first number.
QUERY = np.array([1, 0], dtype=np.float32)


class Drawn:
    """A ground drawn by hand, notes called by numbers: links, and how near each is to the query; tells what it read."""

    def __init__(self, links: Sequence[tuple[int, int]], near: Mapping[int, float]) -> None:
        self.links = links
        self.near = near
        self.fetched: list[int] = []

    def neighbours(self, note: str) -> Mapping[str, str]:
        to = {str(target): "→" for source, target in self.links if source == int(note)}
        back = [str(source) for source, target in self.links if target == int(note)]
        return {**to, **{source: "↔" if source in to else "←" for source in back}}

    def vectors(self, notes: Sequence[str], room: int) -> Mapping[str, Vectors]:
        notes = notes[:room]
        self.fetched += map(int, notes)
        found = {note: self.near.get(int(note), 1.0) for note in notes}
        return {note: np.array([[x, math.sqrt(1 - x * x)]], np.float32) for note, x in found.items()}


def star(near: Sequence[float]) -> Drawn:
    """Note 0 with a ray to each of the notes from 1, which are so near."""
    rays = dict(enumerate(near, start=1))
    return Drawn([(0, ray) for ray in rays], rays)


def reasons(found: Trail) -> dict[int, str]:
    return {int(visit.note): visit.reason for visit in found.visits}


def test_the_constants_are_those_of_the_requirement() -> None:
    assert (FAST.hops, FAST.beam, FAST.floor, FAST.enough, FAST.cap, FAST.vectors) == (
        4,
        5,
        0.50,
        (10, 0.65),
        None,
        100,
    )
    assert (DEEP.hops, DEEP.beam, DEEP.floor, DEEP.enough, DEEP.cap, SEEDS) == (4, 12, 0.30, None, 50, 8)


def test_a_note_below_the_floor_is_pruned_and_one_on_it_is_kept() -> None:
    found = traverse("0", star([0.9, 0.5, 0.49]), FAST, QUERY)
    assert reasons(found) == {0: START, 1: ABOVE, 2: ABOVE, 3: BELOW}
    assert [visit.similarity for visit in found.visits] == pytest.approx([1, 0.9, 0.5, 0.49])


def test_of_more_than_five_near_notes_the_nearest_five_are_kept() -> None:
    found = traverse("0", star([0.6, 0.7, 0.8, 0.9, 0.95, 0.65, 0.2]), FAST, QUERY)
    assert reasons(found) == {0: START, 5: ABOVE, 4: ABOVE, 3: ABOVE, 2: ABOVE, 6: ABOVE, 1: OVERFLOW, 7: BELOW}


def test_nobody_walks_on_from_a_note_that_was_not_kept() -> None:
    links = [(0, 1), (0, 2), (1, 11), (2, 12)]
    found = traverse("0", Drawn(links, {1: 0.4, 2: 0.6}), FAST, QUERY)
    assert reasons(found) == {0: START, 2: ABOVE, 1: BELOW, 12: ABOVE}


def test_links_are_followed_both_ways_and_the_way_is_describe() -> None:
    found = traverse("0", Drawn([(0, 1), (2, 0), (0, 3), (3, 0), (1, 4)], {}), FAST, QUERY)
    assert {int(visit.note): (visit.way, visit.via, visit.hop) for visit in found.visits} == {
        0: ("", "", 0),
        1: ("→", "0", 1),
        2: ("←", "0", 1),
        3: ("↔", "0", 1),
        4: ("→", "1", 2),
    }


def test_a_walk_ends_after_four_hops() -> None:
    chain = Drawn([(note, note + 1) for note in range(9)], dict.fromkeys(range(10), 0.6))
    found = traverse("0", chain, FAST, QUERY)
    assert [int(visit.note) for visit in found.kept] == [0, 1, 2, 3, 4]
    assert found.ended == "after 4 hops"
    assert [int(visit.note) for visit in traverse("0", chain, replace(FAST, hops=2), QUERY).kept] == [0, 1, 2]


def test_a_walk_ends_early_with_ten_notes_of_a_mean_similarity_of_65() -> None:
    links = [(0, ray) for ray in range(1, 6)] + [(ray, ray + 5) for ray in range(1, 11)]
    near = {**dict.fromkeys(range(1, 6), 0.71), **dict.fromkeys(range(6, 16), 0.6)}
    found = traverse("0", Drawn(links, near), FAST, QUERY)
    assert (len(found.kept), found.ended) == (11, "enough near notes")
    # A little less near, and it goes on.
    farther = traverse("0", Drawn(links, {**near, 6: 0.5, 7: 0.5}), FAST, QUERY)
    assert (len(farther.kept), farther.ended) == (16, "no links lead on")


def test_nine_notes_are_not_enough_however_near() -> None:
    links = [(0, ray) for ray in range(1, 6)] + [(1, ray) for ray in range(6, 10)] + [(6, 20)]
    found = traverse("0", Drawn(links, {}), FAST, QUERY)
    assert 20 in reasons(found)


def test_the_start_is_kept_however_far_it_is_from_the_query() -> None:
    assert reasons(traverse("0", Drawn([(0, 1)], {0: 0.1, 1: 0.1}), FAST, QUERY)) == {0: START, 1: BELOW}


def test_without_a_query_the_start_is_what_notes_have_to_be_near_to() -> None:
    found = traverse("0", Drawn([(0, 1), (0, 2)], {0: 0.1, 1: 0.1, 2: 0.99}), FAST)
    assert reasons(found) == {0: START, 1: ABOVE, 2: BELOW}
    assert found.visits[0].similarity == pytest.approx(1)


def test_only_the_vectors_of_notes_that_are_reached_are_fetched_each_once() -> None:
    links = [(0, 1), (0, 2), (1, 3), (3, 4), (7, 8), (2, 9)]
    ground = Drawn(links, {2: 0.1})
    found = traverse("0", ground, FAST, QUERY)
    assert sorted(ground.fetched) == [0, 1, 2, 3, 4]
    assert found.vectors == 5


def test_a_hop_reads_two_thirds_of_the_vectors_that_are_left_and_tells_how_many_notes_had_no_room() -> None:
    found = traverse("0", star([0.4] * 120), FAST, QUERY)
    # One for the start, two thirds of 99 for the first hop.
    assert (found.vectors, found.unseen) == (67, 54)


def test_a_walk_reads_a_hundred_vectors_and_the_last_hop_what_is_left() -> None:
    links = [(note, note * 12 + ray) for note in range(1, 2_000) for ray in range(12)]
    found = traverse("1", Drawn(links, dict.fromkeys(range(24_000), 0.6)), FAST, QUERY)
    # Two thirds of 87, of 29, and the rest.
    assert [sum(visit.hop == hop for visit in found.visits) for hop in range(5)] == [1, 12, 58, 19, 10]
    assert (found.vectors, found.ended) == (100, "after 4 hops")


def test_where_room_is_short_the_neighbours_of_the_nearest_are_looked_at() -> None:
    links = [(0, 1), (0, 2), (1, 11), (2, 12)]
    found = traverse("0", Drawn(links, {1: 0.6, 2: 0.9}), replace(FAST, vectors=4, hops=2), QUERY)
    assert [int(visit.note) for visit in found.visits] == [0, 2, 1, 12]
    ground = Drawn([(1, 11), (2, 12)], {1: 0.6, 2: 0.9})
    both = walk(["1", "2"], Likeness(ground, QUERY), ground, replace(FAST, vectors=3, hops=1))
    assert [int(visit.note) for visit in both.visits] == [1, 2, 12]


def test_a_hub_does_not_crowd_out_the_neighbours_of_others() -> None:
    hub = [(1, note) for note in range(100, 300)]
    near = {**dict.fromkeys(range(100, 300), 0.4), 1: 0.9, 2: 0.6}
    found = traverse("0", Drawn([(0, 1), (0, 2), *hub, (2, 3)], near), FAST, QUERY)
    assert reasons(found)[3] == ABOVE


def test_a_circle_of_links_is_walked_once() -> None:
    found = traverse("0", Drawn([(0, 1), (1, 2), (2, 0), (0, 0)], {}), FAST, QUERY)
    assert [int(visit.note) for visit in found.visits] == [0, 1, 2]
    assert found.ended == "no links lead on"


def test_the_similarity_of_a_note_is_that_of_the_mean_of_its_chunks() -> None:
    class Two(Drawn):
        def vectors(self, notes: Sequence[str], room: int) -> Mapping[str, Vectors]:
            return {note: np.array([[5, 0], [0, 1]], np.float32) for note in notes}

    found = walk(["0"], likeness := Likeness(ground := Two([], {}), QUERY), ground, FAST)
    assert found.visits[0].similarity == pytest.approx(math.sqrt(0.5))
    assert likeness.vectors == 2


def test_deep_mode_keeps_what_the_fast_walk_prunes_and_says_why() -> None:
    found = deepen(["0"], QUERY, star([0.9, 0.3, 0.29]))
    assert reasons(found) == {0: SEED, 1: ABOVE, 2: ABOVE, 3: BELOW}
    assert {int(visit.note) for visit in found.dropped} == {3}


def test_deep_mode_keeps_twelve_of_a_hop_and_names_the_overflow() -> None:
    found = deepen(["0"], QUERY, star([0.9] * 13))
    assert [visit.reason for visit in found.visits].count(ABOVE) == 12
    assert reasons(found)[13] == OVERFLOW


def test_deep_mode_begins_with_eight_notes_keeps_fifty_and_does_not_end_early() -> None:
    links = [(note, note * 4 + ray) for note in range(1, 3_000) for ray in range(4)]
    found = deepen([str(note) for note in range(1, 15)], QUERY, Drawn(links, {}))
    assert [visit.reason for visit in found.visits].count(SEED) == 8
    assert len(found.kept) == 50
    assert found.ended == "after 4 hops"
    assert {visit.reason for visit in found.dropped} == {OVERFLOW}


def test_age_is_shown_and_drops_nothing() -> None:
    found = with_decay(deepen(["0"], QUERY, star([0.9, 0.8, 0.1])), {"0": 0.0, "1": 0.009, "2": 0.01, "3": 0.0})
    assert reasons(found) == {0: SEED, 1: DESPITE_DECAY, 2: ABOVE, 3: BELOW}
    assert [int(visit.note) for visit in found.kept] == [0, 1, 2]
    assert [(visit.decay, visit.decay_zero) for visit in found.kept] == [(0, True), (0.009, True), (0.01, False)]


@cases(
    ("start", "near", "floor"),
    [
        # The nearest neighbour is at 0.6: the floor sinks to 0.7 of that.
        (0.1, 0.6, 0.42),
        # The start counts, too; a floor never rises, and does not sink below 0.15.
        (0.5, 0.3, 0.35),
        (0.1, 0.9, 0.5),
        (0.1, 0.15, 0.15),
    ],
)
def test_with_a_query_the_floor_sinks_to_a_share_of_the_nearest(start: float, near: float, floor: float) -> None:
    found = traverse("0", Drawn([(0, 1), (0, 2)], {0: start, 1: near, 2: floor - 0.01}), BY_QUERY, QUERY)
    assert found.floor == pytest.approx(floor)
    assert reasons(found) == {0: START, 1: ABOVE if near >= floor else BELOW, 2: BELOW}


def test_the_floor_is_of_the_start_and_its_neighbours_and_holds_for_the_whole_walk() -> None:
    chain = Drawn([(0, 1), (1, 2), (2, 3)], {0: 0.1, 1: 0.4, 2: 0.9, 3: 0.3})
    assert reasons(traverse("0", chain, BY_QUERY, QUERY)) == {0: START, 1: ABOVE, 2: ABOVE, 3: ABOVE}


def test_a_floor_that_is_given_stays() -> None:
    rules = walk_rules(None, 0.5, with_query=True)
    assert reasons(traverse("0", Drawn([(0, 1)], {0: 0.1, 1: 0.4}), rules, QUERY)) == {0: START, 1: BELOW}
    assert walk_rules(2, None, with_query=False) == replace(FAST, hops=2)
    assert walk_rules(None, None, with_query=True) == BY_QUERY


@cases(("depth", "floor"), [(0, None), (-1, None), (5, None), (None, 1.1), (None, math.nan)])
def test_a_walk_that_cannot_be_is_an_error_with_a_hint(depth: int | None, floor: float | None) -> None:
    with pytest.raises(SettingsError) as error:
        walk_rules(depth, floor, with_query=False)
    assert error.value.hint.startswith("Choose a")


def test_how_a_note_was_reached_reads_the_way_the_link_goes() -> None:
    found = deepen(["0"], QUERY, Drawn([(0, 1), (2, 0), (0, 3), (3, 0)], {3: 0.1}))
    assert [describe(visit) for visit in found.visits] == [
        "similarity 1.00, seed",
        "hop 1, linked from 0, similarity 1.00, near enough",
        "hop 1, links to 0, similarity 1.00, near enough",
        "hop 1, linked both ways with 0, similarity 0.10, too far",
    ]
