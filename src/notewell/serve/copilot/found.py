"""A hit as Copilot reads it: a chunk of a note, with its place among the others and the times of its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from notewell.types.results import Hit
from notewell.vault import Vault


class Stamps(NamedTuple):
    """When a file was changed, and when it was created, in seconds; zeros if it is gone."""

    mtime: float
    ctime: float


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


def stamp_of(root: Path, path: str) -> Stamps:
    """Return when the file of a note was changed and created."""
    try:
        found = (root / path).stat()
    except OSError:
        return Stamps(0, 0)
    # Linux does not tell when a file was created.
    return Stamps(found.st_mtime, getattr(found, "st_birthtime", found.st_ctime))


def describe(vault: Vault, hits: Sequence[Hit], model: str | None) -> list[Found]:
    """Return hits in the order of their scores, of which the best is 1 at most."""
    most = max([1.0, *(hit.score for hit in hits)])
    lines = _lines(vault, {hit.path for hit in hits})
    return [_found(vault.root, hit, hit.score / most, lines[hit.path], model) for hit in hits]


def _lines(vault: Vault, paths: set[str]) -> dict[str, list[int]]:
    """Return the first lines of the chunks of each note."""
    with vault.store.reading(shown=False) as snapshot:
        return {path: [chunk.line for chunk in snapshot.chunks(snapshot.chunks_of(path)).values()] for path in paths}


def _found(root: Path, hit: Hit, score: float, lines: list[int], model: str | None) -> Found:
    stamps, name = stamp_of(root, hit.path), f"{root.name}/{hit.path}"
    index = lines.index(hit.line) if hit.line in lines else 0
    return {
        "id": f"{name}#{index}",
        # Copilot knows a vault by its name, which is that of its folder, and expects it before each path.
        "path": name,
        "score": round(score, 6),
        "title": hit.title,
        "mtime": int(stamps.mtime),
        "ctime": int(stamps.ctime),
        "file_name": Path(hit.path).name,
        "chunk_index": index,
        "total_chunks": max(len(lines), 1),
        "chunk_text": hit.text,
        "metadata": {"line": hit.line, "end_line": hit.end_line, "heading": hit.heading},
        "embedding_model": model,
        "tags": list(hit.tags),
        "extension": Path(hit.path).suffix,
        "created_at": hit.date or None,
        "nchars": len(hit.text),
        "folder_path": str(root),
    }
