"""An overview of a vault: communities with their most central notes, bridges between them, notes without links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from notewell.frozen import frozen
from notewell.graph.algorithms import Pairs
from notewell.graph.net import Net
from notewell.graph.standing import ALONE, Standings
from notewell.types.notices import Notice

# A community is named after this many of its notes.
NAMED_BY = 3
# Names of files that say nothing without their folder.
FRONT_NAMES = ("index", "_index", "readme")


@frozen
class Community:
    """Notes that are linked more with each other than with others."""

    number: int
    """Its number, from 0; the largest comes first."""
    names: tuple[str, ...]
    """The names of its most central notes."""
    size: int
    """How many notes it has."""
    links: int
    """How many links are inside."""
    notes: tuple[str, ...]
    """Its notes, the most central first."""


@frozen
class Bridge:
    """The links between two communities."""

    communities: tuple[int, int]
    """Their numbers."""
    links: int
    """How many links there are."""
    link: tuple[str, str]
    """The link between their most central notes."""


@frozen
class NoteStanding:
    """How important a note is by its links, and its community."""

    path: str
    """The note."""
    pagerank: float
    """Its PageRank, as a share of the highest."""
    centrality: float
    """How central it is, as a share of the highest."""
    community: int | None
    """The number of its community; none without links."""


@frozen
class Graph:
    """An overview of the vault: its notes and links, communities, bridges and orphans."""

    notes: int
    """How many notes there are."""
    links: int
    """How many links there are between different notes; repeated links count once."""
    centrality_by: str
    """How centrality is measured: by eigenvector, or by degree where that did not converge."""
    communities: tuple[Community, ...]
    """The largest first."""
    bridges: tuple[Bridge, ...]
    """The one with the most links first."""
    orphans: tuple[str, ...]
    """Notes without a link to or from another."""
    standings: tuple[NoteStanding, ...]
    """Every note, by path."""
    pairs: tuple[tuple[str, str], ...]
    """Every link between two notes, once."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""

    def names(self) -> dict[str, str]:
        """Return a short, unique name of each note, by path."""
        return short_names(standing.path for standing in self.standings)


def survey(net: Net, standings: Standings) -> Graph:
    """Return an overview of the vault."""
    sources, targets = net.distinct()
    return Graph(
        notes=len(net.paths),
        links=sources.size,
        centrality_by="degree" if standings.by_degree else "eigenvector",
        communities=communities_of(net, standings),
        bridges=_bridges(net, standings, (sources, targets)),
        orphans=tuple(sorted(net.paths[place] for place in np.flatnonzero(standings.community == ALONE).tolist())),
        standings=tuple(_standings(net, standings)),
        pairs=tuple(
            (net.paths[one], net.paths[other]) for one, other in zip(sources.tolist(), targets.tolist(), strict=True)
        ),
    )


def communities_of(net: Net, standings: Standings) -> tuple[Community, ...]:
    """Return the communities of a vault, the largest first."""
    links, names = net.distinct(), short_names(net.paths)
    members, inside = _members(net, standings, links), _links_inside(standings, links)
    return tuple(
        Community(number, tuple(names[path] for path in notes[:NAMED_BY]), len(notes), inside[number], tuple(notes))
        for number, notes in sorted(members.items())
        if number != ALONE
    )


def _members(net: Net, standings: Standings, links: Pairs) -> dict[int, list[str]]:
    """Return the notes of each community, the most central first."""
    members: dict[int, list[str]] = {}
    for place in _most_central_first(net, standings, links):
        members.setdefault(int(standings.community[place]), []).append(net.paths[place])
    return members


def _links_inside(standings: Standings, links: Pairs) -> Sequence[int]:
    one, other = (standings.community[ends] for ends in links)
    inside: list[int] = np.bincount(
        one[one == other], minlength=int(standings.community.max(initial=ALONE)) + 1
    ).tolist()
    return inside


def _standings(net: Net, standings: Standings) -> Iterator[NoteStanding]:
    columns = (values.tolist() for values in (standings.pagerank, standings.centrality, standings.community))
    for path, rank, central, number in zip(net.paths, *columns, strict=True):
        yield NoteStanding(path, rank, central, None if number == ALONE else number)


def short_names(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: the file's, with its folder or all of its folders where others have the same.

    >>> short_names(["Garden/Bees.md", "Work/Bees.md", "Home.md"])
    {'Garden/Bees.md': 'Garden/Bees', 'Work/Bees.md': 'Work/Bees', 'Home.md': 'Home'}
    """
    names = {path: short_name(path) for path in paths}
    for longer in (_with_folder, _page_path, str):
        often = Counter(names.values())
        names = {path: name if often[name] == 1 else longer(path) for path, name in names.items()}
    return names


def _with_folder(path: str) -> str:
    return "/".join(_page_path(path).split("/")[-2:])


def _page_path(path: str) -> str:
    """Return a path without its suffix; for the front page of a folder, the folder."""
    folder, _, file = path.rpartition("/")
    name = file.rpartition(".")[0] or file
    return folder if folder and name.casefold() in FRONT_NAMES else f"{folder}/{name}".removeprefix("/")


def short_name(path: str) -> str:
    """Return the name of a note: its file's, or for a front page its folder's.

    >>> short_name("Garden/Bees.md"), short_name("Garden/index.md"), short_name("README.md")
    ('Bees', 'Garden', 'README')
    """
    return _page_path(path).rpartition("/")[2]


def _most_central_first(net: Net, standings: Standings, links: Pairs) -> list[int]:
    """Return the notes by how many others of their community they are linked with, then by PageRank.

    PageRank alone would name communities after what their notes mention, not after what gathers them.
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
    return tuple(Bridge(pair, len(found[pair]), _most_central(found[pair])) for pair in widest)


def _most_central(links: Sequence[tuple[float, str, str]]) -> tuple[str, str]:
    _, source, target = min(links)
    return source, target
