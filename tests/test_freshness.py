"""When a store is brought up to date before a search, and what is said when it is not."""

from __future__ import annotations

from collections.abc import Callable

from tests.database import database
from tests.vaults import NOTES, found, opened

from notewell import Vault
from notewell.freshness import Policy
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]


def test_refreshing_indexes_a_new_vault_and_takes_small_changes_in(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert vault.refresh() == ()
    assert found(vault, "loaf") == ["bread.md"]
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    assert vault.refresh() == ()
    assert found(vault, "zebra") == ["new.md"]


def test_refreshing_says_so_when_much_has_changed(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    vault.freshness.policy = Policy(quick_bytes=20)
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    assert vault.refresh() == (Notice("files_left", {"count": 1}),)
    assert vault.search("zebra", refresh=True).notices[0] == vault.refresh()[0]
    assert found(vault, "zebra") == []


def test_notes_of_a_renamed_folder_are_not_found_where_they_were(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    (vault.root / "garden").rename(vault.root / "meadow")
    vault.freshness.policy = Policy(quick_bytes=20)
    results = vault.search("hive", refresh=True)
    assert "garden/bees.md" not in {hit.path for hit in results}
    assert results.notices[:2] == (Notice("files_left", {"count": 1}), Notice("files_gone", {"count": 1}))
    vault.freshness.policy = Policy()
    results = vault.search("hive", refresh=True)
    assert ("meadow/bees.md" in {hit.path for hit in results}, results.notices) == (True, ())


def test_refreshing_does_not_rebuild_a_store_for_other_settings(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number}.md": f"# {number}\n\nThe hive of number {number} hums.\n" for number in range(50)})
    vault.index()
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden.\n")
    with opened(vault.root, {"chunk.max_chars": 300}) as other:
        before = other.store.state.made_for
        assert other.refresh() == (Notice("settings_changed"),)
        assert other.store.state.made_for == before
        assert found(other, "zebra") == []
        assert other.index().added == 51
        assert (other.refresh(), other.store.state.made_for != before) == ((), True)


def test_a_skipped_file_does_not_make_every_search_write(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "bad.md": b"\xff\xfe"})
    vault.index()
    before = vault.store_file.with_name("store.db-wal").read_bytes()
    vault.refresh()
    assert vault.store_file.with_name("store.db-wal").read_bytes() == before


def test_a_stale_vault_is_searched_as_it_is_while_another_process_writes(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    with opened(vault.root) as other:
        database(other.store).set_busy_timeout(1)
        with vault.store.writing():
            assert other.refresh() == (Notice("being_indexed"),)
            assert found(other, "loaf") == ["bread.md"]


# Without vectors, and with others
