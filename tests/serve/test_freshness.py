"""A served vault is kept up to date in the same way for HTTP, MCP under `serve` and MCP over stdio."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.serve.serving import PATIENCE, hold, kept_up, wait_until, write_many

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError, NoteError, StoreBusy, VaultError
from notewell.index.watch import FolderWatch
from notewell.serve.mcp import tools
from notewell.serve.mcp.arguments import read_arguments
from notewell.types.note import Vectors

# Folders that were listed; the hook itself cannot be taken out again.
listed: list[str] = []
sys.addaudithook(lambda event, given: listed.append(str(given[0])) if event == "os.scandir" else None)


@pytest.fixture
def kept(indexed: Vault) -> Iterator[Vault]:
    with kept_up(indexed) as made:
        made.freshness.look()
        yield made


def paths(kept: Vault, text: str) -> list[str]:
    """Return the notes that hold this very text."""
    return [hit.path for hit in kept.search(f'"{text}"')]


def write(kept: Vault, name: str, text: str) -> None:
    (kept.root / name).write_text(text, encoding="utf-8")


def walks(kept: Vault) -> int:
    """Return how often the folder was walked since this was last asked."""
    count = listed.count(str(kept.root))
    listed.clear()
    return count


def set_policy(kept: Vault, **changes: Any) -> None:
    kept.freshness.policy = kept.freshness.policy._replace(**changes)


class Unwatchable(FolderWatch):
    """Stands for a drive that sends no events."""

    def start(self, markers: Path | None = None) -> None:
        self.is_refused = True


class Down(WordsEmbedder):
    """Stands for a server that does not answer."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedError("The server does not answer", "Start it")


def test_a_saved_note_is_there_after_a_look_and_an_unchanged_folder_is_not_walked(kept: Vault) -> None:
    walks(kept)
    assert kept.freshness.look() == () and walks(kept) == 0
    write(kept, "New.md", "A zeppelin.\n")
    assert kept.freshness.look() == () and paths(kept, "zeppelin") == ["New.md"]
    assert walks(kept) > 0
    assert kept.freshness.look() == () and walks(kept) == 0


def test_a_folder_that_was_not_walked_for_long_is_walked_though_there_was_no_event(kept: Vault) -> None:
    walks(kept)
    set_policy(kept, walk_seconds=0.0)
    kept.freshness.look()
    assert walks(kept) > 0


def test_who_looks_from_many_threads_at_once_finds_what_each_has_saved(kept: Vault) -> None:
    def save_and_look(number: int) -> list[str]:
        write(kept, f"New {number}.md", f"# New\n\nWord{number}zz stands here.\n")
        kept.freshness.look()
        return paths(kept, f"Word{number}zz")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(save_and_look, range(40))) == [[f"New {number}.md"] for number in range(40)]


def test_those_who_came_before_a_look_began_share_it(kept: Vault) -> None:
    looks = kept.freshness._looks
    with ThreadPoolExecutor(8) as pool:
        with kept.freshness._looking:
            waiting = [pool.submit(kept.freshness.look) for _ in range(8)]
            # All of them have read which look they wait for, once all threads wait for the lock.
            wait_until(lambda: sum(_is_waiting(frame) for frame in sys._current_frames().values()) == 8)
        assert [one.result(PATIENCE) for one in waiting] == [()] * 8
    assert kept.freshness._looks == looks + 1


def _is_waiting(frame: object) -> bool:
    return getattr(getattr(frame, "f_code", None), "co_name", "") == "_shared_look"


def test_nobody_waits_long_for_another_s_look(kept: Vault) -> None:
    set_policy(kept, look_seconds=0.01)
    with kept.freshness._looking:
        (notice,) = kept.freshness.look()
    assert notice.code == "changes_being_indexed" and kept.freshness.progress is None


def test_a_folder_that_cannot_be_watched_is_walked_after_a_pause(indexed: Vault) -> None:
    with kept_up(indexed, pause_seconds=3_600.0) as kept:
        kept.freshness.watch = Unwatchable(kept.root)
        kept.freshness.look()
        assert not kept.freshness.watch.is_on
        write(kept, "New.md", "A zeppelin.\n")
        kept.freshness.look()
        assert paths(kept, "zeppelin") == []
        kept.freshness._next_look = 0.0
        kept.freshness.look()
        assert paths(kept, "zeppelin") == ["New.md"]


def test_the_pause_is_a_multiple_of_what_a_look_took(indexed: Vault) -> None:
    with kept_up(indexed, pause_seconds=0.0, pause_times=1e9) as kept:
        kept.freshness.watch = Unwatchable(kept.root)
        kept.freshness.look()
        write(kept, "New.md", "A zeppelin.\n")
        kept.freshness.look()
        assert paths(kept, "zeppelin") == []


def test_another_folder_in_the_same_place_is_seen(kept: Vault, tmp_path: Path) -> None:
    root = kept.root
    copy = shutil.copytree(root, tmp_path / "copy")
    (copy / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
    root.rename(tmp_path / "before")
    with pytest.raises(VaultError):
        kept.freshness.look()
    copy.rename(root)
    kept.freshness.look()
    assert paths(kept, "zeppelin") == ["New.md"]
    write(kept, "Newer.md", "A dirigible.\n")
    kept.freshness.look()
    assert paths(kept, "dirigible") == ["Newer.md"]


def test_a_model_is_told_that_a_note_may_be_there_soon(kept: Vault) -> None:
    set_policy(kept, quick_bytes=0)
    write_many(kept.root)
    go_on = hold(kept)
    try:
        for tool in tools.TOOLS:
            if tool.name in ("read", "related", "traverse", "links"):
                with pytest.raises(NoteError) as error:
                    tool.run(kept, read_arguments(tool.arguments, {"note": "Later"}))
                assert "Indexing" in error.value.hint, tool.name
    finally:
        go_on.set()


def test_what_is_not_quick_is_indexed_behind_the_answer(kept: Vault) -> None:
    set_policy(kept, quick_bytes=0)
    write_many(kept.root)
    go_on = hold(kept)
    try:
        assert kept.freshness.look()[0].code.startswith("indexing_")
        assert kept.freshness.progress is not None
        # A request without a refresh learns it too, and nobody waits.
        assert kept.freshness.look(refresh=False)[0].code.startswith("indexing_")
        with pytest.raises(StoreBusy):
            kept.freshness.reload()
    finally:
        go_on.set()
    wait_until(lambda: kept.freshness.progress is None)
    assert kept.freshness.look() == () and paths(kept, "word29 of it")


def test_a_new_vault_is_indexed_behind_by_one_run_and_says_how_far_it_is(folder: Path) -> None:
    write_many(folder)
    vault = Vault.open(folder)
    go_on = hold(vault)
    with kept_up(vault) as kept:
        try:
            for _ in range(2):
                with pytest.raises(StoreBusy, match="for the first time"):
                    kept.freshness.look()
            runs = [thread for thread in threading.enumerate() if thread.name == "index"]
            assert len(runs) == 1
        finally:
            go_on.set()
        wait_until(lambda: kept.freshness.progress is None)
        assert kept.freshness.look() == () and paths(kept, "loaf collapsed")


def test_a_first_run_that_failed_is_reported_to_every_request_and_tried_again_later(folder: Path) -> None:
    vault = Vault.open(folder)
    vault.models.embedder = Down()
    with kept_up(vault) as kept:
        kept.freshness.begin()
        wait_until(lambda: kept.freshness.progress is None)
        # However late it failed, the next request gets the error, not a new beginning.
        for _ in range(2):
            with pytest.raises(EmbedError, match="does not answer"):
                kept.freshness.look()
            assert kept.freshness.progress is None
        kept.models.embedder = WordsEmbedder()
        set_policy(kept, retry_seconds=0.0)
        kept.freshness.begin()
        wait_until(lambda: kept.freshness.progress is None)
        assert kept.freshness.look() == () and paths(kept, "loaf collapsed")


def test_a_run_that_failed_is_not_tried_with_every_look(kept: Vault) -> None:
    set_policy(kept, quick_bytes=0, pause_seconds=3_600.0)
    write(kept, "New.md", "A zeppelin.\n")
    kept.models.embedder = Down()
    kept.freshness.look()
    wait_until(lambda: kept.freshness.progress is None)
    failed = kept.freshness._run
    assert kept.freshness.look()[0].code == "files_left" and kept.freshness._run is failed
    # Nor is the folder walked for each who asks, while nothing comes of it.
    walks(kept)
    assert kept.freshness.look()[0].code == "files_left" and walks(kept) == 0
    kept.freshness._next_look = 0.0
    kept.models.embedder = WordsEmbedder()
    set_policy(kept, retry_seconds=0.0)
    kept.freshness.look()
    wait_until(lambda: kept.freshness.progress is None)
    assert paths(kept, "zeppelin") == ["New.md"]


def test_a_vault_that_was_taken_away_is_not_created_again(kept: Vault) -> None:
    shutil.rmtree(kept.root)
    calls: tuple[Callable[[], object], ...] = (kept.freshness.look, kept.freshness.begin, kept.freshness.reload)
    for call in calls:
        with pytest.raises(VaultError, match="There is no folder"):
            call()
    assert not kept.root.exists()


def test_it_ends_a_run_with_the_note_at_hand_and_leaves_nothing_behind(kept: Vault) -> None:
    write_many(kept.root)
    go_on = hold(kept)
    run = kept.freshness.reload()
    wait_until(lambda: run.progress[0] > 0)
    kept.freshness.stop()
    go_on.set()
    kept.freshness.close()
    assert run.report and run.report.interrupted and not kept.freshness.watch.is_on
    # And begins none any more.
    kept.freshness._start()
    assert kept.freshness._run is run
