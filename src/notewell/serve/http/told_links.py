"""What is told of links: walks, the links of notes, and the vault from above."""

from __future__ import annotations

from notewell.serve.http.told import HitTold, ResultsTold, Told


class VisitTold(Told):
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
    retain_reason: str | None = None
    """Why it was kept."""
    drop_reason: str | None = None
    """Why it was not."""


class WalkTold(Told):
    """A walk along links."""

    query: str
    """What notes had to be near to; empty for the note itself."""
    visits: list[VisitTold]
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


class DeepHitTold(HitTold):
    """A hit of deep mode, and how it was reached."""

    similarity: float
    """How near the note is to the question."""
    hop: int
    """How many links lead to it from a seed; 0 is a seed."""
    via: str
    """The note before it."""
    way: str
    """The link's direction: → ← ↔."""
    retain_reason: str
    """Why it was kept."""
    decay_weight: float
    """What age leaves of its score."""
    decay_zero: bool
    """Whether age leaves less than a hundredth."""


class DeepTold(ResultsTold):
    """A page of hits of deep mode."""

    hits: list[DeepHitTold]  # type: ignore[assignment]
    """The seeds first, then what links led to."""
    dropped: list[VisitTold]
    """Notes that were looked at and not kept."""
    notes: int
    """How many notes were looked at."""
    vectors: int
    """How many vectors that took."""
    unseen: int
    """Neighbours for which there was no room."""


class LeadTold(Told):
    """A link and where it leads."""

    path: str
    """The note that holds it."""
    target: str
    """What it names."""
    line: int
    """Its line."""
    kind: str
    """How it is written: wiki, markdown, file."""
    embed: bool
    """Whether it shows its target in place."""
    anchor: str
    """The heading or block it names."""
    text: str
    """What it shows."""
    written: str
    """The link as written."""
    to: str | None
    """The note or file it leads to."""
    problem: str | None
    """What is wrong with it."""
    near: list[str]
    """What may be meant."""


class LinkCountsTold(Told):
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


class WantedTold(Told):
    """A note that links name and that is not there."""

    target: str
    """What they name."""
    notes: int
    """How many notes do."""


class LinksTold(Told):
    """Links of a note, or of all."""

    note: str | None
    """Whose links they are; none for all."""
    links: list[LeadTold]
    """The links; of all notes only the broken ones, if they are asked for."""
    backlinks: list[LeadTold]
    """Links of others that lead to the note."""
    orphans: list[str]
    """Notes without a link to or from another, if they are asked for."""
    wanted: list[WantedTold]
    """Of the broken links, the notes that they name, the most named first."""
    counts: LinkCountsTold
    """How many there are in all."""
    notices: list[str]
    """What the user should know."""


class CommunityTold(Told):
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


class BridgeTold(Told):
    """Links between two communities."""

    communities: tuple[int, int]
    """Their numbers."""
    links: int
    """How many links."""
    link: tuple[str, str]
    """The one between their most central notes."""


class OverviewTold(Told):
    """The vault from above."""

    notes: int
    """Notes."""
    links: int
    """Links between different notes."""
    centrality_by: str
    """How central notes are found: eigenvector, or degree."""
    communities: list[CommunityTold]
    """The largest first."""
    bridges: list[BridgeTold]
    """The widest first."""
    orphans: list[str]
    """Notes without a link to or from another."""
