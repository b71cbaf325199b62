"""A vault seen from above: its communities by their most central notes, the links that join them, notes without any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.graph.measure import ALONE, Standings
from notewell.graph.net import Net

Links = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
# A community goes by so many of its notes.
NAMED_BY = 3
# Names of files that say nothing without their folder.
FRONT_PAGES = ("index", "_index", "readme")


@dataclass(frozen=True, slots=True)
class Community:
    """Notes that are linked more among each other than with others: the most central first, by path."""

    number: int
    notes: tuple[str, ...]
    links: int

    @property
    def size(self) -> int:
        """Return how many notes it has."""
        return len(self.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """Return what its most central notes are called."""
        return tuple(name_of(path) for path in self.notes[:NAMED_BY])


@dataclass(frozen=True, slots=True)
class Bridge:
    """The links between two communities, by number: how many, and the one between their most central notes."""

    one: int
    other: int
    links: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The communities of a vault, the largest first, the bridges between them, the widest first, and what is outside.

    Of doubled links one counts; `orphans` are the notes that no link joins with another.
    """

    notes: int
    links: int
    communities: tuple[Community, ...]
    bridges: tuple[Bridge, ...]
    orphans: tuple[str, ...]
    by_degree: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """A vault's links between notes, what they look like from above, and what the user should know."""

    net: Net
    overview: Overview
    notices: tuple[str, ...] = ()


def survey(net: Net, standings: Standings) -> Overview:
    """Return the vault from above."""
    sources, targets = distinct_links(net)
    joined = standings.community[sources], standings.community[targets]
    inside = np.bincount(joined[0][joined[0] == joined[1]], minlength=int(standings.community.max(initial=ALONE)) + 1)
    order = _most_central_first(net, standings, (sources, targets))
    members: dict[int, list[str]] = {}
    for place in order:
        members.setdefault(int(standings.community[place]), []).append(net.paths[place])
    orphans = tuple(sorted(members.pop(ALONE, [])))
    communities = [Community(number, tuple(notes), int(inside[number])) for number, notes in sorted(members.items())]
    bridges = _bridges(net, standings, (sources, targets))
    return Overview(len(net.paths), sources.size, tuple(communities), bridges, orphans, standings.by_degree)


def distinct_links(net: Net) -> Links:
    """Return the links between different notes, each once, as places."""
    pairs = net.sources.astype(np.int64) * len(net.paths) + net.targets
    pairs = np.unique(pairs[net.sources != net.targets])
    return pairs // max(len(net.paths), 1), pairs % max(len(net.paths), 1)


def name_of(path: str) -> str:
    """Return what a note is called: its file's name, or its folder's where that says nothing.

    >>> name_of("Garden/Bees.md"), name_of("Garden/index.md"), name_of("README.md")
    ('Bees', 'Garden', 'README')
    """
    folder, _, file = path.rpartition("/")
    name = file.rpartition(".")[0] or file
    return folder.rpartition("/")[2] if folder and name.casefold() in FRONT_PAGES else name


def _most_central_first(net: Net, standings: Standings, links: Links) -> list[int]:
    """Return the notes by how many others of their community they are linked with, then by PageRank.

    PageRank alone names communities after what their notes mention; this, after what gathers them.
    """
    within = standings.community[links[0]] == standings.community[links[1]]
    pairs = np.sort(np.stack(links)[:, within], axis=0)
    ends = np.unique(pairs, axis=1)
    degrees = np.bincount(ends.ravel(), minlength=len(net.paths)).tolist()
    ranks = standings.pagerank.tolist()
    return sorted(range(len(net.paths)), key=lambda place: (-degrees[place], -ranks[place], net.paths[place]))


def _bridges(net: Net, standings: Standings, links: Links) -> tuple[Bridge, ...]:
    ranks, numbers = standings.pagerank.tolist(), standings.community.tolist()
    found: dict[tuple[int, int], list[tuple[float, str, str]]] = {}
    for source, target in zip(*(ends.tolist() for ends in links), strict=True):
        if numbers[source] != numbers[target]:
            pair = min(numbers[source], numbers[target]), max(numbers[source], numbers[target])
            weight = ranks[source] + ranks[target]
            found.setdefault(pair, []).append((-weight, net.paths[source], net.paths[target]))
    widest = sorted(found, key=lambda pair: (-len(found[pair]), pair))
    return tuple(Bridge(*pair, len(found[pair]), *_most_central(found[pair])) for pair in widest)


def _most_central(links: Sequence[tuple[float, str, str]]) -> tuple[str, str]:
    _, source, target = min(links)
    return source, target
