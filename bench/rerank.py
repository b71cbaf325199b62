"""What reranking costs: a search whose 20 best hits a cross-encoder of MiniLM's size reads."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.child import Measured, say
from bench.cross_encoder import make_cross_encoder
from bench.queries import load_queries
from bench.vaults import find_archives, make_vault
from notewell import Vault
from notewell.embed.onnx import MINILM

VAULT, QUERIES = "obsidian-help", 40


def measure_reranking(folder: str) -> Measured:
    """Search with and without a reranker, by turns, and return milliseconds of processor and of wall time."""
    with tempfile.TemporaryDirectory(prefix="notewell-rerank-") as name:
        (model := Path(name) / "by-chance").mkdir()
        say("rerank: making a model")
        (model / "model.onnx").write_bytes(make_cross_encoder())
        shutil.copy(MINILM / "tokenizer.json", model)
        archive = find_archives(Path(folder), (VAULT,))[VAULT]
        made = make_vault(VAULT, archive, Path(name), QUERIES)
        with Vault.open(made.root, {"embed.encoder": "off", "rerank.model": str(model)}) as vault:
            vault.index()
            vault.search("warm", rerank=True)
            rows = np.array([_timed(vault, query) for _, query in load_queries(made.queries)[:QUERIES]])
    names = ("processor_ms", "wall_ms", "processor_ms_reranked", "wall_ms_reranked")
    return {"queries": len(rows)} | {
        name: {"p50": round(float(np.median(column)), 1), "p95": round(float(np.quantile(column, 0.95)), 1)}
        for name, column in zip(names, rows.T, strict=True)
    }


def _timed(vault: Vault, query: str) -> tuple[float, ...]:
    """Return the times of a query without and with the reranker."""
    times: list[float] = []
    for rerank in (False, True):
        began = time.process_time(), time.perf_counter()
        vault.search(query, rerank=rerank, refresh=False)
        times += [1000 * (time.process_time() - began[0]), 1000 * (time.perf_counter() - began[1])]
    return tuple(times)
