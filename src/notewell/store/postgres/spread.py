"""The tables whose rows are spread over nodes: partitions by a note's part, each a table there, or here.

A note's part is a hash of its path. Here are the partitions of this server itself, in a schema of their own; nodes have
tables of the same names, which are foreign tables here.
"""

from __future__ import annotations

# A store that is spread has this many parts, however many nodes there are: a new node takes over some of them, and what
# is derived from a note stays as it is.
PARTS = 16
# The schema of the partitions, here and on each node.
HOME = "notewell_part"

TABLES = f"""
create schema {HOME};

-- A chunk's id is its slot: its place in the arrays of `block` and in the postings.
create table {HOME}.chunk (
    store bigint not null,
    part smallint not null,
    id integer not null,
    note integer not null,
    body bigint not null,
    line integer not null,
    end_line integer not null,
    start integer not null,
    "end" integer not null,
    parts text not null,
    day text not null,
    tasks text not null
);

-- Headings and lines, stored once in each part.
create table {HOME}.body (
    store bigint not null,
    part smallint not null,
    id bigint not null,
    digest bytea not null,
    uses integer not null,
    text bytea not null
);

create table {HOME}.vector (
    store bigint not null,
    part smallint not null,
    body bigint not null,
    data bytea not null,
    crc bigint not null
);

create table {HOME}.fine (
    store bigint not null,
    part smallint not null,
    body bigint not null,
    data bytea not null,
    crc bigint not null
);

create table {HOME}.posting (
    store bigint not null,
    part smallint not null,
    term text collate "C" not null,
    block integer not null,
    data bytea not null
);

-- Arrays over a few thousand slots each, so that a change writes little; `made` is the state that wrote them last.
create table {HOME}.block (
    store bigint not null,
    part smallint not null,
    id integer not null,
    made bigint not null,
    lengths bytea not null,
    codes bytea not null,
    notes bytea not null
);

-- The state that a part has. Servers commit one after the other: a reader that sees two states looks again.
create table {HOME}.mark (
    store bigint not null,
    part smallint not null,
    made bigint not null
);

create index chunk_note on {HOME}.chunk (store, note);
create index chunk_body on {HOME}.chunk (store, body);
create index body_digest on {HOME}.body (store, digest);
"""

# The columns that tell the rows of a store apart; the part is last, as hardly any statement names it.
KEYS = {
    # First: who reads locks it first, so that whoever moves parts and readers never wait for each other.
    "mark": "part",
    "chunk": "id, part",
    "body": "id, part",
    "vector": "body, part",
    "fine": "body, part",
    "posting": "term, block, part",
    "block": "id, part",
}
COLUMNS = {
    "chunk": 'part, id, note, body, line, end_line, start, "end", parts, day, tasks',
    "body": "part, id, digest, uses, text",
    "vector": "part, body, data, crc",
    "fine": "part, body, data, crc",
    "posting": "part, term, block, data",
    "block": "part, id, made, lengths, codes, notes",
    "mark": "part, made",
}
# Values that are compressed already, or too mixed to be.
PACKED = {"body": "text", "vector": "data", "fine": "data", "posting": "data", "block": "lengths codes notes"}

# Which parts each node has; this server is one, too.
NODES = f"""
create table notewell.node (
    name text primary key,
    parts smallint[] not null
);
insert into notewell.node values ('{HOME}', array[{", ".join(map(str, range(PARTS)))}]);
"""


def partitions() -> str:
    """Return the statements that make the partitions of a server, for the database or for one of its nodes."""
    keys = "".join(f"alter table {HOME}.{table} add primary key (store, {key});\n" for table, key in KEYS.items())
    packed = "".join(
        f"alter table {HOME}.{table} alter column {column} set storage external;\n"
        for table, columns in PACKED.items()
        for column in columns.split()
    )
    return TABLES + keys + packed


def partitioned() -> str:
    """Return the statements that make the tables of these partitions, as all statements name them."""
    return NODES + "".join(
        f"create table notewell.{table} (like {HOME}.{table}) partition by list (part);\n"
        f"{attached(HOME, table, [*range(PARTS)])};\n"
        for table in KEYS
    )


def attached(node: str, table: str, parts: list[int]) -> str:
    """Return the statement that makes the table of a node a partition for these parts."""
    return f"alter table notewell.{table} attach partition {node}.{table} for values {bounds(parts)}"


def bounds(parts: list[int]) -> str:
    """Return which parts these are, in SQL.

    >>> bounds([2, 0])
    'in (0, 2)'
    """
    return f"in ({', '.join(map(str, sorted(parts)))})"
