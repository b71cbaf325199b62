"""Prefixes of embedders."""

from __future__ import annotations

from notewell.embed import EmbedRules
from notewell.embed.rules import BGE, KNOWN, Prefixes, find_prefixes

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
UNKNOWN = [
    *("all-minilm", "BAAI/bge-m3", "BAAI/bge-large-zh-v1.5", "intfloat/e5-mistral-7b-instruct"),
    *("intfloat/multilingual-e5-large-instruct", "text-embedding-3-small", "e5-base-v2/other", ""),
]


def test_prefixes_are_known_by_the_models_name_whoever_serves_it() -> None:
    assert {name: find_prefixes(name, EmbedRules()) for name in NAMES} == NAMES
    assert {prefixes for _, prefixes in KNOWN} == set(NAMES.values())


def test_an_unknown_model_has_no_prefix() -> None:
    assert [name for name in UNKNOWN if find_prefixes(name, EmbedRules()) != Prefixes()] == []


def test_a_prefix_that_is_set_wins() -> None:
    assert find_prefixes("e5-base-v2", EmbedRules(query_prefix="")) == Prefixes("", "passage: ")
    assert find_prefixes("e5-base-v2", EmbedRules(passage_prefix="p: ")) == Prefixes("query: ", "p: ")
    assert find_prefixes("all-minilm", EmbedRules(query_prefix="q: ")) == Prefixes("q: ", "")
