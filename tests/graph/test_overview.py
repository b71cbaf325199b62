from __future__ import annotations

from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from notewell.graph.dot import as_dot
from notewell.graph.measure import measure
from notewell.graph.net import Net
from notewell.graph.overview import Bridge, Overview, survey
from notewell.graph.picture import as_svg

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


def overview(net: Net) -> Overview:
    return survey(net, measure(net))


def many(number: int, chained: int = 0) -> Net:
    """So many rings of five notes, the first of them in a chain."""
    rings = [[f"ring {ring:03}/note {ring:03}-{note}.md" for note in range(5)] for ring in range(number)]
    bridges = [(one[0], other[0]) for one, other in pairwise(rings[:chained])]
    return make_net([link for ring in rings for link in circle(*ring)] + bridges)


def test_communities_go_by_their_most_central_notes() -> None:
    seen = overview(TWO)
    assert [(community.names, community.size, community.links) for community in seen.communities] == [
        (("Bread", "Flour", "Spelt"), 4, 6),
        (("Honey", "Hive", "Mites"), 3, 3),
    ]
    assert (seen.notes, seen.links) == (9, 10)


def test_bridges_are_the_links_between_communities() -> None:
    assert overview(TWO).bridges == (Bridge(0, 1, 1, "Bees/Honey.md", "Bread/index.md"),)


def test_of_several_links_between_two_communities_the_most_central_one_is_named() -> None:
    net = make_net([*circle(*BREAD), *circle(*BEES), ("Bees/Mites.md", "Bread/Rye.md"), (BREAD[3], BEES[2])])
    (bridge,) = overview(net).bridges
    assert (bridge.links, bridge.source, bridge.target) == (2, "Bread/index.md", "Bees/Honey.md")


def test_orphans_are_the_notes_that_no_link_joins_with_another() -> None:
    assert overview(TWO).orphans == ("All alone.md", "Alone.md")


def test_a_vault_without_links_has_only_orphans_and_can_be_drawn() -> None:
    empty = overview(net := make_net([], "a.md", "b.md"))
    assert (empty.communities, empty.bridges, empty.orphans) == ((), (), ("a.md", "b.md"))
    assert "2 notes without links" in as_svg(net, empty, "Empty")
    assert as_dot(net, empty) == "digraph vault {\n}\n"
    assert overview(make_net([])).notes == 0


def test_graphviz_gets_every_linked_note_and_every_link_once() -> None:
    dot = as_dot(TWO, overview(TWO))
    assert '    "Bread/index.md" [label="Bread"];' in dot
    assert '  "Bees/Honey.md" -> "Bread/index.md";' in dot
    assert dot.count(" -> ") == 10
    assert "Alone" not in dot


def test_a_name_cannot_break_out_of_graphviz_or_of_a_picture() -> None:
    net = make_net([('a"]; x\\\n.md', "<b>&.md"), ("<b>&.md", "bell \x07.md")])
    assert r'"a\"]; x\\ .md"' in as_dot(net, overview(net))
    texts = [text.text for text in ET.fromstring(as_svg(net, overview(net), "<&>")).iter(f"{SVG}text")]
    assert {"<&>", "<b>&", "bell  "} <= set(texts)


def test_a_small_vault_is_drawn_note_by_note() -> None:
    drawn = ET.fromstring(as_svg(TWO, overview(TWO), "My vault"))
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert texts[:2] == ["My vault", "9 notes, 10 links, 2 communities; not drawn: 2 notes without links"]
    assert sorted(texts[2:], key=str) == ["Bread", "Flour", "Hive", "Honey", "Mites", "Rye", "Spelt"]
    assert len(list(drawn.iter(f"{SVG}line"))) == 10


def test_a_large_vault_is_drawn_by_its_sixty_largest_communities() -> None:
    drawn = ET.fromstring(as_svg(net := many(70), overview(net), "Large"))
    assert len(list(drawn.iter(f"{SVG}circle"))) == 60
    texts = [str(text.text) for text in drawn.iter(f"{SVG}text")]
    assert texts[1].endswith("not drawn: 10 smaller communities with 50 notes")
    assert texts.count("5 notes") == 60


@pytest.mark.parametrize(
    "net",
    [TWO, many(20, chained=20), many(30, chained=30), many(70, chained=8)],
    ids=["two", "notes", "a few bubbles", "bubbles"],
)
def test_no_label_covers_another_or_leaves_the_picture(net: Net) -> None:
    drawn = ET.fromstring(as_svg(net, overview(net), "Vault"))
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
    assert as_svg(TWO, overview(TWO), "Vault") == as_svg(TWO, overview(TWO), "Vault")
