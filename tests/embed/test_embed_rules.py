"""Addresses, keys and prefixes of embedders."""

from __future__ import annotations

import pytest

from notewell.embed import EmbedRules
from notewell.embed.rules import BGE, KNOWN, Prefixes, ServerAddress, find_prefixes, parse_address

ADDRESSES = {
    "http://127.0.0.1:11434": ServerAddress("http", "127.0.0.1", 11434),
    "https://api.example.org/v1/": ServerAddress("https", "api.example.org", 443, "/v1"),
    "HTTP://LocalHost": ServerAddress("http", "localhost", 80),
    "http://[::1]:8080": ServerAddress("http", "::1", 8080),
}
HERE = ["http://localhost:1", "http://127.0.0.1", "http://127.8.9.10", "http://[::1]"]
ELSEWHERE = [
    *("https://example.org", "http://localhost.example.org", "http://127.0.0.1.example.org", "http://127.1"),
    *("http://0.0.0.0", "http://192.168.1.2", "http://[::ffff:8.8.8.8]", "http://2130706433"),
]
NO_ADDRESSES = [
    *("", "localhost:11434", "ftp://localhost", "file:///etc/passwd", "http://", "http:///v1"),
    *("http://localhost:port", "http://localhost:99999", "http://[::1", "http://local host"),
    *("http://localhost\n.example.org", "http://löcalhost", "http://name:" + "-".join(("pass", "word")) + "@localhost"),
    *("http://localhost\\@example.org", "http://localhost?to=example.org", "http://localhost#example.org"),
]


def test_an_address_is_split_and_written_again() -> None:
    assert {url: parse_address(url) for url in ADDRESSES} == ADDRESSES
    assert {url: parse_address(str(address)) for url, address in ADDRESSES.items()} == ADDRESSES


def test_only_this_machine_is_here() -> None:
    assert [url for url in (*HERE, *ELSEWHERE) if parse_address(url).is_here] == HERE


def test_anything_but_a_plain_address_is_refused_and_not_repeated() -> None:
    for url in NO_ADDRESSES:
        with pytest.raises(ValueError, match=r"^(contains|is|should) ") as caught:
            parse_address(url)
        assert "pass-word" not in str(caught.value)


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
