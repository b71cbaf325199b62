"""Weights learned from decisions: measured on others, and written only if they gain."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import numpy as np
import pytest

from notewell import Vault
from notewell.config.edit import with_values
from notewell.config.sections import IntakeSettings
from notewell.curate.intake_log import Decision, IntakeLog, Later
from notewell.curate.journal import Journal
from notewell.curate.scoring import Score, Scores
from notewell.curate.tune import features_of, learn, tune
from notewell.errors import CurateError, SettingsError

MakeVault = Callable[..., Vault]
CHANCE = np.random.default_rng(7)


def decided(vault: Vault, wants: Callable[[list[float]], bool], number: int = 60) -> None:
    log = IntakeLog(Journal(vault.root).folder)
    outcomes: dict[Later, list[str]] = {"accepted": [], "rejected": []}
    for count in range(number):
        values = [round(float(value), 3) for value in CHANCE.random(4)]
        scores = Scores(*(Score(value, "why") for value in values))
        log.add([Decision(f"{count:010x}", "now", "queued", 0.5, "t", "", "", "a.md", "", scores)])
        outcomes["accepted" if wants(values) else "rejected"].append(f"{count:010x}")
    for later, ids in outcomes.items():
        log.mark(ids, later)


def test_weights_that_gain_are_written_and_all_else_stays(make_vault: MakeVault) -> None:
    text = '# mine\n[curate]\nfolders = ["."]\n[intake]\ndepth = 0.3 # deep\nfolders = ["In"]\n[show]\nlinks = "off"\n'
    vault = make_vault({"notewell.toml": text, "a.md": "x"})
    decided(vault, lambda values: values[2] > 0.5)
    dry = tune(vault, dry_run=True)
    assert not dry.written and (vault.root / "notewell.toml").read_text() == text
    before = vault.settings.intake
    done = tune(vault)
    assert done.written and done.after > 0.9 > done.before and done.weights["depth"] > 0.5
    written = (vault.root / "notewell.toml").read_text()
    assert tomllib.loads(written)["intake"] == {**done.weights, **done.limits, "folders": ["In"]}
    assert written.startswith('# mine\n[curate]\nfolders = ["."]\n[intake]\ndepth = ') and " # deep\n" in written
    assert written.endswith('[show]\nlinks = "off"\n')
    vault.reread()
    assert vault.settings.intake.weights == done.weights
    # As many signals pass as before.
    features = features_of(IntakeLog(Journal(vault.root).folder).decisions().values())
    for name, limit in (("accept", 0.55), ("review", 0.4)):
        old, new = (
            features @ [*weights.values()] / sum(weights.values()) for weights in (before.weights, done.weights)
        )
        assert (new >= done.limits[name]).sum() == (old >= limit).sum()
    assert not tune(vault).written


def test_decisions_by_chance_gain_nothing_and_nothing_is_written(make_vault: MakeVault) -> None:
    features = np.random.default_rng(3).random((200, 4))
    wanted = np.random.default_rng(4).random(200) > 0.5
    found = learn(features, wanted, IntakeSettings())
    assert 0.35 < found.after < 0.62


def test_settings_that_cannot_hold_the_weights_stay_as_they_are(make_vault: MakeVault) -> None:
    text = 'intake.depth = 0.3\n[curate]\nfolders = ["."]\n'
    vault = make_vault({"notewell.toml": text, "a.md": "x"})
    decided(vault, lambda values: values[2] > 0.5)
    with pytest.raises(SettingsError, match=r"no table \[intake\]"):
        tune(vault)
    assert (vault.root / "notewell.toml").read_text() == text


def test_too_few_decisions_are_a_fact_and_a_hint(make_vault: MakeVault) -> None:
    vault = make_vault({"notewell.toml": '[curate]\nfolders = ["."]\n'})
    decided(vault, lambda values: values[0] > 0.02, number=31)
    with pytest.raises(CurateError, match="too few to learn from"):
        tune(vault)


@pytest.mark.parametrize(
    "text", ["", "[intake]", "a = 1", "[intake]\n\n[x]\n", "[ intake ] # c\nreview=0.3\n", "x = 1\n"]
)
def test_settings_are_the_same_but_for_the_weights(text: str) -> None:
    made = tomllib.loads(with_values(text, "intake", {"depth": 0.25, "relevance": 0.75}))
    before = tomllib.loads(text)
    assert made.pop("intake") == {**before.pop("intake", {}), "depth": 0.25, "relevance": 0.75}
    assert made == before
