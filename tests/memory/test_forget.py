"""Forgetting moves memories to the trash and out of the store, and never any other note."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import NoteError, NotewellError, VaultError
from notewell.files.folder import Folder

MakeVault = Callable[..., Vault]

APPROVALS = "The deploy of the billing service needs two approvals since March."
MARKED = "---\ntype: memory\n---\n\nThe heating is bled every autumn.\n"


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".notewell" not in path.parts
    }


def test_a_forgotten_memory_lies_in_the_trash_and_is_found_no_more(
    allowed: Vault, stored: Callable[[Vault], str]
) -> None:
    done = allowed.remember(APPROVALS, title="Billing deploys")
    written = (allowed.root / str(done.path)).read_bytes()
    gone = allowed.forget(str(done.path))
    assert (gone.path, gone.trash, gone.notices) == (done.path, ".trash/Billing deploys.md", ())
    assert (allowed.root / gone.trash).read_bytes() == written
    assert not (allowed.root / str(done.path)).exists()
    assert "approvals" not in stored(allowed)
    assert allowed.index(full=True).added == 1
    assert "approvals" not in stored(allowed)


@pytest.mark.parametrize(
    "note", ["Billing deploys", "Billing deploys.md", "Memories/Billing deploys.md:8", "{root}/{path}"]
)
def test_a_memory_is_named_by_path_name_title_or_place(allowed: Vault, note: str) -> None:
    done = allowed.remember(APPROVALS, title="Billing deploys")
    assert allowed.forget(note.format(root=allowed.root, path=done.path)).path == done.path


@pytest.mark.parametrize("note", ["Memories/Kim.md", "Kim.md", "Kim", "Memories/Kim.md:6"])
def test_a_memory_that_is_gone_does_not_hand_its_name_to_another(make_allowed: MakeVault, note: str) -> None:
    vault = make_allowed({"Memories/Kim.md": MARKED, "Memories/kim.md": MARKED})
    vault.index()
    assert vault.forget(note).path == "Memories/Kim.md"
    with pytest.raises(NoteError) as caught:
        vault.forget(note)
    assert caught.value.hint
    assert "Memories/kim.md" in everything(vault.root)


def test_a_name_that_two_memories_have_is_none_of_them(allowed: Vault) -> None:
    for text in ("Kim likes tea.", "The heating is broken."):
        allowed.remember(text, title="Kim")
    with pytest.raises(NoteError, match="2 notes are called 'Kim'") as caught:
        allowed.forget("Kim")
    assert "Memories/Kim 2.md" in caught.value.hint


def test_nothing_in_the_trash_is_overwritten(allowed: Vault) -> None:
    trashes = []
    for text in ("Kim likes tea.", "The heating is broken.", "Postgres listens on port 5433."):
        trashes.append(allowed.forget(str(allowed.remember(text, title="Kim").path)).trash)
    assert trashes == [".trash/Kim.md", ".trash/Kim 2.md", ".trash/Kim 3.md"]
    assert (allowed.root / trashes[0]).read_text(encoding="utf-8").endswith("Kim likes tea.\n")


def test_a_memory_that_a_person_edited_or_moved_deeper_is_still_one(make_allowed: MakeVault) -> None:
    edited = "\ufeff---\r\ntags: mine\r\ntype: memory\r\n---\r\nMy own words now.\r\n"
    vault = make_allowed({"Memories/2026/Edited.md": edited})
    assert vault.forget("Memories/2026/Edited.md").trash == ".trash/Edited.md"


@pytest.mark.parametrize(
    ("note", "fact"),
    [
        ("Bees.md", "Bees.md is not a memory: it lies outside Memories"),
        ("Memories/../Bees.md", "Bees.md is not a memory: it lies outside Memories"),
        ("Outside.md", "Outside.md is not a memory: it lies outside Memories"),
        ("Memories-not/a.md", "Memories-not/a.md is not a memory: it lies outside Memories"),
        ("Memories/Own.md", "Memories/Own.md is not a memory: its front matter does not say `type: memory`"),
        ("Memories/Quoting.md", "Memories/Quoting.md is not a memory: its front matter does not say `type: memory`"),
        ("Memories/Broken.md", "Memories/Broken.md is not a memory: its front matter does not say `type: memory`"),
        ("notewell.toml", "notewell.toml is not a memory: it lies outside Memories"),
        ("Memories", "Memories is not a memory: it lies outside Memories"),
        ("Memories/Folder.md", "Memories/Folder.md is not a file, or is a link"),
        (".trash/Old.md", ".trash/Old.md is not a memory: it lies outside Memories"),
        ("/etc/passwd", "is not a memory: it lies outside Memories"),
        ("nowhere", "No indexed note is called 'nowhere'"),
        ("Memories/nowhere.md", "No indexed note is called 'Memories/nowhere.md'"),
        ("\0", "No note has a zero byte in its name"),
        ("", "is not a memory: it lies outside Memories"),
    ],
)
def test_anything_else_is_refused_and_stays_as_it_is(make_allowed: MakeVault, note: str, fact: str) -> None:
    vault = make_allowed(
        {
            "Outside.md": MARKED,
            "Memories-not/a.md": MARKED,
            "Memories/Own.md": "# Mine\n\nNot a memory.\n",
            "Memories/Quoting.md": "# Mine\n\n---\ntype: memory\n---\n",
            "Memories/Broken.md": "---\ntype: memory\nbroken: [\n---\nText\n",
            "Memories/Folder.md/inner.md": MARKED,
            ".trash/Old.md": MARKED,
        }
    )
    vault.index()
    before = everything(vault.root)
    with pytest.raises(NotewellError) as caught:
        vault.forget(note)
    assert fact in caught.value.fact
    assert caught.value.hint
    assert everything(vault.root) == before


def test_nothing_is_forgotten_through_a_link(make_allowed: MakeVault) -> None:
    vault = make_allowed({"Elsewhere/Marked.md": MARKED, "Memories/Own.md": "# Mine\n"})
    (vault.root / "Memories/Link.md").symlink_to(vault.root / "Elsewhere/Marked.md")
    (vault.root / "Memories/Folder").symlink_to(vault.root / "Elsewhere")
    before = everything(vault.root)
    for note in ("Memories/Link.md", "Memories/Folder/Marked.md"):
        with pytest.raises(NoteError, match="is not a file, or is a link"):
            vault.forget(note)
    assert everything(vault.root) == before
    assert (vault.root / "Memories/Link.md").is_symlink()


def test_a_trash_that_leads_elsewhere_gets_nothing(allowed: Vault, tmp_path: Path) -> None:
    done = allowed.remember(APPROVALS)
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (allowed.root / ".trash").symlink_to(elsewhere)
    with pytest.raises(NotewellError, match=r"\.trash is not a folder, or is a link"):
        allowed.forget(str(done.path))
    assert list(elsewhere.iterdir()) == []
    assert (allowed.root / str(done.path)).is_file()


def test_a_file_that_took_the_memorys_place_meanwhile_is_not_moved(allowed: Vault) -> None:
    done = allowed.remember(APPROVALS, title="Kim")
    with Folder(allowed.root, "Memories") as folder, Folder(allowed.root, ".trash", make=True) as trash:
        _, about = folder.read("Kim.md", 100)
        (allowed.root / "other.md").write_text("My own words.\n")
        (allowed.root / "other.md").replace(allowed.root / str(done.path))
        with pytest.raises((VaultError, OSError), match="another file replaced it"):
            folder.move("Kim.md", about, trash, ["Kim.md"])
    assert (allowed.root / str(done.path)).read_text() == "My own words.\n"
    assert list((allowed.root / ".trash").iterdir()) == []
