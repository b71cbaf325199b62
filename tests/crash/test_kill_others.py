"""Every other act that writes, killed before each of its steps: nothing half done is seen, and the next one does it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash.places import Perform, Place

from notewell import Vault
from notewell.index.encode import GROUP
from notewell.memory.page import split_page

Content = Callable[[Vault], dict[str, Any]]
ENCODER = {"embed.encoder": "words"}
TEXT = "The heating is bled in autumn, and the pressure is checked."


# The encoder's vectors


def encoded(vault: Vault) -> list[tuple[str, int, float]]:
    return [(e.path, e.line, e.score) for e in vault.search("orchard of number 3")]


def test_encoding_killed_at_any_step_keeps_whole_groups_and_the_next_finishes_it(
    few_notes: Path, perform: Perform
) -> None:
    place = Place(few_notes, {**ENCODER, "chunk.min_chars": 0})
    long = "".join(f"\n## {number}\n\nThe hive of number {number} hums.\n" for number in range(2 * GROUP))
    (few_notes / "long.md").write_text(long)
    place.indexed()
    with place.opened(few_notes.parent / "fresh.db") as fresh:
        fresh.index()
        fresh.encode()
        expected, chunks = encoded(fresh), fresh.store.about().encoded
    seen = set[int]()

    def check() -> None:
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            seen.add(vault.store.about().encoded)
            assert vault.encode() == vault.encoder.left == 0, "the lock of the one that was killed is free"
            assert (vault.store.about().encoded, encoded(vault)) == (chunks, expected)
            assert vault.doctor().problems == ()

    steps = place.kill(perform, "fill", check=check)
    assert {"open store.db.fill", "insert fine", "commit"} <= set(steps)
    assert seen == {*range(0, chunks, GROUP), chunks}


def test_a_search_killed_while_it_keeps_the_encoders_vectors_leaves_a_sound_store(
    few_notes: Path, perform: Perform
) -> None:
    place = Place(few_notes, {**ENCODER, "search.on_demand": 14_400}).indexed()
    with place.opened(few_notes.parent / "fresh.db") as fresh:
        fresh.index()
        fresh.encode()
        expected = encoded(fresh)

    def check() -> None:
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            assert vault.encode() == 0
            assert encoded(vault) == expected

    assert {"insert fine", "commit"} <= set(place.kill(perform, "search", check=check))


# Backup and restore


def test_a_backup_killed_at_any_step_is_whole_or_not_there(few_notes: Path, perform: Perform, content: Content) -> None:
    place = Place(few_notes).indexed()
    (folder := few_notes.parent / "copies").mkdir()
    copy = folder / "copy.db"
    with place.opened(place.before) as vault:
        expected = content(vault)

    def begin_again() -> None:
        place.reset()
        shutil.rmtree(folder)
        folder.mkdir()

    def check() -> None:
        with place.opened() as vault:
            assert content(vault) == expected
            if not copy.exists():
                # What was left is no longer fresh.
                for left in folder.iterdir():
                    os.utime(left, (0, 0))
                vault.backup(copy)
                assert [file.name for file in folder.iterdir()] == ["copy.db"]
        with place.opened(few_notes.parent / "restored.db") as restored:
            restored.restore(copy)
            assert content(restored) == expected
            assert restored.doctor().problems == ()

    steps = place.kill(perform, "backup", str(copy), check=check, again=begin_again)
    assert {"copy the store", "os.rename copy.db"} <= set(steps)


def test_a_restore_killed_at_any_step_leaves_one_state_or_the_other(
    few_notes: Path, perform: Perform, content: Content
) -> None:
    place = Place(few_notes).indexed()
    copy = few_notes.parent / "copy.db"
    with place.opened(place.before) as vault:
        old = content(vault)
        vault.backup(copy)
        (few_notes / "new.md").write_text("# New\n\nA zebra grazes here.\n")
        vault.index()
        new = content(vault)
    seen = []

    def check() -> None:
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            assert content(vault) in (old, new)
            seen.append(content(vault) == old)
            vault.restore(copy)
            assert content(vault) == old
            assert vault.doctor().problems == ()
            assert vault.index().added == 1

    steps = place.kill(perform, "restore", str(copy), check=check)
    assert steps.count("copy the store") == 2
    assert seen == sorted(seen), "the old state until the new one is there"
    assert len(set(seen)) == 2


# Memories


def pages(folder: Path) -> list[tuple[str, str]]:
    """Return type and text of every page there, except those whose names begin with a dot."""
    read = [split_page(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("[!.]*"))]
    return [(str(fields["type"]), text) for fields, text in read]


def test_a_memory_killed_at_any_step_of_its_writing_is_whole_or_not_there(few_notes: Path, perform: Perform) -> None:
    place = Place(few_notes).indexed()
    folder = few_notes / "Memories"
    seen = []

    def begin_again() -> None:
        place.reset()
        shutil.rmtree(folder)
        folder.mkdir()

    def check() -> None:
        seen.append(len(written := pages(folder)))
        assert written in ([], [("memory", TEXT)])
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            assert vault.remember(TEXT).written is not bool(written), "what is there already is not written again"
            vault.index()
            assert pages(folder) == [("memory", TEXT)]
            assert vault.remember("Zebras graze in the garden.").written
            assert len(list(folder.iterdir())) == 2, "the next one clears away what a killed one left"
            assert vault.search("heating bled")[0].path.startswith("Memories/")
            assert vault.doctor().problems == ()

    steps = place.kill(perform, "remember", TEXT, check=check, again=begin_again)
    assert {"open .notewell-unfinished-*", "insert note", "insert edge", "commit"} <= set(steps)
    assert seen == sorted(seen)
    assert set(seen) == {0, 1}


def test_forgetting_killed_at_any_step_leaves_the_memory_or_has_it_in_the_trash(
    few_notes: Path, perform: Perform
) -> None:
    place = Place(few_notes)
    folder, trash = few_notes / "Memories", few_notes / ".trash"
    with place.opened() as vault:
        vault.index()
        page = few_notes / str(vault.remember(TEXT).path)
    text = page.read_text()
    place.indexed()

    def begin_again() -> None:
        place.reset()
        shutil.rmtree(trash, ignore_errors=True)
        # Another file would not be the one that the store knows.
        if not page.exists():
            page.write_text(text)
            place.indexed()
            place.reset()

    def check() -> None:
        lying = [file for place in (folder, trash) if place.exists() for file in place.glob("[!.]*")]
        assert lying
        assert {file.read_text() for file in lying} == {text}
        with place.opened() as vault:
            assert vault.doctor().problems == ()
            if page.exists():
                vault.forget(str(page))
            vault.index()
            assert vault.doctor().problems == ()
            assert str(page.relative_to(few_notes)) not in vault.store.files().notes
        assert pages(folder) == []
        assert {file.read_text() for file in trash.iterdir()} == {text}

    steps = place.kill(perform, "forget", str(page), check=check, again=begin_again)
    assert {"delete note", "delete posting", "commit"} <= set(steps)
