"""Agents remember by writing notes into the folder that the user allowed; they are found at once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import NoteError, SettingsError, VaultError
from notewell.freshness import Policy
from notewell.index.shapes.front_matter import split_front_matter

MakeVault = Callable[..., Vault]

APPROVALS = "The deploy of the billing service needs two approvals since March."

HOLDER = """
import sys
from notewell import Vault

with Vault.open(sys.argv[1], {"embed.model": "words"}) as vault, vault.store.locked(wait=0):
    print("held", flush=True)
    sys.stdin.read()
"""


def memories(vault: Vault) -> list[str]:
    folder = vault.root / "Memories"
    return sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []


def page(vault: Vault, path: str) -> str:
    return (vault.root / path).read_text(encoding="utf-8")


def test_a_memory_is_a_note_that_is_found_at_once(allowed: Vault) -> None:
    done = allowed.remember(APPROVALS, title="Billing deploys", tag=["deploy", "#two words"], source="a chat with Kim")
    assert done.path == "Memories/Billing deploys.md"
    assert (done.written, done.near, done.redacted, done.notices) == (True, (), 0, ())
    assert allowed.search("approvals")[0].path == done.path
    assert allowed.search("type:memory tag:two-words")[0].path == done.path
    assert allowed.doctor().problems == ()


def test_a_memory_says_what_it_is_when_it_was_written_and_where_it_comes_from(allowed: Vault) -> None:
    done = allowed.remember(APPROVALS, title="Billing deploys", tag=["deploy", "#two words"], source="a chat with Kim")
    fields, body, warnings = split_front_matter(page(allowed, str(done.path)))
    created = fields.pop("created")
    assert fields == {
        "type": "memory",
        "title": "Billing deploys",
        "tags": ["deploy", "two-words"],
        "source": "a chat with Kim",
    }
    assert isinstance(created, datetime)
    assert timedelta() <= datetime.now().astimezone() - created < timedelta(minutes=5)
    assert page(allowed, str(done.path))[body:] == f"\n{APPROVALS}\n"
    assert warnings == ()
    with allowed.store.reading() as snapshot:
        assert snapshot.notes([str(done.path)])[str(done.path)].day == datetime.now().astimezone().date().isoformat()


def test_a_memory_without_a_title_is_called_by_its_first_words(allowed: Vault) -> None:
    assert allowed.remember("## Rye needs water. Wheat does not.").path == "Memories/Rye needs water.md"
    long = allowed.remember(
        "Postgres listens on another port of the new server in Falkenstein because two clusters run"
    )
    assert long.path == "Memories/Postgres listens on another port of the new server in Falkenstein.md"


def test_memories_of_one_title_are_distinguished_by_a_number(allowed: Vault) -> None:
    paths = [
        allowed.remember(text, title="Kim").path
        for text in ("She likes tea.", "The heating is broken.", "Postgres runs on port 5433.")
    ]
    assert paths == ["Memories/Kim.md", "Memories/Kim 2.md", "Memories/Kim 3.md"]
    assert page(allowed, str(paths[0])).endswith("She likes tea.\n")


def test_a_memory_never_takes_the_place_of_another_note(make_allowed: MakeVault) -> None:
    vault = make_allowed({"Memories/Kim.md": "My own words on Kim.\n"})
    assert vault.remember(APPROVALS, title="Kim").path == "Memories/Kim 2.md"
    assert page(vault, "Memories/Kim.md") == "My own words on Kim.\n"


def test_nothing_is_remembered_or_forgotten_until_the_vaults_own_file_allows_it(make_vault: MakeVault) -> None:
    vault = make_vault({"Bees.md": "# Bees\n\nThe hive hums.\n"})
    for act in (lambda: vault.remember(APPROVALS), lambda: vault.forget("Bees.md")):
        with pytest.raises(SettingsError) as caught:
            act()
        assert caught.value.fact == "This vault has no folder for memories"
        assert caught.value.hint == (
            f'To allow memories, add two lines to {vault.root / "notewell.toml"}: `[memory]` and `folder = "Memories"`'
        )
    assert [file.name for file in vault.root.iterdir()] == ["Bees.md"]


def test_only_the_vaults_own_file_can_allow_it(allowed: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"memory\.folder.* can only be set in a vault's notewell\.toml"):
        Vault.open(allowed.root, {"memory.folder": "Elsewhere"})
    monkeypatch.setenv("NOTEWELL_MEMORY_FOLDER", "Elsewhere")
    with pytest.raises(SettingsError, match=r"memory\.folder.* can only be set in a vault's notewell\.toml"):
        Vault.open(allowed.root)
    monkeypatch.setenv("NOTEWELL_MEMORY_FOLDER", "")
    with pytest.raises(SettingsError, match="no folder for memories"):
        Vault.open(allowed.root).remember(APPROVALS)


@pytest.mark.parametrize(
    ("toml", "fact"),
    [
        ('folder = "../elsewhere"', "outside the vault"),
        ('folder = "a/../../elsewhere"', "outside the vault"),
        ('folder = "/tmp/elsewhere"', "outside the vault"),
        ("folder = 'C:\\elsewhere'", "outside the vault"),
        ('folder = "."', "the vault itself"),
        ('folder = "a/.."', "the vault itself"),
        ('folder = ".hidden"', "hidden"),
        ('folder = "a/.trash"', "hidden"),
        ('folder = "node_modules/a"', "belongs to a program"),
        ('folder = "Memories"\n[index]\nexclude = ["Memories/"]', "index.exclude leaves it out"),
        ('folder = "Memories"\n[index]\nexclude = ["*.md"]', "index.exclude leaves it out"),
        ('folder = "Memories"\n[index]\ninclude = ["Garden"]', "index.include leaves it out"),
    ],
)
def test_a_folder_that_no_memory_may_lie_in_is_refused_with_a_reason(
    make_vault: MakeVault, toml: str, fact: str
) -> None:
    vault = make_vault({"Garden/Bees.md": "# Bees\n", "notewell.toml": f"[memory]\n{toml}\n"})
    with pytest.raises(SettingsError) as caught:
        vault.remember(APPROVALS)
    assert fact in caught.value.fact
    assert caught.value.hint
    assert sorted(file.name for file in vault.root.iterdir() if file.name != ".notewell") == ["Garden", "notewell.toml"]
    # Who searches is not kept from it.
    assert vault.search("bees", refresh=True) is not None


def test_a_memory_that_no_search_would_find_is_refused(make_vault: MakeVault) -> None:
    vault = make_vault({"notewell.toml": '[memory]\nfolder = "Memories"\n[index]\nexclude = ["draft*"]\n'})
    with pytest.raises(SettingsError, match=r"index\.exclude leaves it out"):
        vault.remember(APPROVALS, title="draft of a plan")
    assert memories(vault) == []
    assert vault.remember(APPROVALS, title="a plan").written


@pytest.mark.parametrize("text", ["", " \n\t", "\0", "a" * 100_001])
def test_nothing_and_too_much_cannot_be_remembered(allowed: Vault, text: str) -> None:
    with pytest.raises(NoteError) as caught:
        allowed.remember(text)
    assert caught.value.hint
    assert memories(allowed) == []


def test_a_memory_of_many_pages_is_written_whole(allowed: Vault) -> None:
    text = "\n\n".join(f"Paragraph {number} on the hive and its honey." for number in range(2_000))
    done = allowed.remember(text, title="Long")
    assert page(allowed, str(done.path)).endswith(f"---\n\n{text}\n")
    assert not allowed.remember(text.replace("\n\n", "\n"), title="Again").written


@contextmanager
def another_writer(root: Path) -> Iterator[None]:
    command = [sys.executable, "-c", HOLDER, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield


def test_a_memory_is_found_at_once_however_much_else_is_still_to_be_indexed(allowed: Vault) -> None:
    allowed.index()
    # So little that a refresh before a search takes nothing in.
    allowed.freshness.policy = Policy(quick_bytes=0)
    (allowed.root / "New.md").write_text("A zebra grazes in the garden today.\n")
    done = allowed.remember(APPROVALS)
    assert done.notices == ()
    assert allowed.search("approvals", refresh=True)[0].path == done.path
    assert allowed.status().stale == 1
    assert allowed.forget(str(done.path)).notices == ()
    assert allowed.store.files().notes.keys() == {"Bees.md"}


def test_a_vault_that_was_indexed_with_other_settings_is_reported(allowed: Vault) -> None:
    allowed.index()
    with Vault.open(allowed.root, {"embed.model": "words", "chunk.max_chars": 500}) as other:
        done = other.remember(APPROVALS)
    assert done.written
    assert "Run `notewell index`" in str(done.notices[0].facts["reason"])


def test_while_another_process_indexes_it_is_written_all_the_same_and_the_next_search_finds_it(allowed: Vault) -> None:
    allowed.index()
    with another_writer(allowed.root):
        done = allowed.remember(APPROVALS, title="Billing")
        assert done.written
        (notice,) = done.notices
        assert (notice.code, notice.facts["path"]) == ("note_not_indexed", "Memories/Billing.md")
        assert str(notice.facts["reason"]).endswith("is writing to this vault's store")
        # What the store does not know yet is compared as well.
        again = allowed.remember("Since March, deploying the billing service needs two approvals.")
        assert [near.path for near in again.near] == [done.path]
    assert allowed.search("approvals", refresh=True)[0].path == done.path


def test_a_memory_has_the_permissions_of_any_new_file(allowed: Vault) -> None:
    before = os.umask(0o027)
    try:
        done = allowed.remember(APPROVALS)
    finally:
        os.umask(before)
    assert stat.S_IMODE((allowed.root / str(done.path)).stat().st_mode) == 0o640


def test_a_folder_that_is_a_link_is_refused(allowed: Vault, tmp_path: Path) -> None:
    for target in (tmp_path / "elsewhere", allowed.root / "inside"):
        target.mkdir()
        (allowed.root / "Memories").symlink_to(target)
        with pytest.raises(SettingsError) as caught:
            allowed.remember(APPROVALS)
        assert caught.value.fact == "Memories is not a folder, or is a link"
        assert list(target.iterdir()) == []
        (allowed.root / "Memories").unlink()
    (allowed.root / "Memories").write_text("a file")
    with pytest.raises(SettingsError, match="is not a folder"):
        allowed.remember(APPROVALS)


def test_a_folder_that_is_swapped_while_it_is_written_to_gets_nothing(allowed: Vault, tmp_path: Path) -> None:
    from notewell.files.folder import Folder  # noqa: PLC0415

    (elsewhere := tmp_path / "elsewhere").mkdir()
    with Folder(allowed.root, "Memories", make=True) as folder:
        (allowed.root / "Memories").rename(allowed.root / "moved")
        (allowed.root / "Memories").symlink_to(elsewhere)
        with pytest.raises((VaultError, OSError)):
            folder.write(["a.md"], b"text")
    assert list(elsewhere.iterdir()) == list((allowed.root / "moved").iterdir()) == []


def test_where_files_have_but_one_name_they_are_written_whole_and_over_nothing(
    allowed: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    (allowed.root / "Memories").mkdir()
    (allowed.root / "Memories/Kim.md").write_text("My own words.\n")
    done = allowed.remember(APPROVALS, title="Kim")
    assert done.path == "Memories/Kim 2.md"
    assert page(allowed, str(done.path)).endswith(f"{APPROVALS}\n")
    assert allowed.forget(str(done.path)).trash == ".trash/Kim 2.md"
    assert memories(allowed) == ["Kim.md"]
    assert page(allowed, ".trash/Kim 2.md").endswith(f"{APPROVALS}\n")


def test_what_is_near_is_shown_without_its_secrets(allowed: Vault) -> None:
    secret = "Tr0ub4dor" + "-Xk92-zz"
    said = f"The wifi of the garden house is called Rye, and its password: {secret} was set in May by Ilse."
    (allowed.root / "Memories").mkdir(exist_ok=True)
    (allowed.root / "Memories/Wifi.md").write_text(f"---\ntype: memory\ntitle: Wifi\n---\n\n{said}\n", encoding="utf-8")
    done = allowed.remember(said)
    assert not done.written
    assert "[REDACTED" in done.near[0].text and secret not in str(done)
