"""Weights of the scores, learned from a person's decisions; written only if they gain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from notewell.config.edit import write_values
from notewell.config.sections import IntakeSettings
from notewell.curate.intake_log import Decision, IntakeLog
from notewell.curate.journal import Journal
from notewell.curate.notes import allowed_folders
from notewell.curate.scoring import DIMENSIONS
from notewell.errors import CurateError
from notewell.frozen import frozen
from notewell.vault import Vault

# Fewer decisions of a person, or of one kind, say more about chance than about the person.
FEWEST, FEWEST_OF_A_KIND = 30, 8
FOLDS = 5
# A gain in AUROC that is more than chance among some dozens of decisions.
LEAST_GAIN = 0.01
# Weights that are tried: all mixtures of the four in steps of a tenth, each at least a twentieth.
STEPS = 10
LEAST = 0.05

Matrix = npt.NDArray[np.float64]


@frozen
class Tuned:
    """Weights that were learned, and what they gain."""

    weights: dict[str, float]
    """The weight of each score."""
    before: float
    """AUROC of the present weights: the chance that an accepted signal scores higher than a rejected one."""
    after: float
    """The same of the learned weights, on decisions that were not learned from."""
    accepted: int
    """How many signals you accepted."""
    rejected: int
    """How many you rejected."""
    limits: dict[str, float]
    """The limits `accept` and `review` with which the learned weights let as many signals through as before."""
    written: bool
    """Whether weights and limits were written into `notewell.toml`."""


def tune(vault: Vault, *, dry_run: bool = False) -> Tuned:
    """Learn weights from the decisions of a person, measure them on others, and write them if they gain."""
    vault.reread()
    allowed_folders(vault.root, vault.settings)
    journal = Journal(vault.root)
    with journal.alone():
        decisions = IntakeLog(journal.folder).decisions().values()
        features, wanted = examples(decisions)
        rules = vault.settings.intake
        tuned = learn(features, wanted, rules)
        tuned = replace(tuned, limits=limits_for(tuned.weights, features_of(decisions), rules))
        if dry_run or tuned.after - tuned.before < LEAST_GAIN:
            return tuned
        write_values(vault.root, "intake", tuned.weights | tuned.limits)
    return replace(tuned, written=True)


def examples(decisions: Iterable[Decision]) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Return the scores of the signals that a person decided, and which of them were accepted."""
    decided = [one for one in decisions if one.later]
    wanted = np.array([one.later == "accepted" for one in decided], dtype=np.bool_)
    kept, left = int(wanted.sum()), int((~wanted).sum())
    if len(decided) < FEWEST or min(kept, left) < FEWEST_OF_A_KIND:
        raise CurateError(
            f"You accepted {kept} signals and rejected {left}, too few to learn from",
            f"Decide at least {FEWEST} in the review queue, {FEWEST_OF_A_KIND} of each kind",
        )
    return features_of(decided), wanted


def features_of(decisions: Iterable[Decision]) -> Matrix:
    """Return the scores of signals, one row for each."""
    rows = [[getattr(one.scores, name).value for name in DIMENSIONS] for one in decisions]
    return np.array(rows, dtype=np.float64).reshape(-1, len(DIMENSIONS))


def limits_for(weights: Mapping[str, float], features: Matrix, rules: IntakeSettings) -> dict[str, float]:
    """Return the limits that let the same share of all signals through with new weights as before."""
    old, new = (features @ [one[name] for name in DIMENSIONS] / sum(one.values()) for one in (rules.weights, weights))
    made = {}
    for name, limit in (("accept", rules.accept), ("review", rules.review)):
        share = float(np.mean(old >= limit))
        # Where all or none passed, the signals do not say where the limit lies.
        moved = float(np.quantile(new, 1 - share, method="higher")) if 0 < share < 1 else limit
        made[name] = round(moved - 0.0005, 3) if moved != limit else limit
    return made


def learn(features: Matrix, wanted: npt.NDArray[np.bool_], rules: IntakeSettings) -> Tuned:
    """Return the weights that separate best what was accepted, and their AUROC on folds that were held out."""
    grid = mixtures(len(DIMENSIONS))
    now = np.array([rules.weights[name] for name in DIMENSIONS])
    held = np.zeros(len(wanted))
    # Every fifth decision, of each kind: all folds have both.
    order = np.concatenate((np.flatnonzero(wanted), np.flatnonzero(~wanted)))
    found = []
    for fold in range(FOLDS):
        out = order[fold::FOLDS]
        rest = np.setdiff1d(order, out)
        best = _best(grid, features[rest], wanted[rest])
        held[out] = features[out] @ best
        found.append((auroc(held[out], wanted[out]), auroc(features[out] @ now, wanted[out])))
    after, before = (float(np.mean([pair[side] for pair in found])) for side in (0, 1))
    best = _best(grid, features, wanted)
    weights = {name: round(float(weight), 3) for name, weight in zip(DIMENSIONS, best, strict=True)}
    return Tuned(weights, round(before, 3), round(after, 3), int(wanted.sum()), int((~wanted).sum()), {}, written=False)


def _best(grid: Matrix, features: Matrix, wanted: npt.NDArray[np.bool_]) -> Matrix:
    scores = [auroc(features @ weights, wanted) for weights in grid]
    chosen: Matrix = grid[int(np.argmax(scores))]
    return chosen


def mixtures(parts: int) -> Matrix:
    """Return all weights in tenths that add up to one, none below a twentieth.

    >>> mixtures(2)[0].round(2).tolist(), len(mixtures(4))
    ([0.05, 0.95], 286)
    """
    steps = np.indices((STEPS + 1,) * parts).reshape(parts, -1).T
    whole = steps[steps.sum(axis=1) == STEPS] / STEPS
    made: Matrix = LEAST + whole * (1 - parts * LEAST)
    return made


def auroc(scores: Matrix, wanted: npt.NDArray[np.bool_]) -> float:
    """Return the chance that one that is wanted scores higher than one that is not.

    >>> auroc(np.array([0.9, 0.1, 0.5]), np.array([True, False, False]))
    1.0
    """
    higher = scores[wanted][:, None] - scores[~wanted][None, :]
    return float(np.mean((higher > 0) + (higher == 0) / 2)) if higher.size else 0.5
