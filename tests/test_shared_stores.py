"""Two processes of one user share a store, and exclude different notes: neither shows what it excludes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.serve.serving import kept_up
from tests.test_settings_files import NOTES, SURFACES
from tests.vaults import opened

from notewell import Vault
from notewell.errors import NoteError, StoreBusy
from notewell.serve.answering import read_indexed

MakeVault = Callable[..., Vault]
EXCLUDING = {"index.exclude": ["Private/"]}
# A process that is told where its store is has no other.
SHARING = {**EXCLUDING, "store.path": ".notewell/store.db"}
MARKS = ("iary", "xylem")
ALL_SURFACES: dict[str, Callable[[Vault], object]] = {
    **SURFACES,
    "a refresh": lambda vault: vault.search("zebra", refresh=True).hits,
    "deep": lambda vault: vault.search("zebra", mode="deep", refresh=False),
    "read": lambda vault: read_indexed(vault, "Private/diary.md"),
    "title": lambda vault: read_indexed(vault, "Diary"),
    "broken links": lambda vault: vault.links(broken=True, orphans=True, wanted=True),
    "status": lambda vault: vault.status().tags,
}


@pytest.fixture
def server(make_vault: MakeVault) -> Iterator[Vault]:
    """Return a vault that a server keeps open, and that excludes a folder."""
    notes = {**NOTES, "Private/diary.md": "---\ntags: [xylem]\n---\n# Diary\n\nzebra xylem [[a]] [[b]]"}
    with make_vault(notes, SHARING) as vault, kept_up(vault) as kept:
        kept.index()
        yield kept


@pytest.mark.parametrize("surface", ALL_SURFACES)
def test_what_another_process_just_indexed_is_not_shown(server: Vault, surface: str) -> None:
    for _ in range(3):
        with opened(server.root) as other:
            assert other.index().added == 1
        # Nothing waits for the next second, or for a look at the folder.
        for _ in range(2):
            with suppress(NoteError):
                assert not [mark for mark in MARKS if mark in str(ALL_SURFACES[surface](server))]


@pytest.mark.parametrize("surface", ALL_SURFACES)
def test_nor_what_it_indexes_between_the_removal_and_the_answer(
    server: Vault, surface: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from notewell.index import shown  # noqa: PLC0415

    remove = shown._remove

    def removed_in_vain(store: object, paths: object) -> bool:
        done = remove(store, paths)  # type: ignore[arg-type]
        with opened(server.root) as other:
            other.index()
        return done

    with opened(server.root) as other:
        other.index()
    monkeypatch.setattr(shown, "_remove", removed_in_vain)
    with suppress(NoteError, StoreBusy):
        assert not [mark for mark in MARKS if mark in str(ALL_SURFACES[surface](server))]


def test_hits_say_nothing_of_a_hidden_note(make_vault: MakeVault) -> None:
    notes = {"a.md": "# A\n\nzebra open", "b.md": "# B\n\nzebra near [[diary]]"}
    notes |= {"Private/diary.md": "# A\n\nzebra open", "Private/d.md": "# D\n\nzebrafinch [[b|zebra]]"}
    with make_vault(notes) as vault:
        vault.index()
        with opened(vault.root, SHARING) as server, vault.store.locked():
            for text in ("zebra", "zebrafinh", "zebra open"):
                results = server.search(text, refresh=False, explain=True)
                assert "Private" not in str(results)
                assert "zebrafinch" not in str(results)
            assert "Private" in str(vault.search("zebra open", refresh=False))


def test_a_race_of_two_processes_shows_nothing_excluded(server: Vault) -> None:
    done, shown = threading.Event(), list[str]()

    def index_again() -> None:
        while not done.is_set():
            with suppress(StoreBusy), opened(server.root) as other:
                other.index()

    thread = threading.Thread(target=index_again)
    thread.start()
    try:
        for _ in range(30):
            for surface in ("search", "Python", "read", "links", "completion"):
                with suppress(NoteError, StoreBusy):
                    shown.append(str(ALL_SURFACES[surface](server)))
    finally:
        done.set()
        thread.join()
    assert not [text for text in shown if any(mark in text for mark in MARKS)]


def test_what_was_compared_once_is_not_compared_again(server: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    server.search("zebra", refresh=False)
    monkeypatch.setattr("notewell.index.shown.left_out", lambda *_: pytest.fail("compared again"))
    server.search("zebra", refresh=False)


def test_only_the_state_that_answers_is_read_to_be_shown() -> None:
    package = Path(__file__).parent.parent / "src" / "notewell"
    # The store and the index derive things, but show nothing; these are read as they are.
    rooms = [folder for folder in package.iterdir() if folder.name not in ("store", "index", "__pycache__")]
    files = [file for room in rooms for file in (room.rglob("*.py") if room.is_dir() else [room])]
    assert [file.name for file in files if file.suffix == ".py" and ".reading()" in file.read_text("utf-8")] == []


# Without a word about the store, each has its own


@pytest.mark.parametrize("first", [{}, EXCLUDING])
def test_processes_that_choose_different_notes_do_not_undo_each_other(
    make_vault: MakeVault, first: dict[str, list[str]]
) -> None:
    second = {} if first else EXCLUDING
    with make_vault(NOTES, first) as vault, opened(vault.root, second) as other:
        vault.index(), other.index()
        for _ in range(3):
            assert (vault.index().unchanged, other.index().unchanged) == (True, True)
            for each in (vault, other):
                each.search("zebra"), each.links(), each.status()
        for each, settings in ((vault, first), (other, second)):
            assert ("Private/diary.md" in each.store.files().notes) == (not settings)
            assert each.doctor().problems == ()


def test_the_environment_and_options_choose_the_same_store_if_they_choose_the_same_notes(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_vault(NOTES, EXCLUDING) as vault:
        own = vault.store_file
    assert own.name.startswith("store-")
    monkeypatch.setenv("NOTEWELL_INDEX_EXCLUDE", "Private/")
    with opened(vault.root) as by_environment:
        assert by_environment.store_file == own
    # Once the vault's own file says the same, the usual store is meant.
    (vault.root / "notewell.toml").write_text('[index]\nexclude = ["Private/"]\n')
    with opened(vault.root) as by_file:
        assert by_file.store_file.name == "store.db"


def test_a_store_for_other_notes_that_nobody_uses_is_deleted_after_a_month(make_vault: MakeVault) -> None:
    with make_vault(NOTES, EXCLUDING) as vault:
        vault.index()
    (kept := vault.store_file.with_name("store-notes.db")).write_text("mine")
    with opened(vault.root) as usual:
        usual.index()
        assert vault.store_file.exists()
        for file in (vault.store_file, kept):
            os.utime(file, (1, 1))
        usual.index()
    assert not vault.store_file.exists()
    assert kept.exists()
    assert usual.store_file.exists()
