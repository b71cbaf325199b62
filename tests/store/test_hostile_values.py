"""Values of another kind or length than Notewell writes are found where they are read, before they take memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.database import database
from tests.vaults import opened

from notewell import Vault
from notewell.errors import StoreDamaged

NOTES = {
    "bread.md": "# Bread\n\nIt fell, [[Bees|hive]].\n",
    "bees.md": "# Bees\n\nThe hive hums, see [[bread]].\n",
    **{f"{number}.md": f"# Day {number}\n\nBread and [[bread]] and bees of {number}.\n" for number in range(4)},
}


@pytest.fixture
def root(make_vault: Callable[..., Vault]) -> Path:
    with make_vault(NOTES) as vault:
        vault.index()
    return vault.root


@pytest.mark.parametrize("data", ["x'4556494c'", "zeroblob(5000)", "x''"])
def test_vectors_of_another_length_are_damage(root: Path, data: str) -> None:
    with closing(apsw.Connection(str(root / ".notewell/store.db"))) as db:
        db.execute(f"update vector set data = {data} where body % 3 = 0")
    with opened(root) as vault:
        for operation in (
            lambda: vault.traverse("bread.md"),
            lambda: vault.related("bread.md"),
            lambda: vault.search("hive", like="bread.md"),
            lambda: vault.search("hive"),
        ):
            with pytest.raises(StoreDamaged, match="another length"):
                operation()
        assert "reshape" not in str(vault.doctor().problems)
        assert "another length" in str(vault.doctor().problems)


def test_an_encoders_vector_of_another_length_is_made_again(make_vault: Callable[..., Vault]) -> None:
    notes = {f"{number}.md": f"# Hive {number}\n\nThe hive of number {number} hums.\n" for number in range(5)}
    with make_vault(notes, {"embed.encoder": "words"}) as vault:
        vault.index()
        vault.encode()
        database(vault.store).execute("update fine set data = x'0102', crc = -1")
        assert vault.related("1.md").hits
        assert vault.search("hive", like="1.md").hits


@pytest.mark.parametrize(
    "change",
    [
        "insert into meta values ('extra', 'EVIL')",
        "update meta set value = 'EVIL' where key = 'worn'",
        "insert or replace into meta values ('cloned', 7)",
        "update meta set value = '2131-01-01T00:00:00+00:00' where key = 'indexed_at'",
        "insert or ignore into fine select body, data, crc from vector limit 1",
        "update meta set value = 'x' || hex(zeroblob(600000)) where key = 'standings'",
    ],
)
def test_doctor_finds_what_it_can_of_the_state(root: Path, change: str) -> None:
    with opened(root) as vault:
        assert vault.doctor().problems == ()
    with closing(apsw.Connection(str(root / ".notewell/store.db"))) as db:
        if "fine" in change:
            db.execute("update meta set value = '' where key = 'fine'")
        db.execute(change)
    with opened(root) as vault:
        assert (found := vault.doctor().problems)
        assert "EVIL" not in str(found)


def test_values_of_another_kind_are_found_before_they_are_loaded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(apsw.Connection(str(root / ".notewell/store.db"))) as db:
        db.execute('update chunk set "end" = zeroblob(5000000)')
    for loading in ("load_chunks", "derived_problems"):
        monkeypatch.setattr(f"notewell.store.sqlite.check.{loading}", lambda *_: pytest.fail("loaded"))
    with opened(root) as vault:
        (found,) = vault.doctor().problems
    assert "table chunk have values of another kind" in found
