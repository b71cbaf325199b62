"""Whether a file, one, two and four PostgreSQL servers give the same answers, on collections and known items."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from tests.postgres import own_server

from bench.child import Measured, say
from bench.known_queries import without_names
from bench.vaults import find_archives, make_vault
from notewell import Vault
from notewell.config.files import SettingsFiles
from notewell.config.sections import StoreSettings
from notewell.config.settings import Settings
from notewell.files.survey import WalkRules
from notewell.measure.collection import load_collection
from notewell.measure.evaluate import collection_vault, evaluate, find_candidates
from notewell.serve.own_server import OwnServer
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.nodes import Nodes

# How many servers, queries of each collection, and candidates that have to be the same.
SERVERS = (1, 2, 4)
ASKED, TOP = 200, 100
VAULTS = ("obsidian-help", "zettelkasten-13419")

# Places with their scores, the best first, for each query.
Answers = list[list[tuple[str, int, float]]]


def measure_servers(folder: str, only: str = "") -> Measured:
    """Index each collection into a file and into databases of one, two and four servers, and compare the answers."""
    data = Path(folder)
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="notewell-servers-") as work:
        databases = [stack.enter_context(_database(number)) for number in SERVERS]
        of_collections = {place.name: partial(_of_collection, place) for place in sorted((data / "beir").iterdir())}
        of_vaults = {name: partial(_of_vault, data, name, Path(work)) for name in VAULTS}
        wanted = {name: measure for name, measure in {**of_collections, **of_vaults}.items() if only in ("", name)}
        return {name: measure(databases) for name, measure in wanted.items()}


def _of_collection(folder: Path, databases: Sequence[OwnServer]) -> Measured:
    say(f"servers: {folder.name}")
    collection = load_collection(folder)
    with collection_vault(collection, _settings()) as vault:
        measured = _compared(vault, [*collection.queries.values()][:ASKED], databases)
        on_server = [evaluate(one, collection).ndcg_10 for one in _vaults(vault, databases[:1])]
        return {**measured, "file_ndcg": evaluate(vault, collection).ndcg_10, "server_ndcg": on_server[0]}


def _of_vault(data: Path, name: str, work: Path, databases: Sequence[OwnServer]) -> Measured:
    """Ask for titles, which are taken out of all notes."""
    say(f"servers: {name}")
    made = make_vault(name, find_archives(data, (name,))[name], work, 1)
    root, wanted, _ = without_names(made.root, work / f"{name}-nameless")
    with Vault(root, _always(replace(_settings(), store=StoreSettings("store.db")))) as vault:
        vault.index()
        return _compared(vault, [one.text for one in wanted], databases)


def _settings() -> Settings:
    usual = Settings()
    return replace(usual, embed=replace(usual.embed, encoder="off"), index=WalkRules())


def _always(settings: Settings) -> SettingsFiles:
    return SettingsFiles(lambda: settings)


@contextmanager
def _database(servers: int) -> Iterator[OwnServer]:
    """Run a database of its own on this many servers."""
    with ExitStack() as stack:
        home, *others = (stack.enter_context(own_server()) for _ in range(servers))
        with closing(Connections(home.url())) as connections:
            nodes = Nodes(connections)
            for other in others:
                nodes.add(other.url())
        yield home


def _compared(vault: Vault, queries: Sequence[str], databases: Sequence[OwnServer]) -> Measured:
    """Return how many queries have the same answers everywhere, and by how much scores differ at most."""
    file = _answers(vault, queries)
    asked: Measured = {"queries": len(queries), "candidates": sum(map(len, file))}
    for number, other in zip(SERVERS, _vaults(vault, databases), strict=False):
        asked[f"{number}"] = _difference(file, _answers(other, queries))
    return asked


def _vaults(vault: Vault, databases: Sequence[OwnServer]) -> Iterator[Vault]:
    for database in databases:
        store = StoreSettings(url=database.url(), name=vault.root.name)
        with Vault(vault.root, _always(replace(vault.settings, store=store))) as other:
            other.index()
            yield other


def _answers(vault: Vault, queries: Sequence[str]) -> Answers:
    found = (find_candidates(vault, text, limit=TOP) for text in queries)
    return [[(one.chunk.path, one.chunk.line, one.score) for one in candidates] for candidates in found]


def _difference(ones: Answers, others: Answers) -> Mapping[str, float]:
    both = [*zip(ones, others, strict=True)]
    scores = [abs(a[2] - b[2]) for one, other in both for a, b in zip(one, other, strict=False)]
    return {
        "identical": sum(one == other for one, other in both),
        "same_places": sum([each[:2] for each in one] == [each[:2] for each in other] for one, other in both),
        "largest_difference": float(np.max(scores, initial=0.0)),
    }
