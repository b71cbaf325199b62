"""The tables of the one file, how a new file gets them, and how an older format is migrated.

Links, and the headings and lines of chunks, are compressed (`rows.py`): they would be half the file otherwise, and are
only read for the few notes on a page.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from notewell.errors import REPAIR, StoreDamaged, StoreError, StoreUnfit
from notewell.store import MadeFor, Origin, State
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import fetch, fetch_one
from notewell.store.tables.checked import decodes
from notewell.store.tables.seal import NO_SEALS, OF_STORE, Seals, StoreOfAnother
from notewell.store.tables.state import NEW, Counters, state_of

# The formats that are migrated, and the present one, which grows with every change of the tables or their content.
OLDEST, VERSION = 1, 9
# No Notewell writes a number so far above its predecessors': a changed bit made it.
FARTHEST = VERSION + 1_000
# How long to wait for other processes that create the same store, and between two tries, in seconds.
CREATING_SECONDS, PAUSE_SECONDS = 60.0, 0.05
# "NWel", in the file's header, by which `file` and other programs know it.
APPLICATION_ID = 0x4E57656C

# From each released format to the next. Must never change once released.
MIGRATIONS = {
    1: """
        create table fine (
            body integer primary key references body,
            data blob not null
        );
        insert into meta (key, value) values ('fine', '');
        insert into meta (key, value) select 'arrays', value from meta where key = 'generation';
    """,
    2: """
        alter table chunk add column parts text not null default '';
        alter table skipped add column again integer not null default 1;
    """,
    3: """
        create table edge (
            note integer primary key references note,
            data blob not null
        );
        create table standing (
            note integer primary key references note,
            pagerank real not null,
            centrality real not null,
            community integer not null
        );
        insert into meta (key, value) values ('linked', -1);
    """,
    4: """
        alter table note add column day text not null default '';
        alter table note add column dated_by text not null default '';
        alter table note add column properties text not null default '';
        alter table chunk add column day text not null default '';
        alter table chunk add column tasks text not null default '';
    """,
    # Rows without a seal are not trusted: a store of an older format is rebuilt.
    5: """
        alter table note add column seal blob not null default x'';
        alter table chunk add column seal blob not null default x'';
        alter table skipped add column seal blob not null default x'';
        insert into meta (key, value) values ('id', x''), ('mark', null);
    """,
    6: """
        alter table vector add column crc integer not null default -1;
        alter table fine add column crc integer not null default -1;
    """,
    7: """
        alter table block add column notes blob not null default x'';
        insert into meta (key, value) values ('weighing', 1);
    """,
    # Standings without positions are measured again.
    8: """
        alter table standing add column x real not null default 0.5;
        alter table standing add column y real not null default 0.5;
        update meta set value = '' where key = 'standings';
        delete from meta where key = 'measured';
    """,
}

TABLES = """
create table meta (
    key text primary key,
    value
) without rowid;

-- A note's day is that of its name or properties, as `dated_by` says; both are empty if only its file has a time.
create table note (
    id integer primary key,
    path text not null unique,
    title text not null,
    kind text not null,
    tags text not null,
    aliases text not null,
    fields text not null,
    link_count integer not null,
    links blob not null,
    mtime_ns integer not null,
    size integer not null,
    digest text not null,
    ctime_ns integer not null,
    day text not null default '',
    dated_by text not null default '',
    properties text not null default '',
    seal blob not null default x''
);

-- Where each link of a note leads, in order: a hash of the name it gives, and the id of a note, if any (`links.py`). A
-- note that was stored since links were last resolved has no row. A table of its own, because reading all edges would
-- otherwise pass over the links and front matter of all notes.
create table edge (
    note integer primary key references note,
    data blob not null
);

-- A note's standing in the graph, and its position in the picture of it.
create table standing (
    note integer primary key references note,
    pagerank real not null,
    centrality real not null,
    community integer not null,
    x real not null default 0.5,
    y real not null default 0.5
);

-- A chunk's id is its slot: its place in the arrays of `block` and in the postings. Freed slots are used again, so the
-- arrays stay dense. Its day is that of its headings. A task has a line: `open` or `done`, and the day it is due.
create table chunk (
    id integer primary key,
    note integer not null references note,
    body integer not null references body,
    line integer not null,
    end_line integer not null,
    start integer not null,
    "end" integer not null,
    parts text not null default '',
    day text not null default '',
    tasks text not null default '',
    seal blob not null default x''
);
create index chunk_note on chunk (note);

-- Headings and lines, stored once for all chunks with the same text: a copy or a renamed note needs no embedding.
create table body (
    id integer primary key,
    digest blob not null unique,
    uses integer not null,
    text blob not null
);

-- Nothing else tells a flipped bit in a vector from what a model made: each has a CRC-32, or -1 for an older one.
create table vector (
    body integer primary key references body,
    data blob not null,
    crc integer not null default -1
);

-- The encoder's vectors, which are added later than `vector`, and may be missing.
create table fine (
    body integer primary key references body,
    data blob not null,
    crc integer not null default -1
);

-- Which chunks hold a term: per block, slots within it (2 bytes each), then weighted counts (1 byte each).
create table posting (
    term text not null,
    block integer not null,
    data blob not null,
    primary key (term, block)
) without rowid;

-- Arrays over the slots of a block: lengths in terms (0: free slot), one-bit codes of the vectors, and each chunk's
-- note (4 bytes; empty in a block that an older version wrote).
create table block (
    id integer primary key,
    lengths blob not null,
    codes blob not null,
    notes blob not null default x''
);

create table skipped (
    path text primary key,
    reason text not null,
    mtime_ns integer not null,
    size integer not null,
    ctime_ns integer not null,
    again integer not null default 1,
    seal blob not null default x''
) without rowid;
"""


def squeezed(sql: str) -> str:
    """Return a statement in lower case and without spaces, which differ in a migrated table."""
    return "".join(sql.split()).lower()


# The statements that SQLite keeps for these tables, and how they begin; views and triggers begin differently.
OBJECTS = {squeezed(sql) for sql in re.sub("--.*", "", TABLES).split(";")} - {""}
PLAIN = ("createtable", "createindex")
META_TABLE = next(sql for sql in OBJECTS if sql.startswith("createtablemeta("))


class Meta(Counters):
    """The table `meta` as a mapping; a key that is not there has the value None.

    `generation` is the number of the present state, `arrays` that of the last change of chunks; `linked` and `measured`
    are the value of `arrays` when links were resolved and standings measured. `fine` names the encoder, and `weighing`
    the weights of terms. `id` is random, and `mark` says who made the store (`seal.py`).
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __getitem__(self, key: str) -> Any:
        return fetch_one(self._db, queries.META, {"key": key})

    def __setitem__(self, key: str, value: str | int | bytes | None) -> None:
        self._db.execute(queries.SET_META, {"key": key, "value": value})

    @decodes
    def state(self, seals: Seals = NO_SEALS) -> State:
        """Return the state that the table describes."""
        return state_of(dict(fetch(self._db, queries.ALL_META)), seals)


def prepare(
    db: apsw.Connection, file: Path, made_for: Callable[[], MadeFor], seals: Seals, *, only_own: bool = False
) -> None:
    """Create the tables of a new file, migrate an older format, and reject a file that is not as we make them.

    With `only_own`, a store that has another user's mark is rejected before anything else in it counts.
    """
    if _create_if_new(db, made_for, seals):
        return
    objects = _objects(db)
    version, is_marked = int(db.pragma("user_version")), db.pragma("application_id") == APPLICATION_ID
    # Only a stranger makes one that is newer and has no mark.
    if only_own and _origin(db, objects, seals) in (("other",) if version <= VERSION else ("other", "unknown")):
        raise StoreOfAnother
    if not is_marked and not objects & OBJECTS:
        raise StoreError(
            f"{file} is the database of another program", "Set store.path to a file that Notewell may write"
        )
    if not is_marked or version > FARTHEST:
        raise StoreDamaged(f"{file} is damaged: its header has numbers that Notewell does not write", REPAIR)
    if version > VERSION:
        raise StoreUnfit(
            f"{file} was written by a newer Notewell (format {version}, this one knows {VERSION})",
            "Update with `pip install -U notewell`, or run `notewell index --full` to rebuild it for this version",
        )
    if version < OLDEST:
        raise StoreDamaged(f"{file} was made by an older version of Notewell, or is damaged", REPAIR)
    if version < VERSION:
        # Tables of an older format differ, but none has views or triggers, which would run during the migration.
        _check_objects(db, file, lambda found: {sql for sql in found if not sql.startswith(PLAIN)})
        _migrate(db)
    _check_objects(db, file, lambda found: found ^ OBJECTS)


def _check_objects(db: apsw.Connection, file: Path, strange: Callable[[set[str]], set[str]]) -> None:
    """Reject a file with other tables than ours, or with views or triggers, which run when a table is used."""
    if wrong := strange(_objects(db)):
        raise StoreDamaged(f"{file} is damaged: {len(wrong):,} of its tables are missing or not ours", REPAIR)


def _origin(db: apsw.Connection, objects: Collection[str], seals: Seals) -> Origin:
    """Return who made a store by its mark alone, whatever else is in it; unknown if the mark cannot be read."""
    values: dict[str, Any] = {}
    for key in (*OF_STORE, "mark") if META_TABLE in objects else ():
        # A value that is no text is as good as another one.
        with suppress(StoreDamaged):
            values[key] = fetch_one(db, queries.SHORT_META, {"key": key})
    return seals.origin(values)


def _objects(db: apsw.Connection) -> set[str]:
    return {squeezed(sql) for (sql,) in fetch(db, queries.OBJECTS)}


def _create_if_new(db: apsw.Connection, made_for: Callable[[], MadeFor], seals: Seals) -> bool:
    """Create the tables of a new file, and tell whether it was new; wait for other processes that create them, too."""
    ends = time.monotonic() + CREATING_SECONDS
    while True:
        try:
            if db.execute(queries.ANY_TABLE).get is not None:
                return False
            _create(db, made_for(), seals)
        except apsw.BusyError:
            # SQLite does not wait for its own lock when the journal mode changes.
            if time.monotonic() > ends:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return True


def _create(db: apsw.Connection, made_for: MadeFor, seals: Seals) -> None:
    # Before WAL mode moves writes to a log: the file itself must show whose it is.
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("journal_mode", "wal")
    db.execute("begin immediate")
    # Another process may have created the tables while this one waited.
    if db.execute(queries.ANY_TABLE).get is None:
        db.execute(TABLES)
        meta = Meta(db)
        values = {**made_for._asdict(), **NEW, "id": os.urandom(16)}
        for key, value in {**values, "mark": seals.mark(values)}.items():
            meta[key] = value
        db.pragma("user_version", VERSION)
    db.execute("commit")


def _migrate(db: apsw.Connection) -> None:
    """Migrate the tables to the present format, all steps or none."""
    db.execute("begin immediate")
    try:
        for version in range(int(db.pragma("user_version")), VERSION):
            db.execute(MIGRATIONS[version])
            db.pragma("user_version", version + 1)
        db.execute("commit")
    except BaseException:
        db.execute("rollback")
        raise
