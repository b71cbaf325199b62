"""A store is trusted only if this user made it on this machine, and nobody altered it since."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import is_dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.serve.hooks import Hooks
from tests.vaults import opened

from notewell import Vault
from notewell.errors import NotewellError, StoreAltered, StoreBusy, StoreDamaged, StoreError
from notewell.files.user import NOWHERE
from notewell.freshness import WITHIN_A_SECOND, Opening
from notewell.serve.json_data import as_data
from notewell.serve.mcp.notes import complete_path, list_notes
from notewell.store.tables.rows import pack, unpack

# Words that stand in no file, as one name, so that they can be a tag, a term or a path.
EVIL = "mallory"
NOTES = {
    "bank.md": "---\ntags: [money]\naliases: [Refunds]\nstatus: open\n---\n# Bank\n\n"
    "Refunds go to the honest bank, see [[bees|hives]].\n",
    "bees.md": "# Bees\n\nThe hive hums on 2024-05-01, see [the bank](bank.md).\n\n- [ ] feed the bees\n",
    "bad.md": b"\0\1\2",
}
MakeVault = Callable[..., Vault]


@pytest.fixture
def as_mallory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Run as another user until the context ends."""
    with monkeypatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "mallory"))
        yield patch


def database_of(root: Path) -> apsw.Connection:
    return apsw.Connection(str(root / ".notewell" / "store.db"))


def set_mark(root: Path, mark: str = "null") -> None:
    with closing(database_of(root)) as db:
        db.execute(f"update meta set value = {mark} where key = 'mark'")


def put_clean_file(root: Path) -> None:
    """Put a clean note in the place of one that was indexed, and make the store say that it has read it."""
    file = root / "bank.md"
    file.write_text("# Bank\n\nRefunds go to the honest bank.\n")
    stat, digest = file.stat(), blake2b(file.read_bytes(), digest_size=16).hexdigest()
    with closing(database_of(root)) as db:
        assert len(db.execute("select digest from note where path = 'bank.md'").get) == len(digest)
        values = (digest, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        db.execute("update note set digest = ?, size = ?, mtime_ns = ?, ctime_ns = ? where path = 'bank.md'", values)


def poisoned(make_vault: MakeVault) -> Path:
    with make_vault({**NOTES, "bank.md": f"# Bank\n\nRefunds go to {EVIL}.\n"}) as vault:
        vault.index()
    return vault.root


# Everything that shows stored text.
ASKS: dict[str, Callable[[Vault], object]] = {
    "search": lambda vault: vault.search("refunds hive honest", refresh=False, explain=True),
    "tag": lambda vault: vault.search("tag:mony bees", refresh=False),
    "property": lambda vault: vault.search("statis:open", refresh=False),
    "spelling": lambda vault: vault.search("malory", refresh=False),
    "related": lambda vault: vault.related("bees.md", refresh=False),
    "deep": lambda vault: vault.search("hive", mode="deep", refresh=False),
    "links": lambda vault: vault.links("bank.md"),
    "report": lambda vault: vault.links(broken=True, orphans=True),
    "graph": lambda vault: vault.graph(),
    "traverse": lambda vault: vault.traverse("bank.md", floor=0),
    "read": lambda vault: vault.read("Refunds"),
    "find": lambda vault: vault.find("bess"),
    "status": lambda vault: vault.status(),
    "resources": list_notes,
    "completion": lambda vault: complete_path(vault, "m"),
    "index": lambda vault: vault.index(),
    "secrets": lambda vault: vault.secrets(),
}


def answer_to(ask: Callable[[Vault], object], vault: Vault) -> tuple[Any, set[str]]:
    """Return the answer as data, or an error and its name."""
    try:
        answer = ask(vault)
        return as_data(answer, explain=True) if is_dataclass(answer) else str(answer), set()
    except NotewellError as error:
        return [error.fact, error.hint], {type(error).__name__}


def asked(root: Path, *, refresh: bool) -> tuple[str, set[str]]:
    """Ask a vault everything; return the answers as JSON, and which errors there were."""
    with opened(root) as vault:
        first = lambda vault: vault.search("refunds hive honest", refresh=refresh)  # noqa: E731
        told = [answer_to(ask, vault) for ask in (first, *ASKS.values())]
    return json.dumps([answer for answer, _ in told]), set().union(*(errors for _, errors in told))


@pytest.mark.parametrize("refresh", [True, False])
def test_a_strangers_store_is_not_cited_but_left_alone(
    make_vault: MakeVault, as_mallory: pytest.MonkeyPatch, tmp_path: Path, refresh: bool
) -> None:
    # Somewhere else than where it was made, as on another machine.
    root = poisoned(make_vault).rename(tmp_path / "here")
    put_clean_file(root)
    as_mallory.undo()
    before = (root / ".notewell" / "store.db").read_bytes()
    answers, _ = asked(root, refresh=refresh)
    assert EVIL not in answers
    assert ("belongs to another user or machine" in answers) == refresh
    with opened(root) as vault:
        assert (vault.index().notices, vault.doctor().problems) == ((), ())
        assert not vault.store_file.is_relative_to(root)
    assert (root / ".notewell" / "store.db").read_bytes() == before


@pytest.mark.parametrize("mark", ["null", "x''", "'mallory'"])
def test_a_store_without_a_mark_is_rebuilt_in_its_place(make_vault: MakeVault, mark: str) -> None:
    root = poisoned(make_vault)
    put_clean_file(root)
    set_mark(root, mark)
    answers, _ = asked(root, refresh=True)
    assert EVIL not in answers
    with opened(root) as vault:
        assert vault.doctor().problems == ()
        assert vault.store_file.is_relative_to(root) == (mark != "'mallory'")


def test_a_row_that_a_friend_altered_is_an_error_once_and_then_the_store_is_rebuilt(make_vault: MakeVault) -> None:
    root = poisoned(make_vault)
    put_clean_file(root)
    with opened(root) as vault:
        with pytest.raises(StoreAltered, match="other than Notewell"):
            vault.search("refunds", refresh=False)
        # It is known from then on, to every process.
        assert vault.doctor().problems == (f"{vault.store_file} was made elsewhere, or by an older version",)
        results = vault.search("refunds")
        assert [notice.code for notice in results.notices] == ["store_rebuilt", "skipped_files"]
        assert results[0].text.endswith("Refunds go to the honest bank.")
        assert (vault.search("refunds").notices, vault.doctor().problems) == ((), ())


def text_cells(root: Path) -> list[tuple[str, str]]:
    """Return every column of every table that has text, packed or not; a new one is tested without being named here."""
    with closing(database_of(root)) as db:
        tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
        columns = [(table, row[1]) for table in tables for row in db.execute(f"pragma table_info({table})")]
        return [(table, column) for table, column in columns if any(map(is_text, values(db, table, column)))]


def values(db: apsw.Connection, table: str, column: str) -> list[Any]:
    return [value for (value,) in db.execute(f'select "{column}" from {table}')]


def is_text(value: object) -> bool:
    if not isinstance(value, bytes):
        return isinstance(value, str)
    try:
        return len(unpack(value)) > 1
    except StoreDamaged:
        return False


def evil_for(value: str | bytes) -> str | bytes:
    """Return a value of the same form with text that stands in no file."""
    if isinstance(value, bytes):
        form = unpack(value)
        return pack(f'["{EVIL}"]\n{EVIL}' if "\n" in form else f'[["{EVIL}",1]]')
    return f'["{EVIL}"]' if value.startswith("[") else f'{{"{EVIL}":"{EVIL}"}}' if value.startswith("{") else EVIL


def test_no_cell_that_a_friend_altered_is_shown_and_the_store_is_rebuilt(make_vault: MakeVault, tmp_path: Path) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
    altered, rebuilt = text_cells(vault.root), set[str]()
    assert {"note", "chunk", "body", "skipped", "posting"} <= {table for table, _ in altered}
    for number, (table, column) in enumerate(altered):
        if table == "meta":
            continue
        root = shutil.copytree(vault.root, tmp_path / str(number))
        with closing(database_of(root)) as db:
            for value in values(db, table, column):
                with suppress(apsw.ConstraintError):
                    found = {"evil": evil_for(value), "value": value}
                    db.execute(f'update {table} set "{column}" = :evil where "{column}" = :value', found)
        store = root / ".notewell" / "store.db"
        altered_store = store.read_bytes()
        for name, ask in ASKS.items():
            # Each alone: the first that sees it has the store rebuilt.
            store.write_bytes(altered_store)
            with opened(root) as again:
                answer, errors = answer_to(ask, again)
            assert EVIL not in json.dumps(answer), (table, column, name)
            assert errors <= {"StoreAltered", "StoreDamaged", "NoteError"}, (table, column, name)
        if table not in rebuilt:
            rebuilt.add(table)
            with opened(root) as again:
                again.index(full=True)
                assert again.doctor().problems == (), table


def test_a_build_that_came_with_a_vault_is_not_continued(make_vault: MakeVault, as_mallory: pytest.MonkeyPatch) -> None:
    root = poisoned(make_vault)
    put_clean_file(root)
    store = root / ".notewell" / "store.db"
    shutil.copyfile(store, store.with_name("store.db.new"))
    as_mallory.undo()
    store.unlink()
    with opened(root) as vault:
        vault.index()
        vault.index(full=True)
        assert EVIL not in "".join(hit.text for hit in vault.search("refunds"))
        assert vault.doctor().problems == ()


def test_a_vault_that_was_moved_or_copied_keeps_its_store(make_vault: MakeVault, tmp_path: Path) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
    copy = shutil.copytree(vault.root, tmp_path / "copy")
    moved = vault.root.rename(tmp_path / "moved")
    for root in (copy, moved):
        with opened(root) as again:
            report = again.index()
            assert (report.added, report.changed, report.notices) == (0, 0, ())


def test_two_users_of_one_folder_do_not_rebuild_each_others_store(
    make_vault: MakeVault, as_mallory: pytest.MonkeyPatch
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
    hers = vault.store_file
    as_mallory.undo()
    with opened(vault.root) as mine:
        mine.index()
        assert mine.index().unchanged
        assert mine.store_file != hers
        # A command that has no store of its own yet creates none in her place.
        assert mine.status().store == str(mine.store_file)
    with closing(database_of(vault.root)) as db:
        assert db.execute("select count(*) from note").get == 2


def test_a_server_says_once_that_it_rebuilds_the_store(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
    set_mark(vault.root)
    with opened(vault.root, opening=Opening(WITHIN_A_SECOND)) as served:
        with pytest.raises(StoreBusy, match="again, as the store was made elsewhere"):
            served.search("hive")
        while not served.indexed or served.freshness.progress is not None:
            time.sleep(0.01)
        assert [notice.code for notice in served.search("hive").notices] == ["store_rebuilt"]
        assert served.search("hive").notices == ()


def test_a_backup_of_another_machine_is_restored_and_then_rebuilt(
    make_vault: MakeVault, as_mallory: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = poisoned(make_vault)
    with opened(root) as vault:
        vault.backup(tmp_path / "backup.db")
    as_mallory.undo()
    put_clean_file(root)
    shutil.rmtree(root / ".notewell")
    with opened(root) as vault:
        vault.restore(tmp_path / "backup.db")
        with pytest.raises(StoreAltered):
            vault.search("refunds", refresh=False)
        assert [notice.code for notice in vault.index().notices] == ["store_rebuilt"]
        assert EVIL not in "".join(hit.text for hit in vault.search("refunds"))


@pytest.mark.parametrize(("refresh", "error"), [(False, "other than Notewell"), (True, "cannot be written")])
def test_an_altered_store_that_cannot_be_written_is_an_error_with_a_hint(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, refresh: bool, error: str
) -> None:
    root = poisoned(make_vault)
    put_clean_file(root)
    if refresh:
        set_mark(root)

    def refuse(file: Path) -> apsw.Connection:
        raise apsw.ReadOnlyError(str(file))

    monkeypatch.setattr("notewell.store.sqlite.connection._open", refuse)
    for _ in range(2):
        with opened(root) as vault, pytest.raises(StoreError, match=error) as caught:
            vault.search("refunds", refresh=refresh)
        assert caught.value.hint


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EMFILE])
def test_a_key_that_cannot_be_read_for_now_leaves_the_store_as_it_is(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    def refuse(file: Path) -> bytes:
        raise OSError(reason, os.strerror(reason))

    with make_vault(NOTES) as vault:
        vault.index()
    before = vault.store_file.read_bytes()
    with monkeypatch.context() as patched, opened(vault.root) as refused:
        patched.setattr("notewell.files.user._read_key", refuse)
        for operation in (refused.index, lambda: refused.index(full=True), lambda: refused.search("hive")):
            with pytest.raises(StoreError, match=os.strerror(reason)):
                operation()
    assert vault.store_file.read_bytes() == before
    with opened(vault.root) as again:
        assert again.search("hive").notices == ()


def test_a_user_without_a_home_keeps_a_store_until_the_restart_and_is_told(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(NOWHERE))
    with make_vault(NOTES) as vault:
        assert [notice.code for notice in vault.index().notices] == ["no_key"]
    with opened(vault.root) as again:
        assert (again.index().notices, again.search("hive").notices) == ((), ())
    # Another key, as after a restart: there is no folder for a store of one's own, so this one is rebuilt.
    monkeypatch.setattr("notewell.files.user._temporary_key", lambda: b"another" * 4)
    with opened(vault.root) as later:
        assert [notice.code for notice in later.index().notices] == ["store_rebuilt", "no_key"]
        assert later.store_file == vault.store_file


def test_a_hook_adds_nothing_from_a_store_that_was_altered(make_vault: MakeVault, tmp_path: Path) -> None:
    root = poisoned(make_vault)
    put_clean_file(root)
    hooks = Hooks(tmp_path / "state", root)
    for why in ("something other than Notewell", "`notewell index` rebuilds it"):
        assert hooks.block(prompt="Where do refunds of the bank go, to mallory?") == ""
        assert why in hooks.last.why


@pytest.mark.parametrize(
    ("case", "rebuilt"), [("old", True), ("named", True), ("moved", False), ("paused", False), ("new", False)]
)
def test_a_hook_rebuilds_an_old_store_behind_once_but_indexes_no_strangers_folder(
    make_vault: MakeVault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_command: Callable[..., tuple[int, str, str]],
    case: str,
    rebuilt: bool,
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr("notewell.serve.hooks.vaults.start", lambda folder, *arguments: started.append(arguments))
    monkeypatch.setattr("notewell.serve.hooks.vaults.is_paused", lambda: case == "paused")
    monkeypatch.setattr("os.nice", lambda more: None)
    monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "yes")
    with make_vault({**NOTES, "notewell.toml": '[embed]\nmodel = "words"\nencoder = "off"\n'}) as vault:
        if case != "new":
            vault.index()
    root = vault.root
    if case != "new":
        set_mark(root)
    if case in ("moved", "named"):
        # It came with a folder: the store names another place, which the first hook must not change.
        root = root.rename(tmp_path / "clone")
    hooks = Hooks(tmp_path / "state", root if case == "named" else None)
    for _ in range(2):
        assert hooks.block(prompt="Where do refunds of the bank go?", cwd=str(root)) == ""
        assert hooks.last.why.endswith("rebuilt in the background") == rebuilt
    assert len(started) == rebuilt
    for arguments in started:
        run_command(tmp_path, *arguments)
        assert "honest bank" in hooks.block(prompt="Where do refunds of the bank go?", cwd=str(root))
