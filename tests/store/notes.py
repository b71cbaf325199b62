"""Notes to put into a store, and short ways to ask what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from notewell.embed.words import WordsEmbedder
from notewell.store import Snapshot, Store, Writing
from notewell.store.links import LinkEnds
from notewell.types.candidates import Ranking
from notewell.types.note import Chunk, Link, Note, Stamp
from notewell.types.query import Filter, Range, Scope

OpenStore = Callable[..., Store]
Place = tuple[str, int]


def note_of(path: str, texts: Sequence[str] = (), *, mtime_ns: int = 1, links: tuple[Link, ...] = ()) -> Note:
    text = "\n".join(texts)
    return Note(path, text, Stamp(mtime_ns, len(text), f"digest of {text}"), title="Title", links=links)


def chunks_of(path: str, texts: Sequence[str]) -> list[Chunk]:
    return [Chunk(path, text, line, line, title="Title") for line, text in enumerate(texts, start=1)]


def put(writer: Writing, path: str, *texts: str) -> None:
    writer.put(note_of(path, texts), chunks_of(path, texts), WordsEmbedder().embed(texts))


def places(snapshot: Snapshot, ranking: Ranking) -> list[Place]:
    return [(chunk.path, chunk.line) for chunk in snapshot.chunks([found for found, _ in ranking.found]).values()]


def matching(store: Store, *terms: str, under: str = "", limit: int = 10_000) -> list[str]:
    with store.reading() as snapshot:
        return [path for path, _ in places(snapshot, snapshot.match(terms, Scope(under), limit))]


def nearest(store: Store, text: str, under: str = "") -> list[str]:
    with store.reading() as snapshot:
        ranking = snapshot.nearest(WordsEmbedder().embed([text])[0], Scope(under), 300)
        return [path for path, _ in places(snapshot, ranking)]


def ends(*rows: tuple[int, int]) -> LinkEnds:
    return np.array(rows, dtype=np.uint32).reshape(-1, 2)


def put_linked(store: Store, path: str, *links: Link, aliases: Sequence[str] = ()) -> int:
    note = replace(note_of(path, ["rye"], links=links), fields={"aliases": list(aliases)} if aliases else {})
    with store.writing() as writer:
        chunks = [replace(chunk, aliases=note.aliases) for chunk in chunks_of(path, ["rye"])]
        writer.put(note, chunks, WordsEmbedder().embed(["rye"]))
    with store.reading() as snapshot:
        return snapshot.ids()[path]


def put_texts(store: Store, texts: Mapping[str, Sequence[str] | str], **more: Any) -> None:
    with store.writing() as writer:
        for path, given in texts.items():
            lines = [given] if isinstance(given, str) else given
            chunks = [Chunk(path, text, at, at, title=path, **more) for at, text in enumerate(lines, start=1)]
            note = Note(path, "", Stamp(1, 1, path), title=path)
            writer.put(note, chunks, WordsEmbedder().embed(lines))


def paths_in(store: Store, scope: Scope, *terms: str) -> list[str]:
    """Return the paths in a scope, by words and by meaning, which have to be the same."""
    with store.reading() as snapshot:
        by_words = snapshot.match(terms or ("rye",), scope, 1_000).found
        by_meaning = snapshot.nearest(WordsEmbedder().embed_query(" ".join(terms) or "rye"), scope, 1_000).found
        assert {slot for slot, _ in by_words} == {slot for slot, _ in by_meaning}
        assert bool(snapshot.within(scope, 1)) == bool(by_words)
        return sorted(chunk.path for chunk in snapshot.chunks([slot for slot, _ in by_words]).values())


def only(of: str, *values: str | Range, key: str = "", negated: bool = False) -> Scope:
    return Scope(filters=(Filter(of, values, key, negated),))
