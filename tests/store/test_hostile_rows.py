"""Whatever stands in a store, every operation answers or says that it is damaged, and a full run mends it."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notewell.errors import REBUILD, REPAIR, NotewellError, StoreDamaged
from notewell.store.sqlite.checked import fetch
from notewell.store.sqlite.files import WRITTEN_AS
from notewell.store.sqlite.schema import TABLES
from notewell.store.tables.rows import DICTIONARY, RAW

if TYPE_CHECKING:
    from notewell import Vault

NOTES = {
    "bread.md": "---\ntags: [baking]\naliases: [Loaf]\nstatus: done\n---\n\n# Bread\n\nIt fell, [[Bees|hive]].\n",
    "garden/bees.md": "---\ntype: log\n---\n\n# Bees\n\nThe hive hums.\n\n## 2025-07-11\n\n- [ ] honey 📅 2025-08-01\n",
    "2024-05-01.md": "# Day\n\nBread and [[bread]] and ![[nowhere]].\n",
    "bad.md": "\0\1",
}
QUERIES = (
    *("bread", '"it fell"', "hive*", "tag:baking fell", "status:done bread", "after:2024 hive", "task:open", "hea"),
    *("heading:bees hums", "type:log hive", "due:2025", "path:garden hive", "newest notes"),
)
SETTINGS = {"embed.model": "words", "search.floor": 0}


def open_vault(root: Path) -> Vault:
    from notewell import Vault  # noqa: PLC0415

    return Vault.open(root, SETTINGS)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault whose store has a row in every table."""
    root = tmp_path_factory.mktemp("hostile") / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with open_vault(root) as vault:
        vault.index()
        with vault.store.reading() as snapshot:
            chunks = [*snapshot.chunks(range(3)).values()]
        with vault.store.writing() as writer:
            writer.keep_vectors("encoder", chunks, np.ones((3, 8), np.float32))
        assert vault.doctor().problems == ()
    return root


def operations(vault: Vault, backup: Path) -> Iterator[Callable[[], object]]:
    """Yield everything that reads or writes a store."""
    yield from (partial(vault.search, text) for text in QUERIES)
    yield partial(vault.search, "bread", mode="deep")
    yield partial(vault.related, "bread.md")
    yield from (partial(method, "Loaf") for method in (vault.read, vault.find, vault.links, vault.traverse))
    yield partial(vault.links, broken=True, wanted=True, orphans=True)
    yield from (vault.graph, vault.status, vault.encode, vault.doctor, partial(vault.backup, backup))
    yield vault.index


def check_all(root: Path, change: Callable[[apsw.Connection], object]) -> None:
    """Change the rows of the store of a copy of a vault, and check what then happens."""

    def spoil(file: Path) -> None:
        with closing(apsw.Connection(str(file))) as db:
            change(db)

    check_file(root, spoil)


def check_file(root: Path, change: Callable[[Path], object]) -> None:
    """Change the store of a copy of a vault, and check that all operations bear it and that a full run mends it."""
    shutil.rmtree(copy := root.parent / "copy", ignore_errors=True)
    shutil.copytree(root, copy)
    change(copy / ".notewell/store.db")
    (copy / "2024-05-01.md").write_text("# Day\n\nAnother loaf, and [[bees]].\n")
    (backup := root.parent / "backup.db").unlink(missing_ok=True)
    with open_vault(copy) as vault:
        for operation in operations(vault, backup):
            try:
                str(operation())
            except NotewellError as error:
                assert error.hint in (REPAIR, REBUILD) or not isinstance(error, StoreDamaged)
    with open_vault(copy) as vault:
        vault.index(full=True)
        assert vault.doctor().problems == ()
        assert vault.search("hums")[0].path == "garden/bees.md"


def cells() -> list[tuple[str, str]]:
    """Return every column of every table."""
    with closing(apsw.Connection(":memory:")) as db:
        db.execute(TABLES)
        tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
        return [(table, row[1]) for table in tables for row in db.execute(f"pragma table_info({table})")]


def packed(text: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, RAW, zdict=DICTIONARY)
    return packer.compress(text) + packer.flush()


CELLS = cells()
NUMBERS = st.sampled_from((-1, 0, 3, 999, 1 << 31, 1 << 40, -(1 << 63), (1 << 63) - 1, 0.5, float("inf")))
TEXTS = st.sampled_from(
    ("", "x", "\0", "[", "[1]", "{}", "[" * 500 + "]" * 500, "../../x", "/x", "2024-99-99", "x" * 2_000_000)
)
BYTES = st.sampled_from((b"", b"\0", b"\xff" * 24, *map(packed, (b"", b"[1]\nx", b"[[1]]", b'[["a"]]', b"[" * 99_999))))
Change = Callable[[Any], Any]
SHORTER: Change = lambda value: value[:-1] if isinstance(value, str | bytes) else -value  # noqa: E731
LONGER: Change = lambda value: value * 2  # noqa: E731
OTHER: Change = lambda value: value.encode() if isinstance(value, str) else str(value)  # noqa: E731


@settings(max_examples=18)
@given(
    cell=st.sampled_from(CELLS),
    row=st.integers(0, 3),
    value=st.one_of(NUMBERS, TEXTS, BYTES, st.binary(max_size=9), st.sampled_from((SHORTER, LONGER, OTHER))),
)
def test_a_row_with_anything_in_it_is_answered_or_called_damaged(
    indexed: Path, cell: tuple[str, str], row: int, value: Any
) -> None:
    table, column = cell

    def spoil(db: apsw.Connection) -> None:
        def spoiled(*old: Any) -> Any:
            return value(*old) if callable(value) else value

        db.create_scalar_function("spoiled", spoiled, 1)
        first = next(name for other, name in CELLS if other == table)
        key = db.execute(f"select {first} from {table} limit 1 offset {row} % (select count(*) from {table})").get
        with suppress(apsw.ConstraintError, apsw.MismatchError):
            db.execute(f'update {table} set "{column}" = spoiled("{column}") where {first} = ?', (key,))

    check_all(indexed, spoil)


ENDLESS = "with recursive every(x) as (select 1 union all select x + 1 from every) select"
OBJECTS = {
    "nothing": "drop table {table}",
    "no rows": "delete from {table}",
    "fewer rows": "delete from {table} where {first} in (select {first} from {table} limit 2)",
    "view": "alter table {table} rename to old; create view {table} as select * from old",
    "endless view": f"drop table {{table}}; create view {{table}} ({{columns}}) as {ENDLESS} {{xs}} from every",
    "trigger": "create trigger strange before update on {table} begin delete from note; end",
    "other column": "alter table {table} add column strange generated always as (1) virtual",
    "no types": "create table old as select * from {table}; drop table {table}; alter table old rename to {table}",
    "index": "create index strange on {table} ({first})",
    "older format": "pragma user_version = 0",
    "format before": "pragma user_version = 4",
    "no state": "delete from meta",
}


@settings(max_examples=12)
@given(what=st.sampled_from(sorted(OBJECTS)), table=st.sampled_from(sorted({table for table, _ in CELLS})))
def test_other_tables_than_ours_are_called_damaged(indexed: Path, what: str, table: str) -> None:
    names = [f'"{column}"' for other, column in CELLS if other == table]
    statement = OBJECTS[what].format(
        table=table, first=names[0], columns=", ".join(names), xs=", ".join("x" for _ in names)
    )
    check_all(indexed, lambda db: db.execute(statement))


PAGE = 8192


def overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("rb+") as stream:
        stream.seek(at)
        stream.write(data)


# Where the first page has the format, the mark of the program, the tables' statements, and a type in one of them.
FORMAT, PROGRAM, SCHEMA, TYPE = 60, 68, 6_000, 8_150


@settings(max_examples=4)
@given(at=st.integers(SCHEMA, PAGE - 1), byte=st.sampled_from((b"\0", b"\xf3", b"\xff")))
@example(at=FORMAT + 2, byte=b"]")
@example(at=WRITTEN_AS, byte=b"\xf3")
@example(at=TYPE, byte=b"\xf3")
@example(at=PROGRAM, byte=b"\xff")
def test_a_changed_byte_of_the_header_or_schema_is_damage(indexed: Path, at: int, byte: bytes) -> None:
    check_file(indexed, lambda file: overwrite(file, at, byte))


@settings(max_examples=6)
@given(half=st.integers(4, 39))
def test_half_a_page_of_zeros_is_answered_or_called_damaged(indexed: Path, half: int) -> None:
    def spoil(file: Path) -> None:
        overwrite(file, half * PAGE // 2 % file.stat().st_size, bytes(PAGE // 2))

    check_file(indexed, spoil)


def test_notes_that_are_missing_in_the_index_of_paths_are_damage(indexed: Path, tmp_path: Path) -> None:
    root = shutil.copytree(indexed, tmp_path / "vault")
    file = root / ".notewell/store.db"
    with closing(apsw.Connection(str(file))) as db:
        page = db.execute("select rootpage from sqlite_schema where name = 'sqlite_autoindex_note_1'").get
    # The half with the paths: the number of rows, in the other one, stays.
    overwrite(file, page * PAGE - PAGE // 2, bytes(PAGE // 2))
    with open_vault(root) as vault:
        for operation in (partial(vault.search, "bread"), partial(vault.search, "newest notes"), vault.graph):
            with pytest.raises(StoreDamaged) as caught:
                operation()
            assert caught.value.hint == REPAIR
        with pytest.raises(StoreDamaged):
            vault.index()
        vault.index(full=True)
        assert vault.search("bread")


def test_chunks_without_a_vector_are_damage(indexed: Path, tmp_path: Path) -> None:
    root = shutil.copytree(indexed, tmp_path / "vault")
    with closing(apsw.Connection(str(root / ".notewell/store.db"))) as db:
        db.execute("delete from vector")
    with open_vault(root) as vault:
        for operation in (vault.traverse, vault.related):
            with pytest.raises(StoreDamaged, match="no vector"):
                operation("bread.md")


@pytest.mark.parametrize(
    "change",
    [
        "delete from standing",
        "delete from standing where note = (select min(note) from standing)",
        *(f"update standing set community = {number}" for number in (-2, 99, 2**31, 2**60)),
    ],
)
def test_standings_of_other_notes_than_those_with_links_are_measured_again(
    indexed: Path, tmp_path: Path, change: str
) -> None:
    root = shutil.copytree(indexed, tmp_path / "vault")
    with open_vault(root) as vault:
        whole = vault.graph()
    with closing(apsw.Connection(str(root / ".notewell/store.db"))) as db:
        db.execute(change)
    with open_vault(root) as vault:
        assert vault.graph() == whole


# Nobody can derive when a file was last touched in any way; a wrong time costs another look at it.
UNKNOWN = ("ctime_ns", "again")
# Of 80 flips, many are in indexes or free space.
ENOUGH = 20


def content(file: Path) -> list[Any] | None:
    """Return every row of a store but those of its state; None if SQLite itself cannot read them."""
    with closing(apsw.Connection(f"file:{file}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)) as db:
        kept = [(table, column) for table, column in CELLS if table != "meta" and column not in UNKNOWN]
        try:
            return [db.execute(f'select hex("{column}") from {table}').fetchall() for table, column in kept]
        except apsw.Error:
            return None


def test_doctor_finds_every_flipped_bit_that_changes_a_row(indexed: Path) -> None:
    file = indexed / ".notewell/store.db"
    whole, before = file.read_bytes(), content(file)
    # Most of a page of so small a store is empty: only bytes that say something are chosen from.
    written = [at for at in range(8192, len(whole)) if whole[at]]
    changed = set[tuple[int, int]]()

    @settings(max_examples=80)
    @given(st.sampled_from(written), st.integers(0, 7))
    def flip(at: int, bit: int) -> None:
        (spoiled := bytearray(whole))[at] ^= 1 << bit
        file.write_bytes(spoiled)
        with open_vault(indexed) as vault:
            found = vault.doctor().problems
        if content(file) != before:
            changed.add((at, bit))
            assert found

    try:
        flip()
    finally:
        file.write_bytes(whole)
    assert len(changed) >= ENOUGH


def make_endless(file: Path, table: str) -> None:
    """Put six pages before the rows of a table that each lead to the next one a thousand times."""
    with closing(apsw.Connection(str(file))) as db:
        db.pragma("journal_mode", "delete")
        root = db.execute("select rootpage from sqlite_schema where name = ?", (table,)).get
    data = bytearray(file.read_bytes())
    pages = len(data) // PAGE
    # The rows move to the end of the file, and the first of the pages takes their place.
    data += data[(root - 1) * PAGE : root * PAGE]
    for before in (*range(pages + 1, pages + 6), None):
        child = (before or pages + 6).to_bytes(4, "big")
        starts = range(PAGE - 5, PAGE - 5 - 1_000 * 5, -5)
        header = b"\5\0\0" + len(starts).to_bytes(2, "big") + starts[-1].to_bytes(2, "big") + b"\0" + child
        page = header + b"".join(start.to_bytes(2, "big") for start in starts)
        page += bytes(starts[-1] - len(page)) + (child + b"\1") * len(starts)
        if before:
            data += page
        else:
            data[(root - 1) * PAGE : root * PAGE] = page
    data[28:32] = (len(data) // PAGE).to_bytes(4, "big")
    file.write_bytes(data)


@pytest.mark.parametrize("table", ["note", "fine", "chunk"])
def test_pages_that_lead_to_one_page_again_and_again_are_damage(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setattr("notewell.store.sqlite.connection.STEPS", 10_000)
    monkeypatch.setattr("notewell.store.sqlite.connection.LEAST_STEPS", 100_000)
    root = shutil.copytree(indexed, tmp_path / "vault")
    make_endless(root / ".notewell/store.db", table)
    with open_vault(root) as vault:
        if table != "chunk":
            # Chunks are counted by an index.
            with pytest.raises(StoreDamaged, match="without end") as caught:
                vault.status()
            assert caught.value.hint == REPAIR
        assert vault.doctor().problems
    with open_vault(root) as vault:
        vault.index(full=True)
        assert (vault.doctor().problems, vault.status().notes) == ((), 3)


def test_rows_without_end_are_damage() -> None:
    with closing(apsw.Connection(":memory:")) as db, pytest.raises(StoreDamaged) as caught:
        fetch(db, f"{ENDLESS} x as id from every")
    assert "more rows" in caught.value.fact
