"""The tables of a PostgreSQL database, who may read and write which of their rows, and how an older format is migrated.

All vaults share the tables: each row has the number of the store that it belongs to. A session names the store that it
reads, and policies of the tables show it the rows of that one alone, if its role may.
"""

from __future__ import annotations

from notewell.store.postgres import spread

# The formats that are migrated, and the present one, which grows with every change of the tables.
OLDEST, VERSION = 2, 2
# From each released format to the next. Must never change once released.
MIGRATIONS: dict[int, str] = {}

# Which vaults there are, who may use them, and the stores of each: the one in use, and one that is being built.
VAULTS = """
create schema notewell;

create table notewell.format (version integer not null);

create table notewell.vault (
    id bigint generated always as identity primary key,
    name text not null unique,
    owner regrole not null default current_user::regrole
);

create table notewell.access (
    vault bigint not null references notewell.vault on delete cascade,
    role regrole not null,
    writes boolean not null default false,
    granted_by regrole not null default current_user::regrole,
    primary key (vault, role)
);

create table notewell.store (
    id bigint generated always as identity primary key,
    vault bigint not null references notewell.vault on delete cascade,
    place text check (place in ('current', 'build')),
    parts integer not null default 1,
    unique (vault, place)
);

create function notewell.shared(to_write boolean) returns bigint[] language sql stable parallel safe
set search_path = notewell, pg_temp
return array(
    select vault
    from notewell.access
    where (writes or not to_write) and pg_has_role(role::oid, 'member')
);

-- As plpgsql: it keeps its plan, and is called by every statement.
create function notewell.readable_store() returns bigint language plpgsql stable parallel safe
set search_path = notewell, pg_temp
as $$
begin
    return (select id from notewell.store where id = nullif(current_setting('notewell.store', true), '')::bigint);
end
$$;

create function notewell.writable_store() returns bigint language plpgsql stable parallel safe
set search_path = notewell, pg_temp
as $$
begin
    return (
        select id
        from notewell.store
        where id = nullif(current_setting('notewell.store', true), '')::bigint
            and vault in (
                select id
                from notewell.vault
                where pg_has_role(owner::oid, 'member') or id = any (notewell.shared(true))
            )
    );
end
$$;

alter table notewell.vault enable row level security;
create policy seen on notewell.vault for select
    using (pg_has_role(owner::oid, 'member') or id = any (notewell.shared(false)));
create policy added on notewell.vault for insert with check (owner = current_user::regrole);
create policy removed on notewell.vault for delete using (pg_has_role(owner::oid, 'member'));

-- Not by the vault's owner: the policy of vaults asks who has access.
alter table notewell.access enable row level security;
create policy seen on notewell.access for select
    using (pg_has_role(role::oid, 'member') or pg_has_role(granted_by::oid, 'member'));

alter table notewell.store enable row level security;
create policy seen on notewell.store for select using (vault in (select id from notewell.vault));
"""

# What is read as a whole stays here; what grows with the text is spread (`spread.py`). A note has its `part`: 0, or, if
# its store is spread, a hash of its path.
TABLES = """
create table notewell.meta (
    store bigint not null references notewell.store on delete cascade,
    key text not null,
    value jsonb,
    primary key (store, key)
);

create table notewell.skipped (
    store bigint not null,
    path text collate "C" not null,
    reason text not null,
    mtime_ns bigint not null,
    size bigint not null,
    ctime_ns bigint not null,
    again integer not null
);

-- `file_day` is the day of its file where it was indexed, which SQLite computes from the time when it is read.
create table notewell.note (
    store bigint not null,
    part smallint not null,
    id integer not null,
    path text collate "C" not null,
    title text not null,
    kind text not null,
    tags text not null,
    aliases text not null,
    fields text not null,
    link_count integer not null,
    links bytea not null,
    mtime_ns bigint not null,
    size bigint not null,
    digest text not null,
    ctime_ns bigint not null,
    day text not null,
    dated_by text not null,
    properties text not null,
    file_day text not null
);

create table notewell.edge (
    store bigint not null,
    note integer not null,
    data bytea not null
);

create table notewell.standing (
    store bigint not null,
    note integer not null,
    pagerank double precision not null,
    centrality double precision not null,
    community integer not null,
    x double precision not null,
    y double precision not null
);
"""

KEYS = {"note": "id", "edge": "note", "standing": "note"}
INDEXES = """
create unique index note_path on notewell.note (store, path);
create unique index skipped_path on notewell.skipped (store, path);
"""
# Values that are compressed already.
PACKED = {"note": "links", "edge": "data"}
SEPARATED = ("meta", "skipped", *KEYS, *spread.KEYS)

# What a role has to have to change rows of these tables.
OWNS = "exists (select from notewell.vault where id = access.vault and pg_has_role(owner::oid, 'member'))"
WRITES = """vault in (
    select id
    from notewell.vault
    where pg_has_role(owner::oid, 'member') or id = any (notewell.shared(true))
)"""

# Roles that a database's owner grants to others: what they may do at all; `access` says with which vaults.
ROLES = """
do $$
begin
    if not exists (select from pg_roles where rolname = 'notewell_reader') then
        create role notewell_reader nologin;
    end if;
    if not exists (select from pg_roles where rolname = 'notewell_writer') then
        create role notewell_writer nologin;
        grant notewell_reader to notewell_writer;
    end if;
    grant usage on schema notewell to notewell_reader;
    grant select on all tables in schema notewell to notewell_reader;
    grant insert, update, delete on all tables in schema notewell to notewell_writer;
    revoke insert, update, delete on notewell.format, notewell.node from notewell_writer;
exception
    -- Without the right to make roles, only the owner of the tables uses them.
    when insufficient_privilege then null;
end
$$;
"""


def statements() -> str:
    """Return the statements that make the tables of a new database."""
    keys = "".join(f"alter table notewell.{table} add primary key (store, {key});\n" for table, key in KEYS.items())
    packed = "".join(
        f"alter table notewell.{table} alter column {column} set storage external;\n"
        for table, columns in PACKED.items()
        for column in columns.split()
    )
    # Also for the owner of the tables, for whom a policy would not hold otherwise.
    separated = "".join(
        f"""
        alter table notewell.{table} enable row level security;
        alter table notewell.{table} force row level security;
        create policy seen on notewell.{table} for select using (store = (select notewell.readable_store()));
        {_may_change(table, "store = (select notewell.writable_store())")}
        """
        for table in SEPARATED
    )
    separated += _may_change("access", OWNS) + _may_change("store", WRITES)
    version = f"insert into notewell.format (version) values ({VERSION});"
    spreading = spread.partitions() + spread.partitioned()
    return "".join((VAULTS, TABLES, spreading, keys, INDEXES, packed, separated, version, ROLES))


def _may_change(table: str, condition: str) -> str:
    """Return policies for changes; one for all commands would be asked by every search, too."""
    return f"""
        create policy added on notewell.{table} for insert with check ({condition});
        create policy changed on notewell.{table} for update using ({condition});
        create policy removed on notewell.{table} for delete using ({condition});
    """
