from __future__ import annotations

import pytest

from notewell.embed import EmbedRules
from notewell.embed.prefixes import BGE, KNOWN, Prefixes, find_prefixes

NAMES = {
    "BAAI/bge-large-en-v1.5": BGE,
    "bge-large:335m": BGE,
    "~/models/bge-small-en-v1.5/": BGE,
    "mxbai-embed-large:latest": BGE,
    "Snowflake/snowflake-arctic-embed-m-v1.5": BGE,
    "snowflake-arctic-embed2": Prefixes(query="query: "),
    "intfloat/e5-base-v2": Prefixes("query: ", "passage: "),
    "intfloat/multilingual-e5-large": Prefixes("query: ", "passage: "),
    "nomic-embed-text:v1.5": Prefixes("search_query: ", "search_document: "),
    "nomic-ai/nomic-embed-text-v1.5": Prefixes("search_query: ", "search_document: "),
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
}


@pytest.mark.parametrize(("name", "prefixes"), NAMES.items())
def test_a_model_is_known_by_its_name_whoever_serves_it(name: str, prefixes: Prefixes) -> None:
    assert find_prefixes(name, EmbedRules()) == prefixes


@pytest.mark.parametrize(
    "name",
    [
        "all-minilm",
        "BAAI/bge-m3",
        "BAAI/bge-large-zh-v1.5",
        "intfloat/e5-mistral-7b-instruct",
        "intfloat/multilingual-e5-large-instruct",
        "text-embedding-3-small",
        "e5-base-v2/other",
        "",
    ],
)
def test_a_model_that_is_not_known_has_no_prefix(name: str) -> None:
    assert find_prefixes(name, EmbedRules()) == Prefixes()


def test_every_family_has_a_name_that_is_tested() -> None:
    assert {prefixes for _, prefixes in KNOWN} == set(NAMES.values())


def test_what_is_set_wins_for_each_of_the_two() -> None:
    assert find_prefixes("e5-base-v2", EmbedRules(query_prefix="")) == Prefixes("", "passage: ")
    assert find_prefixes("e5-base-v2", EmbedRules(passage_prefix="p: ")) == Prefixes("query: ", "p: ")
    assert find_prefixes("all-minilm", EmbedRules(query_prefix="q: ")) == Prefixes("q: ", "")
