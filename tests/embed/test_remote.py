"""Embedders behind HTTP, against a real server on this machine."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, Protocol

import numpy as np
import pytest
from tests.cases import cases

from notewell.embed import EmbedRules, load_embedder
from notewell.embed.remote import BATCH, MAX_CHARS, RemoteEmbedder
from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError
from notewell.remote.address import Key
from notewell.remote.endpoint import HURRIED, MAX_DELAY, Patience

TEXTS = ["bees buzz", "dogs bark at the cat"]
KINDS = ("ollama", "openai")


class Server(Protocol):
    """What `server` gives."""

    url: str
    requests: list[Any]
    faults: deque[str]
    always: str


class Slept:
    """What was slept, without sleeping."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def remote(server: Server, kind: str = "ollama", sleep: Callable[[float], None] | None = None, **more: Any) -> Any:
    rules = EmbedRules(f"{kind}:some-model", url=server.url, **more)
    return RemoteEmbedder(rules, sleep=sleep or Slept())


def refused(server: Server, embedder: RemoteEmbedder | None = None) -> EmbedError:
    with pytest.raises(EmbedError) as caught:
        (embedder or remote(server)).embed(TEXTS)
    assert server.url in caught.value.fact and caught.value.hint
    return caught.value


# Two dialects


@cases("kind", KINDS)
def test_a_server_gives_one_row_for_each_text_in_their_order_and_of_length_1(server: Server, kind: str) -> None:
    embedder = load_embedder(EmbedRules(f"{kind}:some-model", url=server.url))
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert np.allclose(rows, WordsEmbedder().embed(TEXTS), atol=1e-6)
    assert embedder.embed_query(TEXTS[0]).shape == (embedder.dimensions,) == (27,)
    assert embedder.embed([]).shape == (0, 27)


@cases(
    ("kind", "base", "path"),
    [
        ("ollama", "", "/api/embed"),
        ("ollama", "/", "/api/embed"),
        ("ollama", "/api/embed", "/api/embed"),
        ("openai", "", "/v1/embeddings"),
        ("openai", "/v1", "/v1/embeddings"),
        ("openai", "/v1/", "/v1/embeddings"),
        ("openai", "/v1/embeddings", "/v1/embeddings"),
        ("openai", "/proxy/v1", "/proxy/v1/embeddings"),
    ],
)
def test_the_address_may_be_given_with_or_without_the_servers_own_path(
    server: Server, kind: str, base: str, path: str
) -> None:
    server.requests.clear()
    rules = EmbedRules(f"{kind}:some-model", url=server.url + base)
    RemoteEmbedder(rules).embed(["bees"])
    assert [(request.path, request.model) for request in server.requests] == [(path, "some-model")]


def test_texts_go_in_batches_and_come_back_in_order(server: Server) -> None:
    texts = [f"{'abcdefghij'[number % 10]} {number}" for number in range(2 * BATCH + 3)]
    assert np.allclose(remote(server).embed(texts), WordsEmbedder().embed(texts), atol=1e-6)
    assert [len(request.texts) for request in server.requests] == [BATCH, BATCH, 3]


def test_blank_texts_are_zero_and_never_sent(server: Server) -> None:
    rows = remote(server, "openai").embed(["", "bees", " \n"])
    assert np.linalg.norm(rows, axis=1).round(6).tolist() == [0, 1, 0]
    assert [request.texts for request in server.requests] == [["bees"]]


def test_a_hostile_text_is_cut(server: Server) -> None:
    remote(server).embed(["word " * 1_000_000])
    assert [len(text) for text in server.requests[0].texts] == [MAX_CHARS]


def test_text_of_any_script_arrives_as_it_is(server: Server) -> None:
    remote(server).embed(["京都の日記 — naïve 🐝"])
    assert server.requests[0].texts == ["京都の日記 — naïve 🐝"]


def test_nothing_is_sent_before_there_is_a_text(server: Server) -> None:
    assert remote(server).fingerprint == "ollama:some-model"
    assert server.requests == []


def test_the_dimensions_are_asked_for_once_and_only_if_no_vector_came_yet(server: Server) -> None:
    embedder = remote(server)
    assert (embedder.dimensions, embedder.dimensions, len(server.requests)) == (27, 27, 1)
    other = remote(server)
    other.embed(TEXTS)
    assert (other.dimensions, len(server.requests)) == (27, 2)


def test_a_proxy_of_the_environment_is_not_asked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert len(remote(server).embed(TEXTS)) == 2


# Prefixes and fingerprints


def test_a_query_and_a_passage_have_the_prefixes_of_the_models_family(server: Server) -> None:
    embedder = RemoteEmbedder(EmbedRules("ollama:nomic-embed-text:v1.5", url=server.url))
    embedder.embed(["bees"])
    embedder.embed_query("dogs")
    assert [request.texts for request in server.requests] == [["search_document: bees"], ["search_query: dogs"]]


def test_prefixes_that_are_set_win_over_those_that_are_known(server: Server) -> None:
    embedder = RemoteEmbedder(
        EmbedRules("ollama:nomic-embed-text", url=server.url, query_prefix="", passage_prefix="p ")
    )
    embedder.embed(["bees"])
    embedder.embed_query("dogs")
    assert [request.texts for request in server.requests] == [["p bees"], ["dogs"]]


def test_the_fingerprint_is_of_kind_model_and_passage_prefix_and_of_nothing_else() -> None:
    def name(model: str, **more: Any) -> str:
        return RemoteEmbedder(EmbedRules(model, **{"url": "http://127.0.0.1:1", **more})).fingerprint

    base = name("ollama:all-minilm")
    assert base == name("ollama:all-minilm", url="http://127.0.0.1:2") == name("ollama:all-minilm:latest")
    assert base == name("ollama:all-minilm", query_prefix="query: ", key=Key("a"), timeout=3.0)
    others = {
        name("openai:all-minilm"),
        name("ollama:all-minilm:33m"),
        name("ollama:all-minilm", passage_prefix="passage: "),
        name("ollama:all-minilm", passage_prefix="text: "),
    }
    assert len(others | {base}) == 5


# What goes wrong for a while


TEMPORARY = ["500", "503", "408", "425", "closed", "half", "half of chunks", "not HTTP"]


@cases(("kind", "fault"), product(KINDS, TEMPORARY))
def test_a_temporary_fault_is_retried_after_growing_delays(server: Server, kind: str, fault: str) -> None:
    server.requests.clear()
    server.faults.extend([fault, fault, fault])
    slept = Slept()
    assert len(remote(server, kind, slept).embed(TEXTS)) == 2
    assert slept.seconds == list(Patience().delays) == sorted(Patience().delays)
    assert len(server.requests) == 4


@cases(
    ("fault", "fact"),
    [
        ("500", "answers with 500 (tried 4 times): the server is tired"),
        ("closed", "closes the connection without an answer (tried 4 times)"),
        ("half", "breaks off in the middle of its answer (tried 4 times)"),
        ("half of chunks", "breaks off in the middle of its answer (tried 4 times)"),
        ("not HTTP", "does not speak HTTP (tried 4 times)"),
    ],
)
def test_a_fault_that_lasts_is_an_error_after_four_tries(server: Server, fault: str, fact: str) -> None:
    server.requests.clear()
    server.always = fault
    error = refused(server)
    assert error.fact == f"Ollama at {server.url}/api/embed {fact}"
    assert "`ollama serve`" in error.hint
    assert len(server.requests) == 4


def test_a_server_that_asks_for_a_longer_pause_gets_it_up_to_a_bound(server: Server) -> None:
    server.faults.append("429")
    slept = Slept()
    remote(server, sleep=slept).embed(TEXTS)
    assert slept.seconds == [7.0]
    assert MAX_DELAY == 60


@cases("fault", ["slow", "trickle", "trickle and close"])
def test_a_request_takes_no_longer_than_its_limit_even_if_bytes_come(server: Server, fault: str) -> None:
    server.requests.clear()
    server.always = fault
    error = refused(server, remote(server, timeout=0.1))
    assert "does not answer within 0.1 s (tried 4 times)" in error.fact


def test_a_slow_answer_is_followed_by_a_good_one(server: Server) -> None:
    server.faults.append("slow")
    assert len(remote(server, timeout=1.0).embed(TEXTS)) == 2


@cases(("kind", "hint"), [("ollama", "`ollama serve`"), ("openai", "embed.url")])
def test_a_server_that_is_not_there_is_an_error_with_a_hint(kind: str, hint: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        rules = EmbedRules(f"{kind}:some-model", url=f"http://127.0.0.1:{taken.getsockname()[1]}")
        slept = Slept()
        with pytest.raises(EmbedError, match="cannot be reached: Connection refused") as caught:
            RemoteEmbedder(rules, sleep=slept).embed(TEXTS)
    assert hint in caught.value.hint and len(slept.seconds) == 3


def test_a_hurried_embedder_tries_once_and_then_rests(server: Server) -> None:
    assert (HURRIED.delays, HURRIED.whole <= 5) == ((), True)
    server.always = "500"
    embedder = load_embedder(EmbedRules("ollama:some-model", url=server.url), hurried=True)
    for _ in range(3):
        with pytest.raises(EmbedError, match="answers with 500: "):
            embedder.embed_query("bees")
    assert len(server.requests) == 1


def test_all_batches_together_get_no_more_time_than_one(server: Server) -> None:
    server.faults.extend(["", "slow"])
    embedder = RemoteEmbedder(EmbedRules("ollama:some-model", url=server.url), replace(HURRIED, whole=0.2))
    with pytest.raises(EmbedError, match=r"does not answer within 0\.[012] s"):
        embedder.embed(["bees"] * (BATCH + 1))


# What goes wrong for good


FINAL = {
    "garbage": "not JSON",
    "nothing": "not JSON",
    "deep": "not JSON",
    "not a number": "not JSON",
    "infinite": "not JSON",
    "1e999": "1 vectors for 2 texts",
    "null": "contains no vectors",
    "no object": "contains no vectors",
    "another object": "contains no vectors",
    "too few": "1 vectors for 2 texts",
    "too many": "3 vectors for 2 texts",
    "no numbers": "not lists of numbers",
    "truth": "not lists of numbers",
    "empty vectors": "not lists of numbers",
    "a text for a vector": "not lists of numbers",
    "varying dimension": "different lengths",
    "far too long": "vectors of 27,000 numbers",
    "too large for a float": "not finite",
    "squares are infinite": "not finite",
    "huge": "more than 32,000,000 bytes",
    "redirect": "a redirect, which is not followed",
    "400": "answers with 400: the server is tired",
}


@cases(("kind", "fault"), product(KINDS, FINAL))
def test_a_final_fault_is_an_error_at_once(server: Server, kind: str, fault: str) -> None:
    server.requests.clear()
    server.always = fault
    slept = Slept()
    assert FINAL[fault] in refused(server, remote(server, kind, slept)).fact
    assert (len(server.requests), slept.seconds) == (1, [])


def test_a_number_beyond_any_float_is_an_error(server: Server) -> None:
    server.always = "1e999"
    with pytest.raises(EmbedError, match="not finite"):
        remote(server).embed(["bees"])


def test_two_vectors_for_one_text_are_an_error(server: Server) -> None:
    server.always = "the same index twice"
    assert "contains no vectors" in refused(server, remote(server, "openai")).fact


def test_batches_whose_vectors_differ_in_length_are_an_error(server: Server) -> None:
    server.faults.extend(["", "another dimension"])
    with pytest.raises(EmbedError, match="different lengths"):
        remote(server).embed(["bees"] * (BATCH + 1))


@cases(
    ("kind", "status", "hint"),
    [
        ("ollama", "404", "`ollama pull some-model`"),
        ("openai", "404", "'some-model'"),
        ("openai", "401", "NOTEWELL_EMBED_KEY"),
        ("openai", "403", "NOTEWELL_EMBED_KEY"),
        ("openai", "422", "'some-model'"),
    ],
)
def test_each_refusal_of_a_server_has_a_hint_of_its_own(server: Server, kind: str, status: str, hint: str) -> None:
    server.requests.clear()
    server.always = status
    error = refused(server, remote(server, kind))
    assert f"answers with {status}: the server is tired" in error.fact and hint in error.hint
    assert len(server.requests) == 1


def test_the_servers_message_is_one_short_line(server: Server) -> None:
    server.always = "400 " + "very\nlong \x1b[31m" * 1_000
    fact = refused(server).fact
    assert len(fact) < 320 and fact.isprintable()


@cases("text", ["The diary of a quiet summer by the lake.", "Meier"])
def test_a_message_that_quotes_the_request_is_left_out(server: Server, text: str) -> None:
    server.always = "echo"
    with pytest.raises(EmbedError) as caught:
        remote(server).embed([text])
    assert caught.value.fact.endswith("/api/embed answers with 400")


# The key


def test_the_key_goes_with_every_request_to_the_named_server_and_nowhere_else(server: Server) -> None:
    key = "-".join(("sk", "made", "up", "here"))
    embedder = remote(server, "openai", key=Key(key))
    embedder.embed(TEXTS)
    assert server.requests[0].headers["Authorization"] == f"Bearer {key}"
    server.always = "redirect"
    assert key not in refused(server, embedder).fact
    assert [request.path for request in server.requests] == ["/v1/embeddings"] * 2
    assert key not in embedder.fingerprint + repr(embedder) + repr(vars(embedder))


def test_without_a_key_no_header_is_sent(server: Server) -> None:
    remote(server).embed(TEXTS)
    assert "Authorization" not in server.requests[0].headers


def test_a_server_that_repeats_the_key_is_not_quoted(server: Server) -> None:
    key = "-".join(("sk", "made", "up", "here"))
    server.always = "echo of the key"
    error = refused(server, remote(server, "openai", key=Key(key)))
    assert error.fact.endswith("answers with 403") and key not in error.hint


@cases(("shown", "letters"), product((slice(None, 24), slice(-24, None), slice(8, 32)), (str, str.upper)))
def test_a_part_of_the_key_is_not_quoted_either(server: Server, shown: slice, letters: Callable[[str], str]) -> None:
    key = "-".join(("sk", "made", "up", "here", "and", "long", "as", "keys", "are"))
    server.always = f"401 no such key: {letters(key[shown])}…"
    assert refused(server, remote(server, "openai", key=Key(key))).fact.endswith("answers with 401")


def test_an_address_has_to_be_given_for_a_server_of_openais_shape() -> None:
    with pytest.raises(EmbedError, match="needs an address") as caught:
        load_embedder(EmbedRules("openai:text-embedding-3-small"))
    assert "NOTEWELL_EMBED_URL" in caught.value.hint


def test_after_the_rest_the_server_is_asked_again(server: Server) -> None:
    server.faults.append("500")
    embedder = RemoteEmbedder(EmbedRules("ollama:some-model", url=server.url), replace(HURRIED, rest=0.0))
    with pytest.raises(EmbedError, match="answers with 500"):
        embedder.embed_query("bees")
    assert embedder.embed_query("bees").any()


def test_a_server_that_does_not_speak_tls_gets_neither_text_nor_key(server: Server) -> None:
    rules = EmbedRules("openai:some-model", url=server.url.replace("http:", "https:"), key=Key("made-up"))
    with pytest.raises(EmbedError, match=r"cannot be reached: .*SSL"):
        RemoteEmbedder(rules, sleep=Slept()).embed(TEXTS)
    assert server.requests == []
