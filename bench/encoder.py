"""The cost of the encoder: vectors per second, and a search during encoding."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.database import database

from bench.child import (
    Measured,
    clean_environment,
    in_child,
    memory_mb,
    milliseconds,
    notewell_command,
    percentiles,
    say,
)
from bench.latency import ENCODER, store_random_vectors
from bench.queries import load_queries
from bench.vaults import BenchVault
from notewell import Vault
from notewell.types.note import Chunk, Vectors

# Chunks for the static model's rate and for the encoder's.
MANY, FEW = 8_000, 200
# Of the store that is searched during encoding, one chunk in so many is encoded.
FILLED = 4
# Seconds for an encoding process to begin its work.
BEGIN = 3.0


def measure_encoder(vault: BenchVault) -> Measured:
    """Measure in fresh processes, on a copy of the vault's store."""
    say(f"{vault.name}: encoder")
    rates = in_child("encoder:time_rates", root=str(vault.root))
    return {**rates, **in_child("encoder:time_queries", root=str(vault.root), queries=str(vault.queries))}


def time_rates(root: str) -> Measured:
    """Embed chunks of the vault with both models, tokenisation included."""
    with Vault.open(root, {"embed.encoder": ENCODER}) as vault:
        texts = [chunk.meaning for chunk in _chunks(vault, MANY)]
        assert vault.models.encoder is not None
        return {
            "mean_chars": round(sum(map(len, texts)) / len(texts)),
            "static_chunks_per_second": _rate(vault.models.embedder.embed, texts),
            "encoder_chunks_per_second": _rate(vault.models.encoder.embed, texts[:: MANY // FEW]),
        }


def time_queries(root: str, queries: str) -> Measured:
    """Time the queries alone and during encoding, on a copy of the store with a quarter encoded."""
    asked = [text for _, text in load_queries(queries)]
    with tempfile.TemporaryDirectory(prefix="notewell-bench-") as folder:
        copy = Path(folder) / "store.db"
        with Vault.open(root) as vault:
            vault.backup(copy)
        with Vault.open(root, {"store.path": str(copy), "embed.encoder": ENCODER}) as vault:
            store_random_vectors(vault, FILLED)
            return {"while_filling": _times_while_encoding(vault, asked, copy), "memory_mb": memory_mb()}


def _times_while_encoding(vault: Vault, asked: Sequence[str], copy: Path) -> Measured:
    """Time the queries alone, then beside the background encoding that `notewell index` starts."""
    alone = percentiles(_times(vault, asked))
    command = [notewell_command(), "encode", "--gently", "--vault", str(vault.root)]
    environment = {**clean_environment(), "NOTEWELL_EMBED_ENCODER": ENCODER, "NOTEWELL_STORE_PATH": str(copy)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment, **quiet)  # type: ignore[call-overload]
    try:
        time.sleep(BEGIN)
        beside = percentiles(_times(vault, asked))
    finally:
        process.terminate()
        process.wait()
    return {"alone": alone, "beside": beside, "p50_ratio": round(beside["p50"] / alone["p50"], 3)}


def _times(vault: Vault, asked: Sequence[str]) -> list[float]:
    for text in asked[:50]:
        vault.search(text)
    return [milliseconds(vault.search, text) for text in asked]


def _rate(embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> int:
    embed(texts[:20])
    began = time.perf_counter()
    embed(texts)
    return round(len(texts) / (time.perf_counter() - began))


def _chunks(vault: Vault, most: int) -> list[Chunk]:
    with vault.store.reading() as snapshot:
        ids = [slot for (slot,) in database(vault.store).execute("select id from chunk order by id")]
        return [*snapshot.chunks(ids[:: max(1, len(ids) // most)][:most]).values()]
