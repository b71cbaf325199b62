"""Other engines on the same chunks and queries, in the same run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.database import database

from bench.child import BenchError, Measured, in_child, memory_mb, milliseconds, percentiles, say
from bench.queries import FILTERED, load_queries
from bench.vaults import BenchVault
from notewell import Vault

TOP = 30
# Part of the queries, all kinds in turn: plain FTS5 takes a tenth of a second for some.
QUERIES = 210
# A scan of all files takes as long for any query.
SCANS = 35
PASSES = 3
WORD = re.compile(r"\w+")

Ask = Callable[[str], object]


def measure_peers(vault: BenchVault) -> Measured:
    """Measure Notewell and each peer in separate processes; a peer that is not installed is reported."""
    rows: Measured = {}
    for name, (needs, _) in PEERS.items():
        if not (shutil.which("rg") if name == "ripgrep" else find_spec(needs)):
            rows[name] = {"left_out": f"{name}: not installed, row left out"}
            say(rows[name]["left_out"])
            continue
        say(f"{vault.name}: {name}")
        try:
            rows[name] = in_child("peers:measure_peer", name=name, root=str(vault.root), queries=str(vault.queries))
        except BenchError as error:
            # One peer's failure must not lose the others' rows.
            rows[name] = {"left_out": f"{name}: {error.fact}"}
    return rows


def measure_peer(name: str, root: str, queries: str) -> Measured:
    """Build one peer's index in a temporary folder, and run the queries: once to warm up, then with a clock."""
    asked = [text for kind, text in load_queries(queries) if kind != FILTERED]
    asked = asked[: SCANS if name == "ripgrep" else QUERIES]
    with tempfile.TemporaryDirectory(prefix="notewell-bench-") as folder:
        built, ask = PEERS[name][1](Path(root), Path(folder))
        for text in asked:
            ask(text)
        took = [milliseconds(ask, text) for _ in range(PASSES) for text in asked]
    return {**built, "queries": len(asked), **percentiles(took), "memory_mb": memory_mb()["peak"]}


def _texts(root: Path) -> list[str]:
    """Return what the store holds of each chunk: its headings and its text."""
    vault = Vault.open(root)
    with vault.store.reading() as snapshot:
        ids = [slot for (slot,) in database(vault.store).execute("select id from chunk order by id")]
        return [chunk.meaning for chunk in snapshot.chunks(ids).values()]


def _notewell(root: Path, folder: Path) -> tuple[Measured, Ask]:
    """Notewell as it is: words and meaning, chunks read and excerpts cut."""
    return {}, Vault.open(root).search


def _notewell_words(root: Path, folder: Path) -> tuple[Measured, Ask]:
    """Notewell by words alone: the nearest to what the other engines do."""
    return {}, Vault.open(root, {"search.vector_weight": 0}).search


def _fts5(root: Path, folder: Path) -> tuple[Measured, Ask]:
    import apsw

    texts = _texts(root)
    began = time.perf_counter()
    db = apsw.Connection(str(folder / "fts.db"))
    db.execute("create virtual table words using fts5(text, tokenize = 'porter unicode61')")
    with db:
        db.executemany("insert into words(rowid, text) values (?, ?)", enumerate(texts, start=1))
    built = _built(began, folder)
    query = f"select rowid from words where words match ? order by bm25(words), rowid limit {TOP}"

    def ask(text: str) -> object:
        terms = " OR ".join(f'"{word}"' for word in WORD.findall(text))
        return db.execute(query, (terms,)).fetchall() if terms else []

    return built, ask


def _bm25s(root: Path, folder: Path) -> tuple[Measured, Ask]:
    built, engine, tokens = _bm25s_engine(root, folder)

    def ask(text: str) -> object:
        wanted = tokens(text)
        # It refuses a query without a word it keeps, such as one of stop words alone.
        return engine.retrieve(wanted, k=TOP, show_progress=False) if wanted[0] else ()

    return built, ask


def _bm25s_scores(root: Path, folder: Path) -> tuple[Measured, Ask]:
    """bm25s's scores, and the best of them taken here.

    Its own selection partitions from the far end, which NumPy does slowly where most scores are 0:
    13 ms of 14 among 100,000 chunks. A ratio against that alone would flatter us.
    """
    import numpy as np

    built, engine, tokens = _bm25s_engine(root, folder)

    def ask(text: str) -> object:
        (wanted,) = tokens(text)
        if not wanted:
            return ()
        lowest_first = -engine.get_scores(wanted)
        top = np.argpartition(lowest_first, TOP)[:TOP]
        return top[np.argsort(lowest_first[top], kind="stable")]

    return built, ask


def _bm25s_engine(root: Path, folder: Path) -> tuple[Measured, Any, Callable[[str], Any]]:
    import bm25s
    import Stemmer

    texts = _texts(root)
    common = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    began = time.perf_counter()
    engine = bm25s.BM25()
    engine.index(bm25s.tokenize(texts, **common), show_progress=False)
    engine.save(folder)
    return _built(began, folder), engine, lambda text: bm25s.tokenize(text, return_ids=False, **common)


def _tantivy(root: Path, folder: Path) -> tuple[Measured, Ask]:
    import tantivy

    texts = _texts(root)
    began = time.perf_counter()
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="en_stem").build()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer()
    for text in texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    built = _built(began, folder)
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> object:
        words = " ".join(WORD.findall(text))
        return searcher.search(index.parse_query_lenient(words, ["text"])[0], TOP).hits

    return built, ask


def _ripgrep(root: Path, folder: Path) -> tuple[Measured, Ask]:
    """A scan of the files for the literal text, one process a query, unranked."""

    def ask(text: str) -> object:
        command = [
            "rg",
            "--fixed-strings",
            "--ignore-case",
            "--files-with-matches",
            "--glob=*.md",
            "--",
            text,
            str(root),
        ]
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False)

    return {}, ask


def _built(began: float, folder: Path) -> Measured:
    seconds = time.perf_counter() - began
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {"index_seconds": round(seconds, 2), "index_bytes": size}


# What each peer requires, and how it is built and queried.
PEERS: dict[str, tuple[str, Callable[[Path, Path], tuple[Measured, Ask]]]] = {
    "notewell": ("notewell", _notewell),
    "notewell, words alone": ("notewell", _notewell_words),
    "ripgrep": ("rg", _ripgrep),
    "FTS5": ("apsw", _fts5),
    "bm25s": ("bm25s", _bm25s),
    "bm25s, quick top 30": ("bm25s", _bm25s_scores),
    "tantivy": ("tantivy", _tantivy),
}
