"""Outdated notes: a set made by hand, in which every notice has to be right; that some are missing is the price."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notewell import Vault

MakeVault = Callable[..., Vault]
# What an old note says, and whether the note `New.md` took its place.
SAID = {
    "superseded_by: '[[New]]'": True,
    "Superseded by: New": True,
    "replaced-by: '[[New|the new one]]'": True,
    "obsoleted_by: ['[[New]]']": True,
    "Ersetzt durch: '[[New]]'": True,
    "remplacé par: '[[New]]'": True,
    "reemplazado por: New.md": True,
    # The other way round, other things, and things that only look like it.
    "supersedes: '[[New]]'": False,
    "replaces: '[[New]]'": False,
    "see: '[[New]]'": False,
    "by: '[[New]]'": False,
    "updated: 2019-01-01": False,
    "status: replaced": False,
    "superseded: false": False,
    "superseded_by: ''": False,
    "replaced_by: null": False,
}
# What stands in the text says it of a thing, not of the note; and two notes may disagree for many reasons.
TEXTS = [
    "Superseded by [[New]].",
    "NTLDR was replaced by [[New]].",
    "> Replaced by: [[New]]",
    "- [ ] order oxalic acid for the hive",
    "The hive costs 90 euros.",
]


@pytest.mark.parametrize(("said", "outdated"), SAID.items())
def test_only_what_an_author_says_of_a_note_makes_it_outdated(make_vault: MakeVault, said: str, outdated: bool) -> None:
    vault = make_vault({"Old.md": f"---\n{said}\n---\nThe hive.", "New.md": "# New\n\nThe hive again, 95 euros."})
    vault.index()
    told = [(one.code, dict(one.facts)) for one in vault.search("hive").notices]
    assert told == ([("superseded", {"path": "Old.md", "by": "New.md"})] if outdated else [])


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_text_says_makes_no_note_outdated(make_vault: MakeVault, text: str) -> None:
    notes = {
        "2025-01-01.md": f"---\nprice: 90\n---\nThe hive.\n\n{text}\n",
        "2025-03-01.md": "---\nprice: 95\n---\nThe hive.\n\n- [x] order oxalic acid for the hive\n",
        "New.md": "The hive costs 95 euros.",
    }
    vault = make_vault(notes)
    vault.index()
    assert [one.code for one in vault.search("hive").notices] == []
