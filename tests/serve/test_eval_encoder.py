"""`notewell eval` with an encoder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

Notewell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def encoded(folder: Path) -> Path:
    """The small vault, with an encoder whose vectors one can check by eye."""
    (folder / "notewell.toml").write_text('[embed]\nmodel = "words"\nencoder = "words"\n', encoding="utf-8")
    return folder


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Documents of which the one that is wanted is the worst by words, and the nearest by the encoder."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    texts = {f"d{number}": f"rye bread {number}" + " oat" * (3 + number % 5) for number in range(69)}
    rows = [{"_id": name, "title": "", "text": text} for name, text in texts.items()]
    rows.append({"_id": "wanted", "title": "", "text": "rye bread" + " red bear" * 10})
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "rye bread"}) + "\n")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\twanted\t1\n")
    return folder


@pytest.mark.usefixtures("encoded")
def test_eval_measures_with_the_share_that_is_asked_for(
    notewell: Notewell, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_SEARCH_ON_DEMAND", "0")
    told = []
    for share in ("0", "0.5", "1"):
        _, out, err = notewell("eval", str(collection), "--vector-weight", "0", "--filled", share, "--json")
        told.append((re.findall(r"encoding (.*) chunks", err), json.loads(out)["mrr@10"]))
    assert (told[0], told[2]) == (([], 0.0), (["100% of 70"], 1.0))
    assert told[1][0] == ["50% of 70"]


@pytest.mark.usefixtures("encoded")
def test_eval_encodes_everything_by_default(notewell: Notewell, collection: Path) -> None:
    assert "encoding 100% of 70 chunks" in notewell("eval", str(collection))[2]


@pytest.mark.usefixtures("encoded")
@cases("share", ["-0.1", "1.5", "half"])
def test_a_share_that_is_none_is_a_wrong_call(notewell: Notewell, collection: Path, share: str) -> None:
    code, out, err = notewell("eval", str(collection), "--filled", share)
    assert (code, out) == (2, "")
    assert "--filled" in err
