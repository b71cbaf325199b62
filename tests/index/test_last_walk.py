"""The digest of folder and store that spares a walk its comparison: it holds only while nothing changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.vaults import found

from notewell import Vault
from notewell.files.formats import BY_SUFFIX
from notewell.files.survey import WalkRules, survey
from notewell.index.changes import find_changes
from notewell.index.last_walk import LastWalk, digest_of
from notewell.store import MadeFor, State

MakeVault = Callable[..., Vault]
RULES = WalkRules()
STATE = State(MadeFor("words", 27, "1"), notes_changed=3, indexed_at="2026-11-18T05:00:00+00:00", id="a1")


def digest(root: Path, rules: WalkRules = RULES, state: State = STATE) -> bytes:
    return digest_of(survey(root, rules, BY_SUFFIX), rules, state)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    for path in ("rye.md", "deep/bees.md"):
        (tmp_path / path).write_text("The hive hums.\n", encoding="utf-8")
    return tmp_path


def test_two_walks_of_the_same_folder_have_one_digest(root: Path) -> None:
    assert digest(root) == digest(root)


def moved(root: Path) -> None:
    (root / "rye.md").rename(root / "deep/rye.md")


def touched(root: Path) -> None:
    stat = (root / "deep/bees.md").stat()
    os.utime(root / "deep/bees.md", ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))


def rewritten_with_its_time_kept(root: Path) -> None:
    stat = (root / "rye.md").stat()
    (root / "rye.md").write_text("The hive hums louder.\n", encoding="utf-8")
    os.utime(root / "rye.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))


def added(root: Path) -> None:
    (root / "new.md").touch()


def removed(root: Path) -> None:
    (root / "deep/bees.md").unlink()


@pytest.mark.parametrize("change", [moved, touched, rewritten_with_its_time_kept, added, removed])
def test_every_change_of_a_file_gives_another_digest(root: Path, change: Callable[[Path], None]) -> None:
    before = digest(root)
    change(root)
    assert digest(root) != before


@pytest.mark.parametrize("rules", [WalkRules(exclude=("none.md",)), WalkRules(hidden=True), WalkRules(max_bytes=5)])
def test_other_settings_give_another_digest(root: Path, rules: WalkRules) -> None:
    assert digest(root, rules) != digest(root)


@pytest.mark.parametrize(
    "state",
    [
        replace(STATE, notes_changed=4),
        replace(STATE, indexed_at="2026-11-18T05:00:01+00:00"),
        replace(STATE, id="b2"),
        replace(STATE, made_for=MadeFor("words", 27, "2")),
    ],
)
def test_another_state_of_the_store_gives_another_digest(root: Path, state: State) -> None:
    assert digest(root, state=state) != digest(root)


def test_vectors_that_the_encoder_adds_change_nothing(root: Path) -> None:
    assert digest(root, state=replace(STATE, generation=9, encoder="minilm")) == digest(root)


def test_a_digest_is_known_for_its_own_store_alone(tmp_path: Path) -> None:
    LastWalk(tmp_path / "a.db").keep(b"rye", tmp_path, RULES, retries=False)
    assert LastWalk(tmp_path / "a.db").is_same(b"rye", again=True)
    assert not LastWalk(tmp_path / "a.db").is_same(b"bees", again=False)
    assert not LastWalk(tmp_path / "b.db").is_same(b"rye", again=False)


def test_files_that_are_worth_another_try_are_tried_by_a_run_and_not_by_a_search(tmp_path: Path) -> None:
    last = LastWalk(tmp_path / "a.db")
    last.keep(b"rye", tmp_path, RULES, retries=True)
    assert (last.is_same(b"rye", again=False), last.is_same(b"rye", again=True)) == (True, False)


def test_the_second_look_at_a_vault_compares_no_file(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": "The loaf rests.\n"})
    vault.index()
    last = LastWalk(vault.store_file)
    looks = [find_changes(vault.root, vault.settings.index, vault.store, last=last) for _ in range(2)]
    assert [bool(look) for look in looks] == [False, False]
    assert [[*look.known] for look in looks] == [["rye.md"], []]


def test_a_note_that_changes_after_a_look_is_found(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": "The loaf rests.\n"})
    for word in ("loaf", "hive", "otter"):
        (vault.root / "rye.md").write_text(f"There is one {word} here.\n", encoding="utf-8")
        vault.refresh()
        vault.refresh()
        assert found(vault, word) == ["rye.md"]


def test_a_store_that_was_made_anew_is_compared(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": "The loaf rests.\n", "bees.md": "The hive hums.\n"})
    vault.index()
    vault.refresh()
    vault.close()
    for file in vault.store_file.parent.glob("store.db*"):
        file.unlink()
    vault.index()
    assert found(vault, "hive") == ["bees.md"]


def test_without_a_state_folder_every_file_is_compared(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    vault = make_vault({"rye.md": "The loaf rests.\n"})
    vault.index()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    last = LastWalk(vault.store_file)
    looks = [find_changes(vault.root, vault.settings.index, vault.store, last=last) for _ in range(2)]
    assert [[*look.known] for look in looks] == [["rye.md"], ["rye.md"]]
