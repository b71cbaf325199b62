"""Real PostgreSQL servers for tests: one for each process that runs them, made when it is first asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from notewell.errors import ServerError
from notewell.serve.own_server import (
    HOST,
    SETTINGS,
    SUPERUSER,
    OwnServer,
    _free_port,
    _unprivileged,
    binaries,
    is_root,
)

# What a test writes need not survive a power cut. Statistics are made when a test says so, not at some time.
IN_TESTS = {**SETTINGS, "fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB", "autovacuum": "off"}

# Waits for the end of whoever started it, however it came: pytest-xdist kills its processes after ten seconds, and a
# busy machine needs longer to stop a server. Only a server of this folder is stopped, whatever a stale file names.
GUARD = """
cat > /dev/null
for file in "$0"/server/*/postmaster.pid; do
    [ -f "$file" ] || continue
    read -r pid < "$file"
    while ps -ww -o args= -p "$pid" | grep -qF "$0" && kill -QUIT "$pid"; do sleep 0.1; done
done
rm -rf "$0"
"""


@contextmanager
def own_server(**settings: str) -> Iterator[OwnServer]:
    """Start a server of its own; it is gone at the end."""
    # Not in pytest's folder: only root could open it, and PostgreSQL does not run as root.
    folder = Path(mkdtemp(prefix="notewell-server-"))
    if is_root():
        os.chmod(folder, 0o711)  # noqa: PTH101
    server = OwnServer(folder / "server", {**IN_TESTS, **settings})
    with _gone_at_the_end(folder):
        try:
            server.up()
            yield server
        finally:
            server.down()
            shutil.rmtree(folder)


@contextmanager
def _gone_at_the_end(folder: Path) -> Iterator[None]:
    """Have the servers below a folder stopped and the folder deleted, even if this process is killed first."""
    with subprocess.Popen(["sh", "-c", GUARD, str(folder)], stdin=subprocess.PIPE, start_new_session=True):
        yield


class Standby:
    """A streaming replica of a server on this machine, made by PostgreSQL's own tools."""

    def __init__(self, primary: OwnServer) -> None:
        self._primary = primary
        self.port = _free_port()
        self._data = primary.folder / f"standby-{self.port}"
        self._passwords = primary.folder / f"pgpass-{self.port}"

    def url(self, role: str = "notewell", database: str = "notewell") -> str:
        """Return its address; it has the roles and passwords of its primary."""
        return f"postgresql://{role}@{HOST}:{self.port}/{database}?passfile={self._passwords}"

    def make(self) -> None:
        """Copy the primary, which goes on, and follow it from then on."""
        passwords = (self._primary.folder / "pgpass").read_text()
        self._passwords.write_text(passwords.replace(f":{self._primary.port}:", f":{self.port}:"))
        self._passwords.chmod(0o600)
        self._data.mkdir(mode=0o700)
        if is_root():
            shutil.chown(self._data, *_unprivileged())
        word = next(line for line in passwords.splitlines() if f":{SUPERUSER}:" in line).rpartition(":")[2]
        source = f"host={HOST} port={self._primary.port} user={SUPERUSER} password={word}"
        how = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--wal-method=stream")
        self._primary._run("pg_basebackup", *how, f"--pgdata={self._data}", f"--dbname={source}")
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as stream:
            stream.write(f"port = {self.port}\nhot_standby_feedback = on\n")
        self.up()

    def up(self) -> None:
        """Start it."""
        self._primary._run("pg_ctl", "start", "--wait", f"--pgdata={self._data}", f"--log={self._data / 'server.log'}")

    def down(self) -> None:
        """Stop it at once, as a crash does."""
        self._primary._run("pg_ctl", "stop", "--mode=immediate", f"--pgdata={self._data}")

    def promote(self) -> None:
        """Make it a server of its own, which follows nobody."""
        self._primary._run("pg_ctl", "promote", "--wait", f"--pgdata={self._data}")

    def run_sql(self, statement: str) -> str:
        """Return what a statement of its owner says."""
        command = [str(binaries() / "psql"), "--no-psqlrc", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]
        told = subprocess.run(
            [*command, self.url(SUPERUSER, "postgres"), "--command", statement], capture_output=True, check=True
        )
        return told.stdout.decode().strip()


@contextmanager
def standby_of(primary: OwnServer) -> Iterator[Standby]:
    """Start a streaming replica of a server; it is gone at the end."""
    made = Standby(primary)
    made.make()
    try:
        yield made
    finally:
        with suppress(ServerError):
            made.down()
