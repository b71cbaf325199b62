"""Odd queries, places to read, and damaged stores: each has a clear answer, none a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing

import apsw
import pytest
from tests.bad_input.answers import RYE, Cli, MakeVault, assert_explained, paths

from notewell import NotewellError
from notewell.errors import QueryError, SettingsError

ODD_QUERIES = {
    "10,000 characters": "sourdough loaf " * 667,
    "one endless word": "x" * 10_000,
    "only punctuation": "?!… --- ((( *** ;;;",
    "FTS5 syntax": '" OR ( NEAR *',
    "more FTS5 syntax": 'loaf" AND NOT NEAR(a b, 2) ^col : -x {y}',
    "SQL": "'; drop table note; --",
    "zero bytes": "loaf\0rest",
    "lone surrogates": "loaf \ud800 \udfff",
    "emoji": "🐝🐝",
    "a regular expression": r"(a+)+$ [\w",
    "format strings": "%s {0} {loaf!r}",
}


@pytest.mark.parametrize("query", ODD_QUERIES.values(), ids=list(ODD_QUERIES))
@pytest.mark.parametrize("model", ["words", "static"])
def test_an_odd_query_has_a_clear_answer(make_vault: MakeVault, query: str, model: str) -> None:
    vault = make_vault({"rye.md": RYE}, {"embed.model": model})
    vault.index()
    assert paths(vault, query) == (["rye.md"] if "loaf" in query else [])


@pytest.mark.parametrize("query", ["", " \t "])
def test_an_empty_query_is_refused(make_vault: MakeVault, query: str) -> None:
    vault = make_vault({"rye.md": RYE})
    with pytest.raises(QueryError):
        vault.search(query)


@pytest.mark.parametrize(
    "query",
    [query for query in ODD_QUERIES.values() if "\0" not in query],
    ids=lambda query: query[:15],
)
def test_the_command_line_answers_an_odd_query(make_vault: MakeVault, cli: Cli, query: str) -> None:
    vault = make_vault({"rye.md": RYE})
    answer = cli("search", "--vault", str(vault.root), "--all", "--json", "--", query)
    assert answer.code == 0
    hits = json.loads(answer.out)["hits"]
    assert [hit["path"] for hit in hits if hit["retrievers"]["lexical"]] == (["rye.md"] if "loaf" in query else [])
    assert cli("search", "--vault", str(vault.root), "--", query).code == 0


@pytest.mark.parametrize("query", ["", " \t\n "])
def test_the_command_line_refuses_to_look_for_nothing(make_vault: MakeVault, cli: Cli, query: str) -> None:
    vault = make_vault({"rye.md": RYE})
    answer = cli("search", "--vault", str(vault.root), "--", query)
    assert answer.code == 2 and "nothing to search for" in answer.err


def test_a_query_of_bytes_that_are_not_text_is_answered(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    command = [sys.executable, "-c", "from notewell.serve.cli import main; main()", "search", "--json"]
    done = subprocess.run(
        [*command, "--vault", str(vault.root), b"loaf \xff"], capture_output=True, check=False, timeout=30
    )
    assert b"Traceback" not in done.stderr
    assert [hit["path"] for hit in json.loads(done.stdout)["hits"]] == ["rye.md"]


def test_a_query_without_words_is_a_usage_error(cli: Cli) -> None:
    answer = cli("search")
    assert answer.code == 2 and "error: Missing argument" in answer.err and "hint: " in answer.err


@pytest.mark.parametrize("under", ["nowhere", "../..", "rye.md/", "%", "a\0b", "\ud800", "x" * 10_000])
def test_an_odd_scope_is_not_an_error(make_vault: MakeVault, under: str) -> None:
    vault = make_vault({"rye.md": RYE, "bees.md": RYE})
    vault.index()
    assert [excerpt.path for excerpt in vault.search("loaf", under=under)] == (["rye.md"] if under == "rye.md/" else [])


def test_a_limit_larger_than_any_vault_is_not_an_error(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.index()
    assert len(vault.search("loaf", limit=10**12)) == 1


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": -5}, {"max_tokens": -1}])
def test_a_limit_or_budget_that_makes_no_sense_is_an_error_with_a_hint(
    make_vault: MakeVault, wrong: dict[str, int]
) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.index()
    ((name, value),) = wrong.items()
    with pytest.raises(SettingsError, match=f"{name} is {value}") as caught:
        vault.search("loaf", limit=wrong.get("limit"), max_tokens=wrong.get("max_tokens"))
    assert caught.value.hint


@pytest.mark.parametrize(
    "place",
    [
        "",
        ".",
        "nowhere.md",
        "rye.md:99",
        "rye.md:2-1",
        "rye.md:0",
        "rye.md:" + "9" * 30,
        "rye.md:" + "9" * 5_000,
        "rye.md:1-2-3",
        "rye.md:x",
        "list.bin",
        "../notes/../../etc/passwd",
        "/etc/passwd",
        "a\0b",
        "\ud800.md",
        "x" * 5_000,
        "folder",
    ],
    ids=lambda place: ascii(place[:20]),
)
def test_an_odd_place_is_an_error_with_a_hint(make_vault: MakeVault, place: str) -> None:
    vault = make_vault({"rye.md": RYE, "list.bin": "loaf", "folder/a.md": RYE})
    with pytest.raises(NotewellError) as caught:
        vault.read(place)
    assert caught.value.hint


@pytest.mark.parametrize(("place", "lines"), [("rye.md", (1, 3)), ("rye.md:3", (3, 3)), ("rye.md:2-900", (2, 3))])
def test_a_place_may_reach_past_the_end(make_vault: MakeVault, place: str, lines: tuple[int, int]) -> None:
    reading = make_vault({"rye.md": RYE}).read(place)
    assert (reading.line, reading.end_line) == lines
    assert reading.text == "\n".join(RYE.split("\n")[lines[0] - 1 : lines[1]])


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look like one" * 50, b"\0" * 4096])
def test_a_damaged_store_is_an_error_with_a_hint(make_vault: MakeVault, cli: Cli, content: bytes) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / ".notewell").mkdir()
    (vault.root / ".notewell/store.db").write_bytes(content)
    assert_explained(cli("search", "loaf", "--vault", str(vault.root)), "damaged")


def test_a_store_that_cannot_be_written_is_an_error_with_a_hint(make_vault: MakeVault, cli: Cli) -> None:
    vault = make_vault({"rye.md": RYE, ".notewell": "a file where the folder should be"})
    assert_explained(cli("index", str(vault.root)), "cannot be written")


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look like one" * 50, b"\0" * 4096])
def test_a_damaged_store_is_rebuilt_by_a_full_run(make_vault: MakeVault, cli: Cli, content: bytes) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / ".notewell").mkdir()
    (vault.root / ".notewell/store.db").write_bytes(content)
    assert_explained(cli("index", str(vault.root)), "damaged")
    assert json.loads(cli("index", str(vault.root), "--full", "--json").out)["added"] == 1
    assert paths(vault, "loaf") == ["rye.md"]


def test_a_full_run_leaves_another_programs_database_alone(make_vault: MakeVault, cli: Cli) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / ".notewell").mkdir()
    file = vault.root / ".notewell/store.db"
    with closing(apsw.Connection(str(file))) as db:
        db.execute("create table book (title text)")
    before = file.read_bytes()
    assert_explained(cli("index", str(vault.root), "--full"), "another program")
    assert file.read_bytes() == before
