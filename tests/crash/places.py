"""A vault that acts are killed over, again and again, each time from the same state."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import apsw

from notewell import Vault
from notewell.types.note import Stamp

Stamps = Mapping[str, Stamp]
# How every file of a database begins.
SQLITE = b"SQLite format 3\0"
COMPANIONS = (
    "",
    "-journal",
    "-wal",
    "-shm",
    ".lock",
    ".fill",
    ".memory",
    ".new",
    ".new-journal",
    ".new-wal",
    ".new-shm",
)


class Ended(Protocol):
    """How an act ended."""

    @property
    def code(self) -> int:
        """Return its exit code, or the negative number of a signal."""

    @property
    def steps(self) -> list[str]:
        """Return the steps it took."""

    @property
    def printed(self) -> str:
        """Return what it wrote to stdout."""

    @property
    def said(self) -> str:
        """Return what it wrote to stderr."""


Perform = Callable[..., Ended]


@dataclass
class Place:
    """A folder of notes, and a store that can be put back to the state before an act."""

    root: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    before: Path | None = None

    @property
    def store(self) -> Path:
        """Return the file that is killed over."""
        return self.root.parent / "store.db"

    def opened(self, store: Path | None = None) -> Vault:
        return Vault.open(self.root, self._settings(store or self.store))

    def _settings(self, store: Path) -> dict[str, Any]:
        return {"embed.model": "words", "store.path": str(store), **self.settings}

    def indexed(self) -> Place:
        """Index the notes as they are; acts begin with this state from now on."""
        self.before = self.root.parent / "before.db"
        with self.opened(self.before) as vault:
            vault.index()
        return self

    def reset(self) -> None:
        """Put the store into the state before the act."""
        for suffix in COMPANIONS:
            self.store.with_name(self.store.name + suffix).unlink(missing_ok=True)
        if self.before:
            shutil.copyfile(self.before, self.store)

    def stamps_before(self) -> Stamps:
        if not self.before:
            return {}
        with self.opened(self.before) as vault:
            return vault.store.files().notes

    def kill(
        self,
        perform: Perform,
        act: str,
        *extra: str,
        check: Callable[[], None],
        again: Callable[[], None] | None = None,
        only: tuple[str, ...] = ("",),
    ) -> list[str]:
        """Kill the act before each of its steps, or `only` those of these names, and check what each kill leaves.

        Returns the steps. Two whole runs come first: were their steps not the same, some would never be killed. One of
        them records what lies there before each step; of steps before which the same does, one is killed.
        """
        again = again or self.reset
        with TemporaryDirectory() as folder:
            runs = []
            for record in (Path(folder), None):
                again()
                runs.append(perform(act, self.root, self._settings(self.store), *extra, record=record))
                assert (runs[-1].code, runs[-1].said) == (0, "")
            steps = runs[0].steps
            assert steps == runs[1].steps, runs
            left = {what_lies_in(Path(folder, str(at))): at for at, step in enumerate(steps) if step.startswith(only)}
        for at in sorted(left.values()):
            again()
            ended = perform(act, self.root, self._settings(self.store), *extra, at=at)
            assert ended.code == -signal.SIGKILL, f"{steps[at]}: {ended.said}"
            try:
                check()
            except BaseException as error:
                error.add_note(f"killed before step {at} of {len(steps)}: {steps[at]}")
                raise
        return steps


def what_lies_in(folder: Path) -> str:
    """Return a digest of files: what the databases among them say, how large their logs are, and all other bytes."""
    digest, databases = blake2b(), list[Path]()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        if content.startswith(SQLITE):
            databases.append(file)
        elif file.name.endswith(("-wal", "-journal", "-shm")):
            content = b"%d" % len(content)
        digest.update(b"%s %s" % (bytes(file.relative_to(folder)), b"" if file in databases else content))
    # Later, as opening one changes its log.
    for file in databases:
        digest.update("\n".join(rows_in(file)).encode())
    return digest.hexdigest()


def rows_in(file: Path) -> Iterator[str]:
    """Yield every row of a database."""
    with closing(apsw.Connection(str(file))) as db:
        yield str([db.pragma(name) for name in ("application_id", "user_version", "journal_mode")])
        for table in db.execute("select name from sqlite_schema where type = 'table' order by name").fetchall():
            yield str(table)
            yield from map(repr, db.execute(f"select * from {table[0]}"))
