"""What agents remember: notes of their own in the folder that the user allowed, found at once, and forgotten again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import SettingsError

MakeVault = Callable[..., Vault]

ALLOWED = {
    "notewell.toml": '[memory]\nfolder = "Memories"\n',
    "Bees.md": "# Bees\n\nThe hive hums in the warm evening.\n",
}
APPROVALS = "The deploy of the billing service needs two approvals since March."


def memories(vault: Vault) -> list[str]:
    return sorted(file.name for file in (vault.root / "Memories").iterdir())


def test_what_is_remembered_is_a_note_that_is_found_at_once(make_vault: MakeVault) -> None:
    vault = make_vault(ALLOWED)
    done = vault.remember(APPROVALS, title="Billing deploys", tags=["deploy", "#two words"], source="a chat with Kim")
    assert (done.path, done.written, done.near, done.redacted, done.notices) == (
        *("Memories/Billing deploys.md", True, (), 0, ()),
    )
    assert vault.search("approvals")[0].path == done.path
    page = (vault.root / done.path).read_text(encoding="utf-8")
    assert page.startswith("---\ntype: memory\ncreated: ")
    assert page.endswith(f"source: a chat with Kim\n---\n\n{APPROVALS}\n")


def test_what_is_forgotten_lies_in_the_trash_and_is_found_no_more(make_vault: MakeVault) -> None:
    vault = make_vault(ALLOWED)
    done = vault.remember(APPROVALS, title="Billing deploys")
    gone = vault.forget("billing deploys")
    assert (gone.path, gone.trash, gone.notices) == (done.path, ".trash/Billing deploys.md", ())
    assert (vault.root / gone.trash).read_text(encoding="utf-8").endswith(f"{APPROVALS}\n")
    assert memories(vault) == []
    assert [excerpt.path for excerpt in vault.search("approvals billing")] != [done.path]


def test_nothing_is_remembered_or_forgotten_until_the_vaults_own_file_allows_it(make_vault: MakeVault) -> None:
    vault = make_vault({"Bees.md": ALLOWED["Bees.md"]})
    for act in (lambda: vault.remember(APPROVALS), lambda: vault.forget("Bees.md")):
        with pytest.raises(SettingsError) as caught:
            act()
        assert caught.value.fact == "Agents may not remember or forget here: no folder is set for it"
        assert caught.value.hint == (
            f'The user allows it by two lines in {vault.root / "notewell.toml"}: `[memory]` and `folder = "Memories"`'
        )
    assert [file.name for file in Path(vault.root).iterdir()] == ["Bees.md"]


def test_only_the_vaults_own_file_can_allow_it(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = make_vault(ALLOWED)
    with pytest.raises(SettingsError, match=r"memory\.folder is a setting of notewell\.toml alone"):
        Vault.open(vault.root, {"memory.folder": "Elsewhere"})
    monkeypatch.setenv("NOTEWELL_MEMORY_FOLDER", "Elsewhere")
    with pytest.raises(SettingsError, match=r"memory\.folder is a setting of notewell\.toml alone"):
        Vault.open(vault.root)
    monkeypatch.setenv("NOTEWELL_MEMORY_FOLDER", "")
    with pytest.raises(SettingsError, match="Agents may not remember"):
        Vault.open(vault.root).remember(APPROVALS)


def test_a_text_that_is_remembered_already_is_shown_and_not_written_again(make_vault: MakeVault) -> None:
    vault = make_vault(ALLOWED)
    done = vault.remember(APPROVALS)
    again = vault.remember(f"  {APPROVALS.upper()}\n")
    assert not again.written
    assert [(near.path, near.similarity, near.text) for near in again.near] == [(done.path, 1.0, APPROVALS)]
    assert len(memories(vault)) == 1
    assert vault.remember(APPROVALS, anyway=True).written
    assert len(memories(vault)) == 2
