"""`notewell eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from notewell.config import public_settings
from notewell.config.settings import Settings
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import Scores, collection_vault, encode_share, evaluate
from notewell.search.fuse import FUSIONS
from notewell.serve.cli.options import Number, json_option, open_vault, print_json, vault_option
from notewell.serve.say import counted, echo, say


@click.command("eval")
@click.argument("folder", type=click.Path(path_type=Path))
@vault_option
@click.option("--split", default="test", show_default=True, help="Which judgements to use: qrels/SPLIT.tsv")
@click.option(
    "--fusion",
    type=click.Choice(list(FUSIONS)),
    help="How the rankings by words and by meaning are combined. Default: search.fusion",
)
@click.option("--lexical-weight", type=float, metavar="W", help="Weight of the ranking by words; 0 turns it off")
@click.option("--vector-weight", type=float, metavar="W", help="Weight of the ranking by meaning; 0 turns it off")
@click.option(
    "--filled",
    type=Number(float, 0, 1),
    default=1.0,
    show_default=True,
    metavar="SHARE",
    help="Share of chunks to encode first",
)
@json_option
def command(
    folder: Path,
    vault: Path | None,
    split: str,
    fusion: str | None,
    lexical_weight: float | None,
    vector_weight: float | None,
    filled: float,
    as_json: bool,
) -> None:
    """Measure search quality on judged queries

    FOLDER has BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv. Its documents are indexed as notes in a
    temporary folder, with the settings of this vault.

    \b
    Example:
        notewell eval data/beir/scifact
    """
    options = {
        "search.fusion": fusion,
        "search.lexical_weight": lexical_weight,
        "search.vector_weight": vector_weight,
    }
    settings = open_vault(vault, options).settings
    collection = load_collection(folder, split)
    say(f"indexing {len(collection.documents):,} documents")
    with collection_vault(collection, settings) as measured:
        if measured.encoder.left and filled:
            say(f"encoding {filled:.0%} of {measured.encoder.left:,} chunks")
            encode_share(measured, filled)
        say(f"running {counted(len(collection.queries), 'query')}")
        scores = evaluate(measured, collection)
    shown = scores_data(scores, settings)
    if as_json:
        print_json(shown)
        return
    for name in ("queries", "ndcg@10", "recall@10", "recall@100", "mrr@10"):
        echo(f"{name:12}{shown[name]}")


def scores_data(scores: Scores, settings: Settings) -> dict[str, Any]:
    """Return the scores as JSON data."""
    return {
        "queries": scores.queries,
        "ndcg@10": round(scores.ndcg_10, 4),
        "recall@10": round(scores.recall_10, 4),
        "recall@100": round(scores.recall_100, 4),
        "mrr@10": round(scores.mrr_10, 4),
        "ndcg@10_interval": [round(bound, 4) for bound in scores.interval],
        "settings": {part: public_settings(settings)[part] for part in ("chunk", "embed", "search")},
    }
