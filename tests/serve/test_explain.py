"""How a score came about, as `--explain` shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.cases import cases

Notewell = Callable[..., tuple[int, str, str]]


def hits(out: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(out)["hits"]
    return found


def test_explain_says_which_retriever_found_a_hit_and_how_its_score_came_about(notewell: Notewell) -> None:
    _, out, _ = notewell("search", "hive", "--explain")
    rows = re.findall(r"^    (?:retriever|lexical|note|vector|scores) .*$", out, re.M)
    head, lexical, note, vector, fused = rows[:5]
    assert head.split() == ["retriever", "rank", "score", "scaled", "×", "weight", "=", "part"]
    (_, rank, score, scaled, weight, part), whole, meaning = lexical.split(), note.split(), vector.split()
    assert (rank, whole[1], weight) == ("1", "–", "0.750")
    # The best by words: what the chunk has and what its note has make up the whole.
    assert float(scaled) + float(whole[3]) == pytest.approx(1, abs=2e-3)
    assert float(score) > 0
    assert float(meaning[5]) == pytest.approx(float(meaning[3]) * float(meaning[4]), abs=1e-3)
    parts = float(part) + float(whole[5]) + float(meaning[5])
    assert float(fused.split()[2]) == pytest.approx(parts, abs=2e-4)
    assert len({len(line) for line in rows[:5]}) == 1
    assert re.search(r"^    lexical +– +– +0\.000 +0\.750   0\.0000$", out, re.M)
    plain = notewell("search", "hive")[1]
    assert "scores" not in plain and "rank" not in plain


def test_explain_has_a_digit_more_for_reciprocal_ranks(notewell: Notewell) -> None:
    _, out, _ = notewell("search", "hive", "--explain", "--fusion", "rrf")
    assert re.search(r"^    lexical +1 +\d\.\d{3}   0\.0164     0\.750   0\.0123$", out, re.M)
    assert re.search(r"^    rrf +sum   0\.0\d{3}$", out, re.M)


def test_explain_has_the_same_facts_as_data(notewell: Notewell) -> None:
    _, out, _ = notewell("search", "bees", "--explain", "--json")
    (first, *_) = hits(out)
    scores, name, *_ = first["trace"]
    assert scores["factor"] is None
    assert name["factor"] == pytest.approx(name["score"] / scores["score"], abs=1e-4)
    lexical = first["votes"][0]
    assert lexical.keys() == {"retriever", "rank", "score", "scaled", "weight", "guessed", "part"}
    assert (lexical["retriever"], lexical["rank"], lexical["weight"]) == ("lexical", 1, 0.75)
    assert sum(vote["part"] for vote in first["votes"]) == pytest.approx(scores["score"], abs=1e-5)
    assert json.loads(out)["read_as"] == ['words and meaning "bees"', "one word"]


@cases("fusion", ["scores", "rrf"])
def test_the_parts_of_a_score_add_up_to_it(notewell: Notewell, fusion: str) -> None:
    for hit in hits(notewell("search", "the", "rye", "--explain", "--json", "--fusion", fusion)[1]):
        assert sum(vote["part"] for vote in hit["votes"]) == pytest.approx(hit["trace"][0]["score"], abs=1e-5)


def test_a_reason_stands_below_its_row_where_the_window_is_narrow(
    notewell: Notewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    narrow = notewell("search", "bees", "--explain")[1]
    assert re.search(r"^    name +× 1\.\d{3}   \d\.\d{4}\n {14}1\.00 of 'Bees' and the query$", narrow, re.M)
    assert all(len(line) <= 80 for line in narrow.splitlines())
    monkeypatch.setenv("COLUMNS", "120")
    wide = notewell("search", "bees", "--explain")[1]
    assert re.search(r"^    name +× 1\.\d{3}   \d\.\d{4}  1\.00 of 'Bees' and the query$", wide, re.M)


def test_explain_says_when_a_notes_name_raised_it(notewell: Notewell) -> None:
    _, out, _ = notewell("search", "bees", "--explain")
    scored, named = re.findall(r"^    (?:scores|name) .*?(\d\.\d{4})(?: |$)", out, re.M)[:2]
    assert re.search(r"^    name +× 1\.600   \d\.\d{4}  1\.00 of 'Bees' and the query$", out, re.M)
    assert float(named) > float(scored)
