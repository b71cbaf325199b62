"""Connections to a PostgreSQL server, kept for the next use, and its errors as a fact and a hint."""

from __future__ import annotations

import logging
import select
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType

import psycopg
from psycopg import conninfo, errors
from psycopg.pq import TransactionStatus

from notewell.errors import REPAIR, StoreBusy, StoreDamaged, StoreError, StoreUnreachable
from notewell.store.postgres.address import FORM, place_of
from notewell.store.tables.checked import damaged

# It warns of pipelines that end with their connection, which is told as an error.
logging.getLogger("psycopg").addHandler(logging.NullHandler())
# Connections that wait for their next use: as many as searches of one server usually run at once.
KEPT = 8
# Seconds until a server that does not answer counts as gone, and after which a silent connection is probed.
CONNECT_SECONDS, PROBE_SECONDS = 10, 30
# A statement is prepared when it comes again this often: most of ours come with every search.
PREPARED_AFTER = 2
# The oldest version whose policies, partitions and JSON are as we use them.
OLDEST_SERVER = 15
# Our tables, then extensions. Joins are made in the order in which they are written: how many rows a new store has is
# not in the statistics yet, and the planner would read all notes to find one. Compiled plans take longer than ours run.
# Nodes join and count their own rows, and all at once: with incremental sorts, they were asked one after the other, for
# whole posting lists that were counted here.
SESSION = """
set search_path to notewell, public;
set join_collapse_limit to 1;
set jit to off;
set enable_partitionwise_join to on;
set enable_partitionwise_aggregate to on;
set enable_incremental_sort to off
"""
CHECK_URL = "Check the address, and that the server runs; `notewell server up` starts your own"
AGAIN = "Run it again once it is back; nothing was lost"
PASSWORDS = "~/.pgpass, PGPASSWORD, or the file that the address names"
# What the words of a refused connection mean: those have no code. Words of the server may be in its own language.
REFUSALS = (
    ("password authentication failed", "the password is wrong", f"Put the right one into {PASSWORDS}"),
    ("no password supplied", "it asks for a password", f"Put it into {PASSWORDS}"),
    (
        "no pg_hba.conf entry",
        "its settings do not let this role in from here",
        "Ask its owner for a line in pg_hba.conf",
    ),
    ("does not exist", "there is no such role or database", "Check the names in the address, or create them"),
    ("too many", "it has no connection left", "Try again later, or raise max_connections"),
    ("remaining connection slots", "it has no connection left", "Try again later, or raise max_connections"),
    ("No space left", "its disk is full", "Free some space there; nothing was lost"),
    ("starting up", "it is still starting", "Try again in a moment"),
    ("shutting down", "it is shutting down", AGAIN),
    ("not accepting connections", "it is still starting", "Try again in a moment"),
    ("refused", "nothing listens there", CHECK_URL),
    ("timeout", "it does not answer", CHECK_URL),
    ("could not translate host", "its name is not known", CHECK_URL),
    ("could not be resolved", "its name is not known", CHECK_URL),
    ("failed to resolve", "its name is not known", CHECK_URL),
    ("certificate", "its certificate is not trusted", "Check sslmode and sslrootcert in the address"),
    ("SSL", "it wants an encrypted connection, or has none", "Check sslmode in the address"),
)


class Connections:
    """The connections of one process to one database."""

    def __init__(self, url: str, usual: Mapping[str, str | int] = MappingProxyType({})) -> None:
        """Connect to `url`; what it does not say itself is as `usual`, or as for every connection."""
        self.url = url
        self._usual = usual
        self.place = place_of(url)
        self._idle: list[psycopg.Connection] = []
        self._lock = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[psycopg.Connection]:
        """Use a connection that nobody else uses meanwhile; errors of the server become ours."""
        with explained(self.place):
            db = self._take()
            try:
                yield db
            finally:
                self._put_back(db)

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    def _take(self) -> psycopg.Connection:
        while True:
            with self._lock:
                if not self._idle:
                    break
                db = self._idle.pop()
            if _is_alive(db):
                return db
            db.close()
        return self._connect()

    def _put_back(self, db: psycopg.Connection) -> None:
        with suppress(psycopg.Error):
            if db.info.transaction_status != TransactionStatus.IDLE:
                db.execute("rollback")
            with self._lock:
                if not db.closed and len(self._idle) < KEPT:
                    self._idle.append(db)
                    return
        db.close()

    def _connect(self) -> psycopg.Connection:
        try:
            given = conninfo.conninfo_to_dict(self.url)
        except psycopg.ProgrammingError:
            # Its words quote the address.
            raise StoreUnreachable(
                f"The address of {self.place} has an option that libpq does not know", FORM
            ) from None
        usual: dict[str, str | int | None] = {
            "connect_timeout": CONNECT_SECONDS,
            "keepalives_idle": PROBE_SECONDS,
            "tcp_user_timeout": PROBE_SECONDS * 1000,
            "application_name": "notewell",
        }
        made = conninfo.make_conninfo("", **{**usual, **self._usual, **given})
        try:
            db = psycopg.connect(made, autocommit=True, prepare_threshold=PREPARED_AFTER)
        except psycopg.OperationalError as error:
            raise refused(error, self.place) from None
        db.execute(SESSION)
        return db


def _is_alive(db: psycopg.Connection) -> bool:
    """Tell whether an idle connection can be used, without asking the server.

    There is nothing to read on one, but its end, or that a replica has become a server of its own.
    """
    with suppress(psycopg.Error, OSError):
        return not db.closed and not select.select([db.fileno()], [], [], 0)[0]
    return False


def refused(error: psycopg.Error, place: str) -> StoreUnreachable:
    """Return the error for a server that cannot be reached, or refuses the connection."""
    told = str(error)
    for words, fact, hint in REFUSALS:
        if words in told:
            return StoreUnreachable(f"PostgreSQL at {place} cannot be used: {fact}", hint)
    return StoreUnreachable(f"PostgreSQL at {place} cannot be reached", CHECK_URL)


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Raise the server's errors as ours. What it says itself may quote values of rows, and is not passed on."""
    try:
        yield
    except (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure) as error:
        raise StoreBusy(f"Another process is writing to the store at {place}", "Wait for it, then try again") from error
    except (errors.DiskFull, errors.OutOfMemory) as error:
        what = "disk of the server" if isinstance(error, errors.DiskFull) else "memory of the server"
        raise StoreError(f"The {what} at {place} is full", "Free some, then run it again; nothing was lost") from error
    except (errors.SqlclientUnableToEstablishSqlconnection, errors.ConnectionFailure) as error:
        raise StoreUnreachable(f"A node of the database at {place} cannot be reached", NODES) from error
    # A node has no policies: a role that may not write to a store has none to write to.
    except (errors.InsufficientPrivilege, errors.NotNullViolation) as error:
        hint = "Ask the vault's owner for access, or the database's owner for the role notewell_writer"
        raise StoreError(f"Your role at {place} may not do this with this vault", hint) from error
    except errors.ReadOnlySqlTransaction as error:
        raise StoreError(f"The server at {place} is read-only", "Set store.url to the primary server") from error
    except (
        errors.UndefinedTable,
        errors.UndefinedColumn,
        errors.UndefinedFunction,
        errors.UndefinedObject,
        errors.InvalidSchemaName,
    ) as error:
        raise StoreError(f"The tables at {place} do not match this version", UPDATE) from error
    except errors.ProgramLimitExceeded as error:
        hint = "Shorten the longest names of folders and files"
        raise StoreError(f"A path is too long for the index of the server at {place}", hint) from error
    except (errors.DataCorrupted, errors.IndexCorrupted, psycopg.DataError) as error:
        raise StoreDamaged(f"The store at {place} is damaged: a row in it cannot be read", REPAIR) from error
    except errors.CheckViolation as error:
        raise StoreError(f"Moving a part between nodes at {place} was interrupted", BALANCE) from error
    except errors.IntegrityError as error:
        raise damaged("a row is there twice, or lacks another one") from error
    except errors.QueryCanceled as error:
        raise StoreUnreachable(f"The server at {place} took too long, or was told to stop", "Try again") from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StoreUnreachable(f"The connection to PostgreSQL at {place} was lost", AGAIN) from error
    except psycopg.Error as error:
        code = error.sqlstate or type(error).__name__
        raise StoreError(f"PostgreSQL at {place} refused a statement ({code})", "See the log of the server") from error


UPDATE = "Update every Notewell that uses this database to the same version"
BALANCE = "Run `notewell server nodes balance` to finish it; nothing was lost"
NODES = "`notewell server nodes` names it; nothing was lost"
