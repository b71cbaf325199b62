"""Quality on judged collections that are split over three domains, against the same notes in one store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.child import Measured, say
from notewell import Vault
from notewell.config.files import Registry, SettingsFiles
from notewell.config.settings import Settings
from notewell.index.domains import Domain, derive
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import collection_vault, documents_of, evaluate, find_candidates, note_names, paths_of
from notewell.measure.metrics import ndcg
from notewell.types.candidates import Candidate

NAMES = ("one", "two", "rest")
CHUNKS = 100


def measure_domains(folder: str) -> Measured:
    """Evaluate each collection in one store, in three that are searched together, and in three searched apart."""
    return {place.name: _collection(place) for place in sorted(Path(folder).iterdir()) if place.is_dir()}


def _collection(folder: Path) -> Measured:
    say(f"domains: {folder.name}")
    collection, usual = load_collection(folder), Settings()
    settings = replace(usual, embed=replace(usual.embed, encoder="off"), search=replace(usual.search, on_demand=0))
    with collection_vault(collection, settings) as vault:
        together = evaluate(vault, collection)
        here = vault.settings_files.settings
        found = sorted(place.name for place in vault.root.iterdir() if place.is_dir() and place.name[0] != ".")
        domains = derive(
            [Domain(NAMES[0], tuple(found[::3])), Domain(NAMES[1], tuple(found[1::3])), Domain("rest", legacy=True)]
        )
        registry = Registry(lambda: domains, lambda domain: here)
        with Vault(vault.root, SettingsFiles(lambda: here, registry=registry)) as split:
            split.index()
            joined = evaluate(split, collection)
            views = [split.within(name) for name in NAMES]
            apart = [_apart(views, text) for text in collection.queries.values()]
            judged = [collection.judgements[query] for query in collection.queries]
            names = note_names(collection)
            scores = [
                ndcg(documents_of(paths_of(one), names), grades) for one, grades in zip(apart, judged, strict=True)
            ]
    same = sum(together.each[query] == joined.each[query] for query in together.each)
    return {
        "queries": together.queries,
        "one_store": round(together.ndcg_10, 4),
        "three_domains": round(joined.ndcg_10, 4),
        "same": same,
        "searched_apart": round(sum(scores) / len(scores), 4),
    }


def _apart(views: Sequence[Vault], text: str) -> list[Candidate]:
    """Return what each domain finds by itself, put together by the scores that it has there."""
    every = [one for view in views for one in find_candidates(view, text, limit=CHUNKS)]
    return sorted(every, key=lambda one: -one.score)
