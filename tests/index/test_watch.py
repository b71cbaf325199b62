"""Watching a folder: every change is indexed, bursts together, and the folder may go away and come back."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread, Timer

from notewell import Vault
from notewell.index import Report
from notewell.index.watch import matters, watch

MakeVault = Callable[..., Vault]

# Only a guard against hanging: a change is seen in a fraction of a second.
GUARD = 300.0
BEES = "# Bees\n\nThe hive hums quietly all morning in the orchard.\n"
RYE = "# Rye\n\nThe loaf needs a long and patient rest before baking.\n"


class Stop(Event):
    """Says when a watch waits, for a folder or for another writer, and may do something then."""

    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.waits = Event()
        self._then = then

    def wait(self, timeout: float | None = None) -> bool:
        if not self.waits.is_set():
            self._then()
        self.waits.set()
        return super().wait(timeout)


class Watched:
    """A vault that is watched in another thread, and the reports of that thread; while `held`, it stays at one."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.reports: Queue[Report] = Queue()
        self.stop = Stop()
        self.free = Event()
        self.free.set()
        self.errors: list[BaseException] = []
        self.thread = Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            with Vault.open(self.vault.root, {"embed.model": "words"}) as watched:
                watched.watch(self._tell, self.stop)
        except BaseException as error:
            self.errors.append(error)

    def _tell(self, report: Report) -> None:
        self.reports.put(report)
        assert self.free.wait(GUARD)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let changes pile up: the watch gets no further than its next report until the end."""
        self.free.clear()
        self.save("held.md", "# Held\n")
        self.told()
        yield
        self.free.set()

    def save(self, path: str, text: str) -> None:
        """Save a note in one step: nobody sees the half of it."""
        (written := self.vault.root.with_name("written")).write_text(text, encoding="utf-8")
        written.replace(self.vault.root / path)

    def told(self) -> Report:
        """Return the next report."""
        ends = time.monotonic() + GUARD
        while time.monotonic() < ends:
            assert not self.errors, self.errors
            try:
                return self.reports.get(timeout=0.1)
            except Empty:
                continue
        raise AssertionError("nothing was told")

    def holds(self, *paths: str) -> None:
        """Wait until the store has these notes and no others."""
        ends, stamps = time.monotonic() + GUARD, set[str]()
        while time.monotonic() < ends:
            assert not self.errors, self.errors
            with Vault.open(self.vault.root, {"embed.model": "words"}) as other:
                stamps = set(other.store.files().notes) if other.indexed else set()
            if stamps == set(paths):
                return
            time.sleep(0.02)
        raise AssertionError(f"the store has {sorted(stamps)}")


@contextmanager
def watching(vault: Vault) -> Iterator[Watched]:
    watched = Watched(vault)
    try:
        yield watched
    finally:
        watched.stop.set()
        watched.thread.join(GUARD)
        assert not watched.thread.is_alive()
    assert watched.errors == []


def counts(report: Report) -> tuple[int, int, int]:
    return report.added, report.changed, report.removed


def found(vault: Vault, text: str) -> list[str]:
    return [excerpt.path for excerpt in vault.search(text) if excerpt.retrievers["lexical"]]


def settle(watched: Watched) -> None:
    """Wait until events are followed: the first round after the watch began reports this note, or its event does."""
    watched.save("settled.md", "# Settled\n")
    assert counts(watched.told()) == (1, 0, 0)
    (watched.vault.root / "settled.md").unlink()
    assert counts(watched.told()) == (0, 0, 1)


def test_what_is_there_is_indexed_at_once_and_a_saved_note_is_soon_searchable(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    with watching(vault) as watched:
        assert counts(watched.told()) == (1, 0, 0)
        settle(watched)
        watched.save("rye.md", RYE)
        assert counts(watched.told()) == (1, 0, 0)
        assert found(vault, "loaf") == ["rye.md"]
        watched.save("rye.md", RYE.replace("loaf", "zebra"))
        assert counts(watched.told()) == (0, 1, 0)
        assert (found(vault, "loaf"), found(vault, "zebra")) == ([], ["rye.md"])


def test_a_note_saved_while_the_first_run_goes_on_is_not_missed(tmp_path: Path) -> None:
    stop = Event()
    guard = Timer(GUARD / 2, stop.set)
    guard.start()
    rounds = watch(tmp_path, stop)
    next(rounds)
    # The first run has walked the folder by now.
    (tmp_path / "late.md").write_text(BEES)
    ended = next(rounds, "ended")
    guard.cancel()
    assert ended is None
    stop.set()
    assert list(rounds) == []


def test_a_save_by_rename_is_one_change_of_one_note(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        for word in ("drone", "queen"):
            temporary = vault.root / ".bees.md.swp"
            temporary.write_text(BEES.replace("hive", word))
            temporary.replace(vault.root / "bees.md")
            assert counts(watched.told()) == (0, 1, 0)
            assert found(vault, word) == ["bees.md"]
        assert watched.reports.empty()


def test_a_burst_of_hundreds_of_files_comes_in_one_report(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        with watched.held():
            for number in range(300):
                (vault.root / f"burst {number}.md").write_text(f"# {number}\n\nThe zebra of number {number} grazes.\n")
        assert counts(watched.told()) == (300, 0, 0)
        assert vault.store.about().notes == 302


def test_a_note_that_is_deleted_or_renamed_is_followed(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE, "garden/plan.md": "# Plan\n\nA zebra shall graze here.\n"})
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        (vault.root / "bees.md").unlink()
        assert counts(watched.told()) == (0, 0, 1)
        assert found(vault, "hive") == []
        (vault.root / "rye.md").rename(vault.root / "loaf.md")
        watched.holds("loaf.md", "garden/plan.md")
        (vault.root / "garden").rename(vault.root / "orchard")
        watched.holds("loaf.md", "orchard/plan.md")
        shutil.rmtree(vault.root / "orchard")
        watched.holds("loaf.md")


def test_what_changed_while_another_process_wrote_is_indexed_when_it_is_done(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        with vault.store.writing():
            watched.save("rye.md", RYE)
            assert watched.stop.waits.wait(GUARD), "it is seen to be busy"
        assert counts(watched.told()) == (1, 0, 0)


def test_a_vault_that_is_moved_away_and_back_loses_nothing_and_is_watched_on(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    away = vault.root.with_name("away")
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        vault.root.rename(away)
        assert watched.stop.waits.wait(GUARD), "it is seen to be gone"
        (away / "rye.md").unlink()
        (away / "far.md").write_text("# Far\n\nWritten while the vault was away, about a zebra.\n")
        away.rename(vault.root)
        watched.holds("bees.md", "far.md")
        (vault.root / "near.md").write_text("# Near\n\nWritten when it was back.\n")
        watched.holds("bees.md", "far.md", "near.md")
        assert vault.doctor().problems == ()


def test_a_vault_that_is_away_for_a_moment_is_watched_on(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    away = vault.root.with_name("away")
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        vault.root.rename(away)
        away.rename(vault.root)
        (vault.root / "near.md").write_text("# Near\n\nWritten when it was back.\n")
        watched.holds("bees.md", "near.md")


def test_a_note_saved_while_the_vault_is_away_is_indexed_when_it_is_back(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    away = vault.root.with_name("away")
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        with watched.held():
            # The event comes while the folder is there, and is followed while it is not.
            (vault.root / "far.md").write_text(RYE)
            vault.root.rename(away)
        assert watched.stop.waits.wait(GUARD)
        away.rename(vault.root)
        watched.holds("bees.md", "far.md", "held.md")


def test_another_folder_in_the_vaults_place_gets_its_own_store_and_the_first_keeps_its_own(
    make_vault: MakeVault,
) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    away = vault.root.with_name("away")
    with watching(vault) as watched:
        watched.told()
        settle(watched)
        vault.root.rename(away)
        vault.root.mkdir()
        (vault.root / "other.md").write_text("# Other\n\nAnother drive with a zebra on it.\n")
        watched.holds("other.md")
        with Vault.open(away, {"embed.model": "words"}) as moved:
            assert moved.store.files().notes.keys() == {"bees.md", "rye.md"}
        (vault.root / "more.md").write_text("# More\n\nAnd it is watched on.\n")
        watched.holds("other.md", "more.md")


def test_a_copy_of_the_vault_in_its_place_is_written_and_not_the_one_that_went(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    away, copy = vault.root.with_name("away"), vault.root.with_name("copy")
    with vault:
        vault.index()
    shutil.copytree(vault.root, copy)
    (copy / "rye.md").unlink()
    with watching(vault) as watched:
        watched.save("first.md", "# First\n\nA first zebra.\n")
        watched.told()
        settle(watched)
        vault.root.rename(away)
        copy.rename(vault.root)
        watched.holds("bees.md")
        with Vault.open(away, {"embed.model": "words"}) as moved:
            assert moved.store.files().notes.keys() == {"bees.md", "rye.md", "first.md"}


def test_what_is_not_a_note_wakes_nobody(tmp_path: Path) -> None:
    (tmp_path / "folder.d").mkdir()
    for path in ("bees.md", "deep/Bees.PDF", "folder", "folder.d", "notewell.toml"):
        assert matters(tmp_path, str(tmp_path / path)), path
    for path in (
        ".notewell/store.db",
        ".notewell/a.md",
        ".git/HEAD.md",
        "deep/.trash/a.md",
        "photo.jpg",
        "../a.md",
        "a/notewell.toml",
    ):
        assert not matters(tmp_path, os.path.normpath(tmp_path / path)), path


def test_the_first_round_comes_however_busy_the_store_is(tmp_path: Path) -> None:
    (store := tmp_path / ".notewell").mkdir()
    stop, seen = Event(), Event()

    def write() -> None:
        while not seen.is_set() and not stop.is_set():
            (store / "store.db").touch()

    guard, writer = Timer(GUARD, stop.set), Thread(target=write)
    guard.start()
    rounds = watch(tmp_path, stop)
    next(rounds)
    writer.start()
    assert next(rounds, "stopped") is None
    seen.set()
    guard.cancel()
    writer.join()


def test_a_quiet_folder_is_looked_at_again_in_case_an_event_was_lost(tmp_path: Path) -> None:
    stop = Event()
    guard = Timer(GUARD, stop.set)
    guard.start()
    rounds = watch(tmp_path, stop, anyway=0.0)
    assert [next(rounds, "stopped") for _ in range(4)] == [None] * 4
    guard.cancel()


def test_a_stop_before_the_first_round_ends_it(tmp_path: Path) -> None:
    stop = Event()
    stop.set()
    assert list(watch(tmp_path, stop)) == []


def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    root = tmp_path / "later"
    stop = Stop(then=root.mkdir)
    next(watch(root, stop))
    assert stop.waits.is_set()
    assert list(root.iterdir()) == []
