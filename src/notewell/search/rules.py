"""The rules of a search: the vault's settings for ranking and decay, and what each mode changes, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from notewell.errors import SettingsError
from notewell.frozen import frozen
from notewell.names.addresses import Addresses
from notewell.store import Snapshot
from notewell.types.candidates import Candidate, Ranking
from notewell.types.note import Vectors
from notewell.types.query import Mode, Plan, Query
from notewell.types.results import Results

if TYPE_CHECKING:
    from notewell.embed.rerank import Reranker

# A chunk that contains the whole query as it is written ranks above all that only have its words and its meaning.
EXACT = 1.5
# Deep mode follows links from the notes of this many hits: a note may have several.
SEED_HITS = 24

DECAY_MODES = ("off", "half_life", "ranked_grouped")
# Only for what lies under a path: all of it is one group, whoever wrote it.
ONE_GROUP = "one_group"
GROUPED = ("ranked_grouped", ONE_GROUP)
HALF_LIFE = 365.0
# The share of its score that an author's newest note keeps, the next, and so on; the last is for all older ones.
LADDER = (1.0, 0.6, 0.45, 0.35, 0.25)

# Takes the plan and the candidates, and returns them with new scores or in part.
Ranker = Callable[[Plan, Sequence[Candidate]], list[Candidate]]


# The weights that a vault may have of its own: of each ranking, and how much notes, names and links count.
WEIGHTS = ("lexical_weight", "vector_weight", "fine_weight", "note_weight", "name_weight", "link_weight")


@frozen
class SearchRules:
    """How a query is answered: how deep to search, how to fuse, how much to return.

    The weights have the best mean on nine collections, and fall below words alone on none of them.
    """

    limit: int = 10
    candidates: int = 30
    fusion: str = "scores"
    lexical_weight: float = 0.75
    vector_weight: float = 0.25
    fine_weight: float = 0.9
    note_weight: float = 1.0
    name_weight: float = 1.0
    link_weight: float = 1.0
    on_demand: int = 0
    intent: bool = True
    variations: bool = False
    rerank: bool = False
    expand: bool = False
    expand_seconds: float = 10.0
    graph: str = "links"
    max_tokens: int = 0
    floor: float = 0.22

    @property
    def reach(self) -> int:
        """Return how many chunks each retriever proposes, and how many of them all are ranked."""
        return max(self.candidates, self.limit)

    @property
    def tuned(self) -> tuple[str, ...]:
        """Return the weights that are not those shipped, as `--explain` shows them.

        >>> SearchRules(name_weight=1.4).tuned
        ('search.name_weight 1.4 instead of 1',)
        """
        shipped = SearchRules()
        pairs = ((name, getattr(self, name), getattr(shipped, name)) for name in WEIGHTS)
        return tuple(f"search.{name} {own:g} instead of {usual:g}" for name, own, usual in pairs if own != usual)

    def with_limits(self, limit: int | None, max_tokens: int | None) -> SearchRules:
        """Return the rules with the limits of one query; None keeps the setting."""
        rules = self
        if limit is not None:
            rules = replace(rules, limit=_at_least("limit", limit, 1))
        if max_tokens is not None:
            rules = replace(rules, max_tokens=_at_least("max_tokens", max_tokens, 0))
        return rules

    def weight(self, ranking: Ranking) -> float:
        """Return how much a ranking counts."""
        weights = {
            "lexical": self.lexical_weight,
            "exact": EXACT,
            "vector": self.vector_weight,
            "fine": self.fine_weight,
        }
        return weights[ranking.retriever] * ranking.trust


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise SettingsError(f"{name} is {value}, and should be at least {least}", "Give a larger number")
    return value


class DecayRule(NamedTuple):
    """How notes under a path lose score with age; without a path, all notes that no other rule covers."""

    mode: str = "off"
    under: str = ""
    half_life_days: float = HALF_LIFE
    ladder: tuple[float, ...] = LADDER

    def covers(self, path: str) -> bool:
        """Tell whether a note is under the path, or is it."""
        return not self.under or path == self.under or path.startswith(f"{self.under}/")


@frozen
class DecayRules:
    """Whether and how notes lose score with age, how they are grouped, and which of them never do."""

    mode: str = "off"
    half_life_days: float = HALF_LIFE
    ladder: str = " ".join(f"{step:g}" for step in LADDER)
    group_by: tuple[str, ...] = ("author", "authors")
    evergreen: tuple[str, ...] = ("evergreen",)
    overrides: tuple[str, ...] = ()
    recent_days: int = 30
    recent_gain: float = 0.0

    @property
    def on(self) -> bool:
        """Tell whether any note loses score with age."""
        return self.mode != "off" or bool(self.overrides)

    @property
    def by_path(self) -> tuple[DecayRule, ...]:
        """Return the rules in the order in which they are tried: the longest path first, the rule for all last."""
        ladder = read_ladder(self.ladder)
        return (*read_overrides(self.overrides), DecayRule(self.mode, "", self.half_life_days, ladder))


def read_overrides(overrides: Iterable[str]) -> tuple[DecayRule, ...]:
    """Return the rules written in settings, the longest path first.

    >>> [(rule.under, rule.mode) for rule in read_overrides(["Work/ = off", "Work/Journal = half_life 30"])]
    [('Work/Journal', 'half_life'), ('Work', 'off')]
    """
    return tuple(sorted(map(_read_override, overrides, count(1)), key=lambda rule: -len(rule.under)))


def read_ladder(written: str) -> tuple[float, ...]:
    """Return the shares of a ladder as it is written: numbers above 0, and at most 1.

    >>> read_ladder("1 0.5")
    (1.0, 0.5)
    """
    try:
        ladder = tuple(map(float, written.split()))
    except ValueError:
        ladder = ()
    if not ladder or not all(0 < share <= 1 for share in ladder):
        raise SettingsError("decay.ladder is not a row of numbers from 0 to 1", 'Write ladder = "1 0.6 0.45 0.35 0.25"')
    return ladder


def _read_override(written: str, number: int) -> DecayRule:
    path, _, rest = written.rpartition("=")
    under, (mode, *numbers) = path.strip().strip("/"), rest.split() or [""]
    try:
        values = tuple(map(float, numbers))
    except ValueError:
        values = ()
    if not under or mode not in (*DECAY_MODES, ONE_GROUP) or len(values) != len(numbers):
        raise _unreadable(number)
    if mode in GROUPED and all(0 < value <= 1 for value in values):
        return DecayRule(mode, under, ladder=values or LADDER)
    if mode == "half_life" and len(values) <= 1 and all(1 <= value < float("inf") for value in values):
        return DecayRule(mode, under, half_life_days=values[0] if values else HALF_LIFE)
    if mode == "off" and not values:
        return DecayRule(mode, under)
    raise _unreadable(number)


def _unreadable(number: int) -> SettingsError:
    examples = (
        '"Journal/ = half_life 30", "Reference/ = off", "Letters/ = ranked_grouped" or "Filings/ = one_group 1 0.6"'
    )
    return SettingsError(f"decay.overrides cannot be read: entry {number} is not PATH = MODE", f"Write {examples}")


class ModeRules(NamedTuple):
    """What a mode does; the defaults are those of a fast search.

    `only_like` ignores the text and looks for notes like those in `like`, which must exist. `syntax` reads query syntax
    in the text, and `decay` lets settings rank older notes lower. `seeds` is the number of hits from which links are
    followed: that takes resolved links, and vectors. `floor` hides hits that do not answer; `sure` keeps only those
    that are surely about the text; `notices` explains poor results. Measuring needs no `excerpts`.
    """

    only_like: bool = False
    syntax: bool = True
    encoder: bool = True
    variations: bool = True
    decay: bool = True
    seeds: int = 0
    floor: bool = True
    sure: bool = False
    notices: bool = True
    excerpts: bool = True

    @property
    def needs_index(self) -> bool:
        """Tell whether a vault that was never indexed is an error, rather than one in which nothing is found."""
        return self.only_like or bool(self.seeds)


MODES: dict[Mode, ModeRules] = {
    "fast": ModeRules(),
    "related": ModeRules(only_like=True, floor=False),
    # The age of a note does not choose the seeds; the time that a query asks for does.
    "deep": ModeRules(variations=False, decay=False, seeds=SEED_HITS, floor=False, notices=False),
    # A question is text, not syntax, and what is too weak to answer it is still the nearest passage.
    "ask": ModeRules(syntax=False, floor=False, notices=False),
    # A hook cannot wait for the encoder.
    "sure": ModeRules(syntax=False, encoder=False, variations=False, floor=False, sure=True, notices=False),
}
# Queries of test collections were not written with our syntax in mind, and it is the ranking that is measured.
MEASURING = ModeRules(syntax=False, floor=False, notices=False, excerpts=False)


def mode_of(query: Query) -> ModeRules:
    """Return the rules of a query's mode; a mode that does not exist is an error."""
    if query.mode not in MODES:
        raise SettingsError(f"Unknown mode '{query.mode}'", f"Use {', '.join(MODES)}; `compare` is a method")
    return MODES[query.mode]


class Reranking(NamedTuple):
    """The reranker of a search, and how many of the best candidates it reads."""

    reranker: Reranker
    most: int


class FollowLinks(Protocol):
    """A walk along links from the best candidates of one search, as deep mode has it."""

    def __call__(
        self, plan: Plan, candidates: Sequence[Candidate], vector: Vectors, store: Snapshot
    ) -> list[Candidate]:
        """Return the candidates that the walk keeps, given the vector of the plan."""

    def results(self, found: Results) -> Results:
        """Return the results with how each hit was reached."""


class OwnRules(NamedTuple):
    """What a domain sets for itself: how its chunks are weighed, and how its notes age."""

    search: SearchRules
    decay: DecayRules


@frozen
class Rules:
    """How a vault answers one query: its settings, the day, its folder, the rules of the mode, and a deep walk.

    Without a `today`, nothing depends on the age of notes; `rankers` replace the usual ones. A model wrote the
    `passage`, which an answer might resemble. A reranker may order the best candidates. In a search over several
    domains, those with settings of their `own` are there by name, and `domain_of` tells to which a path belongs.
    `notes_naming` returns the notes that name an entity.
    """

    settings: SearchRules = SearchRules()
    decay: DecayRules = DecayRules()
    today: date | None = None
    addresses: Addresses = field(default_factory=lambda: Addresses(Path("/"), "file"))
    mode: ModeRules = ModeRules()
    walk: FollowLinks | None = None
    rankers: Sequence[Ranker] | None = None
    passage: str = ""
    reranking: Reranking | None = None
    own: Mapping[str, OwnRules] = field(default_factory=dict)
    domain_of: Callable[[str], str] = lambda path: ""
    notes_naming: Callable[[str], tuple[str, ...] | None] = lambda name: None

    @property
    def decaying(self) -> DecayRules:
        """Return how notes lose score with age in this mode."""
        return self.decay if self.mode.decay else DecayRules()

    def by_age(self, plan: Plan) -> bool:
        """Tell whether age changes scores: because of the settings, or because the query asks for a time."""
        if self.today is None or plan.only_filters:
            return False
        own = self.mode.decay and any(one.decay.on for one in self.own.values())
        return self.decaying.on or own or plan.when is not None
