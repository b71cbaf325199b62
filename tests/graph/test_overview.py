from __future__ import annotations

import math
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
from tests.cases import cases

from notewell.graph.net import Net
from notewell.graph.overview import Bridge, Graph, short_names, survey
from notewell.graph.picture import as_dot, as_svg
from notewell.graph.standing import measure

SVG = "{http://www.w3.org/2000/svg}"


def make_net(links: list[tuple[str, str]], *alone: str) -> Net:
    paths = sorted({path for link in links for path in link} | set(alone))
    ends = np.array([(paths.index(source), paths.index(target)) for source, target in links], np.uint32)
    return Net(tuple(paths), *ends.reshape(-1, 2).T)


def circle(*paths: str) -> list[tuple[str, str]]:
    """Everybody links to everybody behind, so that the last is the most central."""
    return list(combinations(paths, 2))


BREAD = ("Bread/Rye.md", "Bread/Spelt.md", "Bread/Flour.md", "Bread/index.md")
BEES = ("Bees/Mites.md", "Bees/Hive.md", "Bees/Honey.md")
TWO = make_net([*circle(*BREAD), *circle(*BEES), ("Bees/Honey.md", "Bread/index.md")], "Alone.md", "All alone.md")


def overview(net: Net) -> Graph:
    return survey(net, measure(net))


def many(number: int, chained: int = 0) -> Net:
    """Return rings of five notes each, whose first notes form a chain."""
    rings = [[f"ring {ring:03}/note {ring:03}-{note}.md" for note in range(5)] for ring in range(number)]
    bridges = [(one[0], other[0]) for one, other in pairwise(rings[:chained])]
    return make_net([link for ring in rings for link in circle(*ring)] + bridges)


def test_a_community_goes_by_the_notes_that_are_linked_with_the_most_others_of_it() -> None:
    # Nobody links to the map, so that all others have a higher PageRank; but it gathers them.
    links = [("Map.md", f"{bee}.md") for bee in range(6)] + [(f"{bee}.md", "July.md") for bee in range(3)]
    net = make_net([*links, ("0.md", "1.md"), ("July.md", "Outside.md"), *circle(*BREAD)])
    standings = measure(net)
    ranks = dict(zip(net.paths, standings.pagerank.tolist(), strict=True))
    (bees,) = [community for community in survey(net, standings).communities if "Map.md" in community.notes]
    assert (bees.names[0], bees.size >= 5) == ("Map", True)
    assert ranks["Map.md"] < min(ranks[path] for path in bees.notes[1:])


def test_notes_of_one_name_are_distinguished_by_their_folders() -> None:
    bees = ("Garden/Bees.md", "Garden/Hive.md", "Garden/Honey.md")
    more = ("Work/Bees.md", "Work/Hive.md", "Work/Wax.md")
    seen = overview(make_net([*circle(*bees), *circle(*more)], "Bees.md"))
    assert [community.names for community in seen.communities] == [
        ("Honey", "Garden/Hive", "Garden/Bees"),
        ("Wax", "Work/Hive", "Work/Bees"),
    ]
    assert seen.names()["Bees.md"] == "Bees"
    assert list(short_names(["a/x/index.md", "b/x/README.md", "x.md"]).values()) == ["a/x", "b/x", "x"]
    assert list(short_names(["1/a/x.md", "2/a/x.md", "x.md", "x.txt"]).values()) == ["1/a/x", "2/a/x", "x.md", "x.txt"]


def test_equal_notes_of_a_community_are_ordered_by_pagerank() -> None:
    seen = overview(TWO)
    assert [(community.names, community.size, community.links) for community in seen.communities] == [
        (("Bread", "Flour", "Spelt"), 4, 6),
        (("Honey", "Hive", "Mites"), 3, 3),
    ]
    assert (seen.notes, seen.links) == (9, 10)


def test_bridges_are_the_links_between_communities() -> None:
    assert overview(TWO).bridges == (Bridge((0, 1), 1, ("Bees/Honey.md", "Bread/index.md")),)


def test_of_several_links_between_two_communities_the_most_central_one_is_named() -> None:
    net = make_net([*circle(*BREAD), *circle(*BEES), ("Bees/Mites.md", "Bread/Rye.md"), (BREAD[3], BEES[2])])
    (bridge,) = overview(net).bridges
    assert (bridge.links, bridge.link) == (2, ("Bread/index.md", "Bees/Honey.md"))


def test_orphans_are_the_notes_that_no_link_joins_with_another() -> None:
    assert overview(TWO).orphans == ("All alone.md", "Alone.md")


def test_a_vault_without_links_has_only_orphans_and_can_be_drawn() -> None:
    empty = overview(make_net([], "a.md", "b.md"))
    assert (empty.communities, empty.bridges, empty.orphans) == ((), (), ("a.md", "b.md"))
    assert "2 notes without links" in as_svg(empty, "Empty")
    assert as_dot(empty) == 'digraph vault {\n  "a.md" [label="a"];\n  "b.md" [label="b"];\n}\n'
    assert overview(make_net([])).notes == 0


def test_graphviz_gets_every_note_and_every_link_once() -> None:
    dot = as_dot(overview(TWO))
    assert '    "Bread/index.md" [label="Bread"];' in dot
    assert '  "Bees/Honey.md" -> "Bread/index.md";' in dot
    assert dot.count(" -> ") == 10
    assert dot.count('  "Alone.md" [label="Alone"];') == 1
    assert dot.count("label=") == 9 + 2


def test_a_name_cannot_break_out_of_graphviz_or_of_a_picture() -> None:
    net = make_net([('a"]; x\\\n.md', "<b>&.md"), ("<b>&.md", "bell \x07.md")])
    assert r'"a\"]; x\\ .md"' in as_dot(overview(net))
    texts = [text.text for text in ET.fromstring(as_svg(overview(net), "<&>")).iter(f"{SVG}text")]
    assert {"<&>", "<b>&", "bell"} <= set(texts)


def test_a_small_vault_is_drawn_note_by_note() -> None:
    drawn = ET.fromstring(as_svg(overview(TWO), "My vault"))
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert texts[:2] == ["My vault", "9 notes, 10 links, 2 communities; not drawn: 2 notes without links"]
    assert sorted(texts[2:], key=str) == ["Bread", "Flour", "Hive", "Honey", "Mites", "Rye", "Spelt"]
    assert len(list(drawn.iter(f"{SVG}line"))) == 10


def test_arrows_of_a_small_vault_point_the_way_of_the_link_and_end_at_the_rims() -> None:
    net = make_net([("a.md", "b.md"), ("b.md", "c.md"), ("c.md", "b.md")])
    drawn = ET.fromstring(as_svg(overview(net), "Arrows"))
    spots = {
        str(circle.findtext(f"{SVG}title")): [float(circle.get(key, 0)) for key in ("cx", "cy", "r")]
        for circle in drawn.iter(f"{SVG}circle")
    }
    ways = {}
    for line in drawn.iter(f"{SVG}line"):
        ends = [(float(line.get(f"x{end}", 0)), float(line.get(f"y{end}", 0))) for end in "12"]
        names = [
            name for x, y in ends for name, (cx, cy, r) in spots.items() if abs(math.hypot(x - cx, y - cy) - r) < 0.2
        ]
        ways[tuple(names)] = line.get("marker-start"), line.get("marker-end")
    tip = "url(#tip)"
    assert ways[("a.md", "b.md")] == (None, tip)
    assert [way for names, way in ways.items() if "c.md" in names] == [(tip, tip)]


def test_a_long_name_is_drawn_in_lines_and_cut_only_after_three() -> None:
    long, longer = "How the bees of the old orchard came to be here", "a very long name " * 9
    net = make_net([(f"{long}.md", f"{longer}.md")])
    drawn = ET.fromstring(as_svg(overview(net), "A title of more than twenty-eight signs"))
    texts = [str(text.text) for text in drawn.iter(f"{SVG}text")]
    assert texts[0] == "A title of more than twenty-eight signs"
    assert {"How the bees of the old", "orchard came to be here"} <= set(texts)
    assert [text for text in texts if text.endswith("…")] == ["long name a very long name…"]


def test_colours_are_of_communities_and_those_beyond_the_eleventh_are_grey() -> None:
    drawn = ET.fromstring(as_svg(overview(many(14)), "Rings"))
    colours = [circle.get("fill") for circle in drawn.iter(f"{SVG}circle")]
    assert [colours.count(colour) for colour in dict.fromkeys(colours)] == [5] * 11 + [15]
    bubbles = ET.fromstring(as_svg(overview(many(30)), "Bubbles"))
    assert len({circle.get("fill") for circle in bubbles.iter(f"{SVG}circle")}) == 1


def test_bubbles_are_joined_by_their_widest_bridges_as_long_as_one_of_the_two_has_fewer_than_three() -> None:
    chained = ET.fromstring(as_svg(overview(net := many(30, chained=30)), "Chain"))
    assert len(list(chained.iter(f"{SVG}line"))) == len(overview(net).bridges) > 10
    assert not any(line.get("marker-end") for line in chained.iter(f"{SVG}line"))
    # Everybody has a bridge to everybody: 435 of them, of which each takes three, or is taken by others.
    rings = [[f"ring {ring:02}/note {ring:02}-{note:02}.md" for note in range(30)] for ring in range(30)]
    bridges = [(rings[one][other], rings[other][one]) for one, other in combinations(range(30), 2)]
    full = make_net([link for ring in rings for link in circle(*ring)] + bridges)
    assert len(overview(full).bridges) == 435
    lines = list(ET.fromstring(as_svg(overview(full), "All")).iter(f"{SVG}line"))
    assert 45 <= len(lines) <= 90


def test_a_picture_is_not_much_larger_than_what_it_has_to_hold() -> None:
    drawn = ET.fromstring(as_svg(overview(many(24, chained=24)), "Notes"))
    labels = [str(text.text) for text in drawn.iter(f"{SVG}text") if text.get("text-anchor")]
    area = float(drawn.get("width", 0)) * float(drawn.get("height", 0))
    assert area < 6 * sum(7 * len(label) * 40 for label in labels)


def test_a_large_vault_is_drawn_by_its_sixty_largest_communities() -> None:
    drawn = ET.fromstring(as_svg(overview(many(70)), "Large"))
    assert len(list(drawn.iter(f"{SVG}circle"))) == 60
    texts = [str(text.text) for text in drawn.iter(f"{SVG}text")]
    assert texts[1].endswith("not drawn: 10 smaller communities with 50 notes")
    assert texts.count("5 notes") == 60


@cases(
    "net",
    [TWO, many(20, chained=20), many(30, chained=30), many(70, chained=8)],
)
def test_no_label_covers_another_or_leaves_the_picture(net: Net) -> None:
    drawn = ET.fromstring(as_svg(overview(net), "Vault"))
    labels = [text for text in drawn.iter(f"{SVG}text") if text.get("text-anchor")]
    boxes = [(float(label.get("x", 0)), float(label.get("y", 0)), 3.4 * len(str(label.text))) for label in labels]
    overlaps = [
        (one, other)
        for one, other in combinations(boxes, 2)
        if abs(one[1] - other[1]) < 12 and abs(one[0] - other[0]) < one[2] + other[2]
    ]
    assert overlaps == []
    width, height = float(drawn.get("width", 0)), float(drawn.get("height", 0))
    assert all(half < x < width - half and 50 < y < height for x, y, half in boxes)


def test_two_pictures_of_one_vault_are_the_same() -> None:
    assert as_svg(overview(TWO), "Vault") == as_svg(overview(TWO), "Vault")
