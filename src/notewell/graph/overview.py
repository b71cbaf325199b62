"""A vault seen from above: its communities by their most central notes, the links that join them, notes without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.graph.algorithms import Pairs
from notewell.graph.net import Net
from notewell.graph.standing import ALONE, Standings
from notewell.types.notices import Notice

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
    # What its most central notes are called.
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        """Return how many notes it has."""
        return len(self.notes)


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

    Of doubled links one counts; `orphans` are the notes that no link joins with another. `names` are what notes are
    called, by path.
    """

    notes: int
    links: int
    communities: tuple[Community, ...]
    bridges: tuple[Bridge, ...]
    orphans: tuple[str, ...]
    names: Mapping[str, str]
    by_degree: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """A vault's links between notes, how these stand, what it looks like from above, and what the user should know."""

    net: Net
    standings: Standings
    overview: Overview
    notices: tuple[Notice, ...] = ()


def survey(net: Net, standings: Standings) -> Overview:
    """Return the vault from above."""
    sources, targets = net.distinct()
    joined = standings.community[sources], standings.community[targets]
    inside = np.bincount(joined[0][joined[0] == joined[1]], minlength=int(standings.community.max(initial=ALONE)) + 1)
    order = _most_central_first(net, standings, (sources, targets))
    members: dict[int, list[str]] = {}
    for place in order:
        members.setdefault(int(standings.community[place]), []).append(net.paths[place])
    orphans = tuple(sorted(members.pop(ALONE, [])))
    names = names_of(net.paths)
    communities = tuple(
        Community(number, tuple(notes), int(inside[number]), tuple(names[path] for path in notes[:NAMED_BY]))
        for number, notes in sorted(members.items())
    )
    bridges = _bridges(net, standings, (sources, targets))
    return Overview(len(net.paths), sources.size, communities, bridges, orphans, names, standings.by_degree)


def names_of(paths: Iterable[str]) -> dict[str, str]:
    """Return what notes are called, by path: those that others are called, too, with a folder, or with all of them.

    >>> names_of(["Garden/Bees.md", "Work/Bees.md", "Home.md"])
    {'Garden/Bees.md': 'Garden/Bees', 'Work/Bees.md': 'Work/Bees', 'Home.md': 'Home'}
    """
    names = {path: name_of(path) for path in paths}
    for longer in (_with_folder, _without_suffix, str):
        often = Counter(names.values())
        names = {path: name if often[name] == 1 else longer(path) for path, name in names.items()}
    return names


def _with_folder(path: str) -> str:
    return "/".join(_without_suffix(path).split("/")[-2:])


def _without_suffix(path: str) -> str:
    """Return a path as a note is called: without its suffix, and that of a folder's front page is the folder's."""
    folder, _, file = path.rpartition("/")
    name = file.rpartition(".")[0] or file
    return folder if folder and name.casefold() in FRONT_PAGES else f"{folder}/{name}".removeprefix("/")


def name_of(path: str) -> str:
    """Return what a note is called: its file's name, or its folder's where that says nothing.

    >>> name_of("Garden/Bees.md"), name_of("Garden/index.md"), name_of("README.md")
    ('Bees', 'Garden', 'README')
    """
    return _without_suffix(path).rpartition("/")[2]


def _most_central_first(net: Net, standings: Standings, links: Pairs) -> list[int]:
    """Return the notes by how many others of their community they are linked with, then by PageRank.

    PageRank alone names communities after what their notes mention; this, after what gathers them.
    """
    within = standings.community[links[0]] == standings.community[links[1]]
    pairs = np.sort(np.stack(links)[:, within], axis=0)
    ends = np.unique(pairs, axis=1)
    degrees = np.bincount(ends.ravel(), minlength=len(net.paths)).tolist()
    ranks = standings.pagerank.tolist()
    return sorted(range(len(net.paths)), key=lambda place: (-degrees[place], -ranks[place], net.paths[place]))


def _bridges(net: Net, standings: Standings, links: Pairs) -> tuple[Bridge, ...]:
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
