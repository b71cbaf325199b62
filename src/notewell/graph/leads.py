"""Links told: where those of a note lead and who leads to it, those that lead nowhere, and notes without any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.graph.anchors import Anchors
from notewell.graph.near import Near
from notewell.graph.net import Net
from notewell.graph.places import PAGE, SUFFIX
from notewell.graph.resolve import Resolver, read_address
from notewell.store import NOWHERE, TO_FILE, NoteIds, Snapshot
from notewell.types import Link

# Notes whose links are unpacked together.
GROUP = 1_000


@dataclass(frozen=True, slots=True)
class Lead:
    """A link in the note at `path`, where it leads to, and what is wrong with it; `near` is what may be meant."""

    path: str
    link: Link
    to: str = ""
    problem: str = ""
    near: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        """Return the link as it is written, or nearly so.

        >>> Lead("a.md", Link("Bees", 3, "embed", "Honey", "sweet")).written
        '![[Bees#Honey|sweet]]'
        """
        link = self.link
        target = f"{link.target}#{link.anchor}" if link.anchor else link.target
        sign = "!" if link.kind == "embed" else ""
        # Which of its two ways an embed is written in is not kept; in Markdown, most begin with a dot or slash.
        if link.kind == "markdown" or (sign and target.startswith((".", "/"))):
            return f"{sign}[{link.text}]({target})"
        return f"{sign}[[{target}{f'|{link.text}' if link.text else ''}]]"


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """How many notes and links there are, where the links lead, and how many notes have none to or from others."""

    notes: int
    links: int
    to_notes: int
    to_files: int
    broken: int
    orphans: int


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a note and those that lead to it; or of all notes, the broken ones and the notes without any."""

    counts: LinkCounts
    note: str = ""
    links: tuple[Lead, ...] = ()
    backlinks: tuple[Lead, ...] = ()
    orphans: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose links are wanted; without a note, those of all, of which only some are told."""

    note: str = ""
    broken: bool = False
    orphans: bool = False


def tell_links(snapshot: Snapshot, files: Callable[[], Iterable[str]], asked: Asked) -> Links:
    """Return the links that are asked for; `files` lists the vault's files that are no notes."""
    leads = Leads(snapshot, files)
    links = leads.out_of(asked.note) if asked.note else leads.broken() if asked.broken else ()
    return Links(
        leads.counts(),
        note=asked.note,
        links=tuple(lead for lead in links if lead.problem or not asked.broken),
        backlinks=leads.into(asked.note) if asked.note and not asked.broken else (),
        orphans=leads.orphans() if asked.orphans else (),
    )


class Leads:
    """One state of the store, to be asked where its links lead."""

    def __init__(self, snapshot: Snapshot, files: Callable[[], Iterable[str]]) -> None:
        self._snapshot = snapshot
        self._list_files = files
        self._ids = snapshot.ids()
        self._paths = {note: path for path, note in self._ids.items()}
        self._edges = snapshot.edges()
        self._anchors: dict[str, Anchors] = {}

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._snapshot.named(), self._list_files)

    @cached_property
    def _near(self) -> Near:
        return Near(self._ids)

    def counts(self) -> LinkCounts:
        """Return how many links lead where, by the edges alone: anchors are not looked for."""
        targets = self._edges.targets
        files, nowhere = int((targets == TO_FILE).sum()), int((targets == NOWHERE).sum())
        to_notes = targets.size - files - nowhere
        return LinkCounts(len(self._ids), targets.size, to_notes, files, nowhere, len(self.orphans()))

    def orphans(self) -> tuple[str, ...]:
        """Return the notes that no other note links to, and that link to none, in the order of their paths."""
        net = Net.of(self._snapshot)
        alone = np.ones(len(net.paths), dtype=np.bool_)
        alone[net.sources] = alone[net.targets] = False
        return tuple(net.paths[place] for place in np.flatnonzero(alone).tolist())

    def out_of(self, path: str) -> tuple[Lead, ...]:
        """Return where each link of a note leads, in its order."""
        return tuple(self._checked(lead) for lead in self._leads([self._ids[path]]))

    def into(self, path: str) -> tuple[Lead, ...]:
        """Return the links of other notes that lead to a note, in the order of their paths and lines."""
        note = self._ids[path]
        sources = [source for source in self._edges.into(note) if source != note]
        leads = [lead for lead in self._leads(sources) if lead.to == path]
        return tuple(sorted(leads, key=lambda lead: (lead.path, lead.link.line)))

    def broken(self) -> tuple[Lead, ...]:
        """Return every link that leads nowhere, or to an anchor that is not there, by path and line."""
        notes = sorted(self._ids.values())
        checked = (self._checked(lead) for lead in self._leads(notes))
        return tuple(sorted((lead for lead in checked if lead.problem), key=lambda lead: (lead.path, lead.link.line)))

    def _leads(self, notes: Sequence[int]) -> Iterator[Lead]:
        """Yield the links of these notes with where they lead; a note still to be resolved has none."""
        for first in range(0, len(notes), GROUP):
            for note, links in self._snapshot.links_of(notes[first : first + GROUP]).items():
                ends = zip(links, self._targets(note).tolist(), strict=False)
                for link, target in ends:
                    yield Lead(self._paths[note], link, self._paths.get(target, ""))

    def _targets(self, note: int) -> NoteIds:
        first, last = np.searchsorted(self._edges.sources, np.array([note, note + 1], dtype=np.uint32))
        targets: npt.NDArray[np.uint32] = self._edges.targets[first:last]
        return targets

    def _checked(self, lead: Lead) -> Lead:
        """Return the link with what is wrong with it; whether there is a file is looked up, as files come and go."""
        if lead.to:
            return self._with_anchor(lead) if lead.link.anchor else lead
        address = read_address(lead.link, lead.path)
        if address is None:
            return replace(lead, problem="leads out of the vault")
        if file := self._resolver.file_at(address, lead.path):
            return replace(lead, to=file)
        if SUFFIX.search(address.path) and not PAGE.search(address.path):
            return replace(lead, problem="no such file")
        return replace(lead, problem="no such note", near=self._near.to(address.path))

    def _with_anchor(self, lead: Lead) -> Lead:
        if lead.to not in self._anchors:
            ids = self._snapshot.chunks_of(lead.to)
            self._anchors[lead.to] = Anchors.of(self._snapshot.chunks(ids))
        anchors = self._anchors[lead.to]
        problem = anchors.problem(lead.link.anchor)
        near = anchors.near(lead.link.anchor) if problem else ()
        return replace(lead, problem=problem, near=near)
