"""What `notewell tune` gains: on held-out queries of vaults, and on judged queries of collections made into vaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.child import Measured, say
from bench.sample import sample_questions, sample_vault
from bench.vaults import find_archives, make_vault
from notewell import Vault
from notewell.config.files import SettingsFiles
from notewell.config.settings import Settings
from notewell.errors import CollectionError
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import Scores, collection_vault, evaluate
from notewell.measure.golden import Golden, evaluate_golden
from notewell.measure.metrics import interval
from notewell.measure.tune import Tuned, tune, with_weights

VAULTS = ("obsidian-help", "zettelkasten-13419", "docs-16894", "kepano-obsidian")
SETTINGS = {"embed.encoder": "off"}


def measure_tuning(folder: str, work: str) -> Measured:
    """Tune each vault, and each collection as a vault; nothing is written."""
    data = Path(folder)
    measured: Measured = {}
    for vault, archive in find_archives(data, VAULTS).items():
        say(f"tuning: {vault}")
        with Vault.open(make_vault(vault, archive, Path(work), 1).root, SETTINGS) as opened:
            opened.index()
            measured[vault] = _tuned(opened)
    say("tuning: sample")
    measured["sample"] = _sample()
    for place in sorted((data / "beir").iterdir()):
        if place.is_dir():
            say(f"tuning: {place.name}")
            measured[place.name] = _collection(place)
    return measured


def _sample() -> Measured:
    """Tune the sample vault, and compare the questions that people wrote for it."""
    questions = [Golden(one["text"], tuple(one["want"])) for one in sample_questions()]
    with sample_vault() as vault:
        return _judged(vault, lambda: evaluate_golden(vault, questions)[0])


def _tuned(vault: Vault) -> Measured:
    try:
        return _as_dict(tune(vault, dry_run=True))
    except CollectionError as error:
        return {"refused": error.fact}


def _as_dict(tuned: Tuned) -> Measured:
    gains = {
        gain.kind: {"queries": gain.queries, "before": gain.before, "after": gain.after, "interval": gain.interval}
        for gain in tuned.gains
    }
    return {"weights": dict(tuned.weights), "refused": tuned.refused, "gains": gains}


def _collection(folder: Path) -> Measured:
    """Tune a collection, and compare its judged queries before and after, written or not."""
    collection, usual = load_collection(folder), Settings()
    without = replace(usual, embed=replace(usual.embed, encoder="off"))
    with collection_vault(collection, without) as vault:
        return _judged(vault, lambda: evaluate(vault, collection))


def _judged(vault: Vault, ask: Callable[[], Scores]) -> Measured:
    """Tune a vault, and compare what `ask` finds with the shipped and with the tuned weights, written or not."""
    measured = _tuned(vault)
    if "weights" in measured:
        before = ask()
        weights = {name.partition(".")[2]: value for name, value in measured["weights"].items()}
        rules = with_weights(vault.settings.search, weights)
        vault.settings_files = SettingsFiles(partial(replace, vault.settings, search=rules))
        measured["judged"] = _compared(before, ask())
    return measured


def _compared(before: Scores, after: Scores) -> Measured:
    gains = [after.each[query] - score for query, score in before.each.items()]
    bounds = [round(bound, 4) for bound in interval(gains)]
    return {"before": round(before.ndcg_10, 4), "after": round(after.ndcg_10, 4), "interval": bounds}
