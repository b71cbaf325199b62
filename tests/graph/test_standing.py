from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.graph.net import Net
from notewell.graph.standing import ALONE, digest, measure

Links = list[tuple[str, str]]


def net(paths: str, links: Links) -> Net:
    """A net of notes that are called by single letters."""
    places = {path: place for place, path in enumerate(paths)}
    ends = np.array([(places[source], places[target]) for source, target in links], np.uint32).reshape(-1, 2)
    return Net(tuple(paths), ends[:, 0], ends[:, 1])


def clique(letters: str) -> Links:
    return [(source, target) for source in letters for target in letters if source < target]


def by_path(paths: str, links: Links) -> dict[str, tuple[float, float, int]]:
    found = measure(net(paths, links))
    rows = zip(found.pagerank.tolist(), found.centrality.tolist(), found.community.tolist(), strict=True)
    return dict(zip(paths, rows, strict=True))


def test_pagerank_of_four_notes_is_what_one_computes_by_hand() -> None:
    # a → b c, b → c, c → a, d → c; up to a factor each note has 1 and 0.85 of what it is given:
    # d = 1, b = 1 + .425 a, c = 1 + .425 a + .85 b + .85 d = 2.7 + .78625 a, a = 1 + .85 c = 3.295 + .6683125 a.
    a = 3.295 / (1 - 0.6683125)
    b, c, d = 1 + 0.425 * a, 2.7 + 0.78625 * a, 1.0
    found = measure(net("abcd", [("a", "b"), ("a", "c"), ("b", "c"), ("c", "a"), ("d", "c")]))
    assert found.pagerank.tolist() == pytest.approx([a / c, b / c, 1, d / c], abs=1e-6)


def test_notes_without_outgoing_links_do_not_swallow_pagerank() -> None:
    # a → c, b → c: what c would pass on is spread over all alike, so c has 1 + 2 · 0.85 times what a and b have.
    found = measure(net("abc", [("a", "c"), ("b", "c")]))
    assert found.pagerank.tolist() == pytest.approx([1 / 2.7, 1 / 2.7, 1])


def test_the_middle_of_a_star_is_the_most_central_and_its_rays_are_equal() -> None:
    # The eigenvector of a star with 4 rays: 2 in the middle for 1 on each ray.
    found = measure(net("abcde", [("b", "a"), ("a", "c"), ("d", "a"), ("a", "e")]))
    assert found.centrality.tolist() == pytest.approx([1, 0.5, 0.5, 0.5, 0.5], abs=1e-4)
    assert not found.by_degree
    assert set(found.community.tolist()) == {0}


def test_two_cliques_and_a_bridge_are_two_communities_the_larger_first() -> None:
    found = by_path("abcdexyzw", [*clique("wxyz"), *clique("abcde"), ("e", "w")])
    assert {letter: community for letter, (_, _, community) in found.items()} == {
        **dict.fromkeys("abcde", 0),
        **dict.fromkeys("wxyz", 1),
    }
    assert found["e"][1] == 1
    assert found["w"][1] > found["x"][1]


def test_communities_of_one_size_are_numbered_by_their_first_notes() -> None:
    found = by_path("zyxcba", [*clique("xyz"), *clique("abc")])
    assert [found[letter][2] for letter in "abcxyz"] == [0, 0, 0, 1, 1, 1]


def test_a_graph_without_notes_or_links_has_no_standings() -> None:
    assert measure(net("", [])).pagerank.size == 0
    assert by_path("ab", []) == {"a": (0, 0, ALONE), "b": (0, 0, ALONE)}


def test_a_note_that_links_only_to_itself_has_no_links() -> None:
    found = by_path("abc", [("a", "b"), ("c", "c")])
    assert found["c"] == (0, 0, ALONE)
    assert found == {**by_path("ab", [("a", "b")]), "c": found["c"]}


def test_links_to_oneself_and_doubled_links_change_nothing() -> None:
    once = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]
    assert by_path("abcd", [*once, ("a", "a"), ("d", "a"), ("d", "a"), ("b", "c")]) == by_path("abcd", once)
    assert told("abcd", [*once, ("d", "a"), ("b", "b")]) == told("abcd", once)


def test_a_long_chain_does_not_converge_and_counts_by_degree() -> None:
    paths = tuple(f"{number:04}" for number in range(3_000))
    places = np.arange(len(paths), dtype=np.uint32)
    found = measure(Net(paths, places[:-1], places[1:]))
    assert found.by_degree
    assert found.centrality[[0, 1, 1_500, -1]].tolist() == [0.5, 1, 1, 0.5]


def test_a_graph_of_pairs_gives_every_note_the_same() -> None:
    found = measure(net("abcdef", [("a", "b"), ("c", "d"), ("f", "e")]))
    assert found.centrality.tolist() == [1] * 6
    assert found.community.tolist() == [0, 0, 1, 1, 2, 2]


LETTERS = "abcdefghij"
ends = st.sampled_from(LETTERS)


@given(st.lists(st.tuples(ends, ends), max_size=30), st.permutations(LETTERS))
def test_the_order_of_notes_and_links_does_not_matter(links: Links, order: list[str]) -> None:
    shuffled = sorted(links, key=lambda link: (link[1], order.index(link[0])))
    assert by_path(LETTERS, links) == by_path("".join(order), shuffled)


@given(st.lists(st.tuples(ends, ends), max_size=30))
def test_every_number_lies_between_0_and_1_and_only_linked_notes_have_a_community(links: Links) -> None:
    linked = {letter for link in links if link[0] != link[1] for letter in link}
    for letter, (pagerank, centrality, community) in by_path(LETTERS, links).items():
        assert 0 <= pagerank <= 1
        assert 0 <= centrality <= 1
        assert (letter in linked) == (community != ALONE) == (pagerank > 0)


def told(paths: str, links: Links, ids: str = "") -> str:
    return digest(net(paths, links), np.array([ord(letter) for letter in ids or paths], np.uint32))


def test_the_digest_tells_what_changes_standings_from_what_does_not() -> None:
    links = [("a", "b"), ("b", "c")]
    assert told("abc", links) == told("abc", [*links, ("a", "b")]) == told("ab?cd", links) == told("cba", links)
    others = [told("abc", [*links, ("c", "a")]), told("xbc", [("x", "b"), links[1]]), told("abc", links, "abd")]
    assert told("abc", links) not in others
