"""Links told: where those of a note lead and who leads to it, those that lead nowhere, and notes without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.graph.edges import links_of
from notewell.graph.net import Net
from notewell.graph.resolve import Resolver, read_address
from notewell.names.anchors import NO_BLOCK, NO_HEADING, Anchors
from notewell.names.paths import PAGE, SUFFIX, fold, hash_of, last_name, stem
from notewell.names.similar import SimilarNames
from notewell.store import Snapshot
from notewell.store.links import NOWHERE, TO_FILE, NoteIds
from notewell.types.note import Link
from notewell.types.notices import Notice

NO_NOTE = "no such note"
NO_FILE = "no such file"
OUT_OF_VAULT = "leads out of the vault"
# What is missing, and how that is told.
MISSING: Mapping[str, tuple[str, ...]] = {
    "notes": (NO_NOTE,),
    "files": (NO_FILE,),
    "anchors": (NO_HEADING, NO_BLOCK),
    "": (NO_NOTE, NO_FILE, NO_HEADING, NO_BLOCK, OUT_OF_VAULT),
}


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
        """Return the link as it is written."""
        return self.link.written


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """How many notes and links there are, where the links lead, and how many notes have none to or from others.

    Folders count as files; `broken` are links to nothing, so one to a note without that heading is none of them.
    """

    notes: int
    links: int
    to_notes: int
    to_files: int
    broken: int
    orphans: int


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a note and those that lead to it; or of all notes, the broken ones and the notes without any.

    `counts` are those of the one note, or of all.
    """

    counts: LinkCounts
    note: str = ""
    links: tuple[Lead, ...] = ()
    backlinks: tuple[Lead, ...] = ()
    orphans: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def problems(self) -> dict[str, int]:
        """Return what is wrong with links, and with how many, the most frequent first."""
        return dict(Counter(lead.problem for lead in self.links if lead.problem).most_common())

    @property
    def wanted(self) -> dict[str, int]:
        """Return the notes that links name and that are not there, and how many notes do so, the most wanted first."""
        names: dict[str, str] = {}
        by: dict[str, set[str]] = {}
        for lead in self.links:
            address = read_address(lead.link, lead.path) if lead.problem == NO_NOTE else None
            if address:
                key = PAGE.sub("", address.path)
                names.setdefault(key, lead.link.target if address.base == "name" else address.path)
                by.setdefault(key, set()).add(lead.path)
        return {names[key]: len(by[key]) for key in sorted(by, key=lambda key: (-len(by[key]), key))}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose links are wanted: of a note, to a file that is no note, or of all notes only the broken ones.

    `called` is what the note was asked for by, and `to` what a broken link misses: `notes`, `files` or `anchors`.
    """

    note: str = ""
    called: str = ""
    file: str = ""
    broken: bool = False
    orphans: bool = False
    to: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """What is asked of the vault's folder: its files that are no notes, and the whole text of a note."""

    others: Callable[[], Iterable[str]]
    text: Callable[[str], str]


def tell_links(snapshot: Snapshot, folder: Folder, wanted: Wanted) -> Links:
    """Return the links that are wanted."""
    problems = MISSING[wanted.to]
    leads = Leads(snapshot, folder, anchored=wanted.broken and NO_HEADING in problems)
    if wanted.file:
        backlinks = leads.into_file(wanted.file)
        return Links(LinkCounts(0, 0, 0, 0, 0, 0), wanted.file, backlinks=backlinks)
    if wanted.note:
        return _of_note(leads, wanted)
    broken = leads.named_near(leads.broken(problems)) if wanted.broken else ()
    return Links(leads.counts(), links=broken, orphans=leads.orphans() if wanted.orphans else ())


def _of_note(leads: Leads, wanted: Wanted) -> Links:
    links, problems = leads.out_of(wanted.note), MISSING[wanted.to]
    backlinks = leads.into(wanted.note)
    to_notes = sum(lead.to in leads.paths for lead in links)
    nothing = sum(not lead.to for lead in links)
    others = {lead.to for lead in links if lead.to in leads.paths} | {lead.path for lead in backlinks}
    return Links(
        LinkCounts(1, len(links), to_notes, len(links) - to_notes - nothing, nothing, int(others <= {wanted.note})),
        note=wanted.note,
        links=leads.named_near(lead for lead in links if lead.problem in problems or not wanted.broken),
        backlinks=() if wanted.broken else backlinks,
        notices=leads.called(wanted.called, wanted.note),
    )


class Leads:
    """One state of the store, to be asked where its links lead."""

    def __init__(self, snapshot: Snapshot, folder: Folder, *, anchored: bool = False) -> None:
        """Take what is asked; `anchored` says that of all links, those with an anchor are to be judged, too."""
        self._snapshot = snapshot
        self._anchored = anchored
        self._folder = folder
        self.paths = snapshot.ids()
        self._by_id = {note: path for path, note in self.paths.items()}
        self._edges = snapshot.edges()
        self._anchors: dict[str, Anchors] = {}
        self._whole: set[str] = set()

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._snapshot.names(), self._folder.others)

    @cached_property
    def _near(self) -> SimilarNames:
        return SimilarNames(self.paths)

    def counts(self) -> LinkCounts:
        """Return how many links lead where; anchors are not looked for."""
        links = self._edges.targets.size
        to_no_note = [lead for lead in self._judged if lead.to not in self.paths]
        others, found = len(to_no_note), sum(bool(lead.to) for lead in to_no_note)
        return LinkCounts(len(self.paths), links, links - others, found, others - found, len(self.orphans()))

    def orphans(self) -> tuple[str, ...]:
        """Return the notes that no other note links to, and that link to none, in the order of their paths."""
        net = Net.of(self._snapshot)
        alone = np.ones(len(net.paths), dtype=np.bool_)
        alone[net.sources] = alone[net.targets] = False
        return tuple(net.paths[place] for place in np.flatnonzero(alone).tolist())

    def out_of(self, path: str) -> tuple[Lead, ...]:
        """Return where each link of a note leads, in its order."""
        return tuple(self._checked(lead) for lead in self._leads([self.paths[path]]))

    def into(self, path: str) -> tuple[Lead, ...]:
        """Return the links of other notes that lead to a note, in the order of their paths and lines."""
        note = self.paths[path]
        sources = [source for source in self._edges.into(note) if source != note]
        return _in_order(lead for lead in self._leads(sources) if lead.to == path)

    def into_file(self, path: str) -> tuple[Lead, ...]:
        """Return the links that lead to a file that is no note; only those that give its name are looked at."""
        name = fold(path)
        hashes = [hash_of(last_name(each)) for each in (name, stem(name))]
        naming = self._edges.sources[np.isin(self._edges.hashes, np.array(hashes, dtype=np.uint32))]
        leads = (self._checked(lead) for lead in self._leads(np.unique(naming).tolist()) if not lead.to)
        return _in_order(lead for lead in leads if lead.to == path)

    def broken(self, problems: Sequence[str]) -> tuple[Lead, ...]:
        """Return every link with one of these problems, by path and line."""
        return _in_order(lead for lead in self._judged if lead.problem in problems)

    def named_near(self, leads: Iterable[Lead]) -> tuple[Lead, ...]:
        """Return the links, those that lead to no note with the notes that may be meant."""
        return tuple(
            replace(lead, near=self._near.like(lead.link.target)) if lead.problem == NO_NOTE else lead for lead in leads
        )

    def called(self, called: str, path: str) -> tuple[Notice, ...]:
        """Return what to say of a note that was asked for by a name by which links lead to another."""
        if not called or called == path:
            return ()
        _, note = self._resolver.ends(Link(called, 1), "")
        other = self._by_id.get(note, path)
        return () if other == path else (Notice("link_leads_elsewhere", {"name": called, "path": other}),)

    @cached_property
    def _judged(self) -> Sequence[Lead]:
        """Return the links that lead to no note, with where they lead instead; and those with anchors, if wanted."""
        sources = self._edges.sources
        if not self._anchored:
            # To unpack the links of all notes for a few of them takes half of the time.
            sources = sources[np.isin(self._edges.targets, np.array([NOWHERE, TO_FILE], dtype=np.uint32))]
        return [self._checked(lead) for lead in self._leads(np.unique(sources).tolist(), doubtful=True)]

    def _leads(self, notes: Sequence[int], *, doubtful: bool = False) -> Iterator[Lead]:
        """Yield the links of these notes with where they lead; a note still to be resolved has none."""
        for note, links in links_of(self._snapshot, notes):
            for link, target in zip(links, self._targets(note).tolist(), strict=False):
                to = self._by_id.get(target, "")
                if not doubtful or not to or (link.anchor and self._anchored):
                    yield Lead(self._by_id[note], link, to)

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
            return replace(lead, problem=OUT_OF_VAULT)
        if file := self._resolver.file_at(address, lead.path) or self._resolver.folder_at(address, lead.path):
            return replace(lead, to=file)
        is_file = SUFFIX.search(address.path) and not PAGE.search(address.path)
        return replace(lead, problem=NO_FILE if is_file else NO_NOTE)

    def _with_anchor(self, lead: Lead) -> Lead:
        anchor, path = lead.link.anchor, lead.to
        if path not in self._anchors:
            self._anchors[path] = self._anchors_of(path)
        if self._anchors[path].problem(anchor) and path not in self._whole:
            # A heading without text, or in a list of links, is in no chunk: then the file is read.
            self._whole.add(path)
            self._anchors[path] = self._anchors_of(path, self._folder.text(path))
        problem = self._anchors[path].problem(anchor)
        return replace(lead, problem=problem, near=self._anchors[path].near(anchor) if problem else ())

    def _anchors_of(self, path: str, text: str = "") -> Anchors:
        return Anchors.of([*self._snapshot.chunks(self._snapshot.chunks_of(path)).values()], text)


def _in_order(leads: Iterable[Lead]) -> tuple[Lead, ...]:
    return tuple(sorted(leads, key=lambda lead: (lead.path, lead.link.line)))
