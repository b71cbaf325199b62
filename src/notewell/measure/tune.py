"""Tuning: the weights of search that fit a vault's notes best, written only if they gain."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from notewell.config.edit import read_values, write_values
from notewell.config.files import SettingsFiles
from notewell.errors import CollectionError, SettingsError
from notewell.files.safe_open import GOLDEN, NO_LINK, read_plain
from notewell.files.user import home_folder, state_folder, write_private
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.measure.evaluate import search_plainly
from notewell.measure.golden import Golden, evaluate_golden, load_golden, without_gone
from notewell.measure.hiding import find_judgements, hidden_vault
from notewell.measure.judgements import KINDS, Judgement, in_halves
from notewell.measure.metrics import interval
from notewell.search.rules import SearchRules
from notewell.types.candidates import Candidate
from notewell.vault import Vault

# Judgements that are made at most, and needed at least: fewer say more about chance than about the vault.
MOST, FEWEST = 400, 40
# Weights are written if at least so many kinds have at least so many held-out queries each. Titles alone gain where the
# judged questions of NFCorpus lose .002.
KINDS_NEEDED, FEWEST_OF_KIND = 2, 5
# The weight by words stays, since only ratios count. So does that of names: where a title was taken out, names can only
# mislead, so it would always fall.
COEFFICIENTS = ("vector_weight", "fine_weight", "note_weight", "link_weight")
# Each coefficient is tried at these multiples of what is shipped, one after another, twice.
MULTIPLES = (0.5, 0.7, 1.0, 1.4, 2.0)
ROUNDS = 2
# So many judgements move a coefficient half of the way, on a scale of factors.
HALFWAY = 200
# Hits that are looked at.
DEPTH = 10
# Where the values from before are kept, for `--undo`.
FOLDER = "tuned"

Ranks = npt.NDArray[np.float64]


@frozen
class Gain:
    """How well queries of one kind are answered, before and after, on judgements that were not learned from."""

    kind: str
    """What the queries are made of; `all` for every kind."""
    queries: int
    """How many there are."""
    before: float
    """MRR@10 with the present settings."""
    after: float
    """MRR@10 with the tuned ones."""
    interval: tuple[float, float]
    """The 95 % interval of the gain, by paired bootstrap."""


@frozen
class Tuned:
    """What tuning found."""

    weights: Mapping[str, float]
    """The tuned value of each setting."""
    present: Mapping[str, float]
    """Its present value."""
    gains: tuple[Gain, ...]
    """The gain of all held-out judgements, then of each kind."""
    learned_from: int
    """How many judgements were learned from."""
    refused: str
    """Why the values were not written; empty if they gain."""
    written: bool
    """Whether they were written into `notewell.toml`."""


# What a run does, in this order, and a function that shows the progress of each.
Stage = Literal["reading", "encoding", "trying"]
Shown = Callable[[Stage], AbstractContextManager[Progress]]


def tune(vault: Vault, *, dry_run: bool = False, shown: Shown = lambda stage: nullcontext(Progress())) -> Tuned:
    """Learn weights from half of the judgements of a vault, check them on the others, and write them if they gain.

    Ctrl-C ends it, and nothing is written.
    """
    if vault.settings_files.domains.names:
        raise CollectionError(
            "Weights cannot be tuned for a vault with domains",
            "Compare weights of a domain by hand: `notewell eval --golden`, then [domains.NAME] in notewell.toml",
        )
    vault.refresh()
    # A file that cannot be read is an error now, not after minutes of work.
    golden = without_gone(vault, load_golden(file)) if (file := vault.root / GOLDEN).exists() else ()
    with shown("reading") as progress:
        hidden = find_judgements(vault, MOST, progress)
    if len(hidden) < FEWEST:
        raise CollectionError(
            f"Only {len(hidden)} queries can be made from these notes: too few for tuning",
            f"At least {FEWEST} titles, headings, link texts or properties are needed; keep the shipped weights",
        )
    learn_from, check_with = in_halves([one.judgement for one in hidden])
    present = vault.settings.search
    with ExitStack() as stack:
        with shown("encoding") as progress:
            copy = stack.enter_context(hidden_vault(vault, hidden, progress))
        with shown("trying") as progress:
            weights = learn(lambda rules: _ranks(copy, learn_from, rules), present, _kinds(learn_from), progress)
        tuned = with_weights(present, weights)
        gains = measure_gains(_ranks(copy, check_with, present), _ranks(copy, check_with, tuned), _kinds(check_with))
    refused = why_not(gains) or _refuse_by_golden(vault, golden, tuned)
    writes = not refused and not dry_run
    changes = {name: value for name, value in weights.items() if value != getattr(present, name)}
    if writes and (failed := _write(vault, changes)):
        refused, writes = failed, False
    return Tuned(
        weights={f"search.{name}": value for name, value in weights.items()},
        present={f"search.{name}": getattr(present, name) for name in weights},
        gains=gains,
        learned_from=len(learn_from),
        refused=refused,
        written=writes,
    )


def learn(
    ranks: Callable[[SearchRules], Ranks], present: SearchRules, kinds: Sequence[str], progress: Progress
) -> dict[str, float]:
    """Return the weights with the best mean of all kinds, found one at a time and moved back towards those shipped."""
    shipped = SearchRules()
    factors = dict.fromkeys(COEFFICIENTS, 1.0)
    tried: dict[tuple[float, ...], float] = {}
    total = ROUNDS * len(COEFFICIENTS) * len(MULTIPLES)

    def worth(factors: Mapping[str, float]) -> float:
        key = tuple(factors.values())
        if key not in tried:
            tried[key] = mean_of_kinds(ranks(with_weights(present, _values(shipped, factors))), kinds)
        return tried[key]

    for step in range(ROUNDS * len(COEFFICIENTS)):
        name = COEFFICIENTS[step % len(COEFFICIENTS)]
        offers = []
        for place, multiple in enumerate(MULTIPLES, start=1):
            offers.append(factors | {name: multiple})
            worth(offers[-1])
            if progress.stop():
                raise KeyboardInterrupt
            progress.tell(step * len(MULTIPLES) + place, total)
        # Of equally good ones, the nearest to what is shipped.
        factors = max(offers, key=lambda offer: (round(worth(offer), 6), -abs(np.log(offer[name]))))
    share = len(kinds) / (len(kinds) + HALFWAY)
    return _values(shipped, {name: factor**share for name, factor in factors.items()})


def with_weights(rules: SearchRules, weights: Mapping[str, float]) -> SearchRules:
    """Return the rules with other weights."""
    values: dict[str, Any] = dict(weights)
    return replace(rules, **values)


def _values(shipped: SearchRules, factors: Mapping[str, float]) -> dict[str, float]:
    return {name: round(getattr(shipped, name) * factor, 3) for name, factor in factors.items()}


def mean_of_kinds(ranks: Ranks, kinds: Sequence[str]) -> float:
    """Return the mean of the means of all kinds, so that the most frequent one does not decide.

    >>> mean_of_kinds(np.array([1.0, 1.0, 0.0]), ["title", "title", "link"])
    0.5
    """
    of = np.array(kinds)
    return float(np.mean([ranks[of == kind].mean() for kind in sorted(set(kinds))]))


def measure_gains(before: Ranks, after: Ranks, kinds: Sequence[str]) -> tuple[Gain, ...]:
    """Return the gain over all queries, then of each kind."""
    of = np.array(kinds)
    parts = [("all", np.ones(len(of), dtype=np.bool_)), *((kind, of == kind) for kind in KINDS if kind in kinds)]
    return tuple(
        Gain(
            kind,
            int(part.sum()),
            round(float(before[part].mean()), 4),
            round(float(after[part].mean()), 4),
            _rounded(interval((after - before)[part].tolist())),
        )
        for kind, part in parts
    )


def _rounded(bounds: tuple[float, float]) -> tuple[float, float]:
    return round(bounds[0], 4), round(bounds[1], 4)


def why_not(gains: Sequence[Gain]) -> str:
    """Return why weights with these gains should not be written; empty if they should.

    >>> why_not([Gain(kind, 20, 0.5, 0.4, (-0.2, 0.0)) for kind in ("all", "title", "link")])
    'they find less than the present ones'
    """
    every, *of_kinds = gains
    if len([gain for gain in of_kinds if gain.queries >= FEWEST_OF_KIND]) < KINDS_NEEDED:
        return "almost all queries are of one kind, and people ask in other ways"
    if every.after <= every.before:
        return f"they find {'less' if every.after < every.before else 'no more'} than the present ones"
    if every.interval[0] <= 0:
        return "the gain may be chance: its interval begins at or below 0"
    lost = [gain.kind for gain in of_kinds if gain.after < gain.before]
    return f"some kinds of queries would lose: {', '.join(lost)}" if lost else ""


def _refuse_by_golden(vault: Vault, queries: Sequence[Golden], rules: SearchRules) -> str:
    """Return why golden queries speak against the tuned rules, if there are any."""
    if not queries:
        return ""
    before, _ = evaluate_golden(vault, queries)
    settings = replace(vault.settings, search=rules)
    with Vault(vault.root, SettingsFiles(lambda: settings, selection=vault.settings_files.selection)) as tuned:
        after, _ = evaluate_golden(tuned, queries)
    if after.ndcg_10 >= before.ndcg_10:
        return ""
    return f"your golden queries would lose: nDCG@10 {before.ndcg_10:.3f} → {after.ndcg_10:.3f}"


def _kinds(judgements: Sequence[Judgement]) -> list[str]:
    return [one.kind for one in judgements]


def _ranks(vault: Vault, judgements: Sequence[Judgement], rules: SearchRules) -> Ranks:
    """Return 1 / the rank of the first hit that each judgement wants."""
    found = (search_plainly(vault, one.text, limit=DEPTH, rules=rules).candidates for one in judgements)
    return np.array([_rank(candidates, one) for candidates, one in zip(found, judgements, strict=True)])


def _rank(candidates: Sequence[Candidate], wanted: Judgement) -> float:
    first, last = wanted.lines or (1, 1 << 30)
    places = (
        place
        for place, one in enumerate(candidates[:DEPTH], start=1)
        if one.chunk.path == wanted.path and one.chunk.line <= last and first <= one.chunk.end_line
    )
    return 1 / next(places, float("inf"))


def _write(vault: Vault, changes: Mapping[str, float]) -> str:
    """Write weights that change, and return why they could not be written: what was found should still be shown.

    Those that stay are not written, so that a later version may ship others.
    """
    file, before = _kept(vault.root), _written(vault.root)
    write_private(file, json.dumps({"before": before, "after": before | dict(changes)}).encode("ascii"))
    try:
        write_values(vault.root, "search", changes)
    except SettingsError as error:
        file.unlink()
        return f"{error.fact}. {error.hint}"
    return ""


def _written(root: Path) -> dict[str, float | None]:
    values = read_values(root, "search")
    return {name: values.get(name) for name in COEFFICIENTS}


def undo(vault: Vault) -> dict[str, float | None]:
    """Write back the values from before the last tuning, and return them; None for those that were not set."""
    file = _kept(vault.root)
    try:
        kept = json.loads(read_plain(file, 1 << 16, os.O_RDONLY | NO_LINK))
        before = {name: kept["before"][name] for name in COEFFICIENTS}
        after = {name: kept["after"][name] for name in COEFFICIENTS}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SettingsError("Nothing was tuned here", "Run `notewell tune` first") from error
    present = _written(vault.root)
    if present == before:
        # A run was killed before it had written anything.
        file.unlink()
        raise SettingsError("Nothing was tuned here", "Run `notewell tune` first")
    if present != after:
        raise SettingsError("The weights were changed since they were tuned", "Edit them in notewell.toml")
    write_values(vault.root, "search", before)
    file.unlink()
    return before


def _kept(root: Path) -> Path:
    folder = state_folder(os.environ, home_folder(os.environ)) / FOLDER
    return folder / f"{sha256(os.fsencode(root)).hexdigest()[:16]}.json"
