from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from tests.graph.test_overview import TWO, circle, make_net, many

from notewell import Vault
from notewell.graph.map import GraphMap, make_map
from notewell.graph.neighbourhood import MOST
from notewell.graph.net import Net
from notewell.graph.places import PACKED, place_notes
from notewell.graph.standing import load_standings, measure, placed


def drawn(net: Net, note: str = "", hops: int = 2) -> GraphMap:
    return make_map(net, placed(net, measure(net)), {path: path for path in net.paths}, note, hops)


def spots(drawn: GraphMap) -> dict[str, complex]:
    return {path: complex(x, y) for path, x, y in zip(drawn.paths, drawn.x, drawn.y, strict=True)}


def pairs(drawn: GraphMap) -> set[frozenset[str]]:
    ends = [drawn.paths[place] for place in drawn.links]
    return {frozenset(pair) for pair in zip(ends[::2], ends[1::2], strict=True)}


def test_a_map_has_every_note_and_each_pair_of_linked_notes_once() -> None:
    net = make_net([("a.md", "b.md"), ("b.md", "a.md"), ("b.md", "c.md")], "alone.md")
    found = drawn(net)
    assert sorted(found.paths) == ["a.md", "alone.md", "b.md", "c.md"]
    assert pairs(found) == {frozenset(("a.md", "b.md")), frozenset(("b.md", "c.md"))}
    assert len(found.links) == 4
    assert found.community[found.paths.index("alone.md")] == -1


def test_the_same_notes_have_the_same_positions_whatever_was_linked_first() -> None:
    net = many(12, chained=12)
    turned = Net(net.paths, net.sources[::-1].copy(), net.targets[::-1].copy())
    assert drawn(net) == drawn(turned)


def test_communities_do_not_overlap_and_notes_are_in_their_own() -> None:
    net = many(40)
    standings = placed(net, measure(net))
    assert standings.positions is not None
    centres = np.stack([standings.positions[standings.community == number].mean(axis=0) for number in range(40)])
    nearest = np.linalg.norm(standings.positions[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == standings.community).all()


def test_communities_with_links_between_them_are_nearer_than_others() -> None:
    net = many(30, chained=2)
    standings = placed(net, measure(net))
    place = spots(make_map(net, standings, {path: path for path in net.paths}))
    middles = [
        np.mean([spot for path, spot in place.items() if path.startswith(f"ring {ring:03}")]) for ring in range(30)
    ]
    others = sorted(abs(middles[0] - middle) for middle in middles[1:])
    assert abs(middles[0] - middles[1]) <= others[5]


def test_no_two_notes_are_at_the_same_spot() -> None:
    found = drawn(many(60, chained=60))
    assert len(set(spots(found).values())) == len(found.paths)


def test_more_communities_than_are_packed_lie_around_the_others() -> None:
    net = make_net([(f"{number:04}a.md", f"{number:04}b.md") for number in range(PACKED * 2)])
    place = spots(drawn(net))
    assert len(set(place.values())) == PACKED * 4


def test_notes_without_links_are_a_ring_around_the_others() -> None:
    net = make_net(
        [*circle("a.md", "b.md", "c.md"), *circle("d.md", "e.md", "f.md")], *(f"x{each}.md" for each in range(80))
    )
    place = spots(drawn(net))
    linked = np.array([(spot.real, spot.imag) for path, spot in place.items() if not path.startswith("x")])
    wide, high = np.ptp(linked, axis=0)

    def far(path: str) -> float:
        """Return the distance from the middle, where the picture of linked notes is as high as it is wide."""
        return abs(complex((place[path].real - middle.real) / wide, (place[path].imag - middle.imag) / high))

    middle = complex(*(linked.min(axis=0) + linked.max(axis=0)) / 2)
    assert min(far(f"x{each}.md") for each in range(80)) > max(far(f"{name}.md") for name in "abcdef")


def test_a_vault_without_links_and_one_without_notes_have_maps() -> None:
    found = drawn(make_net([], "a.md", "b.md", "c.md"))
    assert (len(set(spots(found).values())), found.links, found.communities) == (3, (), ())
    nothing = drawn(make_net([]))
    assert (nothing.paths, nothing.x, nothing.links) == ((), (), ())
    assert place_notes((np.zeros(0, np.int64),) * 2, np.zeros(0, np.int64), np.zeros(0)).shape == (0, 2)


def test_communities_go_by_their_central_notes() -> None:
    (bread, bees) = drawn(TWO).communities
    assert (bread.size, bees.size) == (4, 3)
    assert "Bread" in bread.names


def test_around_a_note_are_the_notes_that_near_with_it_in_the_middle() -> None:
    net = make_net([("b.md", "a.md"), ("b.md", "c.md"), ("c.md", "d.md"), ("d.md", "e.md")])
    near = drawn(net, "b.md")
    assert dict(zip(near.paths, near.hops, strict=True)) == {"b.md": 0, "a.md": 1, "c.md": 1, "d.md": 2}
    assert (spots(near)["b.md"], near.left_out, near.note) == (complex(5000, 5000), 0, "b.md")
    assert set(drawn(net, "b.md", hops=1).paths) == {"a.md", "b.md", "c.md"}
    assert pairs(near) == {frozenset(pair) for pair in (("a.md", "b.md"), ("b.md", "c.md"), ("c.md", "d.md"))}


def test_a_large_neighbourhood_is_cut_at_the_loosest_links() -> None:
    # Everything is two links away through the hub; only one note is also linked by a note with few links.
    many_more = [("hub.md", f"{number:03}.md") for number in range(2 * MOST)]
    net = make_net([("me.md", "hub.md"), ("me.md", "small.md"), ("small.md", "friend.md"), *many_more])
    near = drawn(net, "me.md")
    assert (len(near.paths), near.left_out) == (MOST, 2 * MOST + 4 - MOST)
    assert {"me.md", "hub.md", "small.md", "friend.md"} <= set(near.paths)


def test_a_note_without_links_is_alone_on_its_map() -> None:
    near = drawn(TWO, "Alone.md")
    assert (near.paths, near.links, spots(near)) == (("Alone.md",), (), {"Alone.md": complex(5000, 5000)})


def test_positions_are_kept_with_the_standings(make_vault: Callable[..., Vault]) -> None:
    notes = {f"{number}.md": f"[[{(number + 1) % 9}]] [[{number * number % 9}]]" for number in range(9)}
    with make_vault(notes) as vault:
        vault.index()
        with vault.store.reading() as snapshot:
            net = Net.of(snapshot)
            stored, fresh = load_standings(snapshot, net), placed(net, measure(net))
        assert stored.positions is not None and fresh.positions is not None
        assert stored.positions.tolist() == fresh.positions.tolist()
        assert len({*map(tuple, stored.positions.tolist())}) == 9
        assert vault.doctor().problems == ()
        assert vault.link_graph.map() == drawn_with_titles(net)


def drawn_with_titles(net: Net) -> GraphMap:
    return make_map(net, placed(net, measure(net)), {path: path.removesuffix(".md") for path in net.paths})


def test_a_title_is_sent_only_where_it_is_not_the_name_of_the_file(make_vault: Callable[..., Vault]) -> None:
    with make_vault({"Bees.md": "[[b]]", "b.md": "# Beekeeping\n"}) as vault:
        vault.index()
        found = vault.link_graph.map("beekeeping")
        assert dict(zip(found.paths, found.titles, strict=True)) == {"Bees.md": "", "b.md": "Beekeeping"}
        assert json.dumps(found.x)
