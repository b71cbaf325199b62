from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Notewell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    documents = {
        "d1": "rye bread rises slowly overnight",
        "d2": "bees make honey in the hive",
        "d3": "a car needs fuel",
    }
    rows = [{"_id": name, "title": name, "text": text} for name, text in documents.items()]
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    queries = {"q1": "rye bread", "q2": "honey bees"}
    (folder / "queries.jsonl").write_text(
        "\n".join(json.dumps({"_id": q, "text": text}) for q, text in queries.items())
    )
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td3\t1\n")
    return folder


def test_json_is_as_other_programs_know_it(notewell: Notewell, collection: Path) -> None:
    code, out, err = notewell("eval", str(collection), "--json")
    scores = json.loads(out)
    assert code == 0
    means = ["ndcg@10", "recall@10", "recall@100", "mrr@10"]
    assert [scores.pop(f"{name}_interval") for name in means] == [[1.0, 1.0]] * 4
    assert scores.pop("each") == {"q1": 1.0, "q2": 1.0}
    settings = scores.pop("settings")
    assert scores == {"queries": 2, "ndcg@10": 1.0, "recall@10": 1.0, "recall@100": 1.0, "mrr@10": 1.0}
    assert settings["search"]["fusion"] == "scores"
    prefixes = {"query_prefix": "auto", "passage_prefix": "auto"}
    encoder = {"encoder": "auto", "background": False}
    assert settings["embed"] == {"model": "words", **encoder, "url": "", **prefixes, "timeout": 30}
    assert "indexing 3 documents" in err


def test_options_change_the_settings_that_are_measured(notewell: Notewell, collection: Path) -> None:
    _, out, _ = notewell(
        "eval", str(collection), "--json", "--fusion", "rrf", "--lexical-weight", "0", "--vector-weight", "2"
    )
    settings = json.loads(out)["settings"]["search"]
    assert (settings["fusion"], settings["lexical_weight"], settings["vector_weight"]) == ("rrf", 0, 2)


def test_another_split_has_other_judgements(notewell: Notewell, collection: Path) -> None:
    scores = json.loads(notewell("eval", str(collection), "--split", "dev", "--json")[1])
    assert (scores["queries"], scores["mrr@10"] < 1) == (1, True)


def test_a_person_reads_a_line_a_measure(notewell: Notewell, collection: Path) -> None:
    code, out, _ = notewell("eval", str(collection))
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["queries", "2"],
        *([name, "1.0000", "(1.000", "to", "1.000)"] for name in ("ndcg@10", "recall@10", "recall@100", "mrr@10")),
    ]


def test_a_folder_that_is_not_a_collection_is_an_error_with_a_hint(notewell: Notewell, folder: Path) -> None:
    code, out, err = notewell("eval", str(folder))
    assert (code, out) == (1, "")
    assert "error: There is no" in err
    assert "hint: " in err


def test_measuring_leaves_the_vault_as_it_was(notewell: Notewell, collection: Path, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    notewell("eval", str(collection))
    assert sorted(folder.rglob("*")) == before
