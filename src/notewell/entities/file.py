"""The file in which a vault's entities are kept: derived from the store, in the user's state folder.

What a note says stays only as long as the store has the note as it is: `forget` deletes the rest.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from notewell.entities.candidates import Candidate, packed, unpacked
from notewell.entities.kinds import key_of
from notewell.entities.merge import Entity
from notewell.errors import StoreBusy, StoreError
from notewell.files.safe_open import NO_LINK, open_plain
from notewell.files.user import PRIVATE_FILE, clean_up, private_folder
from notewell.types.note import Stamp

# How long a file that nobody extracts into is kept, in seconds, and how many.
KEPT_SECONDS, KEPT_FILES = 180 * 86_400.0, 100
# Grows with every change of the tables; a file of another format is made anew.
VERSION = 1
BUSY_MS = 2_000
# Of an entity in more notes, others beside it are counted in the latest of them.
MOST_NOTES = 100
BROKEN = (apsw.NotADBError, apsw.CorruptError)

TABLES = """
create table meta (key text primary key, value text) without rowid;

-- The names that a note gives, as it was with this digest, by this recipe. Its day is written in it, or empty.
create table note (
    id integer primary key,
    path text not null unique,
    digest text not null,
    recipe text not null,
    day text not null,
    names blob not null
);

create table entity (
    id integer primary key,
    name text not null,
    kind text not null,
    notes integer not null
);

create table name (
    key text primary key,
    entity integer not null,
    name text not null,
    why text not null,
    -- The note that says why, if one does.
    path text not null
) without rowid;

create table mention (
    entity integer not null,
    note integer not null,
    line integer not null,
    key text not null,
    "by" text not null,
    primary key (entity, note, line)
) without rowid;
create index mention_note on mention (note);

-- What a language model was asked, and the relations it found between two names of a note.
create table asked (note integer primary key, model text not null);
create table relation (
    note integer not null,
    line integer not null,
    source text not null,
    relation text not null,
    target text not null,
    said text not null
);
create index relation_note on relation (note);
"""
FORGET = (
    "delete from mention where note in (select value from json_each(:notes))",
    "delete from asked where note in (select value from json_each(:notes))",
    "delete from relation where note in (select value from json_each(:notes))",
    "delete from note where id in (select value from json_each(:notes))",
    # A name that no note gives any more goes, and with its own name, the entity.
    "delete from name where path in (select value from json_each(:paths)) or key not in (select key from mention)",
    "delete from entity where id not in (select entity from name where why = '')",
    "delete from name where entity not in (select id from entity)",
    "delete from mention where entity not in (select id from entity)",
)


class Row(NamedTuple):
    """An entity as it is listed."""

    id: int
    name: str
    kind: str
    notes: int


class EntityFile:
    """The entities of a vault, or of some of its domains."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def exists(self) -> bool:
        """Tell whether entities were extracted before."""
        return self.file.is_file()

    @contextmanager
    def opened(self, *, create: bool = False) -> Iterator[apsw.Connection]:
        """Open the file for one task; one that is damaged is deleted, as it can be made again."""
        if create:
            self._create()
        try:
            with closing(apsw.Connection(str(self.file), apsw.SQLITE_OPEN_READWRITE)) as db:
                db.set_busy_timeout(BUSY_MS)
                # Text that is deleted is overwritten.
                db.pragma("secure_delete", "on")
                if db.pragma("user_version") != VERSION:
                    self._make(db)
                yield db
        except BROKEN as error:
            with suppress(OSError):
                self.file.unlink()
            raise StoreError(
                "The file of entities was damaged, and Notewell deleted it", "Run the command again"
            ) from error
        except apsw.BusyError as error:
            raise StoreBusy("Another process is extracting entities", "Wait for it to end, then try again") from error
        except (apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError) as error:
            raise StoreError(f"{self.file} cannot be read or written: {error}", "Check the disk") from error

    def _create(self) -> None:
        try:
            private_folder(self.file.parent)
            clean_up(self.file.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)
            os.close(open_plain(self.file, os.O_WRONLY | os.O_CREAT | NO_LINK, PRIVATE_FILE))
        except OSError as error:
            raise StoreError(
                f"{self.file} cannot be written: {error.strerror}", "Check the disk and this file"
            ) from error

    def _make(self, db: apsw.Connection) -> None:
        with db:
            for kind, name in db.execute("select type, name from sqlite_master where sql is not null").fetchall():
                if kind == "table":
                    db.execute(f'drop table "{name}"')
            db.execute(TABLES)
            db.pragma("user_version", VERSION)

    def forget(self, files: Mapping[str, Stamp]) -> None:
        """Delete what comes from other notes than these, unless another process is writing: the next answer does."""
        with suppress(StoreError), self.opened() as db:
            forget(db, files)


def fetch(db: apsw.Connection, sql: str, values: Mapping[str, Any] | tuple[Any, ...] = ()) -> list[Any]:
    """Return the rows of a statement."""
    return db.execute(sql, values).fetchall()


def digest_of(stamp: Stamp) -> str:
    """Return what tells one content of a note from another."""
    return stamp.digest or f"{stamp.mtime_ns} {stamp.size}"


def mark(db: apsw.Connection, key: str) -> str:
    """Return a mark of the file; empty if it has none."""
    return str(db.execute("select value from meta where key = ?", (key,)).get or "")


def set_mark(db: apsw.Connection, key: str, value: str) -> None:
    """Set a mark of the file."""
    db.execute("insert or replace into meta values (?, ?)", (key, value))


def is_merged(db: apsw.Connection) -> bool:
    """Tell whether the entities are those of the names that are there."""
    return mark(db, "merged") == mark(db, "names")


def _change_names(db: apsw.Connection) -> None:
    set_mark(db, "names", str(int(mark(db, "names") or 0) + 1))


def extracted(db: apsw.Connection, recipe: str) -> set[str]:
    """Return the notes whose names were extracted by a recipe, as they are now."""
    return {path for (path,) in db.execute("select path from note where recipe = ?", (recipe,))}


def put(db: apsw.Connection, rows: Iterable[tuple[str, str, str, str, Sequence[Candidate]]]) -> None:
    """Store the names that notes give, by path, digest, recipe and day; entities are to be merged anew."""
    with db:
        for path, digest, recipe, day, found in rows:
            db.execute("delete from asked where note = (select id from note where path = ?)", (path,))
            names = zlib.compress(json.dumps(packed(found), ensure_ascii=False).encode(), 1)
            db.execute(
                "insert into note (path, digest, recipe, day, names) values (?1, ?2, ?3, ?4, ?5)"
                " on conflict (path) do update set digest = ?2, recipe = ?3, day = ?4, names = ?5",
                (path, digest, recipe, day, names),
            )
        _change_names(db)


def forget(db: apsw.Connection, files: Mapping[str, Stamp], seen: str = "") -> None:
    """Delete whatever comes from notes that are gone or changed; `seen` names the state of the store in which."""
    rows = fetch(db, "select id, path, digest from note")
    gone = {note: path for note, path, digest in rows if path not in files or digest_of(files[path]) != digest}
    with db:
        if gone:
            asked = {"notes": json.dumps([*gone]), "paths": json.dumps([*gone.values()])}
            for statement in FORGET:
                db.execute(statement, asked)
            _change_names(db)
        set_mark(db, "seen", seen)


def all_names(db: apsw.Connection) -> Iterator[tuple[str, Iterator[Candidate]]]:
    """Yield the names that each note gives."""
    # All at once, so that another process can write while they are merged.
    for path, names in fetch(db, "select path, names from note order by path"):
        yield path, unpacked(json.loads(zlib.decompress(names)))


def keep(db: apsw.Connection, entities: Sequence[Entity], names: str) -> None:
    """Store entities in place of all others; `names` is the mark of the names that they were made of.

    If another process changed these meanwhile, the next answer merges again.
    """
    with db:
        for table in ("entity", "name", "mention"):
            db.execute(f"delete from {table}")
        ids = dict(fetch(db, "select path, id from note"))
        for number, one in enumerate(entities, start=1):
            notes = len({mention.note for mention in one.mentions})
            db.execute("insert into entity values (?, ?, ?, ?)", (number, one.name, one.kind, notes))
            db.executemany(
                "insert into name values (?, ?, ?, ?, ?)",
                [(each.key, number, each.name, each.why, each.path) for each in one.spellings],
            )
            db.executemany(
                "insert or ignore into mention values (?, ?, ?, ?, ?)",
                [(number, ids[each.note], each.line, each.key, each.by) for each in one.mentions if each.note in ids],
            )
        set_mark(db, "merged", names)


def listed(db: apsw.Connection, kind: str) -> list[Row]:
    """Return entities, those in most notes first."""
    rows = db.execute("select id, name, kind, notes from entity where ? in ('', kind) order by notes desc, id", (kind,))
    return [Row(*row) for row in rows]


def counts(db: apsw.Connection) -> dict[str, int]:
    """Return how many entities there are of each kind."""
    return dict(fetch(db, "select kind, count(*) from entity group by kind order by 2 desc, 1"))


def named(db: apsw.Connection, keys: Collection[str]) -> dict[str, Row]:
    """Return the entities with these keys, by key."""
    rows = fetch(
        db,
        "select name.key, entity.id, entity.name, entity.kind, entity.notes from name"
        " join entity on entity.id = name.entity where name.key in (select value from json_each(?))",
        (json.dumps([*keys]),),
    )
    return {key: Row(*row) for key, *row in rows}


def all_keys(db: apsw.Connection) -> list[str]:
    """Return every spelling, for suggestions."""
    return [name for (name,) in db.execute("select name from name")]


def spellings(db: apsw.Connection, entity: int) -> list[tuple[str, str, str]]:
    """Return the other spellings of an entity, each with the reason and the note that gives it."""
    return fetch(db, "select name, why, path from name where entity = ? and why <> '' order by name", (entity,))


def places(db: apsw.Connection, entity: int, limit: int) -> list[tuple[str, int, str]]:
    """Return where an entity is named: path, line, and by what; its own notes first, one line of each note."""
    rows = fetch(
        db,
        'select path, min(line), "by" from mention join note on note.id = note where entity = ?1 group by note'
        " order by \"by\" not in ('title', 'alias'), \"by\" not in ('property', 'link'), path limit ?2",
        (entity, limit),
    )
    return [(path, line, by) for path, line, by in rows]


def days(db: apsw.Connection, entity: int) -> tuple[str, str]:
    """Return the first and the last day of the notes that name an entity; empty if none has one."""
    first, last = fetch(
        db,
        "select min(day), max(day) from note where day <> '' and id in (select note from mention where entity = ?)",
        (entity,),
    )[0]
    return first or "", last or ""


def note_count(db: apsw.Connection) -> int:
    """Return how many notes were read."""
    return int(fetch(db, "select count(*) from note")[0][0])


def is_chosen(db: apsw.Connection, entity: int) -> bool:
    """Tell whether somebody chose the name, for a note, a link, a property or a tag."""
    sql = "select 1 from mention where entity = ? and \"by\" not in ('text', 'model') limit 1"
    return bool(fetch(db, sql, (entity,)))


def notes_of(db: apsw.Connection, entity: int) -> list[str]:
    """Return the notes that name an entity, by path."""
    rows = fetch(
        db, "select distinct path from mention join note on note.id = note where entity = ? order by path", (entity,)
    )
    return [path for (path,) in rows]


def beside(db: apsw.Connection, entity: int, limit: int) -> list[tuple[Row, int, str, int]]:
    """Return the entities that the same notes name: how many notes, and a place; the most particular first."""
    rows = fetch(
        db,
        "with here as (select distinct note from mention where entity = ?1 limit ?3)"
        " select entity.id, entity.name, entity.kind, entity.notes, count(distinct mention.note) as shared,"
        " min(path), line from here join mention using (note) join entity on entity.id = mention.entity"
        " join note on note.id = mention.note where mention.entity <> ?1 group by entity.id"
        # Shared notes count, those of what is named everywhere less; who and where come before concepts.
        " order by shared * shared * iif(entity.kind = 'concept', 0.3, 1.0) / (entity.notes + 2) desc, entity.name"
        " limit ?2",
        (entity, limit, MOST_NOTES),
    )
    return [(Row(*row[:4]), *row[4:]) for row in rows]


def relations(db: apsw.Connection, entity: int, limit: int) -> list[tuple[str, str, str, str, str, int]]:
    """Return the relations from and to an entity: names, what the model said, and where."""
    return fetch(
        db,
        "select one.name, relation, other.name, said, note.path, line from relation"
        " join name as of_one on of_one.key = source join entity as one on one.id = of_one.entity"
        " join name as of_other on of_other.key = target join entity as other on other.id = of_other.entity"
        " join note on note.id = relation.note where ?1 in (one.id, other.id) and one.id <> other.id"
        " order by relation, one.name, other.name, note.path limit ?2",
        (entity, limit),
    )


def unasked(db: apsw.Connection, model: str) -> list[str]:
    """Return the notes that name two entities or more, and that this model was not asked about, by path."""
    rows = fetch(
        db,
        "select path from note join mention on mention.note = note.id"
        " where not exists (select 1 from asked where asked.note = note.id and model = ?)"
        " group by note.id having count(distinct entity) > 1 order by path",
        (model,),
    )
    return [path for (path,) in rows]


def named_by(db: apsw.Connection, path: str) -> dict[str, tuple[str, int]]:
    """Return what a note names: the key of each entity's name, its name, and the first line."""
    rows = fetch(
        db,
        "select entity.name, min(line) from mention join note on note.id = note join entity on entity.id = entity"
        " where path = ? group by entity order by 2, 1",
        (path,),
    )
    return {key_of(name): (name, line) for name, line in rows}


def keep_relations(db: apsw.Connection, path: str, model: str, found: Iterable[tuple[int, str, str, str, str]]) -> None:
    """Store what a model read in a note, in place of what was read in it before."""
    note = db.execute("select id from note where path = ?", (path,)).get
    with db:
        db.execute("delete from relation where note = ?", (note,))
        db.execute("insert or replace into asked values (?, ?)", (note, model))
        db.executemany("insert into relation values (?, ?, ?, ?, ?, ?)", [(note, *one) for one in found])
