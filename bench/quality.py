"""How good search is on judged collections, retriever by retriever and fused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.child import Measured, say
from notewell.config import Settings
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import Scores, collection_vault, evaluate

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
# Changes to the default settings of search; `default` is what a user gets.
VARIANTS: dict[str, dict[str, Any]] = {
    "lexical": {"vector_weight": 0.0},
    "vector": {"lexical_weight": 0.0, "vector_weight": 1.0},
    "rrf": {"fusion": "rrf", "lexical_weight": 1.0, "vector_weight": 1.0},
    "default": {},
}


def measure_quality(folder: str) -> Measured:
    """Index each collection once, and evaluate every variant on it."""
    return {place.name: _collection(place) for place in sorted(Path(folder).iterdir()) if place.is_dir()}


def _collection(folder: Path) -> Measured:
    say(f"quality: {folder.name}")
    collection = load_collection(folder)
    measured: Measured = {"queries": len(collection.queries), "reference_bm25": BM25_REFERENCE.get(folder.name)}
    with collection_vault(collection, Settings()) as vault:
        for name, changes in VARIANTS.items():
            vault.settings = replace(vault.settings, search=replace(Settings().search, **changes))
            measured[name] = _as_dict(evaluate(vault, collection))
    return measured


def _as_dict(scores: Scores) -> Measured:
    return {
        "ndcg@10": round(scores.ndcg_10, 4),
        "interval": [round(bound, 4) for bound in scores.interval],
        "recall@100": round(scores.recall_100, 4),
    }
