"""The entities of a vault: kept up to date, gone with their notes, found by name, shown beside results."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.vaults import stop_after

from notewell import Entities, Vault
from notewell.entities import file as rows
from notewell.entities import vault_entities
from notewell.entities.merge import Merge
from notewell.entities.place import entity_files
from notewell.errors import QueryError, StoreError

MakeVault = Callable[..., Vault]

NOTES = {
    "People/Ada Lovelace.md": "---\ntype: person\naliases: [Countess]\n---\n# Ada Lovelace\n\nShe wrote programs.\n",
    "London.md": "---\ntype: place\n---\n# London\n\n[[Ada Lovelace]] lived here.\n",
    "Meeting.md": "---\nattendees: ['[[Ada Lovelace]]', Charles Babbage]\ndate: 2024-05-01\n---\n\nWe ate rye.\n",
    "Bread.md": "# Bread\n\nRye needs water.\n",
}


@pytest.fixture(autouse=True)
def _no_name_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found here, is found without the extra, wherever it is installed."""
    monkeypatch.setattr(vault_entities, "find_model", lambda: (None, ()))


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    return make_vault(NOTES)


def names(found: Entities) -> set[str]:
    return {one.name for one in found.entities}


def kept(vault: Vault) -> str:
    """Return all that the files of the entities say, also in pages that are free."""
    return "\n".join(
        file.read_bytes().decode("utf-8", "replace") for file in entity_files(vault.store_file)
    ) + _unpacked(vault)


def _unpacked(vault: Vault) -> str:
    found = []
    for file in entity_files(vault.store_file):
        with rows.EntityFile(file).opened() as db:
            found += [f"{path} {[*names]}" for path, names in rows.all_names(db)]
    return "\n".join(found)


def test_entities_are_listed_by_kind_and_shown_by_any_name(vault: Vault) -> None:
    listed = vault.entities()
    assert {"Ada Lovelace", "Charles Babbage", "London"} <= names(listed) and listed.extracted == len(NOTES)
    assert names(vault.entities(kind="person")) == {"Ada Lovelace", "Charles Babbage"}
    ada = vault.entities("countess").entity
    assert ada and (ada.name, ada.kind, ada.notes) == ("Ada Lovelace", "person", 3)
    assert [(one.name, one.why, one.path) for one in ada.spellings] == [
        ("Countess", "an alias", "People/Ada Lovelace.md")
    ]
    assert ("London.md", 6) in [(place.path, place.line) for place in ada.places]
    assert {"London", "Charles Babbage"} <= {one.name for one in ada.beside}


def test_only_new_and_changed_notes_are_read_again(vault: Vault) -> None:
    vault.entities()
    (vault.root / "Bread.md").write_text("# Bread\n\nA recipe of Grace Hopper.\n")
    vault.index()
    again = vault.entities()
    assert again.extracted == 1 and "Grace Hopper" in names(again)
    assert vault.entities().extracted == 0


def test_an_interrupted_run_keeps_what_it_read_and_the_next_continues(vault: Vault) -> None:
    stopped = vault.entities(progress=stop_after(2))
    assert stopped.extracted == 2 and [notice.code for notice in stopped.notices] == ["extraction_stopped"]
    assert vault.entities().extracted == len(NOTES) - 2


def test_names_that_another_process_changes_during_a_merge_are_merged_by_the_next_answer(vault: Vault) -> None:
    vault.entities()
    (file,) = entity_files(vault.store_file)
    with rows.EntityFile(file).opened() as db:
        made, of = Merge(rows.all_names(db)).entities(), rows.mark(db, "names")
        # Another process finds that a note is gone, and has no names of it.
        left = {path: stamp for path, stamp in vault.store.files().notes.items() if path != "London.md"}
        rows.forget(db, left)
        rows.keep(db, made, of)
        assert not rows.is_merged(db)
    assert vault.entities().extracted == 1
    with rows.EntityFile(file).opened() as db:
        assert rows.is_merged(db)


@pytest.mark.parametrize("change", ["delete", "edit", "exclude"])
def test_what_a_note_no_longer_says_is_gone_from_the_disk_with_the_next_index(
    make_vault: MakeVault, change: str
) -> None:
    vault = make_vault({**NOTES, "Private/Zelda.md": "# Zelda Quux\n\nWe met Zelda Quux, and [[Xavier Yonder]].\n"})
    vault.entities()
    assert "Zelda Quux" in kept(vault) and "Xavier Yonder" in kept(vault)
    if change == "exclude":
        (vault.root / "notewell.toml").write_text('[index]\nexclude = ["Private"]\n')
    elif change == "delete":
        (vault.root / "Private/Zelda.md").unlink()
    else:
        (vault.root / "Private/Zelda.md").write_text("# Nobody\n\nNothing.\n")
    vault.index()
    assert "Zelda" not in kept(vault) and "Yonder" not in kept(vault)
    assert vault.search("Zelda Quux").entities is None
    assert {"Ada Lovelace", "Charles Babbage"} <= names(vault.entities())


def test_what_settings_exclude_is_shown_to_nobody(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Private/Zelda.md": "# Zelda Quux\n\nWith [[Ada Lovelace]].\n"})
    vault.entities()
    with Vault.open(vault.root, {"embed.model": "words", "search.floor": 0, "index.exclude": ["Private"]}) as other:
        found = other.entities("Ada Lovelace").entity
        assert found and "Private/Zelda.md" not in {place.path for place in found.places}
        with pytest.raises(QueryError):
            other.entities("Zelda Quux")


def test_no_secret_reaches_the_file_of_the_entities(make_vault: MakeVault) -> None:
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3kLm"
    vault = make_vault({"a.md": f"---\nauthor: Ada Lovelace\n---\nHer Token is {secret}, said Ada Lovelace.\n"})
    assert "Ada Lovelace" in names(vault.entities())
    assert secret not in kept(vault) and secret[4:20] not in kept(vault)


def test_a_search_that_names_an_entity_shows_what_is_known_and_has_the_same_hits(vault: Vault) -> None:
    before = vault.search("Where did Ada Lovelace live?")
    assert before.entities is None
    vault.entities()
    after = vault.search("Where did Ada Lovelace live?")
    assert replace(after, entities=None, took_ms=0.0) == replace(before, took_ms=0.0)
    (ada,) = after.entities or ()
    assert (ada.name, ada.kind, ada.notes, ada.first) == ("Ada Lovelace", "person", 3, "2024-05-01")
    assert {"London", "Charles Babbage"} <= {one.name for one in ada.beside}
    assert vault.search("rye water").entities is None


def test_a_concept_that_capitals_alone_tell_is_not_shown_beside_hits(make_vault: MakeVault) -> None:
    chosen = {f"{name}.md": f"# {name}\n\nWe open the Zork menu and [[Fjord]] {name}.\n" for name in "abcd"}
    vault = make_vault(chosen)
    assert {"Zork", "Fjord"} <= names(vault.entities())
    assert [one.name for one in vault.search("zork fjord").entities or ()] == ["Fjord"]


def test_entity_filters_a_search_by_any_of_its_names(vault: Vault) -> None:
    vault.entities()
    found = [hit.path for hit in vault.search("entity:countess rye")]
    assert found[0] == "Meeting.md" and {*found} == {"Meeting.md", "London.md", "People/Ada Lovelace.md"}
    assert {hit.path for hit in vault.search('-entity:"Ada Lovelace"')} == {"Bread.md"}


@pytest.mark.parametrize(
    ("query", "extracts", "code", "near"),
    [
        ('entity:"Ada Lovelase"', True, "no_entity", ("Ada Lovelace",)),
        ("entity:zzz", True, "no_entity", None),
        ("entity:Ada", False, "no_entities", None),
    ],
)
def test_an_unknown_entity_finds_nothing_and_says_why(
    vault: Vault, query: str, extracts: bool, code: str, near: tuple[str, ...] | None
) -> None:
    if extracts:
        vault.entities()
    found = vault.search(query)
    assert not found.hits and [(one.code, one.facts.get("near")) for one in found.notices] == [(code, near)]


def test_entity_is_a_property_where_notes_have_one(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\nentity: bank\n---\n# A\n\nrye\n", "b.md": "# B\n\nrye\n"})
    assert [hit.path for hit in vault.search("entity:bank rye")] == ["a.md"]


def test_an_unknown_name_or_kind_is_an_error_with_a_suggestion(vault: Vault) -> None:
    with pytest.raises(QueryError, match="No entity is called 'Ada Lovelac'") as caught:
        vault.entities("Ada Lovelac")
    assert caught.value.hint == "Did you mean Ada Lovelace?"
    with pytest.raises(QueryError, match="There is no kind 'planet'"):
        vault.entities(kind="planet")


def test_a_vault_without_names_has_no_entities(make_vault: MakeVault) -> None:
    found = make_vault({"a.md": "rye needs water\n"}).entities()
    assert (found.total, found.entities) == (0, ())


def test_a_domain_knows_only_its_own_entities(make_vault: MakeVault) -> None:
    toml = '[domains.home]\nfolders = ["Home"]\n[domains.work]\nfolders = ["Work"]\n'
    home = "# Diary\n\nWith [[Ada Lovelace]] in London.\n"
    vault = make_vault(
        {"notewell.toml": toml, "Home/Diary.md": home, "Work/Plan.md": "# Plan\n\nBy [[Grace Hopper]].\n"}
    )
    assert {"Ada Lovelace", "Grace Hopper"} <= names(vault.entities())
    of_work = vault.entities(domain="work")
    assert "Grace Hopper" in names(of_work) and not {"Ada Lovelace", "London"} & names(of_work)
    assert len(entity_files(vault.store_file)) == 2 or len(entity_files(vault.root / ".notewell/store.db")) == 2
    (vault.root / "Home/Diary.md").unlink()
    vault.index()
    assert not {"Ada Lovelace", "London"} & names(vault.entities())
    assert "Grace Hopper" in names(vault.entities(domain="work"))


def test_a_damaged_file_is_made_anew(vault: Vault) -> None:
    vault.entities()
    (file,) = entity_files(vault.store_file)
    file.write_bytes(b"not a database" * 100)
    assert vault.search("Ada Lovelace").hits
    assert "Ada Lovelace" in names(vault.entities())


def test_a_link_in_its_place_is_an_error_that_names_the_file(vault: Vault, tmp_path: Path) -> None:
    vault.entities()
    (file,) = entity_files(vault.store_file)
    file.unlink()
    (other := tmp_path / "other").write_text("mine")
    file.symlink_to(other)
    with pytest.raises(StoreError, match=re.escape(str(file))):
        vault.entities()
    assert other.read_text() == "mine"


def test_only_this_user_can_read_the_file(vault: Vault) -> None:
    vault.entities()
    (file,) = entity_files(vault.store_file)
    assert file.stat().st_mode & 0o077 == 0 and file.parent.stat().st_mode & 0o077 == 0


def test_the_command_lists_and_shows(vault: Vault, run_command: Callable[..., tuple[int, str, str]]) -> None:
    root = Path(vault.root)
    vault.index()
    code, out, err = run_command(root, "entities", "--kind", "person")
    assert code == 0 and "     3  Ada Lovelace  person" in out.splitlines() and "London" not in out
    code, out, err = run_command(root, "entities", "countess")
    assert out.splitlines()[:2] == [
        "Ada Lovelace  person, 3 notes",
        "  also Countess (an alias in People/Ada Lovelace.md)",
    ]
    code, out, err = run_command(root, "search", "Ada Lovelace", "-n", "1")
    assert "Ada Lovelace: person, 3 notes, 2024-05-01" in err.splitlines()
    code, out, err = run_command(root, "entities", "Ada Lovelac")
    assert code == 2 and "hint: Did you mean Ada Lovelace?" in err
