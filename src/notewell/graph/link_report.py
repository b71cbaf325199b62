"""The link report: where the links of a note lead and which lead to it, broken links, and notes without links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.frozen import frozen
from notewell.graph.edges import links_of, make_resolver
from notewell.graph.net import Net
from notewell.graph.resolve import Resolver, read_address
from notewell.names.anchors import NO_BLOCK, NO_HEADING, Anchors
from notewell.names.paths import PAGE, SUFFIX, hash_of, last_name, without_suffix
from notewell.names.similar import SimilarNames
from notewell.store import Snapshot
from notewell.store.links import Edges, NoteIds
from notewell.terms import fold_case
from notewell.types.note import Link
from notewell.types.notices import Notice

NO_NOTE = "no such note"
NO_FILE = "no such file"
OUT_OF_VAULT = "leads out of the vault"
# The problems of broken links, by what they miss.
MISSING: Mapping[str, tuple[str, ...]] = {
    "notes": (NO_NOTE,),
    "files": (NO_FILE,),
    "anchors": (NO_HEADING, NO_BLOCK),
    "": (NO_NOTE, NO_FILE, NO_HEADING, NO_BLOCK, OUT_OF_VAULT),
}


@frozen
class NoteLink:
    """A link in a note, and where it leads."""

    path: str
    """The note that holds it."""
    target: str
    """What it names."""
    line: int
    """Its line."""
    kind: str
    """How it is written: wiki, markdown, file."""
    anchor: str
    """The heading or block it names."""
    text: str
    """The text it shows."""
    embed: bool
    """Whether it shows its target in place."""
    written: str
    """The link as written."""
    to: str | None = None
    """The note or file it leads to; none for a broken link."""
    problem: str | None = None
    """What is wrong with it."""
    near: tuple[str, ...] = ()
    """Notes, headings or blocks that may be meant."""

    @classmethod
    def of(cls, path: str, link: Link, to: str) -> NoteLink:
        """Return the link of the note at `path`; `to` is empty if it leads to no note."""
        how = link.kind, link.anchor, link.text, link.embed
        return cls(path, link.target, link.line, *how, link.written, to or None)


@frozen
class LinkCounts:
    """How many notes and links there are, and where the links lead."""

    notes: int = 0
    """How many notes there are."""
    links: int = 0
    """How many links there are."""
    to_notes: int = 0
    """Links to notes."""
    to_files: int = 0
    """Links to other files and to folders."""
    broken: int = 0
    """Links to a missing note, file, heading or block."""
    orphans: int = 0
    """Notes without a link to or from another."""


@frozen
class WantedNote:
    """A missing note that links point to."""

    target: str
    """The name in the links."""
    notes: int
    """How many notes have such a link."""


@frozen
class Links:
    """The links of a note, or of all notes."""

    note: str | None
    """Whose links they are; none for all notes."""
    links: tuple[NoteLink, ...]
    """The links of the note; for all notes, only the broken links if asked for."""
    backlinks: tuple[NoteLink, ...]
    """Links of other notes that lead to the note."""
    orphans: tuple[str, ...]
    """Notes without a link to or from another, if asked for."""
    wanted: tuple[WantedNote, ...]
    """The missing notes that links point to, the most linked first, if these or broken links are asked for."""
    counts: LinkCounts
    """The numbers of links, of the note or of all notes."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""

    @property
    def problems(self) -> dict[str, int]:
        """Return how many links have each problem, the most frequent first."""
        return dict(Counter(link.problem for link in self.links if link.problem).most_common())


@frozen
class LinkQuery:
    """Whose links are asked for: those of a note, those that lead to another file, or those of all notes.

    `called` is the name that was asked for. Of all notes, `broken` links, `wanted` notes and `orphans` are listed; `to`
    leaves only the broken links that miss `notes`, `files` or `anchors`. All broken links are counted, and at most
    `most` are listed.
    """

    called: str = ""
    note: str = ""
    file: str = ""
    broken: bool = False
    wanted: bool = False
    orphans: bool = False
    to: str = ""
    most: int | None = None


def report_links(
    snapshot: Snapshot, files: Callable[[], Iterable[str]], text: Callable[[str], str], query: LinkQuery
) -> Links:
    """Return the links that are asked for; `files` lists files that are not notes, `text` returns a note's text."""
    resolved = ResolvedLinks(snapshot, files, text)
    if query.file:
        return Links(query.file, (), resolved.into_file(query.file), (), (), LinkCounts())
    if query.note:
        return _of_note(resolved, query)
    found = resolved.broken(MISSING[query.to]) if query.broken else ()
    broken = resolved.with_suggestions(found[: query.most])
    orphans = resolved.orphans() if query.orphans else ()
    wanted = _wanted(resolved.broken((NO_NOTE,)) if query.wanted else found)
    return Links(None, broken, (), orphans, wanted, resolved.counts())


def _of_note(resolved: ResolvedLinks, query: LinkQuery) -> Links:
    links, backlinks = resolved.out_of(query.note), resolved.into(query.note)
    to_notes = sum(link.to in resolved.paths and not link.problem for link in links)
    broken = sum(bool(link.problem) for link in links)
    others = {link.to for link in links if link.to in resolved.paths} | {link.path for link in backlinks}
    counts = LinkCounts(
        1, len(links), to_notes, len(links) - to_notes - broken, broken, orphans=int(others <= {query.note})
    )
    problems = MISSING[query.to]
    shown = resolved.with_suggestions(link for link in links if link.problem in problems or not query.broken)
    notices = resolved.named_otherwise(query.called, query.note)
    return Links(query.note, shown, () if query.broken else backlinks, (), _wanted(shown), counts, notices)


def _wanted(links: Iterable[NoteLink]) -> tuple[WantedNote, ...]:
    """Return the missing notes that these links point to, the most linked first."""
    names: dict[str, str] = {}
    by: dict[str, set[str]] = {}
    for link in links:
        address = read_address(link.target, link.kind, link.path) if link.problem == NO_NOTE else None
        if address:
            key = PAGE.sub("", address.path)
            names.setdefault(key, link.target if address.base == "name" else address.path)
            by.setdefault(key, set()).add(link.path)
    return tuple(WantedNote(names[key], len(by[key])) for key in sorted(by, key=lambda key: (-len(by[key]), key)))


class LinkEnds(NamedTuple):
    """The notes of one state of the store and the ends of their links, which outlast its snapshot."""

    paths: Mapping[str, int]
    by_id: Mapping[int, str]
    edges: Edges

    @classmethod
    def of(cls, snapshot: Snapshot) -> LinkEnds:
        """Read them from a snapshot."""
        paths = snapshot.ids()
        return cls(paths, {note: path for path, note in paths.items()}, snapshot.edges())


class ResolvedLinks:
    """The links of one state of the store, with where they lead."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: Callable[[], Iterable[str]],
        text: Callable[[str], str],
        ends: LinkEnds | None = None,
    ) -> None:
        """Take a snapshot, whose `ends` may have been read before."""
        self._snapshot = snapshot
        self._files = files
        self._text = text
        self.paths, self._by_id, self._edges = ends or LinkEnds.of(snapshot)
        self._anchors: dict[str, Anchors] = {}
        self._read_whole: set[str] = set()

    @cached_property
    def _resolver(self) -> Resolver:
        return make_resolver(self._snapshot, self._snapshot.names(), self._files)

    @cached_property
    def _near(self) -> SimilarNames:
        return SimilarNames(self.paths)

    def counts(self) -> LinkCounts:
        """Return how many links lead where."""
        links = self._edges.targets.size
        broken = sum(bool(link.problem) for link in self._checked_links)
        to_files = sum(bool(link.to) and link.to not in self.paths for link in self._checked_links)
        return LinkCounts(len(self.paths), links, links - to_files - broken, to_files, broken, len(self.orphans()))

    def orphans(self) -> tuple[str, ...]:
        """Return the notes without a link to or from another note, in the order of their paths."""
        net = Net.of(self._snapshot)
        alone = np.ones(len(net.paths), dtype=np.bool_)
        alone[net.sources] = alone[net.targets] = False
        return tuple(net.paths[place] for place in np.flatnonzero(alone).tolist())

    def out_of(self, path: str) -> tuple[NoteLink, ...]:
        """Return the links of a note, in order."""
        return tuple(self._checked(link) for link in self._links([self.paths[path]]))

    def to_notes(self, path: str) -> tuple[NoteLink, ...]:
        """Return the links of a note with the notes they lead to; whether other files exist is not looked up."""
        return tuple(self._links([self.paths[path]]))

    def into(self, path: str) -> tuple[NoteLink, ...]:
        """Return the links of other notes that lead to a note, by path and line."""
        note = self.paths[path]
        sources = [source for source in self._edges.into(note) if source != note]
        return _in_order(link for link in self._links(sources) if link.to == path)

    def into_file(self, path: str) -> tuple[NoteLink, ...]:
        """Return the links that lead to a file that is not a note; only links with its name are checked."""
        name = fold_case(path)
        hashes = [hash_of(last_name(each)) for each in (name, without_suffix(name))]
        naming = self._edges.sources[np.isin(self._edges.hashes, np.array(hashes, dtype=np.uint32))]
        links = (self._checked(link) for link in self._links(np.unique(naming).tolist()) if not link.to)
        return _in_order(link for link in links if link.to == path)

    def broken(self, problems: Sequence[str]) -> tuple[NoteLink, ...]:
        """Return every link with one of these problems, by path and line."""
        return _in_order(link for link in self._checked_links if link.problem in problems)

    def with_suggestions(self, links: Iterable[NoteLink]) -> tuple[NoteLink, ...]:
        """Return the links, those to a missing note, heading or block with what may be meant."""
        return tuple(replace(link, near=self._meant(link)) if link.problem else link for link in links)

    def _meant(self, link: NoteLink) -> tuple[str, ...]:
        if link.problem == NO_NOTE:
            return self._near.like(link.target)
        return self._anchors[link.to].near(link.anchor) if link.to else ()

    def named_otherwise(self, called: str, path: str) -> tuple[Notice, ...]:
        """Return a notice if the name that was asked for finds one note, and a link of that name leads to another."""
        if not called or called == path:
            return ()
        _, note = self._resolver.ends(Link(called, 1), "")
        other = self._by_id.get(note, path)
        return () if other == path else (Notice("link_leads_elsewhere", {"name": called, "path": other}),)

    @cached_property
    def _checked_links(self) -> Sequence[NoteLink]:
        """Return the links that lead to no note, with where they lead instead, and those with an anchor."""
        return [self._checked(link) for link in self._links(np.unique(self._edges.sources).tolist(), unsure=True)]

    def _links(self, notes: Sequence[int], *, unsure: bool = False) -> Iterator[NoteLink]:
        """Yield the links of these notes with where they lead, or only those to check; unresolved notes have none."""
        for note, links in links_of(self._snapshot, notes):
            for link, target in zip(links, self._targets(note).tolist(), strict=False):
                to = self._by_id.get(target, "")
                if not unsure or not to or link.anchor:
                    yield NoteLink.of(self._by_id[note], link, to)

    def _targets(self, note: int) -> NoteIds:
        first, last = np.searchsorted(self._edges.sources, np.array([note, note + 1], dtype=np.uint32))
        targets: npt.NDArray[np.uint32] = self._edges.targets[first:last]
        return targets

    def _checked(self, link: NoteLink) -> NoteLink:
        """Return the link with its problem, if any; whether a file exists is looked up now, as files come and go."""
        if link.to:
            return self._with_anchor_checked(link, link.to) if link.anchor else link
        address = read_address(link.target, link.kind, link.path)
        if address is None:
            return replace(link, problem=OUT_OF_VAULT)
        if file := self._resolver.file_at(address, link.path) or self._resolver.folder_at(address, link.path):
            return replace(link, to=file)
        is_file = SUFFIX.search(address.path) and not PAGE.search(address.path)
        return replace(link, problem=NO_FILE if is_file else NO_NOTE)

    def _with_anchor_checked(self, link: NoteLink, path: str) -> NoteLink:
        anchor = link.anchor
        if path not in self._anchors:
            self._anchors[path] = self._anchors_of(path)
        if self._anchors[path].problem(anchor) and path not in self._read_whole:
            # A heading without text, or in a list of links, is in no chunk: then the file is read.
            self._read_whole.add(path)
            self._anchors[path] = self._anchors_of(path, self._text(path))
        return replace(link, problem=self._anchors[path].problem(anchor) or None)

    def _anchors_of(self, path: str, text: str = "") -> Anchors:
        return Anchors.of([*self._snapshot.chunks(self._snapshot.chunks_of(path)).values()], text)


def _in_order(links: Iterable[NoteLink]) -> tuple[NoteLink, ...]:
    return tuple(sorted(links, key=lambda link: (link.path, link.line)))
