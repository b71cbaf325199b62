from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases
from tests.serve.conftest import write_numbered

from notewell.freshness import AT_ONCE
from notewell.serve.cli.progress import QUIET

Notewell = Callable[..., tuple[int, str, str]]


def hits(out: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(out)["hits"]
    return found


def test_json_is_as_other_programs_know_it(notewell: Notewell) -> None:
    notewell("index")
    code, out, err = notewell("search", "loaf collapsed", "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer.keys() == {"query", "hits", "generation", "took_ms", "left_out", "hidden", "notices"}
    assert answer["notices"] == []
    assert answer["query"] == "loaf collapsed"
    assert isinstance(answer["generation"], int)
    assert isinstance(answer["took_ms"], float)
    first = answer["hits"][0]
    assert first.keys() == {
        *("path", "line", "end_line", "place", "heading", "title", "score", "text", "also", "retrievers", "trace"),
        *("excerpt", "uri", "tags", "date", "dated_by"),
    }
    assert (first["path"], first["line"], first["end_line"]) == ("Recipes/Sourdough.md", 5, 7)
    assert (first["heading"], first["title"]) == ("Sourdough", "Sourdough")
    assert first["text"] == "# Sourdough\n\nThe loaf collapsed because the oven was too cold."
    assert first["retrievers"]["lexical"] == 1
    assert isinstance(first["retrievers"]["vector"], int)
    assert first["retrievers"].keys() == {"lexical", "vector"}
    assert [step["by"] for step in first["trace"]] == ["scores"]
    assert first["trace"][-1] == {"by": "scores", "why": first["trace"][-1]["why"], "score": first["score"]}
    assert isinstance(first["score"], float)
    assert first["excerpt"] == {
        "text": "The loaf collapsed because the oven was too cold.",
        "line": 7,
        "end_line": 7,
        "place": "",
        "highlights": [[4, 8], [9, 18]],
    }


def test_a_retriever_that_did_not_find_a_hit_has_no_rank(notewell: Notewell) -> None:
    ranks = {hit["path"]: hit["retrievers"]["lexical"] for hit in hits(notewell("search", "hive", "--json")[1])}
    assert ranks["Garden/Bees.md"] == 1
    assert ranks["Garden/Keys.md"] is None


def test_a_person_reads_place_heading_score_and_the_lines(notewell: Notewell) -> None:
    notewell("index")
    code, out, err = notewell("search", "why did the loaf collapse", "--limit", "1")
    assert (code, err) == (0, "")
    assert re.fullmatch(
        r"Recipes/Sourdough.md:7  Sourdough  \d\.\d{3}\n    The loaf collapsed because the oven was too cold\.\n", out
    )


def test_words_need_no_quotes(notewell: Notewell) -> None:
    assert json.loads(notewell("search", "the", "loaf", "collapsed", "--json")[1])["query"] == "the loaf collapsed"


def test_the_fusion_can_be_chosen(notewell: Notewell) -> None:
    (first, *_) = hits(notewell("search", "hive", "--fusion", "rrf", "--json")[1])
    assert first["trace"][0]["by"] == "rrf"
    assert first["score"] < 0.04


def test_older_notes_can_be_made_to_count_less(notewell: Notewell, folder: Path) -> None:
    (folder / "old.md").write_text("---\ndate: 2001-05-01\n---\n\nThe zebra grazes.\n")
    (off,) = hits(notewell("search", "zebra", "--under", "old.md", "--decay", "off", "--json")[1])
    (on,) = hits(notewell("search", "zebra", "--under", "old.md", "--decay", "half_life", "--json")[1])
    assert "decay" not in {step["by"] for step in off["trace"]}
    assert on["trace"][-1]["by"] == "decay"
    # However old it is, it keeps a tenth.
    assert on["score"] == pytest.approx(off["score"] / 10)


def test_the_limit_is_how_many_hits_there_are(notewell: Notewell) -> None:
    assert [len(hits(notewell("search", "the", "-n", str(limit), "--json")[1])) for limit in (1, 3)] == [1, 3]


@cases("under", ["Garden", "Garden/", "./Garden"])
def test_under_looks_only_in_a_folder(notewell: Notewell, under: str) -> None:
    paths = {hit["path"] for hit in hits(notewell("search", "the", "--under", under, "--json")[1])}
    assert paths == {"Garden/Bees.md", "Garden/Keys.md"}


def test_under_looks_only_in_a_note(notewell: Notewell) -> None:
    found = hits(notewell("search", "loaf", "--under", "Garden/Bees.md", "--json")[1])
    assert {hit["path"] for hit in found} == {"Garden/Bees.md"}


def test_nothing_found_is_said_on_stderr(notewell: Notewell) -> None:
    code, out, err = notewell("search", "rye", "--under", "nowhere")
    assert (code, out) == (0, "")
    assert "nothing found" in err


def test_a_block_for_a_prompt_is_the_same_to_the_byte_each_time(notewell: Notewell) -> None:
    notewell("index")
    first = notewell("search", "rye bread", "--max-tokens", "60")
    again = notewell("search", "rye bread", "--max-tokens", "60")
    assert first == again
    assert "(Recipes/Sourdough.md:9)" in first[1]


def test_a_block_for_a_prompt_is_the_same_in_every_process_and_after_an_index_run_that_changed_nothing(
    folder: Path, notewell: Notewell
) -> None:
    def run(seed: str, *arguments: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        command = [sys.executable, "-m", "notewell", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True).stdout

    notewell("index")
    asked = ("search", "the warm bread of the hive", "--max-tokens", "90")
    first = run("1", *asked)
    assert first.count(b"### ") > 1
    notewell("index")
    assert run("2", *asked) == first


@cases("tokens", [20, 40, 60, 100])
def test_a_block_for_a_prompt_is_not_larger_than_asked(notewell: Notewell, tokens: int) -> None:
    _, out, _ = notewell("search", "rye bread", "--max-tokens", str(tokens))
    assert len(out) <= 4 * tokens


def test_that_nothing_fits_is_distinguished_from_that_nothing_was_found(notewell: Notewell) -> None:
    notewell("index")
    _, out, err = notewell("search", "rye bread", "--max-tokens", "3")
    assert (out, "nothing found" in err) == ("", False)
    assert "No result fits into 3 tokens" in err
    answer = json.loads(notewell("search", "rye bread", "--max-tokens", "3", "--json")[1])
    assert (answer["hits"], answer["notices"]) == ([], ["No result fits into 3 tokens"])
    _, out, err = notewell("search", "rye", "--under", "nowhere", "--max-tokens", "300")
    assert out == ""
    assert "nothing found" in err
    assert "fits" not in err


def test_beside_a_block_for_a_prompt_the_scores_are_explained_on_stderr(notewell: Notewell) -> None:
    _, plain, _ = notewell("search", "rye bread", "--max-tokens", "60")
    _, out, err = notewell("search", "rye bread", "--max-tokens", "60", "--explain")
    assert out == plain
    assert "read as: words and meaning" in err
    assert re.search(r"^Recipes/Sourdough.md:9 .*\n    retriever  rank", err, re.MULTILINE)


def test_a_budget_cuts_json_too(notewell: Notewell) -> None:
    found = hits(notewell("search", "rye bread", "--max-tokens", "20", "--json")[1])
    assert sum(len(hit["text"]) for hit in found) <= 80


def test_what_a_terminal_would_obey_is_shown_and_not_sent(notewell: Notewell, folder: Path) -> None:
    (folder / "odd\x1b[2J.md").write_text("# Odd\x1b[31m\n\nThe quokka\x1b]0;title\x07 smiles at \u202eeveryone.\n")
    _, out, err = notewell("search", "quokka", "--explain")
    assert "quokka\\x1b]0;title\\x07 smiles at \\u202eeveryone." in out
    assert "odd\\x1b[2J.md:3" in out
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out + err)


# What is indexed first


def test_a_vault_that_was_never_indexed_is_indexed_first_with_progress_on_stderr(
    notewell: Notewell, folder: Path
) -> None:
    write_numbered(folder, QUIET.notes - 3)
    code, out, err = notewell("search", "loaf", "--json")
    assert code == 0
    assert hits(out)[0]["path"] == "Recipes/Sourdough.md"
    assert err.startswith(f"indexing {folder}\n")
    assert "indexed 500 of 500 notes" in err
    assert "indexing" not in notewell("search", "loaf", "--json")[2]


def test_changed_files_are_indexed_before_a_search(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    assert hits(notewell("search", "zebra", "--json")[1])[0]["path"] == "new.md"
    (folder / "new.md").unlink()
    assert "new.md" not in {hit["path"] for hit in hits(notewell("search", "zebra", "--json")[1])}


def test_many_changed_files_are_reported_and_not_waited_for(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    os.truncate(folder / "new.md", AT_ONCE.quick_bytes + 1)
    code, out, err = notewell("search", "zebra", "--json")
    assert code == 0
    assert "new.md" not in out
    notice = "1 new or changed file is not indexed yet. Run `notewell index`"
    assert f"note: {notice}\n" in err
    assert notice in json.loads(out)["notices"]


def test_a_large_file_that_is_skipped_is_not_reported_as_changed(notewell: Notewell, folder: Path) -> None:
    (folder / "huge.md").touch()
    os.truncate(folder / "huge.md", AT_ONCE.quick_bytes + 1)
    notewell("index")
    assert notewell("search", "hive", "--json")[2] == ""


def test_nothing_is_looked_for_when_told_so(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    assert "new.md" not in notewell("search", "zebra", "--no-refresh", "--json")[1]


def test_a_vault_that_was_never_indexed_is_indexed_even_when_told_not_to_look(notewell: Notewell) -> None:
    assert hits(notewell("search", "loaf", "--no-refresh", "--json")[1])[0]["path"] == "Recipes/Sourdough.md"


# Without vectors


def lose_the_model(folder: Path) -> None:
    """Index with a model in a folder of its own, then take that folder away."""
    from notewell import Vault  # noqa: PLC0415
    from notewell.embed import DEFAULT_MODEL  # noqa: PLC0415

    model = shutil.copytree(DEFAULT_MODEL, folder.parent / "model")
    (folder / "notewell.toml").write_text(f"[embed]\nmodel = {json.dumps(str(model))}\n")
    vault = Vault.open(folder)
    vault.index()
    vault.store.close()
    shutil.rmtree(model)


def test_words_are_still_searched_and_it_is_said_once_when_the_model_is_gone(notewell: Notewell, folder: Path) -> None:
    lose_the_model(folder)
    code, out, err = notewell("search", "loaf", "--json")
    assert code == 0
    assert [(hit["path"], hit["retrievers"]["vector"]) for hit in hits(out)] == [("Recipes/Sourdough.md", None)]
    assert err.count("by words alone") == 1


def test_words_are_still_searched_when_the_model_is_gone_and_a_file_has_changed(
    notewell: Notewell, folder: Path
) -> None:
    lose_the_model(folder)
    (folder / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    code, out, err = notewell("search", "loaf", "--json")
    assert code == 0, err
    assert hits(out)[0]["path"] == "Recipes/Sourdough.md"


# Any query


@cases("text", ["?!…", '" OR ( NEAR *', "-- drop table note", "x" * 10_000, "a\0b", "[[Bees]]", "🐝", "\udcff rye"])
def test_no_query_ends_in_a_traceback(notewell: Notewell, text: str) -> None:
    for options in ([], ["--json"], ["--max-tokens", "50"]):
        code, _, err = notewell("search", *options, "--", text)
        assert code == 0 and "error" not in err, options


@cases("given", [[""], [" ", ""], ["", "--deep"], ["", "--mode", "compare", "--json"]])
def test_a_search_for_nothing_at_all_is_an_error(notewell: Notewell, given: list[str]) -> None:
    code, out, err = notewell("search", *given)
    assert (code, out) == (2, "")
    assert err == "error: There is nothing to search for\nhint: Add some words, or a filter such as a tag or a date\n"
    assert notewell("search", "", "--tag", "bread", "--json")[0] == 0


def test_bytes_that_are_not_text_are_a_query_too(indexed_sample: Path, notewell: Notewell) -> None:
    code, _, err = notewell("search", os.fsdecode(b"bread \xff"), "--vault", str(indexed_sample), "--no-refresh")
    assert (code, err) == (0, "")


# How it is asked
