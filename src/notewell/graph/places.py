"""Positions of notes in a picture of the vault: each community is a disc, and linked notes are near each other.

A position is a complex number: x is its real part, y its imaginary one.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import numpy.typing as npt

from notewell.frozen import frozen
from notewell.graph.algorithms import Floats, Pairs, Places

Spots = npt.NDArray[np.complex128]

# The angle between two seeds of a sunflower, which fills a disc evenly.
GOLDEN_ANGLE = pi * (3 - sqrt(5))
# So many of the largest communities are packed by their links; smaller ones lie around them.
PACKED = 150
# The distance between two discs, in units: a note takes an area of π units.
GAP, GAP_SHARE = 0.6, 1.08
# Screens are wide: a disc above another counts as farther from the middle than one beside it.
FLATTENED = 1.4
# How often notes move towards those they link to, and how far; then how often they are pushed apart.
ROUNDS, TOWARDS = 20, 0.6
PUSHES, LONGEST_PUSH, PULL = 20, 1.2, 0.03
# The weight of all links to other communities, against one inside.
OUTSIDE = 0.5
# The side of the grid on which density is measured: at least a cell for each unit, within limits.
LEAST_CELLS, MOST_CELLS = 128, 1024
# How far notes are pushed by others, in units, and the weight of the far push.
NEAR, FAR, FAR_WEIGHT = 1.0, 3.0, 0.25
EDGE = 4.0


@frozen
class Discs:
    """The communities as discs: the community of each note; the size, centre and radius of each community."""

    community: Places
    sizes: Places
    centres: Spots
    radii: Floats

    def evened(self, within: Spots) -> Spots:
        """Return positions within the unit disc with their distances changed, so that each disc is evenly full."""
        order = np.lexsort((np.abs(within), self.community))
        ranks = np.empty(order.size)
        ranks[order] = np.arange(order.size) - (np.cumsum(self.sizes) - self.sizes)[self.community[order]]
        spots: Spots = _directions(within) * np.sqrt((ranks + 0.5) / self.sizes[self.community])
        return spots

    def spots(self, within: Spots) -> Spots:
        """Return positions within the unit disc as positions in the picture."""
        spots: Spots = self.centres[self.community] + within * self.radii[self.community]
        return spots

    def within(self, spots: Spots) -> Spots:
        """Return positions in the picture as positions within the unit disc."""
        within: Spots = (spots - self.centres[self.community]) / self.radii[self.community]
        return within


def place_notes(pairs: Pairs, community: Places, ranks: Floats) -> Floats:
    """Return the position of each note in the unit square, one row a note; every note has a community.

    The same notes and links have the same positions: nothing here is random.
    """
    if not community.size:
        return np.zeros((0, 2))
    discs = _discs(pairs, community)
    sources, targets = (np.concatenate(ends) for ends in (pairs, pairs[::-1]))
    same = community[sources] == community[targets]
    inside = sources[same], targets[same]
    within = _gathered(discs, inside, (sources[~same], targets[~same]), ranks)
    spots = discs.spots(discs.evened(discs.within(_spread(discs, inside, discs.spots(within)))))
    return in_unit_square(spots)


def in_unit_square(spots: Spots) -> Floats:
    """Return positions as rows of x and y, moved and scaled to fill the unit square, with the same proportions."""
    both = np.stack((spots.real, spots.imag), axis=1)
    low, high = both.min(axis=0), both.max(axis=0)
    side = max(float((high - low).max()), 1e-9)
    rows: Floats = np.clip((both - (low + high) / 2) / side + 0.5, 0, 1)
    return rows


def sunflower(size: int, start: float = 0.0) -> Spots:
    """Return positions that fill a disc evenly, π units of area each; with `start`, a ring around a disc of so many."""
    numbers = np.arange(size)
    spots: Spots = np.sqrt(numbers + start + 0.5) * np.exp(1j * numbers * GOLDEN_ANGLE)
    return spots


def _directions(spots: Spots) -> Spots:
    lengths = np.abs(spots)
    ways: Spots = np.where(lengths > 0, spots / np.maximum(lengths, 1e-12), 1)
    return ways


def _sums(numbers: Places, values: Spots, size: int) -> Spots:
    sums: Spots = np.bincount(numbers, values.real, size) + 1j * np.bincount(numbers, values.imag, size)
    return sums


def _discs(pairs: Pairs, community: Places) -> Discs:
    """Return the communities as discs that do not overlap, in the order of their numbers: the largest first."""
    sizes = np.bincount(community)
    radii = np.sqrt(sizes + 2.0)
    few = min(sizes.size, PACKED)
    one, other = (community[ends] for ends in pairs)
    kept = (one < few) & (other < few) & (one != other)
    links = np.bincount(one[kept] * few + other[kept], minlength=few * few).reshape(few, few)
    spaced = radii * GAP_SHARE + GAP
    centres = np.zeros(sizes.size, np.complex128)
    centres[:few] = _packed(spaced[:few], (links + links.T).astype(np.float64))
    if few < sizes.size:
        # The others have the area of the largest of them, in a ring.
        reach = float((np.abs(centres[:few]) + spaced[:few]).max()) + spaced[few]
        centres[few:] = spaced[few] * sunflower(sizes.size - few, (reach / spaced[few]) ** 2)
    return Discs(community, sizes, centres, radii)


def _packed(radii: Floats, links: Floats) -> Spots:
    """Return the centres of discs: each touches two others, near those it has links with and near the middle."""
    centres = np.zeros(radii.size, np.complex128)
    for number in range(1, radii.size):
        free = _free_spots(centres[:number], radii[:number], float(radii[number]))
        weights = links[number, :number]
        lengths = np.abs(free[:, None] - centres[:number]) @ weights / max(float(weights.sum()), 1.0)
        middle = free - np.average(centres[:number], weights=radii[:number] ** 2)
        # Rounded, so that of two equal ones the first is taken on any machine.
        costs = np.round(lengths + np.hypot(middle.real, FLATTENED * middle.imag), 6)
        centres[number] = free[int(costs.argmin())]
    return centres


def _free_spots(centres: Spots, radii: Floats, radius: float) -> Spots:
    """Return the centres that a disc may have so that it touches two others and overlaps none."""
    if centres.size == 1:
        return np.array([centres[0] + radii[0] + radius])
    apart = np.abs(centres[:, None] - centres)
    one, other = np.nonzero(np.triu(apart < radii[:, None] + radii + 2 * radius, 1))
    first, second, between = radii[one] + radius, radii[other] + radius, apart[one, other]
    along = (first**2 - second**2 + between**2) / (2 * between)
    aside = np.sqrt(np.maximum(first**2 - along**2, 0))
    way = (centres[other] - centres[one]) / between
    spots = np.concatenate([centres[one] + way * (along + sign * aside) for sign in (1j, -1j)])
    free: Spots = spots[(np.abs(spots[:, None] - centres) > radii + radius * (1 - 1e-6)).all(axis=1)]
    return free


def _gathered(discs: Discs, inside: Pairs, outside: Pairs, ranks: Floats) -> Spots:
    """Return positions in the unit disc: central notes in the middle, linked notes in the same direction.

    A note with links to other communities is drawn to their side.
    """
    size, community = ranks.size, discs.community
    order = np.lexsort((-ranks, community))
    number = np.empty(size, np.int64)
    number[order] = np.arange(size) - (np.cumsum(discs.sizes) - discs.sizes)[community[order]]
    within: Spots = np.sqrt((number + 0.5) / discs.sizes[community]) * np.exp(1j * number * GOLDEN_ANGLE)
    sources, targets = inside
    # A link to a note with many links says less.
    weights = 1 / np.sqrt(np.bincount(sources, minlength=size)[targets])
    ways = _directions(np.diff(discs.centres[community[np.stack(outside)]], axis=0)[0])
    drawn = OUTSIDE * _sums(outside[0], ways, size) / np.maximum(np.bincount(outside[0], minlength=size), 1)
    total = np.bincount(sources, weights, size) + OUTSIDE * (drawn != 0)
    for _ in range(ROUNDS):
        means = (_sums(sources, weights * within[targets], size) + drawn) / np.maximum(total, 1e-9)
        within = np.where(total > 0, (1 - TOWARDS) * within + TOWARDS * means, within)
        within = within - (_sums(community, within, discs.sizes.size) / discs.sizes)[community]
        within = discs.evened(within)
    return within


def _spread(discs: Discs, inside: Pairs, spots: Spots) -> Spots:
    """Return positions with notes pushed out of crowds, each within its disc, and pulled a little by their links."""
    corner = complex((discs.centres.real - discs.radii).min() - EDGE, (discs.centres.imag - discs.radii).min() - EDGE)
    ends = discs.centres + discs.radii * (1 + 1j)
    width = float(max((ends.real).max() - corner.real, (ends.imag).max() - corner.imag)) + EDGE
    cells = int(np.clip(1 << int(np.ceil(np.log2(width))), LEAST_CELLS, MOST_CELLS))
    unit = (cells - 2) / width
    steps = np.fft.fftfreq(cells) * cells
    square = (steps[:, None] ** 2 + steps**2) / (2 * unit**2)
    push = np.fft.rfft2(np.exp(-square / NEAR**2) + FAR_WEIGHT * np.exp(-square / FAR**2))
    degrees = np.maximum(np.bincount(inside[0], minlength=spots.size), 1)
    linked = np.bincount(inside[0], minlength=spots.size) > 0
    for number in range(PUSHES):
        force = _force((spots - corner) * unit, push, cells)
        pull = np.where(linked, _sums(inside[0], spots[inside[1]], spots.size) / degrees - spots, 0)
        move = _directions(force) * np.minimum(2 * np.abs(force), LONGEST_PUSH) + PULL * pull
        within = discs.within(spots + (1 - number / PUSHES) * move)
        spots = discs.spots(within / np.maximum(np.abs(within), 1))
    return spots


def _force(spots: Spots, push: Spots, cells: int) -> Spots:
    """Return the way out of the crowd at each position, in cells: density is measured on a grid, and smoothed."""
    column, row = spots.real.astype(np.int64), spots.imag.astype(np.int64)
    across, down = spots.real - column, spots.imag - row
    corners = [
        ((column + right) * cells + row + below, np.abs(1 - right - across) * np.abs(1 - below - down))
        for right in (0, 1)
        for below in (0, 1)
    ]
    density = np.sum([np.bincount(cell, share, cells * cells) for cell, share in corners], axis=0)
    smooth = np.fft.irfft2(np.fft.rfft2(density.reshape(cells, cells)) * push, s=(cells, cells))
    slope = [np.gradient(smooth, axis=axis).ravel() for axis in (0, 1)]
    force: Spots = -np.sum([share * (slope[0][cell] + 1j * slope[1][cell]) for cell, share in corners], axis=0)
    return force
