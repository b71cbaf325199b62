"""Quality on judged collections that are split evenly over three domains, against the same notes in one store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from bench.child import Measured, say
from notewell import Vault
from notewell.config.files import Registry, SettingsFiles
from notewell.config.settings import Settings
from notewell.index.domains import Domain, derive
from notewell.measure.collection import Collection, load_collection
from notewell.measure.evaluate import collection_vault, documents_of, evaluate, find_candidates, note_names, paths_of
from notewell.measure.metrics import ndcg
from notewell.types.candidates import Candidate

NAMES = ("one", "two", "rest")
REST = Domain("rest", legacy=True)
CHUNKS = 100


def measure_domains(folder: str) -> Measured:
    """Evaluate each collection in one store, in three that are searched together, and in three searched apart."""
    return {place.name: _collection(place) for place in sorted(Path(folder).iterdir()) if place.is_dir()}


def _collection(folder: Path) -> Measured:
    say(f"domains: {folder.name}")
    collection, usual = shared_out(load_collection(folder)), Settings()
    settings = replace(usual, embed=replace(usual.embed, encoder="off"), search=replace(usual.search, on_demand=0))
    with collection_vault(collection, settings) as vault:
        together = evaluate(vault, collection)
        here = vault.settings_files.settings
        found = sorted(place.name for place in vault.root.iterdir() if place.is_dir() and place.name[0] != ".")
        assert len(found) == len(NAMES)
        domains = derive([*(Domain(name, (place,)) for name, place in zip(NAMES[:2], found, strict=False)), REST])
        registry = Registry(lambda: domains, lambda domain: here)
        with Vault(vault.root, SettingsFiles(lambda: here, registry=registry)) as split:
            split.index()
            joined = evaluate(split, collection)
            views = [split.within(name) for name in NAMES]
            notes = [len(view.store.files().notes) for view in views]
            apart = [_apart(views, text) for text in collection.queries.values()]
            judged = [collection.judgements[query] for query in collection.queries]
            names = note_names(collection)
            scores = [
                ndcg(documents_of(paths_of(one), names), grades) for one, grades in zip(apart, judged, strict=True)
            ]
    same = sum(together.each[query] == joined.each[query] for query in together.each)
    return {
        "queries": together.queries,
        "notes": notes,
        "one_store": round(together.ndcg_10, 4),
        "three_domains": round(joined.ndcg_10, 4),
        "same": same,
        "searched_apart": round(sum(scores) / len(scores), 4),
    }


def shared_out(collection: Collection) -> Collection:
    """Return a collection whose documents are in three folders by a hash, since the second character names the folder.

    Before, the folders were those of the documents' own names: all of nfcorpus and legalquad-de were in one domain.
    """

    def named(name: str) -> str:
        return f"-{blake2b(name.encode(), digest_size=8).digest()[0] % len(NAMES)}{name}"

    documents = tuple(replace(one, name=named(one.name)) for one in collection.documents)
    judgements = {
        query: {named(name): grade for name, grade in own.items()} for query, own in collection.judgements.items()
    }
    return Collection(documents, collection.queries, judgements)


def _apart(views: Sequence[Vault], text: str) -> list[Candidate]:
    """Return what each domain finds by itself, put together by the scores that it has there."""
    every = [one for view in views for one in find_candidates(view, text, limit=CHUNKS)]
    return sorted(every, key=lambda one: -one.score)
