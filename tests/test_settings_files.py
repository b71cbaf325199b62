"""A vault that stays open follows its settings files: what they exclude is neither shown nor stored from then on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from tests.serve.serving import kept_up

from notewell import Progress, Report, Vault
from notewell.config import FILE
from notewell.errors import NoteError, StoreBusy
from notewell.serve.answering import answer, read_indexed
from notewell.serve.mcp.notes import complete_path, list_notes

MakeVault = Callable[..., Vault]

NOTES = {"a.md": "zebra open", "b.md": "zebra near [[a]]", "Private/diary.md": "# Diary\n\nzebra hidden [[a]] [[b]]"}
EXCLUDE = '[index]\nexclude = ["Private/"]\n'
SURFACES: dict[str, Callable[[Vault], object]] = {
    "search": lambda vault: answer(vault, "search", {"text": "zebra", "refresh": False}).hits,
    "related": lambda vault: answer(vault, "related", {"note": "a", "refresh": False}).hits,
    "links": lambda vault: answer(vault, "links", {"note": "a", "refresh": False}),
    "graph": lambda vault: answer(vault, "graph", {"refresh": False}),
    "traverse": lambda vault: answer(vault, "traverse", {"note": "a", "floor": 0, "refresh": False}),
    "resources": list_notes,
    "completion": lambda vault: complete_path(vault, "d"),
    "Python": lambda vault: vault.search("zebra", refresh=False).hits,
}


def exclude(root: Path, text: str = EXCLUDE) -> None:
    (root / FILE).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("surface", SURFACES)
def test_what_a_file_begins_to_exclude_is_not_shown_even_without_a_refresh(make_vault: MakeVault, surface: str) -> None:
    with make_vault(NOTES) as vault, kept_up(vault) as kept:
        vault.index()
        show = SURFACES[surface]
        assert "iary" in str(show(kept))
        exclude(vault.root)
        assert "iary" not in str(show(kept))
        assert [*kept.store.files().notes] == ["a.md", "b.md"]


def test_an_excluded_note_is_not_read_and_never_stored_again(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault, kept_up(vault) as kept:
        vault.index()
        assert "hidden" in read_indexed(kept, "Private/diary.md").text
        exclude(vault.root)
        with pytest.raises(NoteError):
            read_indexed(kept, "Private/diary.md")
        (vault.root / "a.md").write_text("zebra changed", encoding="utf-8")
        kept.freshness.look()
        assert kept.index().notes == 2


def test_a_link_to_what_is_excluded_is_left_out_with_it(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        (vault.root / "link.md").symlink_to("Private/diary.md")
        vault.index()
        exclude(vault.root)
        assert {hit.path for hit in vault.search("zebra", refresh=False)} == {"a.md", "b.md"}


def test_the_users_own_file_counts_as_well(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/notewell").mkdir(parents=True)
    with make_vault(NOTES) as vault:
        vault.index()
        exclude(tmp_path / "config/notewell")
        assert "iary" not in str(vault.search("zebra", refresh=False))


def test_while_another_process_writes_hits_are_hidden_and_other_answers_refused(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        exclude(vault.root)
        with vault.store.locked():
            assert "iary" not in str(vault.search("zebra", refresh=False).hits)
            with pytest.raises(StoreBusy):
                vault.graph()
        assert vault.graph().notes == 2


def test_an_invalid_file_leaves_the_settings_as_they_were_and_answers_say_so(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault, kept_up(vault) as kept:
        exclude(vault.root)
        vault.index()
        exclude(vault.root, "[index]\nexclude = [")
        found = answer(kept, "search", {"text": "zebra", "refresh": True})
        assert found.notices[0].code == "settings_invalid" and FILE in str(found.notices[0].facts)
        assert [*kept.store.files().notes] == ["a.md", "b.md"]
        exclude(vault.root, "")
        assert "iary" in str(answer(kept, "search", {"text": "zebra", "refresh": True}))


def test_a_run_stops_when_the_files_say_otherwise(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault, kept_up(vault) as kept:
        vault.index()
        followed = kept._view.indexing.while_unchanged(Progress())
        assert not followed.stop()
        exclude(vault.root)
        assert followed.stop()


def test_a_watch_follows_the_files_and_says_that_one_is_invalid(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports, warnings = list[Report](), list[str]()
    with make_vault(NOTES) as vault:
        vault.index()
        monkeypatch.setattr("notewell.index.runs.watch", lambda root, stop: [None])
        exclude(vault.root)
        vault.watch(reports.append, Event(), warnings.append)
        assert [report.removed for report in reports] == [1] and not warnings
        exclude(vault.root, "[index")
        vault.watch(reports.append, Event(), warnings.append)
        assert len(reports) == 1 and FILE in warnings[0]


def test_another_model_is_used_once_a_file_names_it(tmp_path: Path) -> None:
    with Vault.open(tmp_path) as vault:
        exclude(tmp_path, '[embed]\nmodel = "words"\n')
        vault.reread()
        assert vault.models.embedder.fingerprint == "words/27"
