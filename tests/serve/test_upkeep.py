"""One way of keeping a served vault up to date, whoever asks: HTTP, MCP under `serve`, MCP over stdio."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.serve.serving import PATIENCE, kept_up, wait_until
from tests.serve.test_http_reload import hold, write_many

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError, NoteError, StoreBusy, VaultError
from notewell.serve import upkeep as module
from notewell.serve.mcp import arguments as asked
from notewell.serve.mcp import tools
from notewell.serve.upkeep import Upkeep
from notewell.types.note import Vectors

# Folders that were listed; the hook itself cannot be taken out again.
listed: list[str] = []
sys.addaudithook(lambda event, given: listed.append(str(given[0])) if event == "os.scandir" else None)


@pytest.fixture
def upkeep(indexed: Vault) -> Iterator[Upkeep]:
    with kept_up(indexed) as made:
        made.look()
        yield made


def paths(upkeep: Upkeep, text: str) -> list[str]:
    """Return the notes that hold this very text."""
    return [hit.path for hit in upkeep.vault.search(f'"{text}"')]


def write(upkeep: Upkeep, name: str, text: str) -> None:
    (upkeep.vault.root / name).write_text(text, encoding="utf-8")


def walks(upkeep: Upkeep) -> int:
    """Return how often the folder was walked since this was last asked."""
    count = listed.count(str(upkeep.vault.root))
    listed.clear()
    return count


class Down(WordsEmbedder):
    """Stands for a server that does not answer."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedError("The server does not answer", "Start it")


def test_a_saved_note_is_there_after_a_look_and_an_unchanged_folder_is_not_walked(upkeep: Upkeep) -> None:
    walks(upkeep)
    assert upkeep.look() == () and walks(upkeep) == 0
    write(upkeep, "New.md", "A zeppelin.\n")
    assert upkeep.look() == () and paths(upkeep, "zeppelin") == ["New.md"]
    assert walks(upkeep) > 0
    assert upkeep.look() == () and walks(upkeep) == 0


def test_a_folder_not_looked_through_for_long_is_though_nothing_was_told(
    upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks(upkeep)
    monkeypatch.setattr("notewell.serve.kept.LOOKED_LATELY", 0.0)
    upkeep.look()
    assert walks(upkeep) > 0


def test_who_looks_from_many_threads_at_once_finds_what_each_has_saved(upkeep: Upkeep) -> None:
    def save_and_look(number: int) -> list[str]:
        write(upkeep, f"New {number}.md", f"# New\n\nWord{number}zz stands here.\n")
        upkeep.look()
        return paths(upkeep, f"Word{number}zz")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(save_and_look, range(40))) == [[f"New {number}.md"] for number in range(40)]


def test_those_who_came_before_a_look_began_share_it(upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = upkeep._looks
    with ThreadPoolExecutor(8) as pool:
        with upkeep._looking:
            waiting = [pool.submit(upkeep.look) for _ in range(8)]
            # All of them have read which look they wait for, once all threads wait for the lock.
            wait_until(lambda: sum(_is_waiting(frame) for frame in sys._current_frames().values()) == 8)
        assert [one.result(PATIENCE) for one in waiting] == [()] * 8
    assert upkeep._looks == looks + 1


def _is_waiting(frame: object) -> bool:
    return getattr(getattr(frame, "f_code", None), "co_name", "") == "_taken_in"


def test_nobody_waits_long_for_another_s_look(upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    with upkeep._looking:
        (notice,) = upkeep.look()
    assert notice.code == "changes_being_indexed" and upkeep.progress is None


def test_a_folder_that_cannot_be_watched_is_looked_through_after_a_pause(
    indexed: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept_up(indexed) as upkeep:
        monkeypatch.setattr(module, "PAUSE", 3_600.0)
        shutil.rmtree(upkeep._marks)
        upkeep.look()
        assert not upkeep.vault.is_watched
        write(upkeep, "New.md", "A zeppelin.\n")
        upkeep.look()
        assert paths(upkeep, "zeppelin") == []
        upkeep._next_look = 0.0
        upkeep.look()
        assert paths(upkeep, "zeppelin") == ["New.md"]


def test_the_pause_is_a_multiple_of_what_a_look_took(indexed: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    with kept_up(indexed) as upkeep:
        shutil.rmtree(upkeep._marks)
        monkeypatch.setattr(module, "PAUSE", 0.0)
        monkeypatch.setattr(module, "PAUSE_TIMES", 1e9)
        upkeep.look()
        write(upkeep, "New.md", "A zeppelin.\n")
        upkeep.look()
        assert paths(upkeep, "zeppelin") == []


def test_another_folder_in_the_same_place_is_seen(upkeep: Upkeep, tmp_path: Path) -> None:
    root = upkeep.vault.root
    copy = shutil.copytree(root, tmp_path / "copy")
    (copy / "New.md").write_text("A zeppelin.\n", encoding="utf-8")
    root.rename(tmp_path / "before")
    with pytest.raises(VaultError):
        upkeep.look()
    copy.rename(root)
    upkeep.look()
    assert paths(upkeep, "zeppelin") == ["New.md"]
    write(upkeep, "Newer.md", "A dirigible.\n")
    upkeep.look()
    assert paths(upkeep, "dirigible") == ["Newer.md"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda upkeep: tools.read(upkeep, asked.Read.model_validate({"place": "Later"})),
        lambda upkeep: tools.related(upkeep, asked.Related.model_validate({"notes": ["Later"]})),
        lambda upkeep: tools.traverse(upkeep, asked.Traverse.model_validate({"note": "Later"})),
        lambda upkeep: tools.links(upkeep, asked.LinksOf.model_validate({"note": "Later"})),
    ],
)
def test_a_model_is_told_that_a_note_may_be_there_soon(
    upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Upkeep], object]
) -> None:
    monkeypatch.setattr("notewell.vault.QUICK_BYTES", 0)
    write_many(upkeep.vault.root)
    go_on = hold(upkeep.vault)
    try:
        with pytest.raises(NoteError) as error:
            ask(upkeep)
        assert "Indexing" in error.value.hint
    finally:
        go_on.set()


def test_what_is_not_quick_is_taken_in_behind_the_answer(upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell.vault.QUICK_BYTES", 0)
    write_many(upkeep.vault.root)
    go_on = hold(upkeep.vault)
    try:
        assert upkeep.look()[0].code.startswith("indexing_")
        assert upkeep.progress is not None
        # Whoever does not want to look is told, too, and nobody waits.
        assert upkeep.look(refresh=False)[0].code.startswith("indexing_")
        with pytest.raises(StoreBusy):
            upkeep.reload()
    finally:
        go_on.set()
    wait_until(lambda: upkeep.progress is None)
    assert upkeep.look() == () and paths(upkeep, "word29 of it")


def test_a_new_vault_is_indexed_behind_by_one_run_and_says_how_far_it_is(folder: Path) -> None:
    write_many(folder)
    vault = Vault.open(folder)
    go_on = hold(vault)
    with kept_up(vault) as upkeep:
        try:
            for _ in range(2):
                with pytest.raises(StoreBusy, match="for the first time"):
                    upkeep.look()
            runs = [thread for thread in threading.enumerate() if thread.name == "index"]
            assert len(runs) == 1
        finally:
            go_on.set()
        wait_until(lambda: upkeep.progress is None)
        assert upkeep.look() == () and paths(upkeep, "loaf collapsed")


def test_a_first_run_that_failed_is_told_to_all_who_ask_and_tried_again_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault.open(folder)
    vault.__dict__["embedder"] = Down()
    with kept_up(vault) as upkeep:
        upkeep.begin()
        wait_until(lambda: upkeep.progress is None)
        # However late it failed, whoever asks next is told, and not that it begins once more.
        for _ in range(2):
            with pytest.raises(EmbedError, match="does not answer"):
                upkeep.look()
            assert upkeep.progress is None
        upkeep.vault.__dict__["embedder"] = WordsEmbedder()
        monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
        upkeep.begin()
        wait_until(lambda: upkeep.progress is None)
        assert upkeep.look() == () and paths(upkeep, "loaf collapsed")


def test_a_run_that_failed_is_not_tried_with_every_look(upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell.vault.QUICK_BYTES", 0)
    monkeypatch.setattr(module, "PAUSE", 3_600.0)
    write(upkeep, "New.md", "A zeppelin.\n")
    upkeep.vault.__dict__["embedder"] = Down()
    upkeep.look()
    wait_until(lambda: upkeep.progress is None)
    failed = upkeep._run
    assert upkeep.look()[0].code == "files_left" and upkeep._run is failed
    # Nor is the folder walked for each who asks, while nothing comes of it.
    walks(upkeep)
    assert upkeep.look()[0].code == "files_left" and walks(upkeep) == 0
    upkeep._next_look = 0.0
    upkeep.vault.__dict__["embedder"] = WordsEmbedder()
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    upkeep.look()
    wait_until(lambda: upkeep.progress is None)
    assert paths(upkeep, "zeppelin") == ["New.md"]


def test_a_vault_that_was_taken_away_is_not_made_anew(upkeep: Upkeep) -> None:
    shutil.rmtree(upkeep.vault.root)
    calls: tuple[Callable[[], object], ...] = (upkeep.look, upkeep.begin, upkeep.reload)
    for call in calls:
        with pytest.raises(VaultError, match="There is no folder"):
            call()
    assert not upkeep.vault.root.exists()


def test_it_ends_a_run_with_the_note_at_hand_and_leaves_nothing_behind(upkeep: Upkeep) -> None:
    write_many(upkeep.vault.root)
    go_on = hold(upkeep.vault)
    run = upkeep.reload()
    wait_until(lambda: run.progress[0] > 0)
    upkeep.stop()
    go_on.set()
    upkeep.close()
    assert run.report and run.report.interrupted and not upkeep._marks.exists()
    # And begins none any more.
    upkeep._start()
    assert upkeep._run is run
