"""`notewell eval`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from notewell.config import public_settings
from notewell.config.settings import Settings
from notewell.files.safe_open import GOLDEN
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import Scores, collection_vault, encode_share, evaluate
from notewell.measure.golden import compare, evaluate_golden, load_baseline, load_golden
from notewell.search.fuse import FUSIONS
from notewell.serve.cli.options import Number, json_option, open_vault, print_json, vault_option
from notewell.serve.say import counted, echo, say
from notewell.vault import Vault

# The metrics of a FOLDER's queries, and of golden ones, which are asked less deep.
METRICS = ("ndcg@10", "recall@10", "recall@100", "mrr@10")
GOLDEN_METRICS = ("ndcg@10", "recall@10", "recall@50", "mrr@10")


@click.command("eval")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@vault_option
@click.option(
    "--golden", is_flag=True, help="Ask the vault's own queries, in notewell-golden.toml, instead of a FOLDER's"
)
@click.option(
    "--fail-below",
    multiple=True,
    metavar="METRIC=N",
    help="End with exit code 1 if a metric, such as mrr@10, is below N; may be repeated",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --golden: end with exit code 1 if nDCG@10 is worse than in FILE, an earlier --json",
)
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
    folder: Path | None,
    vault: Path | None,
    golden: bool,
    fail_below: tuple[str, ...],
    baseline: Path | None,
    split: str,
    fusion: str | None,
    lexical_weight: float | None,
    vector_weight: float | None,
    filled: float,
    as_json: bool,
) -> None:
    """Measure search quality on judged queries

    FOLDER has BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv. Its documents are indexed as notes in a
    temporary folder, with the settings of this vault. With --golden, it asks this vault its golden queries instead.

    \b
    Example:
        notewell eval data/beir/scifact
        notewell eval --golden --json > before.json
        notewell eval --golden --baseline before.json --fail-below mrr@10=0.8
    """
    options = {
        "search.fusion": fusion,
        "search.lexical_weight": lexical_weight,
        "search.vector_weight": vector_weight,
    }
    if golden == (folder is not None) or (baseline and not golden):
        raise click.UsageError("Name a FOLDER, or ask the vault's own queries with --golden (and --baseline).")
    # A file that cannot be read is an error now, not after all queries.
    before = load_baseline(baseline) if baseline else {}
    least = _read_least(fail_below, GOLDEN_METRICS if golden else METRICS)
    with open_vault(vault, options) as opened:
        scores = _ask_folder(opened, folder, split, filled) if folder else _ask_golden(opened)
        shown = scores_data(scores, opened.settings)
    if as_json:
        print_json(shown)
    else:
        _print_scores(scores)
    failed = [f"{name} is {shown[name]}, below {limit:g}" for name, limit in least.items() if shown[name] < limit]
    if baseline:
        failed += _worse(before, shown["each"])
    for reason in failed:
        say(f"failed: {reason}")
    if failed:
        raise SystemExit(1)


def _read_least(written: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
    """Return the least value of each metric.

    >>> _read_least(["mrr@10=0.8"], METRICS)
    {'mrr@10': 0.8}
    """
    least = {}
    for one in written:
        name, _, value = one.partition("=")
        if name not in metrics or not re.fullmatch(r"0?\.\d+|[01](?:\.0*)?", value):
            raise click.UsageError(f"--fail-below {one} is not METRIC=N: one of {', '.join(metrics)}, and 0 to 1.")
        least[name] = float(value)
    return least


def _worse(before: Mapping[str, float], each: Mapping[str, float]) -> list[str]:
    worse = compare(before, each)
    if worse.now >= worse.before:
        return []
    return [f"ndcg@10 fell from {worse.before} to {worse.now}; worse: {', '.join(map(repr, worse.queries))}"]


def _ask_folder(vault: Vault, folder: Path, split: str, filled: float) -> Scores:
    collection = load_collection(folder, split)
    say(f"indexing {len(collection.documents):,} documents")
    with collection_vault(collection, vault.settings) as measured:
        if measured.encoder.left and filled:
            say(f"encoding {filled:.0%} of {measured.encoder.left:,} chunks")
            encode_share(measured, filled)
        say(f"running {counted(len(collection.queries), 'query')}")
        return evaluate(measured, collection)


def _ask_golden(vault: Vault) -> Scores:
    queries = load_golden(vault.root / GOLDEN)
    vault.refresh()
    say(f"running {counted(len(queries), 'query')}")
    scores, gone = evaluate_golden(vault, queries)
    for one in gone:
        places = ", ".join(one.want)
        if one.text in scores.each:
            say(f"note: not indexed, and left out of '{one.text}': {places}")
        else:
            say(f"note: left out, because none of its notes is indexed: {one.text} ({places})")
    return scores


def _print_scores(scores: Scores) -> None:
    echo(f"queries     {scores.queries}")
    for name, mean in scores.means.items():
        low, high = scores.intervals[name]
        echo(f"{name:12}{mean:.4f}  ({low:.3f} to {high:.3f})")


def scores_data(scores: Scores, settings: Settings) -> dict[str, Any]:
    """Return the scores as JSON data."""
    return {
        "queries": scores.queries,
        **{name: round(mean, 4) for name, mean in scores.means.items()},
        **{f"{name}_interval": [round(bound, 4) for bound in bounds] for name, bounds in scores.intervals.items()},
        "each": {query: round(score, 4) for query, score in scores.each.items()},
        "settings": {part: public_settings(settings)[part] for part in ("chunk", "embed", "search")},
    }
