"""The nodes of a database, servers that keep some of its parts: added, listed, and taken out again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
from psycopg import sql

from notewell.errors import StoreError, StoreUnreachable
from notewell.frozen import frozen
from notewell.store.postgres.address import wrong_url
from notewell.store.postgres.catalogue import MOVING, prepare
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.lost import short
from notewell.store.postgres.moves import forget_copies, forget_promise, give_up, move_part, parts_of_nodes
from notewell.store.postgres.schema import VERSION
from notewell.store.postgres.spread import COLUMNS, HOME, KEYS, partitions

PREFIX = "notewell_node"
# Asked together, many rows in each message, and given up soon if they do not answer.
OPTIONS = {
    "async_capable": "true",
    "parallel_commit": "true",
    "fetch_size": "10000",
    "batch_size": "1000",
    "connect_timeout": "2",
    "keepalives_idle": "5",
    "tcp_user_timeout": "10000",
}
# PostgreSQL lets nobody but a superuser pass on a right to get in that needs none.
NO_PASSWORD = "A node's role needs a password"
# What an address may say of how a server is reached; the rest is ours.
OF_ADDRESS = ("host", "hostaddr", "port", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey")
LISTED = """
select node.name, node.parts, coalesce(host.option_value || ':' || port.option_value, '')
from notewell.node
left join information_schema.foreign_server_options as host
    on host.foreign_server_name = node.name and host.option_name = 'host'
left join information_schema.foreign_server_options as port
    on port.foreign_server_name = node.name and port.option_name = 'port'
order by node.name != %s, length(node.name), node.name
"""
# Whether this role may have nodes: postgres_fdw is there, it may use it, and the tables are its own.
MAY_HAVE = """
select
    coalesce((select has_foreign_data_wrapper_privilege(oid, 'usage') from pg_foreign_data_wrapper
        where fdwname = 'postgres_fdw'), false),
    (select pg_has_role(relowner, 'member') from pg_class where oid = 'notewell.node'::regclass)
"""
IDENTITY = """
select system_identifier::text || '/' || current_database() from pg_control_system()
"""
# Of the nodes that it has: a server's comment is its identity, as two addresses may lead to one.
LINKED = """
select obj_description(oid, 'pg_foreign_server') from pg_foreign_server
"""


@frozen
class Node:
    """A server that keeps parts of the stores in a database."""

    name: str
    """Its name; the database's own server is `home`."""
    address: str
    """Its host and port; empty for the database's own server."""
    running: bool
    """Whether it can be reached."""
    parts: int
    """How many of the 16 parts it has."""
    chunks: int
    """How many chunks of all vaults are in them; 0 if it cannot be reached."""


class Nodes:
    """The nodes of a database, for the role that owns its tables."""

    def __init__(self, connections: Connections) -> None:
        """Make the tables of a new database."""
        self._connections = connections
        prepare(connections)

    def listed(self) -> list[Node]:
        """Return the database's own server, and its nodes."""
        with self._connections.taken() as db:
            return [
                Node(short(name), address, (chunks := _chunks(db, name)) is not None, len(parts), chunks or 0)
                for name, parts, address in db.execute(LISTED.encode(), (HOME,)).fetchall()
            ]

    def add(self, url: str, tell: Callable[[str], object] = str) -> str:
        """Make an empty database a node, move parts there until all nodes have as many, and return its name."""
        if wrong := wrong_url(url, "The node's address"):
            raise StoreError(*wrong)
        with self._connections.taken() as db:
            self._check_may(db)
            with self._alone(db):
                taken = [int(name.removeprefix(PREFIX)) for name in parts_of_nodes(db) if name != HOME]
                name = f"{PREFIX}{1 + max(taken, default=0)}"
                with closing(Connections(url)) as other, other.taken() as node, db.transaction():
                    if node.execute(IDENTITY).fetchone() in db.execute(LINKED.encode()).fetchall():
                        raise StoreError("That database is a node already", "`notewell server nodes` lists them")
                    if not node.info.password:
                        raise StoreError(NO_PASSWORD, "Require one for the role (scram-sha-256 in pg_hba.conf)")
                    _make_partitions(node, db.execute(IDENTITY).fetchall()[0][0])
                    _link(db, name, node)
            self._balance(db, tell)
        return short(name)

    def balance(self, tell: Callable[[str], object] = str) -> None:
        """Move parts until all nodes have as many; an `add` that was interrupted goes on."""
        with self._connections.taken() as db:
            self._balance(db, tell)

    def remove(self, node: str, tell: Callable[[str], object] = str, *, lost: bool = False) -> None:
        """Move all parts of a node to others, then forget it; what one that is `lost` has is built again."""
        with self._connections.taken() as db:
            name = f"notewell_{node}"
            if name not in parts_of_nodes(db) or name == HOME:
                raise StoreError(f"There is no node '{node}'", "`notewell server nodes` lists them")
            if not lost and _chunks(db, name) is None:
                hint = f"Start it first. If it is gone for good: `notewell server nodes remove {node} --lost`"
                raise StoreUnreachable(f"{node} cannot be reached, so its parts cannot be moved", hint)
            for part in () if lost else parts_of_nodes(db)[name]:
                others = {other: parts for other, parts in parts_of_nodes(db).items() if other != name}
                # Not to this server, as long as there is another: searches wait while it takes rows in.
                target = min(others, key=lambda other: (other == HOME and len(others) > 1, len(others[other])))
                self._move(db, part, target, tell)
            with self._alone(db), db.transaction():
                if lost:
                    give_up(db, name)
                db.execute("delete from notewell.node where name = %s", (name,))
                db.execute(sql.SQL("drop schema {0} cascade; drop server {0} cascade").format(sql.Identifier(name)))

    def _check_may(self, db: psycopg.Connection) -> None:
        may_use, owns = db.execute(MAY_HAVE).fetchall()[0]
        place, role = self._connections.place, db.info.user
        if not owns:
            raise StoreError(f"Another role owns the tables at {place}", "Use the owner's role in the address")
        if not may_use:
            raise StoreError(
                f"The role {role} at {place} may not use other servers",
                "As a superuser there: create extension if not exists postgres_fdw; "
                f"grant usage on foreign data wrapper postgres_fdw to {role}",
            )

    def _balance(self, db: psycopg.Connection, tell: Callable[[str], object]) -> None:
        with self._alone(db), db.transaction():
            # An interrupted move may have left its promise, and one that was cut off between two commits its rows.
            forget_promise(db)
            forget_copies(db)
        while True:
            parts = parts_of_nodes(db)
            fullest, emptiest = max(parts, key=lambda name: len(parts[name])), min(parts, key=lambda n: len(parts[n]))
            if len(parts[fullest]) - len(parts[emptiest]) <= 1:
                return
            self._move(db, parts[fullest][-1], emptiest, tell)

    @contextmanager
    def _alone(self, db: psycopg.Connection) -> Iterator[None]:
        """Keep writers out; searches go on."""
        db.execute("select pg_advisory_lock(%s)", (MOVING,))
        try:
            yield
        finally:
            if not db.closed:
                db.execute("select pg_advisory_unlock(%s)", (MOVING,))

    def _move(self, db: psycopg.Connection, part: int, target: str, tell: Callable[[str], object]) -> None:
        with self._alone(db):
            source = next(name for name, parts in parts_of_nodes(db).items() if part in parts)
            tell(f"Moving part {part} from {short(source)} to {short(target)}")
            move_part(db, part, source, target)


def _chunks(db: psycopg.Connection, name: str) -> int | None:
    """Return how many chunks a node has; None if it cannot be reached."""
    try:
        counted = (
            f"select sum(number)::bigint from (select count(*) as number from {name}.chunk group by part) as parts"
        )
        return int(db.execute(counted.encode()).fetchall()[0][0] or 0)
    except psycopg.OperationalError:
        if db.closed:
            raise
        return None


def _make_partitions(node: psycopg.Connection, database: str) -> None:
    """Make the partitions in an empty database, or take those that an interrupted `add` for this one left."""
    used = node.execute("select to_regnamespace(%s) is not null or to_regnamespace('notewell') is not null", (HOME,))
    if used.fetchone() == (True,):
        left = node.execute(f"select nodes_of from {HOME}.format".encode()) if _is_node(node) else None
        if left is None or left.fetchone() != (database,) or node.execute(f"select from {HOME}.mark".encode()).rowcount:
            raise StoreError(
                "That database has stores of its own, or is a node already", "Name an empty database on another server"
            )
        node.execute(f"drop schema {HOME} cascade".encode())
    with node.transaction():
        node.execute(partitions().encode())
        node.execute(f"create table {HOME}.format (version integer, nodes_of text)".encode())
        node.execute(f"insert into {HOME}.format values (%s, %s)".encode(), (VERSION, database))


def _is_node(node: psycopg.Connection) -> bool:
    return node.execute("select to_regclass(%s) is not null", (f"{HOME}.format",)).fetchone() == (True,)


def _link(db: psycopg.Connection, name: str, node: psycopg.Connection) -> None:
    """Make a node's tables foreign tables here, to which writers may add rows of the store that they may write."""
    info = node.info
    asked = {key: value for key, value in info.get_parameters().items() if key in OF_ADDRESS}
    options = {"host": info.host, "port": str(info.port), "dbname": info.dbname, **asked, **OPTIONS}
    given = sql.SQL(", ").join(sql.SQL(f"{key} {{}}").format(sql.Literal(value)) for key, value in options.items())
    server = sql.Identifier(name)
    db.execute(sql.SQL("create server {} foreign data wrapper postgres_fdw options ({})").format(server, given))
    (identity,) = node.execute(IDENTITY).fetchall()[0]
    db.execute(sql.SQL("comment on server {} is {}").format(server, sql.Literal(identity)))
    # Nobody but this role and superusers sees the password; readers and writers get in by the tables alone.
    db.execute(
        sql.SQL("create user mapping for public server {} options (user {}, password {})").format(
            server, sql.Literal(info.user), sql.Literal(info.password)
        )
    )
    db.execute(sql.SQL("create schema {0}").format(server))
    db.execute(f"import foreign schema {HOME} limit to ({', '.join(KEYS)}) from server {name} into {name}".encode())
    for table in KEYS:
        db.execute(
            f"alter foreign table {name}.{table} alter column store set default notewell.writable_store()".encode()
        )
    if db.execute("select from pg_roles where rolname = 'notewell_writer'").rowcount:
        db.execute(f"grant usage on schema {name} to notewell_writer".encode())
        for table, columns in COLUMNS.items():
            db.execute(f"grant insert ({columns}) on {name}.{table} to notewell_writer".encode())
    db.execute("insert into notewell.node values (%s, array[]::smallint[])", (name,))
