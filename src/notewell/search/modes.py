"""The modes of a search: what each does otherwise than a fast one, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from notewell.names.addresses import Addresses
from notewell.search.fuse import SearchRules
from notewell.search.rank import Ranker
from notewell.search.rank.decay import DecayRules
from notewell.types.candidates import Candidate
from notewell.types.note import Vectors
from notewell.types.query import Mode, Plan

# Deep mode follows links from the notes of this many hits: a note may have several.
SEED_HITS = 24

# What follows links from the best candidates, given the vector of the plan, and returns what it found with them.
Walk = Callable[[Plan, Sequence[Candidate], Vectors], list[Candidate]]


@dataclass(frozen=True, slots=True)
class ModeRules:
    """What a mode does; the defaults are those of a fast search.

    `syntax` reads query syntax in the text, `decay` lets the vault's settings lower older notes, `seeds` is how many
    hits a walk begins with, `sure` keeps only hits that are surely about the text, and `notices` tells what is wrong
    with poor results. Measuring needs no `excerpts`.
    """

    syntax: bool = True
    encoder: bool = True
    variations: bool = True
    decay: bool = True
    seeds: int = 0
    sure: bool = False
    notices: bool = True
    excerpts: bool = True


MODES: dict[Mode, ModeRules] = {
    "fast": ModeRules(),
    "related": ModeRules(),
    # How old a note is does not choose the seeds; the time that a query asks for does.
    "deep": ModeRules(variations=False, decay=False, seeds=SEED_HITS, notices=False),
    # A hook cannot wait for the encoder.
    "sure": ModeRules(syntax=False, encoder=False, variations=False, sure=True, notices=False),
}
# Queries of test collections were not written for us.
MEASURING = ModeRules(syntax=False, notices=False, excerpts=False)


@dataclass(frozen=True, slots=True)
class Rules:
    """How a vault answers one query: its settings, the day, its folder, the rules of the mode, and a deep one's walk.

    Without a `today`, nothing depends on how old notes are; `rankers` stand in for the usual ones.
    """

    settings: SearchRules = SearchRules()
    decay: DecayRules = DecayRules()
    today: date | None = None
    addresses: Addresses = field(default_factory=lambda: Addresses(Path("/"), "file"))
    mode: ModeRules = ModeRules()
    walk: Walk | None = None
    rankers: Sequence[Ranker] | None = None

    @property
    def aging(self) -> DecayRules:
        """Return how notes count less with age in this mode."""
        return self.decay if self.mode.decay else DecayRules()

    def by_age(self, plan: Plan) -> bool:
        """Tell whether age changes scores: by the settings, or because the query asks for a time."""
        return self.today is not None and not plan.only_filters and (self.aging.on or plan.when is not None)
