"""A hit as Copilot reads it: a chunk of a note, with its place among the others and the times of its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from notewell.serve.copilot.places import composed
from notewell.serve.copilot.stamps import stamp_of
from notewell.types.note import Chunk
from notewell.types.results import Hit
from notewell.vault import Vault


class Found(TypedDict):
    """A chunk that was found."""

    id: str
    path: str
    score: float
    title: str
    mtime: int
    ctime: int
    file_name: str
    chunk_index: int
    total_chunks: int
    chunk_text: str
    metadata: dict[str, Any]
    embedding_model: str | None
    tags: list[str]
    extension: str
    created_at: str | None
    nchars: int
    folder_path: str


def describe(vault: Vault, hits: Sequence[Hit], model: str | None) -> list[Found]:
    """Return hits in the order of their scores, of which the best is 1 at most."""
    most = max([1.0, *(hit.score for hit in hits)])
    lines = _lines(vault, {hit.path for hit in hits})
    return [
        {
            **_entry(vault.root, hit, lines[hit.path], model),
            "score": round(hit.score / most, 6),
            "created_at": hit.date or None,
        }
        for hit in hits
    ]


def describe_chunks(root: Path, chunks: Sequence[Chunk], model: str | None) -> list[Found]:
    """Return all chunks of a note, in order."""
    lines = [chunk.line for chunk in chunks]
    return [{**_entry(root, chunk, lines, model), "created_at": chunk.day or None} for chunk in chunks]


def name_of(root: Path, path: str) -> str:
    """Return how Copilot names a note: it expects the vault's name, which is that of its folder, before each path."""
    return composed(f"{root.name}/{path}")


def _lines(vault: Vault, paths: set[str]) -> dict[str, list[int]]:
    """Return the first lines of the chunks of each note."""
    with vault.store.reading(shown=False) as snapshot:
        return {path: [chunk.line for chunk in snapshot.chunks(snapshot.chunks_of(path)).values()] for path in paths}


def _entry(root: Path, chunk: Hit | Chunk, lines: list[int], model: str | None) -> Found:
    stamps, name = stamp_of(root, chunk.path), name_of(root, chunk.path)
    index = lines.index(chunk.line) if chunk.line in lines else 0
    return {
        "id": f"{name}#{index}",
        "path": name,
        "score": 1.0,
        "title": chunk.title,
        "mtime": int(stamps.mtime),
        "ctime": int(stamps.ctime),
        "file_name": Path(name).name,
        "chunk_index": index,
        "total_chunks": max(len(lines), 1),
        "chunk_text": chunk.text,
        "metadata": {"line": chunk.line, "end_line": chunk.end_line, "heading": chunk.heading},
        "embedding_model": model,
        "tags": list(chunk.tags),
        "extension": Path(chunk.path).suffix,
        "created_at": None,
        "nchars": len(chunk.text),
        "folder_path": str(root),
    }
