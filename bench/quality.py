"""The quality of search on judged collections, per retriever and fused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.child import Measured, say
from bench.exhaustive import compare
from notewell.config.files import SettingsFiles
from notewell.config.settings import Settings
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import Scores, collection_vault, encode_share, evaluate
from notewell.measure.metrics import interval

# nDCG@10 of BM25 (bm25s, Snowball stemmer), from the README of the test data.
BM25_REFERENCE = {
    "scifact": 0.686,
    "nfcorpus": 0.322,
    "cranfield": 0.373,
    "xquad-en": 0.968,
    "xquad-de": 0.945,
    "legalquad-de": 0.762,
    "hotpotqa-train100": 0.782,
    "se-beer": 0.518,
    "cosqa": 0.333,
}
# Changes to the default settings of search, without the encoder.
WITHOUT: dict[str, dict[str, Any]] = {
    "lexical": {"vector_weight": 0.0},
    "vector": {"lexical_weight": 0.0, "vector_weight": 1.0},
    "rrf": {"fusion": "rrf", "lexical_weight": 1.0, "vector_weight": 1.0},
    "static": {},
}
# The share of chunks with encoder vectors, none made on demand; `default` is everything encoded.
FILLED = {"25 %": 0.25, "50 %": 0.5, "default": 1.0}
VARIANTS = (*WITHOUT, *FILLED)


def measure_quality(folder: str) -> Measured:
    """Index each collection once, and evaluate every variant on it."""
    return {place.name: _collection(place) for place in sorted(Path(folder).iterdir()) if place.is_dir()}


def _collection(folder: Path) -> Measured:
    say(f"quality: {folder.name}")
    collection = load_collection(folder)
    measured: Measured = {"queries": len(collection.queries), "reference_bm25": BM25_REFERENCE.get(folder.name)}
    found: dict[str, Scores] = {}
    with collection_vault(collection, _with_encoder("off")) as vault:
        for name, changes in WITHOUT.items():
            rules = replace(Settings().search, **changes)
            vault.settings_files = SettingsFiles(partial(replace, vault.settings, search=rules))
            found[name] = evaluate(vault, collection)
        measured["exhaustive"] = compare(vault, collection)
    with collection_vault(collection, _with_encoder("minilm")) as vault:
        chunks = vault.encoder.left
        for name, share in FILLED.items():
            left = vault.encoder.left
            encode_share(vault, 1 - (1 - share) * chunks / left)
            found[name] = evaluate(vault, collection)
    gains = {other: _gain(found["default"], found[other]) for other in ("lexical", "static")}
    return {**measured, **{name: _as_dict(scores) for name, scores in found.items()}, "gain_over": gains}


def _with_encoder(name: str) -> Settings:
    usual = Settings()
    return replace(usual, embed=replace(usual.embed, encoder=name), search=replace(usual.search, on_demand=0))


def _gain(ours: Scores, other: Scores) -> Measured:
    """Return the gain of ours, query by query, with its interval."""
    differences = [ours.each[query] - other.each[query] for query in ours.each]
    bounds = interval(differences)
    return {"ndcg@10": round(ours.ndcg_10 - other.ndcg_10, 4), "interval": [round(bound, 4) for bound in bounds]}


def _as_dict(scores: Scores) -> Measured:
    return {
        "ndcg@10": round(scores.ndcg_10, 4),
        "interval": [round(bound, 4) for bound in scores.intervals["ndcg@10"]],
        "recall@100": round(scores.means["recall@100"], 4),
    }
