"""Tags proposed for notes: by the nearest notes, by links, by definitions, and by a language model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.llm.scripted_server import ScriptedServer, Turn
from tests.serve.serving import serving

from notewell import Vault
from notewell.curate.suggest import ProposedTag, suggest_tags
from notewell.errors import CurateError
from notewell.llm.messages import Text

MakeVault = Callable[..., Vault]
Run = Callable[..., tuple[int, str, str]]
OFF = {"llm.model": "off"}
HIVES = "The hive has a queen, brood and honey; wax moths come in autumn."
BREAD = "Rye dough rises slowly; bake the loaf in a hot oven with steam."
NOTES = {
    **{f"bees {number}.md": f"---\ntags: [bees]\n---\n{HIVES} Frame {number}.\n" for number in range(4)},
    **{f"bread {number}.md": f"---\ntags: [baking]\n---\n{BREAD} Batch {number}.\n" for number in range(4)},
    "New hive.md": "A new hive needs a queen and brood; honey follows.\n",
}
TAXONOMY = """\
- #bees: hives, honey and brood (aliases: apiary)
- #baking: bread and dough
- #tax: money owed to the treasury
"""


def proposed(vault: Vault, *paths: str) -> dict[str, list[ProposedTag]]:
    vault.index()
    return {note.path: [*note.tags] for note in suggest_tags(vault, paths).notes}


def names(tags: list[ProposedTag]) -> list[str]:
    return [one.tag for one in tags]


def test_the_nearest_notes_propose_their_tags_with_the_reason(make_vault: MakeVault) -> None:
    (tag,) = proposed(make_vault(NOTES, OFF))["New hive.md"]
    assert tag.tag == "bees" and "4 of 4 similar notes have it" in tag.why and 0.35 < tag.score <= 1


def test_like_notes_without_tags_speak_against_the_tags_of_one(make_vault: MakeVault) -> None:
    pages = {
        f"Help/page {number}.md": f"Press the hotkey to fold line {number} of the editor.\n" for number in range(12)
    }
    log = "---\ntags: [daily]\n---\nThe hotkey of the editor broke.\n"
    vault = make_vault({**pages, "log.md": log, "_taxonomy.md": "- #daily\n"}, OFF)
    found = proposed(vault, "Help/page 3.md", "Help/page 4.md")
    assert [*found.values()] == [[], []]


def test_only_tags_of_the_taxonomy_are_proposed_and_aliases_count_as_their_tag(make_vault: MakeVault) -> None:
    notes = {path: text.replace("[bees]", "[apiary, hives]") for path, text in NOTES.items()}
    vault = make_vault({**notes, "_taxonomy.md": TAXONOMY}, OFF)
    assert names(proposed(vault)["New hive.md"]) == ["bees"]


def test_definitions_propose_tags_that_no_note_has_yet(make_vault: MakeVault) -> None:
    vault = make_vault({"_taxonomy.md": TAXONOMY, "a.md": "The treasury says how much money is owed.\n"}, OFF)
    (tag,) = proposed(vault)["a.md"]
    assert tag.tag == "tax" and "its meaning has words of the note: money, owed, treasury" in tag.why


def test_linked_notes_count(make_vault: MakeVault) -> None:
    notes = {**NOTES, "Plan.md": "[[bees 1]] and [[bees 2]] on Monday.\n"}
    (tag,) = proposed(make_vault(notes, OFF))["Plan.md"]
    assert tag.tag == "bees" and "2 linked" in tag.why


def test_a_note_is_not_offered_the_tags_that_it_has(make_vault: MakeVault) -> None:
    assert proposed(make_vault(NOTES, OFF), "bees 1.md") == {"bees 1.md": []}


def test_untagged_notes_are_looked_at_newest_first_up_to_a_limit(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Other.md": "Nothing like it.\n", "_taxonomy.md": TAXONOMY}, OFF)
    vault.index()
    found = suggest_tags(vault, most=1)
    assert (len(found.notes), found.left, found.taxonomy) == (1, 1, "_taxonomy.md")


def answer(*tags: object) -> Turn:
    return [Text("Sure:\n" + json.dumps({"tags": [*tags]}))]


def test_a_model_chooses_among_the_tags_and_nothing_else_it_says_counts(make_vault: MakeVault) -> None:
    said = [{"tag": "#BEES", "why": "it is\nabout hives\u202e"}, {"tag": "evil", "why": "x"}, {"tag": 3}, "tax"]
    notes = {
        **NOTES,
        "_taxonomy.md": TAXONOMY,
        "New hive.md": NOTES["New hive.md"] + "key " + "AKIA" + "ZQ4WNX7TRLMB2KPD",
    }
    with ScriptedServer(answer(*said)) as server:
        vault = make_vault(notes, {"llm.model": "ollama:any", "llm.url": server.url})
        vault.index()
        found = suggest_tags(vault)
    assert found.by == "any"
    assert [(one.tag, one.why) for one in found.notes[0].tags] == [
        (
            "bees",
            "any: it is about hives; 4 of 4 similar notes have it; "
            "its meaning has words of the note: hives, honey, brood",
        ),
        ("tax", "any: it fits"),
    ]
    asked = json.dumps(server.requests[0].body)
    assert "hives, honey and brood" in asked and "ZQ4WNX7TRLMB2KPD" not in asked


@pytest.mark.parametrize("turn", [[Text("I cannot.")], [Text("{}")], [Text('{"tags": 3}')], [Text('{"tags": [')]])
def test_without_a_usable_answer_the_nearest_notes_propose_and_a_notice_says_why(
    make_vault: MakeVault, turn: Turn
) -> None:
    with ScriptedServer(turn) as server:
        vault = make_vault(NOTES, {"llm.model": "ollama:any", "llm.url": server.url})
        vault.index()
        found = suggest_tags(vault)
    assert names([*found.notes[0].tags]) == ["bees"] and found.by == ""
    assert [(notice.code, notice.facts["reason"]) for notice in found.notices] == [
        ("tags_without_model", "any does not answer with tags")
    ]


def test_a_taxonomy_with_a_circle_is_an_error_with_its_line(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "_taxonomy.md": "- #a (parent: b)\n- #b (parent: a)\n"}, OFF)
    vault.index()
    with pytest.raises(CurateError, match=r"_taxonomy.md:1: the parents form a circle: #a → #b → #a"):
        suggest_tags(vault)


def test_the_command_and_the_route_say_the_same(tmp_path: Path, run_command: Run) -> None:
    for path, text in {**NOTES, "notewell.toml": '[embed]\nmodel = "words"\n[llm]\nmodel = "off"\n'}.items():
        (tmp_path / path).write_text(text)
    code, out, said = run_command(tmp_path, "tags", "--suggest")
    assert (code, "New hive.md\n" in out, "#bees  4 of 4 similar notes have it" in out) == (0, True, True)
    assert "There is no taxonomy" in said
    by_cli = json.loads(run_command(tmp_path, "tags", "--suggest", "New hive", "--json")[1])
    with Vault.open(tmp_path) as vault, serving(vault) as served:
        assert served.get("/tags/suggest", note="New hive") == by_cli
        assert [note["path"] for note in served.get("/tags/suggest")["notes"]] == ["New hive.md"]
    assert run_command(tmp_path, "tags", "New hive")[0] == 2


def test_templates_are_offered_no_tags(make_vault: MakeVault) -> None:
    written = "A new hive needs a queen, brood and honey.\n"
    files = {".obsidian/templates.json": '{"folder": "Forms/"}', "Forms/Hive.md": written, "New hive.md": written}
    vault = make_vault({**NOTES, **files})
    vault.index()
    assert [note.path for note in suggest_tags(vault).notes if "hive" in note.path.lower()] == ["New hive.md"]
