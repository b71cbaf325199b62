"""The forms of what links tell: walks, the links of notes, and the vault from above."""

from __future__ import annotations

from typing import NotRequired

from notewell.serve.forms.form import Form


class Visit(Form):
    """A note that a walk looked at."""

    path: str
    """The note."""
    similarity: float
    """How near it is."""
    hop: int
    """How many links lead to it from the start."""
    via: str
    """The note before it."""
    way: str
    """The link's direction: → ← ↔."""
    kept: bool
    """Whether it was kept."""
    retain_reason: NotRequired[str]
    """Why it was kept; only if it was."""
    drop_reason: NotRequired[str]
    """Why it was not; only if it was not."""


class Walk(Form):
    """A walk along links."""

    query: str
    """What notes had to be near to; empty for the note itself."""
    visits: list[Visit]
    """Every note looked at, hop by hop, the nearest first."""
    notes: int
    """How many they are."""
    vectors: int
    """How many vectors that took."""
    unseen: int
    """Neighbours for which there was no room."""
    floor: float
    """The least similarity of a note that was kept."""
    ended: str
    """Why the walk ended."""
    notices: list[str]
    """What the user should know."""


class Lead(Form):
    """A link and where it leads."""

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
    """What it shows."""
    embed: bool
    """Whether it shows its target in place."""
    written: str
    """The link as written."""
    to: str | None
    """The note or file it leads to."""
    problem: str | None
    """What is wrong with it."""
    near: list[str]
    """What may be meant."""


class LinkCounts(Form):
    """How many links there are."""

    notes: int
    """Notes."""
    links: int
    """Links."""
    to_notes: int
    """Links to notes."""
    to_files: int
    """Links to other files."""
    broken: int
    """Links to nothing."""
    orphans: int
    """Notes without a link to or from another."""


class Wanted(Form):
    """A note that links name and that is not there."""

    target: str
    """What they name."""
    notes: int
    """How many notes do."""


class Links(Form):
    """Links of a note, or of all."""

    note: str | None
    """Whose links they are; none for all."""
    links: list[Lead]
    """The links; of all notes only the broken ones, if they are asked for."""
    backlinks: list[Lead]
    """Links of others that lead to the note."""
    orphans: list[str]
    """Notes without a link to or from another, if they are asked for."""
    wanted: list[Wanted]
    """Of the broken links, the notes that they name, the most named first."""
    counts: LinkCounts
    """How many there are in all."""
    notices: list[str]
    """What the user should know."""


class Community(Form):
    """Notes that are linked more with each other than with others."""

    number: int
    """Its number."""
    names: list[str]
    """Its most central notes."""
    size: int
    """How many notes it has."""
    links: int
    """How many links are inside."""
    notes: list[str]
    """Its notes, the most central first."""


class Bridge(Form):
    """Links between two communities."""

    communities: tuple[int, int]
    """Their numbers."""
    links: int
    """How many links."""
    link: tuple[str, str]
    """The one between their most central notes."""


class Standing(Form):
    """How a note stands among the others."""

    path: str
    """The note."""
    pagerank: float
    """Its PageRank, as a share of the highest."""
    centrality: float
    """How central it is, as a share of the highest."""
    community: int | None
    """The number of its community; none without links."""


class Graph(Form):
    """The vault from above."""

    notes: int
    """Notes."""
    links: int
    """Links between different notes."""
    centrality_by: str
    """How central notes are found: eigenvector, or degree."""
    communities: list[Community]
    """The largest first."""
    bridges: list[Bridge]
    """The widest first."""
    orphans: list[str]
    """Notes without a link to or from another."""
    standings: list[Standing]
    """Every note, by its path."""
    pairs: list[tuple[str, str]]
    """Every link between two notes, once."""
    notices: list[str]
    """What the user should know."""
