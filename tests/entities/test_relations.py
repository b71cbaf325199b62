"""Relations that a language model reads: checked, under fifteen names, note by note."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.cases import cases
from tests.llm.scripted_server import GARBAGE, ScriptedServer, Status

from notewell import Vault
from notewell.entities import vault_entities
from notewell.entities.relations import canonical, canonical_names
from notewell.llm import Text

MakeVault = Callable[..., Vault]
NOTES = {
    "Ada Lovelace.md": "---\ntype: person\n---\n# Ada Lovelace\n\nShe wrote the [[Notes on the Engine]].\n",
    "Bread.md": "# Bread\n\nRye needs water.\n",
}
WROTE = {"from": "Notes on the Engine", "relation": "was written by", "to": "Ada Lovelace"}


@pytest.fixture(autouse=True)
def _no_name_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_entities, "find_model", lambda: (None, ()))


def asking(make_vault: MakeVault, server: ScriptedServer) -> Vault:
    return make_vault(NOTES, {"llm.model": "ollama:any", "llm.url": server.url})


def answer(*relations: object) -> list[Text]:
    return [Text(json.dumps({"relations": relations}))]


def test_more_than_five_hundred_names_become_fifteen() -> None:
    known = canonical_names()
    assert len(known) >= 500 and len({relation for relation, _ in known.values()}) == 15


@cases(
    ("name", "relation", "reversed_"),
    [
        ("works_at", "works_for", False),
        ("Is the CEO of", "works_for", False),
        ("employs", "works_for", True),
        ("draws_from", "builds_on", False),
        ("takes inspiration from", "builds_on", False),
        ("is_informed_by", "builds_on", False),
        ("was written by", "created", True),
        ("co-founded", "created", False),
        ("launched by", "created", True),
        ("lebt in", "located_in", False),
        ("married_to", "family_of", False),
        ("ponders", "related_to", False),
        ("pondered by", "related_to", False),
        ("", "related_to", False),
    ],
)
def test_invented_names_are_one_of_fifteen(name: str, relation: str, reversed_: bool) -> None:
    assert canonical(name) == (relation, reversed_)


def test_relations_are_stored_the_right_way_round_and_each_note_is_asked_once(make_vault: MakeVault) -> None:
    invented = {"from": "Ada Lovelace", "relation": "knows", "to": "Nobody Known"}
    with ScriptedServer(answer(WROTE, WROTE, invented, {"from": 3}, "x")) as server:
        vault = asking(make_vault, server)
        found = vault.entities("Ada Lovelace", relations=True)
        again = vault.entities(relations=True)
        asked = len(server.requests)
        shown = vault.search("Ada Lovelace").entities
    assert found.entity and found.related == 1 and again.related == 0 and asked == 1
    (one,) = found.entity.relations
    assert (one.source, one.relation, one.target) == ("Ada Lovelace", "created", "Notes on the Engine")
    assert (one.said, one.path) == ("was written by", "Ada Lovelace.md")
    assert shown and shown[0].relations == (one,)


def test_a_changed_note_is_asked_again_and_its_relations_go_at_once(make_vault: MakeVault) -> None:
    with ScriptedServer(answer(WROTE), answer()) as server:
        vault = asking(make_vault, server)
        vault.entities(relations=True)
        (vault.root / "Ada Lovelace.md").write_text(
            "---\ntype: person\n---\n# Ada Lovelace\n\nNot the [[Notes on the Engine]].\n"
        )
        vault.index()
        between = vault.entities("Ada Lovelace").entity
        assert between and not between.relations
        assert vault.entities(relations=True).related == 1 and len(server.requests) == 2


@pytest.mark.parametrize(
    "turn",
    [[Text("I would rather not.")], [Text('{"relations": {"a": 1}}')], [Text("{" * 5_000)], [GARBAGE], [Status(500)]],
)
def test_nonsense_is_a_notice_and_nothing_is_half_written(make_vault: MakeVault, turn: list[object]) -> None:
    with ScriptedServer(turn, answer(WROTE)) as server:  # type: ignore[arg-type]
        vault = asking(make_vault, server)
        found = vault.entities("Ada Lovelace", relations=True)
        assert [notice.code for notice in found.notices] == ["relations_unread"] and found.related == 0
        assert found.entity and not found.entity.relations
        # It is asked again the next time.
        assert vault.entities(relations=True).related == 1


def test_notes_that_a_model_cannot_read_do_not_keep_it_from_the_others(make_vault: MakeVault) -> None:
    notes = {f"{name}.md": f"# {name}\n\n[[Ada Lovelace]] wrote [[Notes on the Engine]].\n" for name in "abcde"}
    nonsense = [Text("I would rather not.")]
    with ScriptedServer(*[nonsense] * 3, answer(WROTE), answer(WROTE), nonsense) as server:
        vault = make_vault(notes, {"llm.model": "ollama:any", "llm.url": server.url})
        assert vault.entities(relations=True).related == 0
        found = vault.entities("Ada Lovelace", relations=True)
    assert found.related == 2 and found.entity and {one.path for one in found.entity.relations} == {"d.md", "e.md"}


def test_the_command_says_how_many_notes_were_read_and_what_the_model_called_a_relation(
    make_vault: MakeVault, run_command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(answer({**WROTE, "relation": "ponders"})) as server:
        monkeypatch.setenv("NOTEWELL_LLM_URL", server.url)
        monkeypatch.setenv("NOTEWELL_LLM_MODEL", "ollama:any")
        vault = asking(make_vault, server)
        code, out, err = run_command(vault.root, "entities", "Ada Lovelace", "--relations")
    assert code == 0 and "the model read 1 note" in err.splitlines()
    assert "  Notes on the Engine → related_to (ponders) → Ada Lovelace  Ada Lovelace.md:6" in out.splitlines()


def test_without_a_model_a_notice_says_so(make_vault: MakeVault) -> None:
    found = make_vault(NOTES).entities(relations=True)
    assert [notice.code for notice in found.notices] == ["no_relations"] and found.total


def test_no_secret_is_sent_to_the_model(make_vault: MakeVault) -> None:
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3kLm"
    with ScriptedServer(answer()) as server:
        vault = make_vault(
            {"a.md": f"# Ada Lovelace\n\nBy [[Ben]] and [[Cy Young]]: {secret}\n"},
            {"llm.model": "ollama:any", "llm.url": server.url},
        )
        vault.entities(relations=True)
        assert len(server.requests) == 1 and secret not in str(server.requests)
