"""Renaming tags over many notes: all or none, beside other programs, and back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.curate.journal import Journal, create, edit, rewrite, trash
from notewell.curate.renames import Renamed, apply_renames, undo_renames
from notewell.curate.tag_edits import read_renames
from notewell.errors import CurateError, SettingsError
from notewell.files.folder import Folder

MakeVault = Callable[..., Vault]
ALLOWED = '[curate]\nfolders = ["."]\n'
NOTES = {
    "notewell.toml": ALLOWED,
    "a.md": "---\ntags: [old, x]\n---\nOne #old/deep.\n",
    "Sub/b.md": "\ufeffTwo #OLD\r\n",
    "c.md": "Three `#old`.\n",
}


def rename(vault: Vault, *renames: str, **ways: object) -> Renamed:
    return apply_renames(vault, read_renames(renames), **ways)  # type: ignore[arg-type]


def contents(vault: Vault) -> dict[str, bytes]:
    files = (file for file in vault.root.rglob("*") if file.is_file() and ".notewell" not in file.parts)
    return {str(file.relative_to(vault.root)): file.read_bytes() for file in files}


def test_tags_are_renamed_in_all_notes_and_back(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    before = contents(vault)
    done = rename(vault, "old=new")
    assert [(note.path, note.tags) for note in done.notes] == [("Sub/b.md", 1), ("a.md", 2)] and done.applied
    assert (vault.root / "a.md").read_text() == "---\ntags: [new, x]\n---\nOne #new/deep.\n"
    assert (vault.root / "Sub/b.md").read_bytes() == b"\xef\xbb\xbfTwo #new\r\n"
    assert (vault.root / "c.md").read_bytes() == before["c.md"]
    vault.index()
    assert {hit.path for hit in vault.search("tag:new")} == {"a.md", "Sub/b.md"}
    undo_renames(vault)
    assert contents(vault) == before
    with pytest.raises(CurateError, match="no renames to undo"):
        undo_renames(vault)


def test_a_note_with_line_ends_of_old_macs_keeps_them(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "mac.md": "---\rtags:\r  - old\r  - x\r---\rOne #old\r"})
    vault.index()
    rename(vault, "old=new,other")
    assert (vault.root / "mac.md").read_bytes() == b"---\rtags:\r  - new\r  - other\r  - x\r---\rOne #new #other\r"
    rename(vault, "new=x", "other=x", merge=True)
    assert (vault.root / "mac.md").read_bytes() == b"---\rtags:\r  - x\r---\rOne #x #x\r"
    assert {hit.path for hit in vault.search("tag:x")} >= {"mac.md"}


def test_nothing_is_written_until_the_vault_names_folders(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "#old\n", "Sub/b.md": "#old\n"})
    with pytest.raises(SettingsError, match="no folder"):
        rename(vault, "old=new")
    (vault.root / "notewell.toml").write_text('[curate]\nfolders = ["Sub"]\n')
    done = rename(vault, "old=new")
    assert [note.path for note in done.notes] == ["Sub/b.md"]
    assert [(one.path, "curate.folders" in one.reason) for one in done.left] == [("a.md", True)]
    assert (vault.root / "a.md").read_text() == "#old\n"


@pytest.mark.parametrize("named", ["..", "/tmp", ".obsidian", "a/../../b", ".git"])
def test_folders_outside_or_of_programs_are_refused(make_vault: MakeVault, named: str) -> None:
    vault = make_vault({"notewell.toml": f'[curate]\nfolders = ["{named}"]\n', "a.md": "#old\n"})
    with pytest.raises(SettingsError):
        rename(vault, "old=new")


def test_only_the_vaults_own_file_allows_it(make_vault: MakeVault) -> None:
    with pytest.raises(SettingsError):
        make_vault({"a.md": "#old\n"}, {"curate.folders": ["."]})


def test_a_dry_run_shows_the_lines_without_secrets_and_writes_nothing(make_vault: MakeVault) -> None:
    secret = "AKIA" + "ZQ4WNX7TRLMB2KPD"
    vault = make_vault({**NOTES, "d.md": f"#old key {secret}\n"})
    before = contents(vault)
    done = rename(vault, "old=new", dry_run=True)
    assert contents(vault) == before and not done.applied
    lines = {note.path: [(one.line, one.before, one.after) for one in note.lines] for note in done.notes}
    assert lines["a.md"] == [(2, "tags: [old, x]", "tags: [new, x]"), (4, "One #old/deep.", "One #new/deep.")]
    assert secret not in repr(done)
    assert not Journal(vault.root).history()


def test_the_journal_has_the_tags_but_not_the_notes(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "d.md": "#old and a private sentence\n"})
    rename(vault, "old=new")
    written = b"".join(file.read_bytes() for file in Journal(vault.root).folder.iterdir())
    assert b"private" not in written and b"private".hex().encode() not in written


def test_a_tag_that_exists_needs_merge_but_another_spelling_does_not(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "e.md": "#new and #old\n", "_taxonomy.md": "- #old\n- #fresh\n"})
    before = contents(vault)
    with pytest.raises(CurateError, match="1 note has the tag #new already"):
        rename(vault, "old=new")
    assert contents(vault) == before
    rename(vault, "old=Old")
    rename(vault, "old=fresh")
    rename(vault, "fresh=new", merge=True)
    assert (vault.root / "e.md").read_text() == "#new and #new\n"
    assert (vault.root / "_taxonomy.md").read_text() == "- #old\n- #fresh\n"


def test_a_nested_tag_that_exists_needs_merge_too(make_vault: MakeVault) -> None:
    vault = make_vault({"notewell.toml": ALLOWED, "a.md": "#old/deep\n", "b.md": "#New/Deep\n"})
    with pytest.raises(CurateError, match="1 note has the tag #new/deep already"):
        rename(vault, "old=new")
    assert (vault.root / "a.md").read_text() == "#old/deep\n"
    rename(vault, "old=new", merge=True)
    assert (vault.root / "a.md").read_text() == "#new/deep\n"


def test_a_tag_or_folder_that_is_not_there_is_named(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    done = rename(vault, "old/deep=deep", "odl=new", dry_run=True)
    assert [(one.code, dict(one.facts)) for one in done.notices] == [("no_tag", {"value": "odl"})]
    nowhere = rename(vault, "old=new", under="Nope", dry_run=True)
    assert not nowhere.notes and [one.code for one in nowhere.notices] == ["unknown_folder"]


def test_a_read_only_note_is_named_and_left(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    (vault.root / "a.md").chmod(0o444)
    done = rename(vault, "old=new")
    assert [(one.path, one.reason) for one in done.left] == [("a.md", "it is read-only")]
    assert [note.path for note in done.notes] == ["Sub/b.md"]


def test_a_scope_limits_what_is_renamed_but_not_what_exists(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "d.md": "#taken\n"})
    assert [note.path for note in rename(vault, "old=new", under="Sub").notes] == ["Sub/b.md"]
    with pytest.raises(CurateError, match="#taken already"):
        rename(vault, "new=taken", under="Sub")


def test_notes_that_cannot_be_edited_are_named_and_the_others_renamed(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            **NOTES,
            "alias.md": "---\nmine: &x [old]\ntags: *x\n---\n",
            "latin.md": "#old caf\xe9\n".encode("latin-1"),
            "_review-queue.md": "- [ ] #old\n",
        }
    )
    (vault.root / "link.md").symlink_to("a.md")
    os.link(vault.root / "a.md", vault.root / "Sub" / "hard.md")
    done = rename(vault, "old=new")
    assert {one.path for one in done.left} == {"alias.md", "latin.md", "a.md", "Sub/hard.md"}
    assert [note.path for note in done.notes] == ["Sub/b.md"]
    assert (vault.root / "link.md").is_symlink()
    assert (vault.root / "_review-queue.md").read_text() == "- [ ] #old\n"


def test_permissions_stay(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    (vault.root / "a.md").chmod(0o640)
    rename(vault, "old=new")
    assert (vault.root / "a.md").stat().st_mode & 0o777 == 0o640
    assert not list(vault.root.rglob(".notewell-unfinished-*"))


def test_one_note_that_cannot_be_written_takes_all_others_back(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(NOTES)
    before = contents(vault)
    usual = Folder.replace

    def full_disk(folder: Folder, name: str, old: bytes, new: bytes) -> None:
        if name == "a.md" and b"new" in new:
            raise OSError(28, "No space left on device")
        usual(folder, name, old, new)

    monkeypatch.setattr(Folder, "replace", full_disk)
    with pytest.raises(CurateError, match=r"Nothing was changed: a\.md: No space left") as caught:
        rename(vault, "old=new")
    assert "Check the disk" in caught.value.hint
    assert contents(vault) == before and not Journal(vault.root).history()


def test_what_cannot_be_put_back_now_is_put_back_by_the_next_command(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(NOTES)
    before = contents(vault)
    usual, written = Folder.replace, list[str]()

    def full_disk(folder: Folder, name: str, old: bytes, new: bytes) -> None:
        if written:
            raise OSError(28, "No space left on device")
        usual(folder, name, old, new)
        written.append(name)

    monkeypatch.setattr(Folder, "replace", full_disk)
    for _ in range(2):
        # The second finds the disk as full as it was.
        with pytest.raises(CurateError, match=r"b\.md was changed and cannot be restored yet: No space") as caught:
            rename(vault, "old=new")
        assert "the next command restores it" in caught.value.hint
    monkeypatch.undo()
    with Journal(vault.root).alone() as left:
        assert left == [] and contents(vault) == before


def test_an_edit_by_another_program_meanwhile_is_never_lost(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(NOTES)
    edits = [b"#old, typed in Obsidian\n", b"#old, typed once more\n"]
    usual = Folder._write_like

    def edited_meanwhile(folder: Folder, *given: object, **ways: object) -> None:
        usual(folder, *given, **ways)  # type: ignore[arg-type]
        if folder.path == "" and edits:
            (vault.root / "a.md").write_bytes(edits.pop(0))

    monkeypatch.setattr(Folder, "_write_like", edited_meanwhile)
    rename(vault, "old=new")
    assert (vault.root / "a.md").read_text() == "#new, typed once more\n"
    assert (vault.root / "Sub/b.md").read_bytes() == b"\xef\xbb\xbfTwo #new\r\n"


def test_an_edit_at_the_last_moment_is_put_back(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = make_vault({"a.md": "before"})
    note = vault.root / "a.md"
    usual = os.replace

    def just_before(*ends: Any, **folders: Any) -> None:
        if note.read_bytes() == b"before":
            note.write_bytes(b"typed at the last moment")
        usual(*ends, **folders)

    monkeypatch.setattr(os, "replace", just_before)
    with Folder(vault.root, "") as folder, pytest.raises(OSError, match="another program"):
        folder.replace("a.md", b"before", b"after")
    assert note.read_bytes() == b"typed at the last moment"


def test_an_undo_that_would_lose_an_edit_changes_nothing(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    rename(vault, "old=new")
    (vault.root / "a.md").write_text("#new, and more\n")
    before = contents(vault)
    with pytest.raises(CurateError, match=r"a\.md was changed since"):
        undo_renames(vault)
    assert contents(vault) == before


def test_a_planted_journal_in_the_vault_is_not_read(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault(NOTES)
    assert not Journal(vault.root).folder.is_relative_to(vault.root)


def test_files_are_created_and_trashed_with_the_others_and_back(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "one", "b.md": "two"})
    (vault.root / "b.md").chmod(0o600)
    before = contents(vault)
    journal = Journal(vault.root)
    with journal.alone():
        journal.apply("test", [rewrite("a.md", b"one", b"1"), create("New/c.md", b"three"), trash("b.md", b"two")])
    after = contents(vault)
    (trashed,) = [path for path in after if path.startswith(".trash")]
    assert (after["a.md"], after["New/c.md"], after[trashed]) == (b"1", b"three", b"two") and "b.md" not in after
    with journal.alone():
        journal.undo(journal.history()[0])
    restored = {path: data for path, data in contents(vault).items() if not path.startswith(".trash")}
    assert restored == before and (vault.root / "b.md").stat().st_mode & 0o777 == 0o600


def test_a_file_in_the_way_takes_the_others_back_and_stays(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "one", "c.md": "three"})
    before = contents(vault)
    journal = Journal(vault.root)
    with journal.alone(), pytest.raises(CurateError, match=r"c\.md: another file has that name"):
        journal.apply("test", [edit("a.md", b"one", rewrite("a.md", b"one", b"1").edits), create("c.md", b"three")])
    assert contents(vault) == before
