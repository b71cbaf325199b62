"""Expansion: a model writes a passage, and the search looks for that too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases
from tests.llm.scripted_server import GARBAGE, HTML, Cut, ScriptedServer, Stall, Status, Step

from notewell import Vault, ask
from notewell.errors import SettingsError
from notewell.llm import Text
from notewell.types.results import Results

MakeVault = Callable[..., Vault]
NOTES = {
    "Mites.md": "# Mites\n\nFormic acid vapour kills parasites below the brood cappings.\n",
    "Bread.md": "# Bread\n\nRye wants warm water.\n",
}
# Has no word in common with the note that answers.
QUERY = "remedy insects"
PASSAGE = "Formic acid vapour kills parasites below the brood cappings."


def expanding(make_vault: MakeVault, server: ScriptedServer, **more: object) -> Vault:
    vault = make_vault(NOTES, {"llm.model": "openai:any", "llm.url": server.url, **more})
    vault.index()
    return vault


def codes(results: Results) -> list[str]:
    return [notice.code for notice in results.notices]


def test_what_a_model_writes_is_searched_for(make_vault: MakeVault) -> None:
    with ScriptedServer([Text(PASSAGE)]) as server:
        vault = expanding(make_vault, server)
        assert "expanded" not in codes(vault.search(QUERY, all=True)) and not server.requests
        plain, found = vault.search(QUERY, all=True), vault.search(QUERY, all=True, expand=True, explain=True)
    assert found.hits[0].path == "Mites.md"
    assert {hit.path: hit.score for hit in found}["Mites.md"] > {hit.path: hit.score for hit in plain}.get(
        "Mites.md", 0
    )
    assert "expanded" in codes(found) and f'also as "{PASSAGE}"' in (found.read_as or ())


def test_hyde_without_a_text_lets_the_model_write_it(make_vault: MakeVault) -> None:
    with ScriptedServer([Text(PASSAGE)]) as server:
        vault = expanding(make_vault, server)
        results = vault.search(f"{QUERY} hyde:", all=True)
        assert (results.query, codes(results)[:1]) == (QUERY, ["expanded"])
        for text in ('remedy hyde:"formic acid"', "Jekyll and Hyde: a review", "hyde: a review", "hyde:"):
            vault.search(text, all=True)
        assert len(server.requests) == 1


def test_a_setting_expands_every_search(make_vault: MakeVault) -> None:
    with ScriptedServer([Text(PASSAGE)]) as server:
        vault = expanding(make_vault, server, **{"search.expand": True})
        assert "expanded" in codes(vault.search(QUERY))
        assert len(server.requests) == 1
        # Filters alone say nothing that a model could answer, and a note is a passage already.
        vault.search(under="Mites.md")
        vault.related("Mites.md")
        assert len(server.requests) == 1


def test_asking_can_expand_the_question(make_vault: MakeVault) -> None:
    with ScriptedServer([Text(PASSAGE)]) as server:
        answer = ask(expanding(make_vault, server), "which acid is a remedy for insects?", expand=True)
    assert answer.citations[0].path == "Mites.md" and "expanded" in [notice.code for notice in answer.notices]


@cases("turn", [[Stall()], [Text("Formic"), Cut()], [HTML], [GARBAGE], [Status(500, "oh")], [Text(" ")]])
def test_without_an_answer_in_time_the_search_is_plain_and_says_so(
    make_vault: MakeVault, turn: list[Step], tmp_path: Path
) -> None:
    with ScriptedServer(turn) as server:
        shutil.rmtree(tmp_path / "notes", ignore_errors=True)
        vault = expanding(make_vault, server, **{"search.expand_seconds": 0.3})
        plain, found = vault.search("rye water"), vault.search("rye water", expand=True)
    assert codes(found) == ["not_expanded"]
    assert [(hit.path, hit.score) for hit in found] == [(hit.path, hit.score) for hit in plain]


def test_without_a_model_the_search_is_plain_and_says_so(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, {"llm.model": "off"})
    vault.index()
    found = vault.search("rye water", expand=True)
    assert codes(found) == ["not_expanded"] and found.hits[0].path == "Bread.md"


def test_a_secret_in_a_query_is_not_sent(make_vault: MakeVault) -> None:
    secret = "hunter" + "2" * 14
    with ScriptedServer([Text(PASSAGE)]) as server:
        expanding(make_vault, server).search(f"the router has password: {secret}", expand=True)
        sent = json.dumps([request.body for request in server.requests], default=str)
    assert "router" in sent and secret not in sent


@cases("line", ["expand = true", "expand_seconds = 20"])
def test_a_vault_cannot_make_its_users_model_work(make_vault: MakeVault, tmp_path: Path, line: str) -> None:
    shutil.rmtree(tmp_path / "notes", ignore_errors=True)
    with pytest.raises(SettingsError, match=line.split()[0]):
        make_vault({**NOTES, "notewell.toml": f"[search]\n{line}\n"})
