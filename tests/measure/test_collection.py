from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from notewell.errors import CollectionError
from notewell.measure.collection import Document, load_collection

CORPUS = '{"_id": "d1", "title": "Rye", "text": "bread"}\n\n{"_id": 2, "title": null, "text": "honey"}\n'
QUERIES = '{"_id": "q1", "text": "rye bread"}\n{"_id": "q2", "text": "never judged"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\t2\t0\n"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(corpus: str | None = CORPUS, queries: str | None = QUERIES, qrels: str | None = QRELS) -> Path:
        (tmp_path / "qrels").mkdir()
        for name, text in (("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/test.tsv", qrels)):
            if text is not None:
                (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return write


def refused(folder: Path, split: str = "test") -> CollectionError:
    with pytest.raises(CollectionError) as caught:
        load_collection(folder, split)
    assert caught.value.hint
    return caught.value


def test_documents_judged_queries_and_grades_are_read(write: Write) -> None:
    collection = load_collection(write())
    assert collection.documents == (Document("d1", "Rye", "bread"), Document("2", "", "honey"))
    assert collection.queries == {"q1": "rye bread"}
    assert collection.judgements == {"q1": {"d1": 2}}


def test_a_header_is_not_a_judgement_and_may_be_missing(write: Write) -> None:
    assert load_collection(write(qrels="q1\td1\t1\n")).judgements == {"q1": {"d1": 1}}


@pytest.mark.parametrize("missing", ["corpus", "queries", "qrels"])
def test_a_missing_file_is_named(write: Write, missing: str) -> None:
    files: dict[str, None] = {missing: None}
    error = refused(write(**files))
    assert missing in error.fact


def test_a_split_that_is_not_there_is_named(write: Write) -> None:
    assert "dev.tsv" in refused(write(), "dev").fact


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "There is no" in refused(tmp_path / "nowhere").fact


def test_a_line_that_is_not_json_is_refused(write: Write) -> None:
    assert "corpus.jsonl" in refused(write(corpus="not json\n")).fact


@pytest.mark.parametrize("row", ['{"title": "no id", "text": "x"}', "[1, 2]", '"text"', '{"_id": "q1"}'])
def test_a_row_without_what_it_needs_is_refused(write: Write, row: str) -> None:
    assert "queries.jsonl" in refused(write(queries=row + "\n")).fact


def test_a_corpus_row_without_an_id_is_refused(write: Write) -> None:
    assert "corpus.jsonl" in refused(write(corpus='{"text": "x"}\n')).fact


def test_a_line_that_is_not_a_judgement_is_named_by_number(write: Write) -> None:
    assert "test.tsv:3" in refused(write(qrels="a\tb\tc\nq1\td1\t1\nq1 d1 1\n")).fact


def test_judgements_without_a_relevant_document_are_refused(write: Write) -> None:
    assert "has no judgements" in refused(write(qrels="q1\td1\t0\n")).fact


def test_a_judged_query_that_is_not_there_is_named(write: Write) -> None:
    assert "'q9'" in refused(write(qrels="q9\td1\t1\n")).fact


def test_bytes_that_are_not_text_are_refused(write: Write) -> None:
    folder = write()
    (folder / "queries.jsonl").write_bytes(b'{"_id": "q1", "text": "\xff"}\n')
    assert "queries.jsonl" in refused(folder).fact
    (folder / "qrels" / "test.tsv").write_bytes(b"q1\t\xff\t1\n")
    assert "test.tsv" in refused(folder).fact
