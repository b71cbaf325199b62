"""Rerankers: real ONNX files, a real server, and a search whose best hits they order."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.embed.tiny_onnx import cross_encoder

from notewell import Vault
from notewell.config import load_settings
from notewell.embed.onnx import MINILM
from notewell.embed.rerank import load_reranker
from notewell.embed.rules import RerankRules
from notewell.errors import EmbedError, SettingsError
from notewell.search.rules import SearchRules

MakeVault = Callable[..., Vault]
QUERY, TEXTS = "hive", ["bees", "bees and bees and bees", "bees bees"]
NOTES = {
    "a.md": "# hive\n\nhive",
    "b.md": "A hive for bees and for more bees and for all.",
    "c.md": "A hive of honey bees that hum.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a cross-encoder that likes long texts."""
    (folder := tmp_path / "long-texts").mkdir()
    (folder / "model.onnx").write_bytes(cross_encoder())
    shutil.copy(MINILM / "tokenizer.json", folder)
    return folder


class Handler(BaseHTTPRequestHandler):
    """Answers with the lengths of the documents, in no order, or with what the test says."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server: Any = self.server
        server.asked.append((self.path, asked))
        lengths = [{"index": number, "relevance_score": len(text)} for number, text in enumerate(asked["documents"])]
        data = json.dumps(server.answer or {"results": lengths[::-1]}).encode()
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def server() -> Iterator[Any]:
    made: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.asked, made.answer, made.status = [], None, 200
    made.url = f"http://127.0.0.1:{made.server_port}"
    thread = Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def order_of(scores: list[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda number: -scores[number])


@pytest.mark.parametrize("columns", [1, 2])
def test_an_onnx_folder_scores_pairs_by_one_number_or_by_two_classes(folder: Path, columns: int) -> None:
    (folder / "model.onnx").write_bytes(cross_encoder(columns))
    load_reranker.cache_clear()
    reranker = load_reranker(RerankRules(str(folder)))
    scores = reranker.score(QUERY, TEXTS)
    assert order_of(scores) == [1, 2, 0] and reranker.name == "long-texts" and not reranker.is_remote
    # The query is in no score, and a text that is too long is cut, not the query.
    assert reranker.score("a much longer query", TEXTS) == scores
    assert reranker.score(QUERY, ["bees " * 5_000])[0] < 192 * 20_000


def test_a_model_that_is_no_cross_encoder_is_an_error_with_a_hint() -> None:
    with pytest.raises(EmbedError, match="holds no cross-encoder"):
        load_reranker(RerankRules(str(MINILM))).score(QUERY, TEXTS)


def test_a_server_scores_by_index_and_its_failures_are_told(server: Any) -> None:
    reranker = load_reranker(RerankRules("openai:some-reranker", server.url))
    assert order_of(reranker.score(QUERY, TEXTS)) == [1, 2, 0]
    path, asked = server.asked[0]
    assert path == "/v1/rerank" and (asked["model"], asked["query"], asked["documents"]) == (
        "some-reranker",
        QUERY,
        TEXTS,
    )
    answers: list[Any] = [{"results": []}, {"results": [{"index": 0, "relevance_score": "x"}]}, [1], {"results": 3}]
    for answer in answers:
        server.answer = answer
        with pytest.raises(EmbedError, match="without a score for each text"):
            reranker.score(QUERY, TEXTS)
    server.status = 404
    with pytest.raises(EmbedError) as caught:
        reranker.score(QUERY, TEXTS)
    assert "some-reranker" in caught.value.hint and "bees" not in caught.value.fact


def test_a_search_that_asks_for_it_has_the_best_hits_in_the_models_order(make_vault: MakeVault, folder: Path) -> None:
    vault = make_vault(NOTES, {"rerank.model": str(folder)})
    vault.index()
    usual = vault.search("hive", explain=True)
    ranked = vault.search("hive", explain=True, rerank=True)
    assert usual.hits[0].path == "a.md"
    assert [hit.path for hit in ranked.hits] == ["b.md", "c.md", "a.md"]
    assert [hit.score for hit in ranked.hits] == [hit.score for hit in usual.hits], "of the same scale"
    last = ranked.hits[0].trace[-1]
    assert last.by == "rerank" and "by long-texts, was " in last.why
    only_two = make_settings(vault, {"rerank.model": str(folder), "rerank.candidates": 2, "search.rerank": True})
    assert [hit.path for hit in only_two.search("hive").hits][2] == usual.hits[2].path


def make_settings(vault: Vault, settings: dict[str, Any]) -> Vault:
    return Vault.open(vault.root, {"embed.model": "words", "search.floor": 0, **settings})


def test_hits_that_a_model_puts_first_are_not_hidden_as_noise(make_vault: MakeVault, folder: Path) -> None:
    notes = {f"{name}.md": f"A hive {'and more words ' * number}" for number, name in enumerate("abcdefgh")}
    vault = make_vault({**notes, "mites.md": "Varroa mites, varroa mites."}, {"rerank.model": str(folder)})
    vault.index()
    with make_settings(vault, {"rerank.model": str(folder), "search.floor": SearchRules().floor}) as opened:
        usual, ranked = (opened.search("varroa mites of a hive", rerank=rerank) for rerank in (False, True))
    assert usual.hits[0].path == "mites.md" and usual.hidden
    assert len(ranked.hits) == len(notes) + 1 and not ranked.hidden and ranked.hits[0].path == "h.md"


def test_a_server_gets_no_secret_and_without_it_the_hits_stay(make_vault: MakeVault, server: Any) -> None:
    vault = make_vault(NOTES, {"rerank.model": "openai:r", "rerank.url": server.url})
    vault.index()
    key = "AK" + "IA" + "QWERTZUIOPASDFGH"
    vault.search(f"hive {key}", rerank=True)
    assert key not in json.dumps(server.asked) and "REDACTED" in json.dumps(server.asked)
    server.status = 500
    failed = vault.search("hive", rerank=True)
    assert [notice.code for notice in failed.notices] == ["not_reranked"]
    assert [hit.path for hit in failed.hits] == [hit.path for hit in vault.search("hive").hits]


def test_a_model_that_gives_no_numbers_leaves_the_hits_as_they_are(make_vault: MakeVault, folder: Path) -> None:
    (folder / "model.onnx").write_bytes(cross_encoder(broken=True))
    load_reranker.cache_clear()
    vault = make_vault(NOTES, {"rerank.model": str(folder)})
    vault.index()
    ranked = vault.search("hive", rerank=True)
    assert [(one.code, one.facts["reason"]) for one in ranked.notices] == [
        ("not_reranked", "The model long-texts gives scores that are no numbers")
    ]
    assert [hit.path for hit in ranked.hits] == [hit.path for hit in vault.search("hive").hits]


def test_no_model_and_a_model_named_by_a_vault_are_errors(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    with pytest.raises(EmbedError, match="No reranker is set"):
        vault.search("hive", rerank=True)
    with pytest.raises(EmbedError, match=r"has no model\.onnx"):
        make_settings(vault, {"rerank.model": str(vault.root)}).search("hive", rerank=True)
    with pytest.raises(EmbedError, match="needs an address"):
        make_settings(vault, {"rerank.model": "openai:r"}).search("hive", rerank=True)
    (vault.root / "notewell.toml").write_text('[rerank]\nurl = "https://example.org"\n')
    with pytest.raises(SettingsError, match="can only be set in your own settings"):
        load_settings(vault.root, {}, {})
