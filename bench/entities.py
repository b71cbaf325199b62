"""Entities: what it costs to extract them, how right they are on notes judged by hand, and that they change no hit."""

from __future__ import annotations

import os
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from bench.child import Measured, say
from bench.queries import load_queries
from bench.sample import sample_vault
from bench.vaults import find_archives, make_vault
from notewell import Results, Vault
from notewell.entities import vault_entities
from notewell.entities.file import EntityFile
from notewell.entities.kinds import key_of
from notewell.entities.ner import find_model
from notewell.index import Progress

VAULTS = ("obsidian-help", "zettelkasten-13419", "docs-16894")
SAMPLE = "sample vault"
SETTINGS = {"embed.encoder": "off"}
JUDGED = Path(__file__).with_name("entities.toml")
# Queries that are asked with and without entities, by turns, and how many notes' names are asked, too.
QUERIES = 150
# Seconds after which extraction is stopped: the share of the notes that it has read tells the rest.
MOST = 180
# By what a name is found that nobody chose as a title, link, tag or property.
BY_TEXT = {"text", "model"}
MENTIONS = (
    'select note.path, mention.entity, entity.kind, name.key, "by" from mention join note on note.id = note'
    " join entity on entity.id = mention.entity join name on name.entity = entity.id"
)


class Named(NamedTuple):
    """An entity that a note names: its kind, the keys of its names, and by what it was found in this note."""

    kind: str
    keys: frozenset[str]
    by: frozenset[str]


def measure_entities(folder: str, work: str) -> Measured:
    """Extract the entities of each vault without and with the model for names."""
    measured: Measured = {}
    # The files of entities lie in the state folder.
    with (
        tempfile.TemporaryDirectory(prefix="notewell-entities-") as state,
        patch.dict(os.environ, XDG_STATE_HOME=state),
    ):
        with sample_vault() as vault:
            measured[SAMPLE] = _measured(vault, SAMPLE, Path(state))
        for name, archive in find_archives(Path(folder), VAULTS).items():
            made = make_vault(name, archive, Path(work), 700)
            with Vault.open(made.root, SETTINGS) as vault:
                vault.index()
                measured[name] = _measured(vault, name, Path(state))
                measured[name]["search"] = _searched(vault, [text for _, text in load_queries(made.queries)])
    return measured


def _measured(vault: Vault, name: str, state: Path) -> Measured:
    found: Measured = {"notes": vault.store.about().notes}
    for way in ("model", "plain"):
        say(f"entities: {name}, {way}")
        for file in state.rglob("entities/*.db"):
            file.unlink()
        with _finding(way):
            found[way] = _timed(vault)
            if found[way]["read"] < 1:
                continue
            found[way]["again_seconds"] = _timed(vault)["seconds"]
        (file,) = state.rglob("entities/*.db")
        if notes := [
            note for note in tomllib.loads(JUDGED.read_text(encoding="utf-8"))["note"] if note["vault"] == name
        ]:
            found[way]["judged"] = _judged(_named(file), notes)
    return found


def _finding(way: str) -> Any:
    """Return a context in which the model for names is there, or is not."""
    return patch.object(vault_entities, "find_model", find_model if way == "model" else lambda: (None, ()))


def _timed(vault: Vault) -> Measured:
    """Return what extraction takes; `read` is the share of the new and changed notes that it got to."""
    began, told = (time.perf_counter(), time.process_time()), [1, 1]
    progress = Progress(
        tell=lambda *counts: told.__setitem__(slice(None), counts), stop=lambda: time.perf_counter() - began[0] > MOST
    )
    found = vault.entities(progress=progress)
    seconds, processor = time.perf_counter() - began[0], time.process_time() - began[1]
    return {
        "read": round(told[0] / told[1], 3),
        "entities": found.total,
        "model": found.model,
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
    }


def _named(file: Path) -> dict[str, list[Named]]:
    """Return the entities that each note names."""
    kinds: dict[tuple[str, int], str] = {}
    keys: dict[tuple[str, int], set[str]] = defaultdict(set)
    ways: dict[tuple[str, int], set[str]] = defaultdict(set)
    with EntityFile(file).opened() as db:
        for path, entity, kind, key, by in db.execute(MENTIONS):
            kinds[path, entity] = kind
            keys[path, entity].add(key)
            ways[path, entity].add(by)
    named: dict[str, list[Named]] = defaultdict(list)
    for (path, entity), kind in kinds.items():
        named[path].append(Named(kind, frozenset(keys[path, entity]), frozenset(ways[path, entity])))
    return named


def _judged(named: dict[str, list[Named]], notes: Sequence[dict[str, Any]]) -> Measured:
    """Compare with what was judged: all names, and those that only the text gives."""
    rows = [row for note in notes for row in _compared(named[note["path"]], note["names"], note.get("text", ()))]
    text = [(is_found, is_right, kind) for is_found, is_right, kind, by_text in rows if by_text]
    return {"notes": len(notes), "all": _counted(row[:3] for row in rows), "text": _counted(text)}


def _compared(
    named: Sequence[Named], judged: Sequence[str], in_text: Sequence[str]
) -> Iterator[tuple[bool, bool, bool, bool]]:
    """Yield whether each name was found, is right, and is of the right kind; and whether only text gives it."""
    wanted = [(*_wanted(one), one in in_text) for one in (*judged, *in_text)]
    for one in named:
        match = next(((kind, keys) for kind, keys, _ in wanted if keys & one.keys), None)
        yield True, match is not None, match is not None and match[0] == one.kind, one.by <= BY_TEXT
    for _, keys, only_text in wanted:
        if not any(keys & one.keys for one in named):
            yield False, True, False, only_text


def _wanted(judged: str) -> tuple[str, frozenset[str]]:
    kind, colon, names = judged.partition(": ")
    return kind if colon else "concept", frozenset(key_of(one) for one in (names or kind).split(" = "))


def _counted(rows: Iterable[tuple[bool, bool, bool]]) -> Measured:
    listed = list(rows)
    found = [row for row in listed if row[0]]
    right = [row for row in found if row[1]]
    wanted = sum(row[1] for row in listed)
    return {
        "extracted": len(found),
        "right": len(right),
        "missed": wanted - len(right),
        "right_kind": sum(row[2] for row in right),
        "precision": round(len(right) / max(1, len(found)), 3),
        "recall": round(len(right) / max(1, wanted), 3),
    }


def _searched(vault: Vault, queries: Sequence[str]) -> Measured:
    """Ask queries, and names of entities, with and without what is known of them beside the hits."""
    names = [one.name for one in vault.entities().entities[:QUERIES]]
    measured: Measured = {}
    for kind, texts in (("queries", queries[:QUERIES]), ("names", names)):
        rows = [_by_turns(vault, text) for text in texts]
        times = np.array([row[:2] for row in rows])
        measured[kind] = {
            "queries": len(rows),
            "with_context": sum(row[2] for row in rows),
            "same_hits": sum(row[3] for row in rows),
            "processor_ms": [round(float(value), 2) for value in np.median(times, axis=0)],
        }
    return measured


def _by_turns(vault: Vault, text: str) -> tuple[float, float, bool, bool]:
    """Return the processor time without and with entities, whether any are shown, and whether the hits are the same."""
    vault.search(text, refresh=False)
    with patch.object(vault_entities.VaultEntities, "named_in", lambda *_: None):
        without, plain = _asked(vault, text)
    both, shown = _asked(vault, text)
    return without, both, bool(shown.entities), plain.hits == shown.hits


def _asked(vault: Vault, text: str) -> tuple[float, Results]:
    began = time.process_time()
    results = vault.search(text, refresh=False)
    return 1000 * (time.process_time() - began), results
