from __future__ import annotations

from dataclasses import replace

import pytest

from notewell.config.settings import Settings
from notewell.embed import EmbedRules
from notewell.files.survey import WalkRules
from notewell.index.encode import GROUP
from notewell.measure.collection import Collection, Document
from notewell.measure.evaluate import collection_vault, encode_share, evaluate
from notewell.search import SearchRules

DOCUMENTS = (
    Document("a/1", "Rye bread", "It rises slowly, overnight."),
    Document("a/2", "", "Bees make honey in the hive all summer long."),
    Document("ü 3", "Fuel", "A car needs it.\n\n## Oil\n\nA car needs oil as well, and more of it in winter."),
    Document("4", "Bread", "Wheat bread rises faster than any other kind."),
)
SETTINGS = Settings(embed=EmbedRules("words"))


def measured(settings: Settings, queries: dict[str, str], judgements: dict[str, dict[str, int]]) -> dict[str, float]:
    collection = Collection(DOCUMENTS, queries, judgements)
    with collection_vault(collection, settings) as vault:
        scores = evaluate(vault, collection)
    assert scores.queries == len(queries)
    names = {"ndcg@10": "ndcg", "recall@10": "recall", "recall@100": "recall100", "mrr@10": "mrr"}
    return {names[metric]: mean for metric, mean in scores.means.items()}


def test_documents_that_are_found_first_score_one() -> None:
    scores = measured(SETTINGS, {"q1": "rye", "q2": "honey hive"}, {"q1": {"a/1": 1}, "q2": {"a/2": 1}})
    assert scores == pytest.approx({"ndcg": 1, "recall": 1, "recall100": 1, "mrr": 1})


def test_means_run_over_all_queries() -> None:
    lexical = replace(SETTINGS, search=SearchRules(lexical_weight=1, vector_weight=0))
    judgements = {"q1": {"a/1": 1}, "q2": {"a/1": 1}}
    assert measured(lexical, {"q1": "rye", "q2": "honey"}, judgements) == pytest.approx(
        {"ndcg": 0.5, "recall": 0.5, "recall100": 0.5, "mrr": 0.5}
    )


def test_a_document_of_several_chunks_counts_once_at_its_best() -> None:
    lexical = replace(SETTINGS, search=SearchRules(lexical_weight=1, vector_weight=0))
    scores = measured(lexical, {"q": "car oil bread"}, {"q": {"ü 3": 1, "4": 1, "a/1": 1}})
    assert scores == pytest.approx({"ndcg": 1, "recall": 1, "recall100": 1, "mrr": 1})


def test_every_document_is_measured_whatever_the_vault_leaves_out() -> None:
    narrow = replace(SETTINGS, index=WalkRules(exclude=("*.md",), include=("nowhere",), max_bytes=1))
    assert measured(narrow, {"q1": "rye"}, {"q1": {"a/1": 1}})["mrr"] == 1


def test_the_vault_of_a_collection_is_gone_afterwards() -> None:
    collection = Collection(DOCUMENTS, {"q": "rye"}, {"q": {"a/1": 1}})
    with collection_vault(collection, SETTINGS) as vault:
        root = vault.root
        assert vault.store.about().notes == len(DOCUMENTS)
    assert not root.exists()


def test_shares_of_the_chunks_are_encoded_one_after_the_other() -> None:
    documents = tuple(Document(str(number), "", f"Note {number} is about bees.") for number in range(4 * GROUP))
    settings = replace(SETTINGS, embed=EmbedRules("words", encoder="words"))
    with collection_vault(Collection(documents, {}, {}), settings) as vault:
        encode_share(vault, 1 / 4)
        assert vault.encoder.left == 3 * GROUP
        encode_share(vault, 1 / 3)
        assert vault.encoder.left == 2 * GROUP
