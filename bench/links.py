"""What links gain in search: link texts with the link removed, two-hop questions, the sample vault's questions."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean

import numpy as np

from bench.child import Measured, say
from bench.sample import sample_questions, sample_vault
from bench.vaults import find_archives, make_vault
from notewell import Vault
from notewell.config.files import SettingsFiles
from notewell.config.settings import Settings
from notewell.measure.collection import Document, load_collection
from notewell.measure.evaluate import collection_vault, documents_of, find_candidates, note_names, paths_of
from notewell.measure.metrics import interval, ndcg, reciprocal_rank
from notewell.types.note import Link

VAULTS = ("obsidian-help", "zettelkasten-13419", "docs-16894")
TWO_HOPS = "hotpotqa-train100"
MODES = ("off", "s10", "links")
# Link texts per vault; the seed is one on which no constant was chosen.
DRAWN = 500
SEED = 20261115
# A query has some letters, and is not a whole paragraph.
ASKABLE = re.compile(r"(?=.*[^\W\d_]{2}).{3,80}")
WIKI = re.compile(r"!?\[\[([^\[\]|#^]*)[^\[\]|]*\|?([^\[\]]*)\]\]")
MARKDOWN = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
# A shorter title is an ordinary word.
SHORTEST = 3
# Enough chunks to contain ten notes.
CHUNKS = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the wanted notes, and the note it was taken from, which does not count as an answer."""

    text: str
    wanted: Mapping[str, int]
    source: str = ""
    own_name: bool = False


def measure_links(folder: str) -> Measured:
    """Search with each use of links, on every set."""
    data = Path(folder)
    with tempfile.TemporaryDirectory(prefix="notewell-links-") as work:
        measured: Measured = {}
        for name, archive in find_archives(data, VAULTS).items():
            say(f"links: {name}")
            root = make_vault(name, archive, Path(work), 1).root
            measured |= {f"{name}, {kind}": found for kind, found in _link_texts(root).items()}
            shutil.rmtree(root)
    say(f"links: {TWO_HOPS}, sample vault")
    return {**measured, f"{TWO_HOPS}, two hops": _two_hops(data / "beir" / TWO_HOPS), "sample vault": _sample()}


def _link_texts(root: Path) -> Measured:
    """Draw link texts, remove their links from the notes, and search for them."""
    with Vault(root, SettingsFiles(_settings)) as vault:
        vault.index()
        drawn = list(_draw(vault))
        for question, links in drawn:
            _take_away(root / question.source, links)
        vault.index()
        asked = [question for question, _ in drawn if not _still_linked(vault, question)]
        kinds = {"other text": False, "own name": True}
        return {kind: _compare(vault, [one for one in asked if one.own_name == own]) for kind, own in kinds.items()}


def _draw(vault: Vault) -> Iterator[tuple[Question, list[Link]]]:
    """Yield link texts, no note and no target twice, each with all links from its note to the same target."""
    with vault.store.reading() as snapshot:
        edges, named = snapshot.edges(), {one.id: one for one in snapshot.names()}
        titles = {one.path: one.title for one in named.values()}
        order = sorted(named)
        Random(SEED).shuffle(order)
        chance, taken, left = Random(SEED), set(), DRAWN
        for note in order:
            ends = edges.targets[edges.sources == note]
            links = snapshot.links_of([note])[note] if len(ends) else ()
            fit = [
                (link, int(end))
                for link, end in zip(links, ends, strict=False)
                if int(end) in named and end != note and int(end) not in taken and ASKABLE.fullmatch(_called(link))
            ]
            if not fit or not left:
                continue
            link, target = chance.choice(fit)
            same = [other for other, end in zip(links, ends, strict=False) if end == target]
            if any(other.kind == "field" for other in same):
                continue
            taken.add(target)
            left -= 1
            own = {Path(named[target].path).stem, titles.get(named[target].path, ""), *named[target].aliases}
            is_own = _called(link).casefold() in {name.casefold() for name in own}
            yield Question(_called(link), {named[target].path: 1}, named[note].path, is_own), same


def _called(link: Link) -> str:
    return link.text or link.target.rpartition("/")[2].removesuffix(".md")


def _take_away(file: Path, links: Sequence[Link]) -> None:
    """Replace these links by their texts."""
    lines = file.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    targets = {link.target for link in links}
    texts = {link.text for link in links}
    for number in {link.line - 1 for link in links if link.line <= len(lines)}:
        line = WIKI.sub(lambda link: link[2] or link[1] if link[1].strip() in targets else link[0], lines[number])
        lines[number] = MARKDOWN.sub(lambda link: link[1] if link[1].strip() in texts else link[0], line)
    file.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")


def _still_linked(vault: Vault, question: Question) -> bool:
    return any(lead.to in question.wanted for lead in vault.links(question.source).links)


def _two_hops(folder: Path) -> Measured:
    """Ask questions that need two passages; a passage links to another whose title it names."""
    collection = load_collection(folder)
    names = note_names(collection)
    paths = {name: path for path, name in names.items()}
    titles = {one.title: paths[one.name] for one in collection.documents if len(one.title) > SHORTEST}
    named = re.compile(r"\b(" + "|".join(sorted(map(re.escape, titles), key=len, reverse=True)) + r")\b")

    def linked(document: Document) -> Document:
        text = named.sub(lambda name: f"[[{titles[name[1]]}|{name[1]}]]", document.text)
        return replace(document, text=text)

    collection = replace(collection, documents=tuple(map(linked, collection.documents)))
    with collection_vault(collection, _settings()) as vault:
        asked = [Question(text, collection.judgements[query]) for query, text in collection.queries.items()]
        return _compare(vault, asked, names)


def _sample() -> Measured:
    notes = {one["text"]: {place.rpartition(":")[0]: 1 for place in one["want"]} for one in sample_questions()}
    with sample_vault() as vault:
        return _compare(vault, [Question(text, wanted) for text, wanted in notes.items()])


def _settings() -> Settings:
    usual = Settings()
    return replace(usual, embed=replace(usual.embed, encoder="off"), search=replace(usual.search, on_demand=0))


def _compare(vault: Vault, asked: Sequence[Question], names: Mapping[str, str] | None = None) -> Measured:
    found: dict[str, list[float]] = {}
    measured: Measured = {"questions": len(asked)}
    for mode in MODES:
        rules = replace(vault.settings.search, graph=mode)
        vault.settings_files = SettingsFiles(partial(replace, vault.settings, search=rules))
        began = time.process_time()
        ranked = [_ranked(vault, question, names) for question in asked]
        took = (time.process_time() - began) / max(1, len(asked)) * 1000
        judged = list(zip(ranked, asked, strict=True))
        found[mode] = [ndcg(paths, question.wanted) for paths, question in judged]
        rank = mean(reciprocal_rank(paths, question.wanted) for paths, question in judged)
        measured[mode] = {"ndcg@10": round(mean(found[mode]), 4), "mrr@10": round(rank, 4), "cpu_ms": round(took, 2)}
    for mode in MODES[1:]:
        gains = np.subtract(found[mode], found["off"])
        low, high = interval(list(gains))
        measured[mode] |= {"gain": round(float(gains.mean()), 4), "interval": [round(low, 4), round(high, 4)]}
    return measured


def _ranked(vault: Vault, question: Question, names: Mapping[str, str] | None) -> Sequence[str]:
    hits = find_candidates(vault, question.text, limit=CHUNKS)
    if names is not None:
        return documents_of(paths_of(hits), names)
    return [path for path in dict.fromkeys(hit.chunk.path for hit in hits) if path != question.source]
