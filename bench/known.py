"""Known items: titles, names, sections, references and questions of real vaults find their note; beside plain BM25."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bench.child import ROOT, Measured, say
from bench.known_queries import KINDS, Wanted, without_names
from bench.vaults import every_archive, make_vault
from notewell import Hit, Vault
from notewell.measure.evaluate import search_plainly
from notewell.measure.metrics import interval

# Folders that are vaults of their own: the help in two languages, and the notes of one person.
PARTS = {"obsidian-help": ("de", "en"), "docs-16894": ("", "til")}
SAMPLE = "sample vault"
# Distinct notes that count, and hits that surely hold as many.
TOP, HITS = 10, 50
WITHOUT_STORE = shutil.ignore_patterns(".notewell")
# Headings inside a hit.
INNER = re.compile(r"^##+ +(.+?)\s*#*$", re.MULTILINE)
# What Notewell is asked with; `words` is the nearest to what the peers do, and `encoder` is the default install.
Settings = Mapping[str, object]
SETTINGS: dict[str, Settings] = {
    "words": {"search.vector_weight": 0, "embed.encoder": "off"},
    "static": {"embed.encoder": "off"},
    "encoder": {"embed.encoder": "minilm"},
}
# The encoder has read all that the titles need, and the first of what each other query lacks: a whole vault would take
# it an hour. With more chunks than these, even the titles would.
READ_FIRST = 48
MOST_READ = 30_000
# Queries of each kind but titles.
ASKED = 50

# The best notes for a query, the best first.
Ask = Callable[[str], Sequence[str]]


def measure_known(folder: str) -> Measured:
    """Make the queries of each vault, and ask Notewell and its peers."""
    with tempfile.TemporaryDirectory(prefix="notewell-known-") as name:
        work = Path(name)
        roots = {SAMPLE: shutil.copytree(ROOT / "examples" / "vault", work / "sample", ignore=WITHOUT_STORE)}
        for vault, archive in every_archive(Path(folder)).items():
            root = make_vault(vault, archive, work, 1).root
            roots |= {f"{vault}/{part}".rstrip("/"): root / part for part in PARTS.get(vault, ("",))}
        return {vault: _vault(vault, root, work) for vault, root in roots.items()}


def _vault(name: str, root: Path, work: Path) -> Measured:
    say(f"{name}: known items")
    nameless, titles, others = without_names(root, work / f"{name.replace('/', '-')}-nameless")
    settings = dict(SETTINGS)
    with _opened(nameless, settings["static"], ()) as vault:
        if vault.status().chunks > MOST_READ:
            del settings["encoder"]
    peers = _peers(nameless)
    measured = {"titles": _scored({**_notewell(nameless, titles, settings), **peers}, titles)}
    if others:
        quick = {engine: one for engine, one in settings.items() if engine != "encoder"}
        measured["other titles"] = _scored({**_notewell(nameless, others, quick), **peers}, others)
    return measured | _kinds(root, settings)


def _notewell(root: Path, titles: Sequence[Wanted], settings: Mapping[str, Settings]) -> dict[str, Ask]:
    asked: dict[str, Ask] = {}
    for name, each in settings.items():
        vault = _opened(root, each, titles)
        asked[f"notewell, {name}"] = lambda text, vault=vault: _distinct(  # type: ignore[misc]
            hit.path for hit in vault.search(text, limit=HITS, all=True, refresh=False)
        )
    return asked


def _opened(root: Path, settings: Settings, queries: Sequence[Wanted], most: int | None = None) -> Vault:
    """Return the indexed vault, in which the encoder has read what the queries lack, or the first so many of each."""
    vault = Vault.open(root, settings)
    vault.index()
    if encoder := vault.models.encoder:
        # The first search finds no vectors at all, and lacks less than it would.
        for wanted in (*queries[:1], *queries):
            lacking = search_plainly(vault, wanted.text, limit=TOP).lacking[:most]
            with vault.shown.answering() as snapshot:
                chunks = [*snapshot.chunks(lacking).values()]
            vault.encoder.keep([(chunks, encoder.embed([chunk.meaning for chunk in chunks]))] if chunks else [])
    return vault


def _kinds(root: Path, settings: Mapping[str, Settings]) -> Measured:
    """Return how well queries of each kind find their note, or the section where one is asked for."""
    kinds = {kind: made[:ASKED] for kind, make in KINDS.items() if (made := make(root))}
    ranks: dict[str, dict[str, list[float]]] = {kind: {} for kind in kinds}
    for engine, each in settings.items():
        with _opened(root, each, [wanted for made in kinds.values() for wanted in made], READ_FIRST) as vault:
            for kind, queries in kinds.items():
                ranks[kind][f"notewell, {engine}"] = [_found(vault, wanted) for wanted in queries]
    return {kind: _summaries(found) for kind, found in ranks.items()}


def _found(vault: Vault, wanted: Wanted) -> float:
    hits = vault.search(wanted.text, limit=TOP, all=True, refresh=False)
    right = (rank for rank, hit in enumerate(hits, start=1) if _holds(hit, wanted))
    return 1 / next(right, 10**9)


def _holds(hit: Hit, wanted: Wanted) -> bool:
    """Tell whether a hit is of the note, and of the section if one is asked for: short ones share a chunk."""
    headings = ("", hit.heading.rpartition(" > ")[2], *INNER.findall(hit.text))
    return hit.path in wanted.paths and wanted.heading in headings


def _peers(root: Path) -> dict[str, Ask]:
    """Return plain BM25 over whole notes, by three engines."""
    files = sorted(root.glob("*.md"))
    names, texts = [file.name for file in files], [file.read_text("utf-8", "replace") for file in files]
    return {"bm25s": _bm25s(names, texts), "FTS5": _fts5(names, texts), "tantivy": _tantivy(names, texts)}


def _bm25s(names: Sequence[str], texts: Sequence[str]) -> Ask:
    import bm25s
    import Stemmer

    common = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    engine = bm25s.BM25()
    engine.index(bm25s.tokenize(texts, **common), show_progress=False)

    def ask(text: str) -> Sequence[str]:
        wanted = bm25s.tokenize(text, return_ids=False, **common)
        found = engine.retrieve(wanted, k=TOP, show_progress=False)[0][0] if wanted[0] else ()
        return [names[place] for place in found]

    return ask


def _fts5(names: Sequence[str], texts: Sequence[str]) -> Ask:
    import apsw

    db = apsw.Connection(":memory:")
    db.execute("create virtual table words using fts5(text, tokenize = 'porter unicode61')")
    db.executemany("insert into words(rowid, text) values (?, ?)", enumerate(texts))
    query = f"select rowid from words where words match ? order by bm25(words), rowid limit {TOP}"

    def ask(text: str) -> Sequence[str]:
        terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        return [names[place] for (place,) in db.execute(query, (terms,))] if terms else []

    return ask


def _tantivy(names: Sequence[str], texts: Sequence[str]) -> Ask:
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="en_stem")
    index = tantivy.Index(schema.add_integer_field("place", stored=True).build())
    writer = index.writer()
    for place, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, place=place))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> Sequence[str]:
        query, _ = index.parse_query_lenient(" ".join(re.findall(r"\w+", text)), ["text"])
        return [names[searcher.doc(found)["place"][0]] for _, found in searcher.search(query, TOP).hits]

    return ask


def _scored(asked: Mapping[str, Ask], queries: Sequence[Wanted]) -> Measured:
    return _summaries({engine: [_rank(ask, wanted) for wanted in queries] for engine, ask in asked.items()})


def _rank(ask: Ask, wanted: Wanted) -> float:
    return next((1 / rank for rank, path in enumerate(ask(wanted.text), 1) if path in wanted.paths), 0.0)


def _summaries(ranks: Mapping[str, Sequence[float]]) -> Measured:
    """Return each engine's mean reciprocal rank and how often its first is right, and what it gains over others.

    Each mean has its interval; that of a gain, over words alone and over the best peer, compares query by query.
    """
    words = ranks["notewell, words"]
    means = {engine: float(np.mean(found)) for engine, found in ranks.items()}
    peer = max((engine for engine in ranks if not engine.startswith("notewell")), key=means.__getitem__, default="")
    measured: Measured = {}
    for engine, found in ranks.items():
        measured[engine] = {
            "queries": len(found),
            "mrr@10": round(means[engine], 4),
            "interval": _rounded(interval(list(found))),
            "hit@1": round(float(np.mean([rank == 1 for rank in found])), 4),
            "over_words": _gain(found, words),
        }
        if peer and engine.startswith("notewell"):
            measured[engine] |= {"best_peer": peer, "over_peer": _gain(found, ranks[peer])}
    return measured


def _gain(found: Sequence[float], other: Sequence[float]) -> list[float]:
    return _rounded(interval([one - its for one, its in zip(found, other, strict=True)]))


def _rounded(bounds: Iterable[float]) -> list[float]:
    return [round(bound, 4) for bound in bounds]


def _distinct(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))[:TOP]
