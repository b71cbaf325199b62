"""A store that a stranger, a newer version or another vault made blocks no vault, and none of its text is shown."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.vaults import opened

from notewell import Vault
from notewell.errors import NotewellError, StoreError, StoreUnfit

EVIL = "EVILTEXT \x1b[31m"
NOTES = {"bees.md": "# Bees\n\nThe hive hums.\n", "rye.md": "# Rye\n\nThe loaf rises.\n"}
MakeVault = Callable[..., Vault]
RunCommand = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(make_vault: MakeVault) -> Path:
    """Return a vault that is indexed."""
    with make_vault(NOTES) as vault:
        vault.index()
    return vault.root


@pytest.fixture
def strange(make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a vault whose store another user made."""
    with monkeypatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "mallory"))
        with make_vault(NOTES) as vault:
            vault.index()
    yield vault.root


def change(root: Path, statement: str, *values: object) -> None:
    with closing(apsw.Connection(str(root / ".notewell" / "store.db"))) as db:
        db.execute(statement, values)


def set_meta(root: Path, key: str, value: object) -> None:
    change(root, "update meta set value = ? where key = ?", value, key)


def best(vault: Vault) -> str:
    return vault.search("hive", refresh=None if vault.indexed else True).hits[0].path


KEYS = ("generation", "arrays", "dimensions", "indexed_at", "linked", "fine", "recipe", "embedder", "vault", "worn")


@pytest.mark.parametrize("value", [EVIL, EVIL.encode(), -1, None])
@pytest.mark.parametrize("key", KEYS)
def test_no_row_of_a_strangers_store_blocks_a_vault(strange: Path, key: str, value: object) -> None:
    set_meta(strange, key, value)
    before = (strange / ".notewell" / "store.db").read_bytes()
    with opened(strange) as vault:
        assert best(vault) == "bees.md"
        assert vault.doctor().problems == ()
        assert not vault.store_file.is_relative_to(strange)
    assert (strange / ".notewell" / "store.db").read_bytes() == before


@pytest.mark.parametrize("version", [99, 1 << 30, -1, 1])
def test_nor_does_its_format(strange: Path, version: int) -> None:
    change(strange, f"pragma user_version = {version}")
    before = (strange / ".notewell" / "store.db").read_bytes()
    with opened(strange) as vault:
        assert best(vault) == "bees.md"
    assert (strange / ".notewell" / "store.db").read_bytes() == before


def test_nor_does_one_without_a_mark_of_a_format_that_is_not_known(root: Path) -> None:
    set_meta(root, "mark", None)
    change(root, "pragma user_version = 99")
    with opened(root) as vault:
        assert best(vault) == "bees.md"
        assert not vault.store_file.is_relative_to(root)


@pytest.mark.parametrize("value", [EVIL, EVIL.encode()])
@pytest.mark.parametrize("key", KEYS)
def test_no_error_quotes_a_row(root: Path, run_command: RunCommand, key: str, value: object) -> None:
    set_meta(root, key, value)
    for command in (("search", "hive", "--no-refresh"), ("status",), ("doctor",), ("index",), ("related", "bees")):
        _, out, err = run_command(root, *command)
        assert "EVIL" not in out + err
        assert "Traceback" not in err


@pytest.mark.parametrize(
    "statement", ["create table EVILTEXT (x)", "create view EVILTEXT as select 1", "update note set tags = 'EVILTEXT'"]
)
def test_nor_a_name_in_the_file(root: Path, run_command: RunCommand, statement: str) -> None:
    change(root, statement)
    for command in (("search", "tag:hive", "--no-refresh"), ("status",), ("doctor",), ("links", "bees")):
        out = "".join(map(str, run_command(root, *command)))
        assert "EVIL" not in out
        assert "malformed JSON" not in out


def test_a_newer_store_of_ones_own_is_kept_until_a_rebuild_is_asked_for(root: Path) -> None:
    change(root, "pragma user_version = 99")
    before = (root / ".notewell" / "store.db").read_bytes()
    with opened(root) as vault:
        for use in (lambda: vault.search("hive"), vault.index, vault.status):
            with pytest.raises(StoreUnfit, match="newer Notewell") as told:
                use()
        assert "pip install -U notewell" in told.value.hint
        assert "index --full" in told.value.hint
        assert "newer Notewell" in vault.doctor().problems[0]
        assert (root / ".notewell" / "store.db").read_bytes() == before
        assert vault.index(full=True).notes == 2
        assert vault.doctor().problems == ()
        assert best(vault) == "bees.md"


def test_and_doctor_rebuilds_it_if_asked_to(root: Path, run_command: RunCommand) -> None:
    change(root, "pragma user_version = 99")
    assert run_command(root, "doctor")[0] == 1
    assert run_command(root, "doctor", "--repair")[0] == 0
    assert run_command(root, "doctor")[0] == 0


def test_the_store_of_another_vault_is_not_used_in_this_one(root: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    (other / "plum.md").write_text("# Plum\n\nThe orchard and the hive.\n")
    shutil.copytree(root / ".notewell", other / ".notewell")
    with opened(other) as vault:
        for use in (lambda: vault.search("hive", refresh=False), lambda: vault.links("bees"), vault.index):
            with pytest.raises(StoreUnfit, match="copy of the store of another vault") as told:
                use()
        assert "index --full" in told.value.hint
        assert vault.index(full=True).notes == 1
        assert [hit.path for hit in vault.search("hive", refresh=False)] == ["plum.md"]
    with opened(root) as vault:
        assert best(vault) == "bees.md"


def test_a_copy_of_a_vault_keeps_its_store_though_some_notes_changed(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, copied := tmp_path / "copied")
    (copied / "rye.md").write_text("# Rye\n\nThe loaf rises, and rises.\n")
    with opened(copied) as vault:
        assert best(vault) == "bees.md"


def test_a_store_elsewhere_that_is_another_vaults_is_never_replaced(root: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    with Vault.open(other, {"embed.model": "words", "store.path": "../notes/.notewell/store.db"}) as vault:
        with pytest.raises(StoreError) as told:
            vault.index(full=True)
        assert not isinstance(told.value, StoreUnfit)
    with opened(root) as vault:
        assert best(vault) == "bees.md"


def test_every_error_of_a_damaged_store_has_a_hint(root: Path) -> None:
    (root / ".notewell" / "store.db").write_bytes(b"EVILTEXT".ljust(8_192, b"\0"))
    with opened(root) as vault, pytest.raises(NotewellError, match="not a SQLite database") as told:
        vault.search("hive")
    assert "EVIL" not in told.value.fact + told.value.hint
