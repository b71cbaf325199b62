"""Known items: titles, and names with a heading, made of real vaults, find their note; beside plain BM25 over notes."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from bench.child import Measured, say
from bench.vaults import find_archives, make_vault
from notewell import Hit, Vault
from notewell.measure.metrics import interval

VAULTS = ("obsidian-help", "zettelkasten-13419", "docs-16894")
# Queries of each kind, and the seed they are drawn with.
DRAWN = 200
SEED = 7
# A note of fewer characters has too little text to be found by it.
LEAST = 400
# Distinct notes that count, and hits that surely hold as many.
TOP, HITS = 10, 50
TITLE = re.compile(r"""^title:\s*(?:>-?\s*)?["']?(.+?)["']?\s*$""", re.MULTILINE)
HEADING = re.compile(r"^# +(.+?)\s*#*\s*$", re.MULTILINE)
SECTION = re.compile(r"^##+ +([^\[\]<>`\n]{4,60}?)\s*#*$", re.MULTILINE)
# Properties that name the note: a known item is found by its text alone.
NAMES = re.compile(
    r"^(?:title|short-title|slug|permalink|alias|aliases|linkTitle):.*\n(?:[ \t]+.*\n|- .*\n)*", re.MULTILINE
)
FRONT = re.compile(r"\A(---\n.*?\n---\n)?(.*)\Z", re.DOTALL)
# What Notewell is asked with; `words` is the nearest to what the peers do.
SETTINGS: dict[str, dict[str, object]] = {
    "words": {"search.vector_weight": 0, "embed.encoder": "off"},
    "static": {"embed.encoder": "off"},
}

# The best notes for a query, the best first.
Ask = Callable[[str], Sequence[str]]


class Wanted(NamedTuple):
    """A query, the note it should find, and the heading of the section, if one is asked for."""

    text: str
    path: str
    heading: str = ""


def measure_known(folder: str) -> Measured:
    """Make the queries of each vault, and ask Notewell and its peers."""
    measured: Measured = {}
    with tempfile.TemporaryDirectory(prefix="notewell-known-") as name:
        work = Path(name)
        for vault, archive in find_archives(Path(folder), VAULTS).items():
            root = make_vault(vault, archive, work, 1).root
            say(f"{vault}: known items")
            nameless, titles = without_names(root, work / f"{vault}-nameless")
            asked: dict[str, Ask] = {**_notewell(nameless), **_peers(nameless)}
            measured[vault] = {
                "titles": {engine: _scores(ask, titles) for engine, ask in asked.items()},
                "sections": {engine: _found_sections(root, settings) for engine, settings in SETTINGS.items()},
            }
    return measured


def without_names(root: Path, out: Path) -> tuple[Path, list[Wanted]]:
    """Write the notes under numbers, without titles and names; return the folder, and titles with their notes."""
    out.mkdir()
    titled: dict[str, list[str]] = {}
    for number, file in enumerate(sorted(root.rglob("*.md"))):
        text, name = file.read_text("utf-8", "replace"), f"{number:05d}.md"
        found = TITLE.search(text[:4000]) or HEADING.search(text)
        if found and len(text) > LEAST:
            titled.setdefault(found[1].strip(), []).append(name)
        front, body = FRONT.match(text).groups("")  # type: ignore[union-attr]
        (out / name).write_text(NAMES.sub("", front) + HEADING.sub("", body, count=1), "utf-8")
    alone = sorted((title, names[0]) for title, names in titled.items() if len(names) == 1)
    return out, [Wanted(*pair) for pair in Random(SEED).sample(alone, min(DRAWN, len(alone)))]


def sections_of(root: Path) -> list[Wanted]:
    """Return the name of a note and one of its headings, as queries, for notes that no other is called like."""
    chance, wanted = Random(SEED), list[Wanted]()
    files = sorted(file for file in root.rglob("*.md") if len(file.stem) > 2)
    called = [file.stem.casefold() for file in files]
    alone = [file for file, name in zip(files, called, strict=True) if called.count(name) == 1]
    for file in chance.sample(alone, len(alone)):
        headings = SECTION.findall(file.read_text("utf-8", "replace"))
        distinct = [heading for heading in headings if headings.count(heading) == 1]
        if len(distinct) > 1 and len(wanted) < DRAWN:
            heading, name = chance.choice(distinct), re.sub("[-_]", " ", file.stem)
            wanted.append(Wanted(f"{name} {heading}", file.relative_to(root).as_posix(), heading))
    return wanted


def _notewell(root: Path) -> dict[str, Ask]:
    asked: dict[str, Ask] = {}
    for name, settings in SETTINGS.items():
        vault = Vault.open(root, settings)
        vault.index()
        asked[f"notewell, {name}"] = lambda text, vault=vault: _distinct(  # type: ignore[misc]
            hit.path for hit in vault.search(text, limit=HITS, all=True, refresh=False)
        )
    return asked


def _found_sections(root: Path, settings: dict[str, object]) -> Measured:
    """Return how well names with a heading find the section: its chunk, not only its note."""
    with Vault.open(root, settings) as vault:
        vault.index()

        def ask(wanted: Wanted) -> float:
            hits = vault.search(wanted.text, limit=TOP, all=True, refresh=False)
            right = (rank for rank, hit in enumerate(hits, start=1) if _holds(hit, wanted))
            return 1 / next(right, 10**9)

        return _summary([ask(wanted) for wanted in sections_of(root)])


def _holds(hit: Hit, wanted: Wanted) -> bool:
    """Tell whether a hit is the section, or has it: a short section is one chunk with its neighbour."""
    headings = (hit.heading.rpartition(" > ")[2], *SECTION.findall(hit.text))
    return hit.path == wanted.path and wanted.heading in headings


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


def _scores(ask: Ask, queries: Iterable[Wanted]) -> Measured:
    ranked = [(list(ask(wanted.text)), wanted.path) for wanted in queries]
    return _summary([1 / (found.index(path) + 1) if path in found else 0.0 for found, path in ranked])


def _summary(ranks: Sequence[float]) -> Measured:
    """Return the mean reciprocal rank with its interval, and how often the first is right."""
    return {
        "queries": len(ranks),
        "mrr@10": round(float(np.mean(ranks)), 4),
        "interval": [round(bound, 4) for bound in interval(list(ranks))],
        "hit@1": round(float(np.mean([rank == 1 for rank in ranks])), 4),
    }


def _distinct(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))[:TOP]
