"""Test collections in the BEIR layout: documents, queries, and which documents answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from notewell.errors import CollectionError
from notewell.frozen import frozen


@frozen
class Document:
    """One document of a corpus."""

    name: str
    title: str
    text: str


@frozen
class Collection:
    """Documents, queries by id, and grades by query and document."""

    documents: tuple[Document, ...]
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]


def load_collection(folder: Path, split: str = "test") -> Collection:
    """Read a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv."""
    judgements = _load_judgements(folder / "qrels" / f"{split}.tsv")
    documents = tuple(Document(row["_id"], row.get("title", ""), row["text"]) for row in _rows(folder / "corpus.jsonl"))
    texts = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    missing = next((query for query in judgements if query not in texts), None)
    if missing is not None:
        raise CollectionError(f"{folder}: query '{missing}' is judged but not in queries.jsonl", "Check the files")
    return Collection(documents, {query: texts[query] for query in judgements}, judgements)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _row(json.loads(line), f"{file}:{number}")
    except FileNotFoundError as error:
        raise CollectionError(f"There is no {file}", "Name a folder in the BEIR layout") from error
    except (OSError, ValueError) as error:
        raise CollectionError(f"{file} cannot be read: {error}", "Write one JSON object per line") from error


def _row(value: Any, place: str) -> dict[str, str]:
    if not isinstance(value, dict) or "_id" not in value or "text" not in value:
        raise CollectionError(f"{place} has no _id or no text", 'A line is {"_id": …, "title": …, "text": …}')
    return {key: str(value.get(key) or "") for key in ("_id", "title", "text")} | {"_id": str(value["_id"])}


def _load_judgements(file: Path) -> dict[str, dict[str, int]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise CollectionError(f"{file} is not UTF-8", "Save it as UTF-8") from error
    except OSError as error:
        raise CollectionError(
            f"There is no {file}", "Name a folder in the BEIR layout, and a split that it has"
        ) from error
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines, start=1):
        query, _, rest = line.partition("\t")
        document, _, grade = rest.partition("\t")
        if not grade.strip().lstrip("-").isdecimal():
            if number == 1:
                continue
            raise CollectionError(f"{file}:{number} is not 'query, document, grade'", "Separate columns with tabs")
        if int(grade) > 0:
            judgements.setdefault(query, {})[document] = int(grade)
    if not judgements:
        raise CollectionError(f"{file} has no judgements", "Name a split that has some")
    return judgements
