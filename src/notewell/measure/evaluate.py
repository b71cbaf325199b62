"""Evaluation of judged queries through the whole pipeline: documents become notes, hits a ranking of documents."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from notewell.config.files import SettingsFiles
from notewell.config.sections import StoreSettings
from notewell.config.settings import Settings
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.measure.collection import Collection, Document
from notewell.measure.metrics import Judgements, interval, ndcg, recall, reciprocal_rank
from notewell.search import MEASURING, Rules, Searched, SearchRules, search
from notewell.search.embedding import usable_embedders
from notewell.types.candidates import Candidate
from notewell.types.query import Query
from notewell.vault import Vault

# Enough chunks to contain a hundred different documents.
CHUNKS = 250


@frozen
class Scores:
    """Means over all queries with their 95 % intervals, by the names of the metrics, and nDCG@10 of each query."""

    queries: int
    means: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    each: Mapping[str, float]

    @property
    def ndcg_10(self) -> float:
        """Return the mean nDCG@10."""
        return self.means["ndcg@10"]


@contextmanager
def collection_vault(collection: Collection, settings: Settings) -> Iterator[Vault]:
    """Make a temporary vault of a collection, one note per document."""
    with tempfile.TemporaryDirectory(prefix="notewell-eval-") as name:
        folder = Path(name)
        for document in collection.documents:
            file = folder / _note_path(document.name)
            file.parent.mkdir(exist_ok=True)
            file.write_text(_as_markdown(document), encoding="utf-8")
        # All documents of the collection are notes, whatever the vault excludes.
        here = replace(settings, index=WalkRules(), store=StoreSettings("store.db"))
        with Vault(folder, SettingsFiles(lambda: here)) as vault:
            vault.index()
            yield vault


def encode_share(vault: Vault, share: float) -> None:
    """Encode this share of the chunks that are not encoded yet."""
    left = vault.encoder.left
    kept = left - round(share * left)

    def tell(number: int, total: int) -> None:
        # The numbers include what was encoded before; what is missing does not.
        nonlocal left
        left = total - number

    vault.encode(Progress(tell, lambda: left <= kept))


def evaluate(vault: Vault, collection: Collection) -> Scores:
    """Run every judged query, and compare the documents found with the judgements."""
    names = note_names(collection)
    ranked = {
        query: documents_of(paths_of(find_candidates(vault, text, limit=CHUNKS)), names)
        for query, text in collection.queries.items()
    }
    return score(ranked, collection.judgements, 100)


def score(ranked: Mapping[str, Sequence[str]], judged: Mapping[str, Judgements], depth: int) -> Scores:
    """Compare what each query found with its judgements; recall also at this `depth`."""
    pairs = [(found, judged[query]) for query, found in ranked.items()]
    values = {
        "ndcg@10": [ndcg(found, wanted) for found, wanted in pairs],
        "recall@10": [recall(found, wanted, 10) for found, wanted in pairs],
        f"recall@{depth}": [recall(found, wanted, depth) for found, wanted in pairs],
        "mrr@10": [reciprocal_rank(found, wanted) for found, wanted in pairs],
    }
    return Scores(
        queries=len(ranked),
        means={name: float(np.mean(of_metric)) for name, of_metric in values.items()},
        intervals={name: interval(of_metric) for name, of_metric in values.items()},
        each=dict(zip(ranked, values["ndcg@10"], strict=True)),
    )


def find_candidates(vault: Vault, text: str, *, limit: int, encoder: bool = True) -> list[Candidate]:
    """Return the candidates for a plain text, without excerpts; nothing is stored."""
    return search_plainly(vault, text, limit=limit, encoder=encoder).candidates


def search_plainly(
    vault: Vault, text: str, *, limit: int, rules: SearchRules | None = None, encoder: bool = True
) -> Searched:
    """Return what a search for a plain text finds, without excerpts; nothing is stored.

    With `rules`, they take the place of the vault's.
    """
    embedders, _ = usable_embedders(vault.models, vault.store.state.made_for.embedder, hurried=False)
    settings = replace(rules or vault.settings.search, limit=limit, max_tokens=0)
    measuring = Rules(settings, vault.settings.decay, date.today(), mode=MEASURING._replace(encoder=encoder))
    with vault.shown.answering() as snapshot:
        return search(Query(text), store=snapshot, embedders=embedders, rules=measuring)


def paths_of(candidates: Iterable[Candidate]) -> Iterator[str]:
    """Yield the notes of each candidate and of its duplicates, since a judgement may name any of them."""
    for candidate in candidates:
        yield candidate.chunk.path
        yield from (place.rpartition(":")[0] for place in candidate.also)


def note_names(collection: Collection) -> dict[str, str]:
    """Return the document of each note, by path."""
    return {_note_path(document.name): document.name for document in collection.documents}


def documents_of(paths: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Return the documents of notes, each once, in the same order."""
    return list(dict.fromkeys(names[path] for path in paths))


def _note_path(name: str) -> str:
    """Return a unique path for a document, whatever characters its id has.

    >>> _note_path("12/a")
    '32/31322f61.md'
    """
    code = name.encode("utf-8").hex()
    return f"{code[-2:] if len(code) < 4 else code[2:4]}/{code}.md"


def _as_markdown(document: Document) -> str:
    title = document.title.replace("\n", " ").strip()
    return f"# {title}\n\n{document.text}\n" if title else f"{document.text}\n"
