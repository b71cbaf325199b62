from __future__ import annotations

from collections.abc import Callable

from tests.vaults import CountingEmbedder, vectors

from notewell import Progress, Vault
from notewell.freshness import Opening
from notewell.index import Batches

MakeVault = Callable[..., Vault]

BEES = "# Bees\n\nThe hive hums quietly all morning in the orchard.\n"


def test_a_vault_larger_than_a_batch_comes_in_whole(make_vault: MakeVault) -> None:
    opening = Opening(batches=Batches(bytes=300, embedded=100))
    vault = make_vault({f"{number}.md": BEES for number in range(20)}, opening=opening)
    report = vault.index()
    assert (report.added, report.total, report.done) == (20, 20, 20)
    hit = vault.search("hive", limit=50)[0]
    assert len(hit.also) == 19


def test_the_same_lines_are_embedded_once_over_all_batches(make_vault: MakeVault) -> None:
    opening = Opening(batches=Batches(bytes=100))
    vault = make_vault({f"{number}.md": BEES for number in range(20)}, opening=opening)
    counting = vault.models.embedder = CountingEmbedder()
    vault.index()
    assert len(counting.texts) < 4
    assert len(vectors(vault)) == 1


def test_notes_renamed_in_another_batch_than_they_came_in_are_not_embedded_again(
    make_vault: MakeVault,
) -> None:
    notes = {f"old/{number}.md": f"# {number}\n\nThe hive of number {number} hums in May.\n" for number in range(6)}
    vault = make_vault(notes, opening=Opening(batches=Batches(bytes=1)))
    counting = vault.models.embedder = CountingEmbedder()
    vault.index()
    assert len(counting.texts) == 6
    (vault.root / "old").rename(vault.root / "new")
    report = vault.index()
    assert (report.added, report.removed, len(counting.texts)) == (6, 6, 6)
    assert sorted(vault.store.files().notes) == [f"new/{number}.md" for number in range(6)]


def test_a_run_names_its_last_stages_after_the_last_note(make_vault: MakeVault) -> None:
    told: list[int | str] = []
    vault = make_vault({"a.md": BEES, "b.md": "# Rye\n\nSee [[a]] for the hive and its bees.\n"})
    vault.index(progress=Progress(lambda done, total: told.append(done), stage=told.append))
    assert told == [1, 2, "links", "standings"]
