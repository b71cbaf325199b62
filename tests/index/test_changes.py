from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.database import database
from tests.vaults import CountingEmbedder, found, vectors

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.freshness import ALWAYS_BYTES, Policy
from notewell.index import Progress
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]
Stored = Callable[[Vault], str]

BEES = "# Bees\n\nThe hive hums quietly all morning in the orchard.\n"
RYE = "# Rye\n\nThe loaf needs a long and patient rest before baking.\n"


def touch(vault: Vault, path: str) -> None:
    """Move a file's time on, as an editor does that saves what was not changed."""
    stat = (vault.root / path).stat()
    os.utime(vault.root / path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000_000))


def write(vault: Vault, path: str, text: str) -> None:
    (vault.root / path).write_text(text, encoding="utf-8")
    touch(vault, path)


def test_a_new_vault_is_indexed_whole(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "deep/rye.md": RYE})
    report = vault.index()
    assert (report.added, report.changed, report.removed, report.touched) == (2, 0, 0, 0)
    assert found(vault, "hive") == ["bees.md"]
    assert found(vault, "loaf") == ["deep/rye.md"]


def test_a_second_run_reads_and_embeds_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    counting = vault.models.embedder = CountingEmbedder()
    vault.index()
    assert len(counting.texts) == 2
    generation = vault.store.about().generation
    report = vault.index()
    assert (report.added, report.changed, report.removed, report.touched) == (0, 0, 0, 0)
    assert len(counting.texts) == 2
    assert vault.store.about().generation == generation


def test_an_added_note_alone_is_embedded(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    counting = vault.models.embedder = CountingEmbedder()
    vault.index()
    write(vault, "rye.md", RYE)
    report = vault.index()
    assert (report.added, report.changed, report.removed) == (1, 0, 0)
    assert [text.partition("\n")[0] for text in counting.texts] == ["# Bees", "# Rye"]
    assert found(vault, "loaf") == ["rye.md"]


def test_an_edited_note_is_found_by_its_new_words_only(make_vault: MakeVault, stored: Stored) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    vault.index()
    write(vault, "bees.md", BEES.replace("orchard", "meadow"))
    report = vault.index()
    assert (report.added, report.changed, report.removed) == (0, 1, 0)
    assert found(vault, "meadow") == ["bees.md"]
    assert found(vault, "orchard") == []
    assert "orchard" not in stored(vault)


def test_a_touched_note_with_the_same_content_is_not_embedded_again(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    counting = vault.models.embedder = CountingEmbedder()
    vault.index()
    generation = vault.store.about().generation
    touch(vault, "bees.md")
    report = vault.index()
    assert (report.added, report.changed, report.touched) == (0, 0, 1)
    assert len(counting.texts) == 1
    assert vault.store.about().generation == generation
    # The new time is stored, so the note is not read a third time.
    assert vault.index().touched == 0


def test_a_deleted_note_leaves_nothing_behind(make_vault: MakeVault, stored: Stored) -> None:
    vault = make_vault({"quokka.md": "# Quokka\n\nThe quokka smiles at everyone, see [[Quokka island]].\n"})
    vault.index()
    assert "quokka" in stored(vault)
    (vault.root / "quokka.md").unlink()
    assert vault.index().removed == 1
    assert "quokka" not in stored(vault).lower()
    for table in ("note", "chunk", "vector", "posting"):
        assert database(vault.store).execute(f"select count(*) from {table}").get == 0, table
    assert not any(
        any(data) for row in database(vault.store).execute("select lengths, codes from block") for data in row
    )


def test_deleting_one_note_leaves_the_others_as_they_were(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    vault.index()
    (vault.root / "bees.md").unlink()
    vault.index()
    assert found(vault, "hive the patient") == ["rye.md"]
    assert vault.store.about().notes == 1


def test_a_renamed_note_leaves_its_old_name_and_keeps_its_vectors(make_vault: MakeVault, stored: Stored) -> None:
    vault = make_vault({"quokka.md": BEES})
    vault.index()
    before = vectors(vault)
    (vault.root / "quokka.md").rename(vault.root / "bees.md")
    report = vault.index()
    assert (report.added, report.removed) == (1, 1)
    assert vectors(vault) == before
    assert "quokka" not in stored(vault)
    assert found(vault, "hive") == ["bees.md"]


def test_a_note_that_becomes_excluded_is_forgotten(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "drafts/rye.md": RYE})
    vault.index()
    (vault.root / "notewell.toml").write_text('[index]\nexclude = ["drafts/"]\n')
    narrower = Vault.open(vault.root, {"embed.model": "words"})
    assert narrower.index().removed == 1
    assert found(narrower, "loaf") == []


def test_a_bad_note_is_skipped_and_named_and_the_others_are_indexed(make_vault: MakeVault) -> None:
    vault = make_vault({"bad.md": b"\0\1\2", "rye.md": RYE})
    report = vault.index()
    assert report.added == 1
    assert dict(vault.store.about().skipped) == {"bad.md": "not text: contains zero bytes"}
    assert found(vault, "loaf") == ["rye.md"]


def test_a_repaired_note_is_indexed_and_no_longer_named(make_vault: MakeVault) -> None:
    vault = make_vault({"bad.md": b"\0\1\2", "rye.md": RYE})
    vault.index()
    write(vault, "bad.md", "# Coffee\n\nA bowl of café au lait on the balcony.\n")
    assert vault.index().added == 1
    assert dict(vault.store.about().skipped) == {}
    assert found(vault, "balcony") == ["bad.md"]


def test_a_note_that_goes_bad_is_forgotten_and_named(make_vault: MakeVault, stored: Stored) -> None:
    vault = make_vault({"bees.md": BEES})
    vault.index()
    (vault.root / "bees.md").write_bytes(b"\0\1\2")
    vault.index()
    assert list(vault.store.about().skipped) == ["bees.md"]
    assert "orchard" not in stored(vault)
    assert vault.store.about().notes == 0


def test_a_bad_note_that_is_deleted_is_no_longer_named(make_vault: MakeVault) -> None:
    vault = make_vault({"bad.md": b"\0\1\2", "rye.md": RYE})
    vault.index()
    (vault.root / "bad.md").unlink()
    vault.index()
    assert dict(vault.store.about().skipped) == {}


def test_a_bad_note_that_is_still_bad_does_not_make_a_new_generation(make_vault: MakeVault) -> None:
    vault = make_vault({"bad.md": b"\0\1\2"})
    vault.index()
    generation = vault.store.about().generation
    vault.index()
    assert vault.store.about().generation == generation


def test_a_skipped_note_does_not_keep_a_search_from_taking_in_changes(make_vault: MakeVault) -> None:
    vault = make_vault({"huge.md": "word " * 400_000, "rye.md": RYE}, {"index.max_bytes": 1_000})
    vault.index()
    write(vault, "bees.md", BEES)
    assert vault.refresh() == ()
    assert found(vault, "hive") == ["bees.md"]


def test_a_bad_note_is_not_stale_for_ever(make_vault: MakeVault) -> None:
    vault = make_vault({"bad.md": b"\0\1\2", "rye.md": RYE})
    vault.index()
    assert vault.status().stale == 0


def test_search_refreshes_what_changed(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    assert vault.refresh() == ()
    write(vault, "bees.md", BEES)
    assert vault.status().stale == 1
    assert vault.refresh() == ()
    assert vault.status().stale == 0
    assert found(vault, "hive") == ["bees.md"]


def test_a_large_change_is_left_to_the_user(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.freshness.policy = Policy(quick_bytes=1_000)
    vault.index()
    write(vault, "long.md", "word " * 250)
    write(vault, "bees.md", BEES)
    assert vault.refresh() == (Notice("files_left", {"count": 2}),)
    assert vault.store.about().notes == 1


def test_a_refresh_stops_when_its_time_is_over_and_says_what_is_left(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.freshness.policy = Policy(quick_seconds=0.0)
    vault.index()
    for number in range(4):
        write(vault, f"{number}.md", BEES * (ALWAYS_BYTES // 3 // len(BEES)))
    assert vault.refresh() == (Notice("files_left", {"count": 3}),)
    assert vault.store.about().notes == 2
    vault.freshness.policy = Policy(quick_seconds=3_600.0)
    assert vault.refresh() == ()
    assert vault.store.about().notes == 5


def test_a_few_notes_are_indexed_however_long_that_takes(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.freshness.policy = Policy(quick_seconds=0.0)
    vault.index()
    for number in range(4):
        write(vault, f"{number}.md", BEES)
    assert vault.refresh() == ()
    assert vault.store.about().notes == 5


def test_notes_that_are_only_gone_are_forgotten_however_large_they_were(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE, "bees.md": BEES})
    vault.index()
    vault.freshness.policy = Policy(quick_bytes=0)
    (vault.root / "bees.md").unlink()
    assert vault.refresh() == ()
    assert found(vault, "hive") == []


@pytest.mark.parametrize("settings", [{"chunk.max_chars": 300}, {"chunk.min_chars": 5}, {"chunk.overlap_words": 5}])
def test_other_chunk_settings_index_everything_again(make_vault: MakeVault, settings: dict[str, int]) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    vault.index()
    changed = Vault.open(vault.root, {"embed.model": "words", **settings})
    counting = changed.models.embedder = CountingEmbedder()
    changed.index()
    assert len(counting.texts) == 2
    changed.index()
    assert len(counting.texts) == 2


def test_shorter_chunks_are_in_the_store_after_the_setting_changed(make_vault: MakeVault) -> None:
    long = "# Long\n\n" + "\n\n".join(f"Paragraph {number} has some words in it." for number in range(20))
    vault = make_vault({"long.md": long})
    vault.index()
    assert vault.store.about().chunks == 1
    shorter = Vault.open(vault.root, {"embed.model": "words", "chunk.max_chars": 200})
    shorter.index()
    assert shorter.store.about().chunks >= 4


def test_another_embedder_indexes_everything_again_and_searches_by_words_until_then(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    vault.index()
    other = Vault.open(vault.root, {"embed.model": "words"})
    counting = other.models.embedder = CountingEmbedder("other words/27")
    results = other.search("hive")
    assert results.notices[0].facts == {"embedder": "words/27"} and results[0].retrievers["vector"] is None
    other.index()
    assert len(counting.texts) == 2
    assert other.store.state.made_for.embedder == "other words/27"
    assert [notice.code for notice in other.search("hive").notices] == ["weak_hidden"]


def test_an_embedder_of_other_dimensions_takes_the_store_over(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES})
    vault.index()
    static = Vault.open(vault.root)
    static.index()
    assert len(vectors(static)[0]) == static.models.embedder.dimensions != WordsEmbedder.dimensions
    assert static.search("insects of a hive that make honey").notices == ()


def test_full_embeds_everything_again(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    counting = vault.models.embedder = CountingEmbedder()
    vault.index()
    generation = vault.store.about().generation
    report = vault.index(full=True)
    assert (report.added, len(counting.texts)) == (2, 4)
    assert vault.store.about().generation > generation
    assert sorted(file.name for file in (vault.root / ".notewell").glob("*.new*")) == []


def test_a_run_that_is_stopped_keeps_what_it_did_and_the_next_one_goes_on(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    report = vault.index(progress=Progress(stop=lambda: True))
    assert (report.interrupted, report.added) == (True, 1)
    assert found(vault, "hive loaf") == ["bees.md"]
    report = vault.index()
    assert (report.interrupted, report.added) == (False, 1)
    assert sorted(found(vault, "hive loaf")) == ["bees.md", "rye.md"]


def test_a_full_run_that_is_stopped_leaves_the_store_as_it_was(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    vault.index()
    assert vault.index(full=True, progress=Progress(stop=lambda: True)).interrupted
    assert sorted(found(vault, "hive loaf")) == ["bees.md", "rye.md"]


def test_progress_is_reported_after_every_note(make_vault: MakeVault) -> None:
    told: list[tuple[int, int]] = []
    make_vault({"bees.md": BEES, "rye.md": RYE}).index(progress=Progress(tell=lambda *counts: told.append(counts)))
    assert told == [(1, 2), (2, 2)]


def test_a_stopped_run_forgets_nothing_yet(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": BEES, "rye.md": RYE})
    vault.index()
    (vault.root / "bees.md").unlink()
    write(vault, "a.md", "# A\n\nThe quokka smiles at everyone who comes.\n")
    write(vault, "b.md", "# B\n\nThe quokka sleeps in the shade of a tree.\n")
    report = vault.index(progress=Progress(stop=lambda: True))
    assert (report.interrupted, report.total, report.done, report.removed) == (True, 2, 1, 0)
    assert found(vault, "hive") == ["bees.md"]
    report = vault.index()
    assert (report.interrupted, report.added, report.removed) == (False, 1, 1)
    assert found(vault, "hive") == []


def test_the_sample_vault_comes_in_whole(vault: Vault) -> None:
    notes = sum(1 for _ in vault.root.rglob("*.md"))
    about = vault.store.about()
    assert (about.notes, dict(about.skipped)) == (notes, {})
    assert about.chunks == database(vault.store).execute("select count(*) from vector").get > notes


def test_the_notes_of_a_folder_that_may_not_be_read_are_kept(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"closed/bees.md": BEES, "rye.md": RYE})
    vault.index()
    scandir = os.scandir

    def refuse(path: Path | int) -> object:
        if isinstance(path, Path) and path.name == "closed":
            raise PermissionError(13, "denied")
        return scandir(path)

    # Tests may run as root, whom no permission stops.
    monkeypatch.setattr(os, "scandir", refuse)
    assert vault.index().removed == 0
    assert dict(vault.store.about().skipped) == {"closed": "no permission to list this folder"}
    assert found(vault, "hive") == ["closed/bees.md"]


def test_a_note_that_was_too_large_is_read_once_the_limit_is_raised(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE}, {"index.max_bytes": 10})
    vault.index()
    assert list(vault.store.about().skipped) == ["rye.md"]
    with Vault.open(vault.root, {"embed.model": "words"}) as again:
        assert again.index().added == 1
        assert again.store.about().skipped == {}


def test_a_note_that_cannot_be_read_any_more_counts_as_removed_and_is_named(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "rye", "b.md": "oats"}) as vault:
        vault.index()
        (vault.root / "a.md").write_bytes(b"\0\1")
        report = vault.index()
        assert (report.notes, report.removed, report.unchanged) == (1, 1, False)
        assert [one.path for one in report.skipped] == ["a.md"]
        assert (vault.index().removed, vault.index().unchanged) == (0, True)
