"""Indexing killed before each of its steps: the store is sound, nothing is lost, and the next run finishes it.

The steps come from `steps.py`: statements that write, transactions that end, files that are made, renamed or deleted.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.crash.places import Perform, Place, Stamps
from tests.database import database
from tests.store.sqlite_files import FIXTURES

from notewell import Vault
from notewell.store.sqlite.schema import VERSION

Content = Callable[[Vault], dict[str, Any]]
QUESTIONS = ("orchard of number 3", "zebra tag:rye")
# Transactions that all notes take, and those that changed.
BATCHES, CHANGED = 4, 3


def answers(vault: Vault) -> list[list[tuple[str, int, float]]]:
    return [[(e.path, e.line, e.score) for e in vault.search(text)] for text in QUESTIONS]


def change_folder(root: Path) -> None:
    """Edit, rename, delete and add notes, and move a folder."""
    for number in (0, 3, 4):
        file = root / f"folder {number % 3}" / f"note {number}.md"
        file.write_text(file.read_text() + f"\n## More\n\nA zebra of number {number} grazes here.\n", encoding="utf-8")
    (root / "folder 1" / "note 1.md").rename(root / "folder 1" / "renamed.md")
    (root / "folder 1" / "note 7.md").unlink()
    for number in range(4):
        (root / f"new {number}.md").write_text(f"# New {number}\n\nThe new hive of number {number} hums.\n" * 3)
    (root / "folder 2").rename(root / "moved")


def nothing_is_lost(before: Stamps, left: Stamps, after: Stamps) -> bool:
    """What was there is there, as it was or as it is in the end; only what is gone from the folder may be gone."""
    return all(
        left.get(path, after.get(path)) in (stamp, after.get(path)) and (path in left or path not in after)
        for path, stamp in before.items()
    ) and all(stamp in (before.get(path), after.get(path)) for path, stamp in left.items())


def kill_indexing(place: Place, perform: Perform, content: Content, *, full: bool = False) -> tuple[list[str], int]:
    """Kill an indexing run at every step; return the steps, and how many states between first and last were seen."""
    with place.opened(place.root.parent / "fresh.db") as fresh:
        fresh.index()
        expected, found, after = content(fresh), answers(fresh), fresh.store.files().notes
    before, between = place.stamps_before(), set[frozenset[str]]()

    def check() -> None:
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            left = vault.store.files().notes
            assert nothing_is_lost(before, left, after)
            if left not in (before, after):
                between.add(frozenset(f"{path} {stamp.digest}" for path, stamp in left.items()))
            vault.index(full=full)
            assert vault.doctor().problems == ()
            assert content(vault) == expected
            assert answers(vault) == found

    return place.kill(perform, "rebuild" if full else "index", check=check), len(between)


def test_a_first_run_killed_at_any_step_is_finished_by_the_next(
    few_notes: Path, perform: Perform, content: Content
) -> None:
    steps, between = kill_indexing(Place(few_notes), perform, content)
    # Before the batches of notes the schema, behind them edges and standings.
    assert (steps.count("commit"), between) == (1 + BATCHES + 2, BATCHES - 1)
    assert {"create table note", "insert posting", "insert edge", "insert standing", "open store.db.lock"} <= set(steps)


def test_a_run_over_changes_killed_at_any_step_is_finished_by_the_next(
    few_notes: Path, perform: Perform, content: Content
) -> None:
    place = Place(few_notes).indexed()
    change_folder(few_notes)
    steps, between = kill_indexing(place, perform, content)
    assert (steps.count("commit"), between) == (CHANGED + 2, CHANGED - 1)
    assert {"delete note", "delete posting", "delete edge", "insert standing"} <= set(steps)


def test_a_rebuild_killed_at_any_step_keeps_the_old_state_and_is_finished_by_the_next(
    few_notes: Path, perform: Perform, content: Content
) -> None:
    steps, between = kill_indexing(Place(few_notes).indexed(), perform, content, full=True)
    assert between == 0, "a rebuild is seen whole or not at all"
    assert steps.count("commit") == 1 + BATCHES + 2
    assert {"create table note", "copy the store", "os.remove store.db.new"} <= set(steps)


def test_a_rebuild_that_was_killed_does_not_keep_the_next_run_from_indexing_changes(
    few_notes: Path, perform: Perform, content: Content
) -> None:
    place = Place(few_notes).indexed()
    change_folder(few_notes)
    with place.opened(few_notes.parent / "fresh.db") as fresh:
        fresh.index()
        expected = content(fresh)

    def check() -> None:
        with place.opened() as vault:
            vault.index()
            assert content(vault) == expected
            assert vault.doctor().problems == ()
            # It would keep the text of notes that are deleted later.
            assert not list(vault.store_file.parent.glob("*.new*"))

    # Those between transactions; what a transaction has done is gone with it.
    only = ("commit", "copy the store", "insert meta", "os.", "open ")
    assert "copy the store" in place.kill(perform, "rebuild", check=check, only=only)


def test_packing_a_worn_store_killed_at_any_step_loses_nothing(few_notes: Path, perform: Perform) -> None:
    place = Place(few_notes, {"chunk.min_chars": 0})
    worn = few_notes / "worn.md"
    worn.write_text("# Worn\n" + "".join(f"\n## {n}\n\nThe hive of number {n} hums.\n" for n in range(300)))
    place.indexed()
    worn.write_text("# Worn\n\nA zebra grazes here.\n")

    def check() -> None:
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            vault.index()
            assert vault.search("zebra")[0].path == "worn.md"
            assert vault.doctor().problems == ()

    assert "vacuum" in place.kill(perform, "index", check=check, only=("commit", "vacuum", "insert meta", "wal_"))


def test_a_store_of_an_older_format_killed_at_any_step_of_its_opening_is_opened_by_the_next(
    few_notes: Path, perform: Perform
) -> None:
    place = Place(few_notes, before=FIXTURES / "schema-1.db")

    def check() -> None:
        with place.opened() as vault:
            assert vault.store.about().notes == 4
            assert database(vault.store).pragma("user_version") == VERSION
            # Its rows bear no seals, so that it is not read as it is, but rebuilt.
            assert vault.store.check() == []

    steps = place.kill(perform, "open", check=check)
    assert {"user_version", "commit"} <= set(steps)


# Stopped by the user, or by those who read what it prints


@pytest.mark.parametrize("arguments", [(), ("--full",)])
def test_ctrl_c_keeps_what_was_done_and_says_how_to_go_on(
    few_notes: Path, perform: Perform, arguments: tuple[str, ...]
) -> None:
    (few_notes / "notewell.toml").write_text('[embed]\nmodel = "words"\n')
    store = few_notes / ".notewell"
    whole = perform("command", few_notes, {}, "index", *arguments)
    assert whole.code == 0
    with Vault.open(few_notes) as vault:
        notes = vault.store.about().notes
    first = whole.steps.index("insert note")
    # While the last batch is taken, all may be done before anyone asks whether to stop.
    for at in [at for at, step in enumerate(whole.steps) if step == "commit" and at > first][: BATCHES - 2]:
        shutil.rmtree(store)
        ended = perform("command", few_notes, {}, "index", *arguments, at=at, number=signal.SIGINT)
        assert ended.code == 130, ended.said
        assert "Stopping…" in ended.said.splitlines()
        kept = int(ended.printed.split()[0])
        assert ended.said.splitlines()[-1] == (
            f"Kept {kept} of {notes} notes. Run `notewell index{' --full' * bool(arguments)}` again to continue"
        )
        with Vault.open(few_notes) as vault:
            assert vault.doctor().problems == ()
            assert 0 < vault.index(full=bool(arguments)).added < notes
            assert vault.store.about().notes == notes


def test_ctrl_c_during_the_first_search_answers_from_what_is_there(few_notes: Path, perform: Perform) -> None:
    (few_notes / "notewell.toml").write_text('[embed]\nmodel = "words"\n')
    search = ("search", "orchard", "--json")
    whole = perform("command", few_notes, {}, *search)
    shutil.rmtree(few_notes / ".notewell")
    at = whole.steps.index("commit", whole.steps.index("insert note"))
    stopped = perform("command", few_notes, {}, *search, at=at, number=signal.SIGINT)
    notice, *_ = json.loads(stopped.printed)["notices"]
    assert re.fullmatch(
        r"Searched only the \d+ of \d+ notes indexed so far. The next search continues indexing", notice
    )
    assert (stopped.code, stopped.said.splitlines()[1:3]) == (130, ["Stopping…", f"note: {notice}"])
    assert 0 < len(json.loads(stopped.printed)["hits"]) < len(json.loads(whole.printed)["hits"])


def test_a_search_whose_reader_hangs_up_keeps_what_was_indexed_and_the_next_goes_on(
    few_notes: Path, perform: Perform
) -> None:
    (few_notes / "notewell.toml").write_text('[embed]\nmodel = "words"\n')
    search = ("search", "orchard", "-n", "1")
    whole = perform("command", few_notes, {}, *search)
    assert whole.code == 0
    with Vault.open(few_notes) as vault:
        notes = vault.store.about().notes
    at = whole.steps.index("commit", whole.steps.index("insert note"))
    for hang_up, is_whole in (((1, 2), False), ((2,), True)):
        shutil.rmtree(few_notes / ".notewell")
        # What nobody reads of its progress does not end the work; that nobody reads its answer does.
        assert perform("command", few_notes, {}, *search, at=at, hang_up=hang_up).code == 0
        with Vault.open(few_notes) as vault:
            assert 0 < vault.store.about().notes <= notes
            assert (vault.store.about().notes == notes) is is_whole
            assert vault.search("orchard", refresh=True)
            assert vault.store.about().notes == notes
