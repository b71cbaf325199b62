"""Pictures of the graph: SVG with the notes of a small vault or the communities of a large one, and Graphviz files."""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

import numpy as np

from notewell.frozen import frozen
from notewell.graph.algorithms import Floats, layout
from notewell.graph.overview import Community, Graph

# With more notes than this, communities are drawn instead, at most this many.
FEW = 120
BUBBLES = 60
# How many links of a bubble are drawn: all of them would be a grey cloud.
JOINED = 3
# In pixels: the height of a line, and the widths of a letter, of a bold one, and of an East Asian one.
LINE = 15
LETTER, BOLD, WIDE = 7.0, 8.2, 13.0
# The preferred length of a line of a label, in characters, and the most lines of a name; the rest is cut.
LONGEST, MOST_LINES = 28, 3
# The title may use the width of the whole picture.
LONGEST_TITLE = 60
# The radius of a note without links, and its growth with the root of the number of links; the least and greatest radius
# of a bubble.
DOT, DOT_GROWTH = 4.0, 2.0
BUBBLE_LEAST, BUBBLE_MOST = 8.0, 80.0
# From these radii on, a bubble has three names, or two; smaller ones have one.
ROOM_FOR_NAMES = ((40.0, 3), (20.0, 2), (0.0, 1))
# The distance of a label from its circle, in lines.
BELOW = 0.85
# The positions of the title and the subtitle, from the top.
TITLE_AT, COUNTS_AT = 30, 50
# Margins: around each label, around the picture, and above it for the title.
GAP, MARGIN, HEAD = 8, 30, 46
# The share of the picture that labels and bubbles cover before they are pushed apart, and its aspect ratio.
# A few linked circles need no room for crossing lines.
COVERED, COVERED_BY_FEW, ASPECT = 0.4, 0.8, 1.5
A_FEW = 8
# How often boxes are pushed apart; if that is not enough, all also move away from each other, a little each time.
PUSHES, PUSHES_ALONE = 400, 300
SPREAD = 1.05
# The least width of a picture: its title needs the room.
NARROWEST = 700
# Distinct colours of the same lightness for the largest communities, and grey for the others. In a
# picture of communities colours would mean nothing, and all have the same.
COLOURS = (
    *("#4c78a8", "#e07b39", "#3f9e6b", "#c2506b", "#8064a8", "#a08a2e"),
    *("#3a9aa5", "#9c6b4e", "#6b8e23", "#b35aa0", "#5b6fd0"),
)
GREY, BUBBLE = "#8a8a8a", "#4c78a8"
# The tip of an arrow, which ends at the rim of the circle.
TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
    ' orient="auto-start-reverse"><path d="M0,1 L8,4 L0,7 z" fill="#9aa1a9"/></marker></defs>'
)
# Characters that Graphviz does not accept, and characters that XML cannot contain.
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@frozen
class Spot:
    """A circle with its label, whose first lines may be `bold`: a note, or a community.

    `hint` is its tooltip.
    """

    radius: float
    lines: tuple[str, ...]
    colour: str
    hint: str
    bold: int = 0

    @property
    def size(self) -> tuple[float, float]:
        """Return the width and height of the circle with the label below it, which nothing else may cover."""
        labels = [_width(line, BOLD if number < self.bold else LETTER) for number, line in enumerate(self.lines)]
        width = max(2 * self.radius, *labels)
        return width + GAP, 2 * self.radius + LINE * len(self.lines) + GAP


@frozen
class Join:
    """A line between two spots, by index; the more links it represents, the thicker.

    A single link is an arrow to the `other`, or in both directions.
    """

    one: int
    other: int
    links: int
    arrow: bool = False
    both: bool = False


def as_svg(graph: Graph, title: str) -> str:
    """Return the picture: every note of a small vault, else the largest communities, named by their central notes."""
    linked = sum(community.size for community in graph.communities)
    spots, joins = _note_spots(graph) if linked <= FEW else _community_spots(graph)
    places, (width, height) = _arranged(spots, joins)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">'
    )
    rows = (head, '<rect width="100%" height="100%" fill="#ffffff"/>', *_caption(graph, title, len(spots)))
    drawn = (TIP, *_lines(joins, spots, places), *_circles(spots, places), *_labels(spots, places))
    return "\n".join((*rows, *drawn, "</svg>", ""))


def _note_spots(graph: Graph) -> tuple[list[Spot], list[Join]]:
    degrees = Counter(path for pair in graph.pairs for path in pair)
    names = graph.names()
    spots: list[Spot] = []
    order: dict[str, int] = {}
    for community in graph.communities:
        colour = COLOURS[community.number] if community.number < len(COLOURS) else GREY
        for path in community.notes:
            order[path] = len(spots)
            spots.append(Spot(DOT + DOT_GROWTH * math.sqrt(degrees[path]), _wrapped(names[path]), colour, path))
    pairs = {(order[source], order[target]) for source, target in graph.pairs}
    once = sorted(pair for pair in pairs if pair[::-1] not in pairs or pair[0] < pair[1])
    return spots, [Join(*pair, 1, arrow=True, both=pair[::-1] in pairs) for pair in once]


def _community_spots(graph: Graph) -> tuple[list[Spot], list[Join]]:
    shown = graph.communities[:BUBBLES]
    largest = shown[0].size
    spots = [_bubble(community, largest) for community in shown]
    taken: dict[int, int] = dict.fromkeys(range(len(shown)), 0)
    joins = []
    for bridge in graph.bridges:
        both = bridge.communities
        # The widest come first; a bubble without a line may still get one to a bubble that has enough.
        if max(both) < len(shown) and min(taken[number] for number in both) < JOINED:
            joins.append(Join(*both, bridge.links))
            taken |= {number: taken[number] + 1 for number in both}
    return spots, joins


def _bubble(community: Community, largest: int) -> Spot:
    radius = BUBBLE_LEAST + (BUBBLE_MOST - BUBBLE_LEAST) * math.sqrt(community.size / largest)
    named = next(names for least, names in ROOM_FOR_NAMES if radius > least)
    first, *others = (_wrapped(name) for name in community.names[:named])
    lines = (*first, *(line for name in others for line in name), f"{community.size:,} notes")
    return Spot(radius, lines, BUBBLE, ", ".join(community.names), bold=len(first))


def _wrapped(name: str) -> tuple[str, ...]:
    """Return a name as the lines of a label, cut only if it is longer than a label may be.

    >>> _wrapped("How the bees of the old orchard came to be here")
    ('How the bees of the old', 'orchard came to be here')
    """
    lines = textwrap.wrap(_drawable(name), LONGEST, max_lines=MOST_LINES, placeholder="…")
    return tuple(lines) or (" ",)


def _drawable(text: str) -> str:
    """Return a text without the characters that XML cannot contain."""
    return FORBIDDEN.sub(" ", text)


def _width(line: str, letter: float) -> float:
    return sum(WIDE if east_asian_width(sign) in "WF" else letter for sign in line)


def _arranged(spots: Sequence[Spot], joins: Sequence[Join]) -> tuple[Floats, tuple[float, float]]:
    """Return the centre of each circle, and the size of the picture; unlinked ones form rows at the bottom."""
    places = np.zeros((len(spots), 2))
    left, top, below, widest = float(MARGIN), float(MARGIN + HEAD), 0.0, float(NARROWEST)
    for group in _groups(len(spots), joins):
        boxes, (width, height) = _placed([spots[place] for place in group], _inside(group, joins))
        if left > MARGIN and left + width > widest:
            left, top, below = float(MARGIN), top + below, 0.0
        places[group] = boxes + np.array((left, top))
        left, below, widest = left + width, max(below, height), max(widest, left + width)
    return places, (widest + MARGIN, top + below + MARGIN)


def _groups(size: int, joins: Sequence[Join]) -> list[list[int]]:
    """Return the groups of spots that lines connect, the largest first."""
    home = list(range(size))
    for join in joins:
        one, other = sorted((home[join.one], home[join.other]))
        if one != other:
            home = [one if number == other else number for number in home]
    groups = [[place for place in range(size) if home[place] == number] for number in sorted(set(home))]
    return sorted(groups, key=len, reverse=True)


def _inside(group: Sequence[int], joins: Sequence[Join]) -> list[Join]:
    order = {place: number for number, place in enumerate(group)}
    return [Join(order[join.one], order[join.other], join.links) for join in joins if join.one in order]


def _placed(spots: Sequence[Spot], joins: Sequence[Join]) -> tuple[Floats, tuple[float, float]]:
    """Return the centre of each circle, linked ones near each other and none on a label; and the total size."""
    ends = np.array([(join.one, join.other) for join in joins], np.int64).reshape(-1, 2)
    weights = np.log1p(np.array([join.links for join in joins], np.float64))
    places = layout((ends[:, 0], ends[:, 1]), len(spots), weights)
    sizes = np.array([spot.size for spot in spots])
    covered = COVERED if len(spots) > A_FEW else COVERED_BY_FEW
    height = math.sqrt(float(sizes.prod(axis=1).sum()) / covered / ASPECT)
    spread = np.maximum(np.ptp(places, axis=0), 1e-9)
    places = _apart((places - places.min(axis=0)) / spread * (height * ASPECT, height), sizes)
    corner = (places - sizes / 2).min(axis=0)
    width, height = ((places + sizes / 2).max(axis=0) - corner).tolist()
    # A box has its circle at the top and its label below.
    drop = np.array([(0, spot.radius - (spot.size[1] - GAP) / 2) for spot in spots])
    return places - corner + drop, (width, height)


def _apart(places: Floats, sizes: Floats) -> Floats:
    """Return the positions with boxes of these sizes pushed apart along the shorter axis, until none overlap."""
    for number in range(PUSHES):
        between = places[:, None] - places[None, :]
        over = (sizes[:, None] + sizes[None, :]) / 2 - np.abs(between)
        over[np.diag_indices(len(places))] = 0
        hit = over.min(axis=2) > 0
        if not hit.any():
            break
        sign = np.where(between != 0, np.sign(between), np.sign(np.arange(len(places))[:, None, None] - 0.5))
        shorter = over == over.min(axis=2, keepdims=True)
        push = np.where(hit[:, :, None] & shorter, over * sign / 2, 0)
        places = places + push.sum(axis=1)
        if number >= PUSHES_ALONE:
            places = places * SPREAD
    return places


def _caption(graph: Graph, title: str, drawn: int) -> Iterator[str]:
    counts = f"{graph.notes:,} notes, {graph.links:,} links, {len(graph.communities):,} communities"
    rest = [f"{len(graph.orphans):,} notes without links"] if graph.orphans else []
    linked = graph.notes - len(graph.orphans)
    if linked > FEW and len(graph.communities) > drawn:
        smaller = sum(community.size for community in graph.communities[drawn:])
        rest.append(f"{len(graph.communities) - drawn:,} smaller communities with {smaller:,} notes")
    named = textwrap.shorten(_drawable(title), LONGEST_TITLE, placeholder="…") or " "
    style = 'font-size="18" font-weight="bold" fill="#222222"'
    yield f'<text x="{MARGIN}" y="{TITLE_AT}" {style}>{escape(named)}</text>'
    caption = counts + (f"; not drawn: {', '.join(rest)}" if rest else "")
    yield f'<text x="{MARGIN}" y="{COUNTS_AT}" fill="#555555">{escape(caption)}</text>'


def _lines(joins: Sequence[Join], spots: Sequence[Spot], places: Floats) -> Iterator[str]:
    for join in sorted(joins, key=lambda join: join.links):
        (x1, y1), (x2, y2) = _edges(join, spots, places)
        width = 1 + math.log2(join.links) / 2
        at = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        tips = (' marker-end="url(#tip)"' if join.arrow else "") + (' marker-start="url(#tip)"' if join.both else "")
        hint = f"<title>{join.links:,} links</title>" if join.links > 1 else ""
        yield f'<line {at} stroke="#c4c9cf" stroke-width="{width:.1f}"{tips}>{hint}</line>'


def _edges(join: Join, spots: Sequence[Spot], places: Floats) -> Floats:
    """Return both ends of a line: for an arrow at the rims of its circles, for any other line at their centres."""
    ends: Floats = places[[join.one, join.other]]
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if not join.arrow or not length:
        return ends
    way = (ends[1] - ends[0]) / length
    rims: Floats = ends + np.array((way * spots[join.one].radius, -way * spots[join.other].radius))
    return rims


def _circles(spots: Sequence[Spot], places: Floats) -> Iterator[str]:
    for spot, (x, y) in zip(spots, places, strict=True):
        at = f'cx="{x:.1f}" cy="{y:.1f}" r="{spot.radius:.1f}"'
        hint = escape(_drawable(spot.hint))
        yield f'<circle {at} fill="{spot.colour}" stroke="#ffffff"><title>{hint}</title></circle>'


def _labels(spots: Sequence[Spot], places: Floats) -> Iterator[str]:
    # A white outline keeps letters readable on lines.
    rim = 'paint-order="stroke" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" fill="#222222"'
    for spot, (x, y) in zip(spots, places, strict=True):
        first = y + spot.radius + LINE * BELOW
        for number, line in enumerate(spot.lines):
            bold = ' font-weight="bold"' if number < spot.bold else ""
            at = f'x="{x:.1f}" y="{first + LINE * number:.1f}"'
            yield f'<text {at} text-anchor="middle"{bold} {rim}>{escape(line)}</text>'


def as_dot(graph: Graph) -> str:
    """Return the graph for Graphviz: linked notes in boxes by community, and each link once."""
    names = graph.names()
    alone = (f"  {_node(path, names)}" for path in graph.orphans)
    arrows = (f"  {quoted(source)} -> {quoted(target)};" for source, target in graph.pairs)
    return "\n".join(("digraph vault {", *_boxes(graph, names), *alone, *arrows, "}", ""))


def quoted(text: str) -> str:
    r"""Return a text quoted for Graphviz.

    >>> print(quoted('He said "a\\b"'))
    "He said \"a\\b\""
    """
    plain = CONTROL.sub(" ", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _boxes(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    for community in graph.communities:
        yield f"  subgraph cluster_{community.number} {{"
        yield f"    label={quoted(community.names[0])};"
        yield from (f"    {_node(path, names)}" for path in community.notes)
        yield "  }"


def _node(path: str, names: Mapping[str, str]) -> str:
    return f"{quoted(path)} [label={quoted(names[path])}];"
