"""A picture of the graph as SVG: the notes of a small vault, the communities of a large one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

import numpy as np

from notewell.graph.algorithms import Floats, layout
from notewell.graph.net import Net
from notewell.graph.overview import Community, Overview, distinct_links, name_of

# A picture of more notes than these has their communities in it instead, of which so many at most.
FEW = 120
BUBBLES = 60
# The links of a bubble that are drawn: all of them would be a grey cloud.
JOINED = 3
# In pixels: the height of a line, and the widths of a letter, of a bold one, and of one of the Far East.
LINE = 15
LETTER, BOLD, WIDE = 7.0, 8.2, 13.0
# A name longer than this is cut.
LONGEST = 28
# Around each label, around the whole, and above it for the title.
GAP, MARGIN, HEAD = 8, 30, 46
# How much of the picture labels and bubbles cover before they are pushed apart, and how much wider than high it is.
# A few joined to each other need no room for lines to cross.
COVERED, COVERED_BY_FEW, ASPECT = 0.4, 0.8, 1.5
A_FEW = 8
PUSHES = 400
# A picture is as wide as this at least: its title needs the room.
NARROWEST = 700
# Colours that can be told apart, of the same lightness, for communities by number.
COLOURS = (
    *("#4c78a8", "#e07b39", "#3f9e6b", "#c2506b", "#8064a8", "#a08a2e"),
    *("#3a9aa5", "#9c6b4e", "#6b8e23", "#b35aa0", "#5b6fd0", "#7a7a7a"),
)
# What XML may not hold.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Spot:
    """A circle with its label: a note, or a community; `hint` is shown when one points at it."""

    radius: float
    lines: tuple[str, ...]
    community: int
    hint: str

    @property
    def titled(self) -> bool:
        """Tell whether the first line stands out."""
        return len(self.lines) > 1

    @property
    def size(self) -> tuple[float, float]:
        """Return the width and height that nothing else may cover: of the circle, and of the label below it."""
        labels = [_width(line, BOLD if self.titled and line is self.lines[0] else LETTER) for line in self.lines]
        width = max(2 * self.radius, *labels)
        return width + GAP, 2 * self.radius + LINE * len(self.lines) + GAP


@dataclass(frozen=True, slots=True)
class Join:
    """A line between two spots, by place; the more links it stands for, the thicker."""

    one: int
    other: int
    links: int


def as_svg(net: Net, overview: Overview, title: str) -> str:
    """Return the picture: each note if they are few, else the largest communities, by their most central notes."""
    linked = sum(community.size for community in overview.communities)
    spots, joins = _note_spots(net, overview) if linked <= FEW else _community_spots(overview)
    places, (width, height) = _arranged(spots, joins)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">'
    )
    rows = (head, '<rect width="100%" height="100%" fill="#ffffff"/>', *_caption(overview, title, len(spots)))
    drawn = (*_lines(joins, places), *_circles(spots, places), *_labels(spots, places))
    return "\n".join((*rows, *drawn, "</svg>", ""))


def _note_spots(net: Net, overview: Overview) -> tuple[list[Spot], list[Join]]:
    numbers = {path: place for place, path in enumerate(net.paths)}
    sources, targets = (ends.tolist() for ends in distinct_links(net))
    spots: list[Spot] = []
    order: dict[int, int] = {}
    for community in overview.communities:
        for path in community.notes:
            place = numbers[path]
            degree = sources.count(place) + targets.count(place)
            order[place] = len(spots)
            spots.append(Spot(4 + 2 * math.sqrt(degree), (_cut(name_of(path)),), community.number, path))
    pairs = {(min(pair), max(pair)) for pair in zip(sources, targets, strict=True)}
    return spots, [Join(order[one], order[other], 1) for one, other in sorted(pairs)]


def _community_spots(overview: Overview) -> tuple[list[Spot], list[Join]]:
    shown = overview.communities[:BUBBLES]
    largest = shown[0].size
    spots = [_bubble(community, largest) for community in shown]
    taken: dict[int, int] = dict.fromkeys(range(len(shown)), 0)
    joins = []
    for bridge in overview.bridges:
        both = (bridge.one, bridge.other)
        # The widest come first; a bubble without a line yet may still take one from a bubble that has enough.
        if max(both) < len(shown) and min(taken[number] for number in both) < JOINED:
            joins.append(Join(*both, bridge.links))
            taken |= {number: taken[number] + 1 for number in both}
    return spots, joins


def _bubble(community: Community, largest: int) -> Spot:
    radius = 8 + 72 * math.sqrt(community.size / largest)
    names = tuple(_cut(name) for name in dict.fromkeys(community.names))[
        : 3 if radius > 40 else 2 if radius > 20 else 1
    ]
    hint = ", ".join(community.names)
    return Spot(radius, (*names, f"{community.size:,} notes"), community.number, hint)


def _cut(name: str) -> str:
    """Return a name as a label: short, and nothing that XML does not hold.

    >>> _cut("How the bees of the old orchard came to be here")
    'How the bees of the old orc…'
    """
    name = FORBIDDEN.sub(" ", name)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"


def _width(line: str, letter: float) -> float:
    return sum(WIDE if east_asian_width(sign) in "WF" else letter for sign in line)


def _arranged(spots: Sequence[Spot], joins: Sequence[Join]) -> tuple[Floats, tuple[float, float]]:
    """Return the middle of each circle, and the size of the picture; what is not joined stands in rows below."""
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
    """Return the spots that lines lead from one to the other, the largest group first."""
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
    """Return the middle of each circle, joined ones near, none on another's label; and the size of all together."""
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
    # A box has its circle on top: the label hangs below.
    drop = np.array([(0, spot.radius - (spot.size[1] - GAP) / 2) for spot in spots])
    return places - corner + drop, (width, height)


def _apart(places: Floats, sizes: Floats) -> Floats:
    """Return the places with boxes of these sizes pushed apart, each pair along the shorter way, until none overlap."""
    for _ in range(PUSHES):
        between = places[:, None] - places[None, :]
        over = (sizes[:, None] + sizes[None, :]) / 2 - np.abs(between)
        over[np.diag_indices(len(places))] = 0
        hit = over.min(axis=2) > 0
        if not hit.any():
            break
        sign = np.where(between != 0, np.sign(between), np.sign(np.arange(len(places))[:, None, None] - 0.5))
        shorter = over == over.min(axis=2, keepdims=True)
        push = np.where(hit[:, :, None] & shorter, over * sign / 2, 0)
        # As far as the farthest push: many small ones in one direction would throw a box out of its place.
        places = places + np.clip(push.sum(axis=1), -LINE, LINE)
    return places


def _caption(overview: Overview, title: str, drawn: int) -> Iterator[str]:
    counts = f"{overview.notes:,} notes, {overview.links:,} links, {len(overview.communities):,} communities"
    rest = [f"{len(overview.orphans):,} notes without links"] if overview.orphans else []
    linked = overview.notes - len(overview.orphans)
    if linked > FEW and len(overview.communities) > drawn:
        smaller = sum(community.size for community in overview.communities[drawn:])
        rest.append(f"{len(overview.communities) - drawn:,} smaller communities with {smaller:,} notes")
    yield f'<text x="{MARGIN}" y="30" font-size="18" font-weight="bold" fill="#222222">{escape(_cut(title))}</text>'
    told = counts + (f"; not drawn: {', '.join(rest)}" if rest else "")
    yield f'<text x="{MARGIN}" y="50" fill="#555555">{escape(told)}</text>'


def _lines(joins: Sequence[Join], places: Floats) -> Iterator[str]:
    for join in sorted(joins, key=lambda join: join.links):
        (x1, y1), (x2, y2) = places[join.one], places[join.other]
        width = 1 + math.log2(join.links) / 2
        at = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        hint = f"<title>{join.links:,} links</title>" if join.links > 1 else ""
        yield f'<line {at} stroke="#c4c9cf" stroke-width="{width:.1f}">{hint}</line>'


def _circles(spots: Sequence[Spot], places: Floats) -> Iterator[str]:
    for spot, (x, y) in zip(spots, places, strict=True):
        colour = COLOURS[spot.community % len(COLOURS)]
        at = f'cx="{x:.1f}" cy="{y:.1f}" r="{spot.radius:.1f}"'
        hint = escape(FORBIDDEN.sub(" ", spot.hint))
        yield f'<circle {at} fill="{colour}" stroke="#ffffff"><title>{hint}</title></circle>'


def _labels(spots: Sequence[Spot], places: Floats) -> Iterator[str]:
    # A white rim around letters keeps them readable on lines.
    rim = 'paint-order="stroke" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" fill="#222222"'
    for spot, (x, y) in zip(spots, places, strict=True):
        first = y + spot.radius + LINE * 0.85
        for number, line in enumerate(spot.lines):
            bold = ' font-weight="bold"' if number == 0 and spot.titled else ""
            at = f'x="{x:.1f}" y="{first + LINE * number:.1f}"'
            yield f'<text {at} text-anchor="middle"{bold} {rim}>{escape(line)}</text>'
