"""Run in a process of its own: performs acts on a vault in forks, and kills each before the step it is asked to.

A step is whatever changes what a later process sees: a statement that writes to a store, the copy of a whole store,
and every file that is created, opened to be written, renamed or deleted. Nothing in the package knows of them: SQLite,
psycopg and Python report them. So the steps of an act are the same in every run, and killing before each of them visits
every state that a kill can leave.

Reads a line of JSON for each act, `{"act": …, "root": …, "settings": …, "extra": […], "at": 3, "signal": 9}`, and
answers with one: `{"code": -9, "steps": […], "printed": "", "said": ""}`. In place of a signal, `"hang_up": [1, 2]`
closes the other ends of stdout and stderr. With `"record": "folder"`, what a kill before each step would leave is
copied to `folder/0`, `folder/1`…
"""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

import apsw
import psycopg

from notewell.freshness import NEVER, Opening
from notewell.index import Batches
from notewell.measure import moving
from notewell.measure.moving import move
from notewell.serve.cli import main as command_line
from notewell.store import copying
from notewell.vault import Vault

# A few notes, so that a run over twelve has several transactions; and time enough for every step on a busy machine.
OPENING = Opening(NEVER._replace(quick_seconds=3_600.0), batches=Batches(bytes=600))

ACTS: Mapping[str, Callable[..., object]] = {
    "index": lambda vault: vault.index(),
    "rebuild": lambda vault: vault.index(full=True),
    "fill": lambda vault: vault.encode(),
    "search": lambda vault: vault.search("hive honey orchard"),
    "open": lambda vault: vault.store.about(),
    "backup": lambda vault, file: vault.backup(Path(file)),
    "restore": lambda vault, file: vault.restore(Path(file)),
    "remember": lambda vault, text: vault.remember(text, title="Remembered"),
    "forget": lambda vault, note: vault.forget(note),
    "move": lambda vault, to: move(vault, to),
}
# A statement that writes, up to the table it writes to; a pragma that does is given a value.
STATEMENT = re.compile(
    r"(insert|update|delete|create \w+|alter table|drop \w+|vacuum|(?:with .*?\) )(?:insert|update|delete))"
    r"(?: or \w+)?(?: into| from)?(?: \"?(\w+))?"
)
PRAGMA = re.compile(r'pragma "?(application_id|user_version|journal_mode|wal_checkpoint)"?\(')
COMMENT = re.compile(r"--.*")
CHANGING = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.utime"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# What acts change beside the vault and in it.
CHANGED = ("store.db*", "copies", "*/Memories", "*/.trash")
# What a name has in it that is another in every run.
CHANCE = re.compile(r"(?<=\.notewell-backup-)\w+$|(?<=unfinished-)\w+$")


class Steps:
    """Counts the steps of this process, and does something before one of them.

    Inside transactions a statement counts once, however many rows it writes: what is not committed is gone, whichever
    row was the last. The end of each transaction counts; one that only reads has no steps.
    """

    def __init__(self, at: int | None, interrupt: Callable[[], None], record: Callable[[int], None] | None) -> None:
        self.taken: list[str] = []
        self._at = at
        self._interrupt = interrupt
        self._record = record
        self._recording = False
        self._in_transaction = self._writes = False
        self._inside: set[str] = set()

    def statement(self, _cursor: object, sql: str, _bindings: object) -> bool:
        """Count a statement before it runs."""
        text = " ".join(COMMENT.sub("", sql).lower().split())
        if text.startswith("begin"):
            self._in_transaction, self._writes = True, False
        elif text.startswith(("commit", "end")):
            if self._writes:
                self._take("commit")
            self._in_transaction = False
        elif found := STATEMENT.match(text) or PRAGMA.match(text):
            self._writes = True
            name = " ".join(filter(None, found.groups()))
            if not self._in_transaction or name not in self._inside:
                self._take(name)
            if self._in_transaction:
                self._inside.add(name)
        return True

    def on_server(self, sql: str) -> None:
        """Count a statement before a server runs it; each ends a transaction, or changes what the next one sees."""
        if found := STATEMENT.match(" ".join(COMMENT.sub("", sql).lower().split())):
            self._take(" ".join(("server", *filter(None, found.groups()))))

    def copied(self) -> None:
        """Count the copy of a whole store before it is made."""
        self._take("copy the store")

    def happened(self, event: str, about: tuple[Any, ...]) -> None:
        """Count what Python is about to do to a file."""
        if self._recording:
            return
        if event in CHANGING or (event == "open" and isinstance(about[2], int) and about[2] & WRITING):
            name = Path(os.fsdecode(about[0])).name if isinstance(about[0], str | bytes) else ""
            self._take(f"{event} {CHANCE.sub('*', name)}".rstrip())

    def _take(self, name: str) -> None:
        self.taken.append(name)
        if self._record:
            self._recording = True
            self._record(len(self.taken) - 1)
            self._recording = False
        if len(self.taken) - 1 == self._at:
            self._interrupt()


def watch(steps: Steps) -> None:
    """Have SQLite, psycopg and Python report to `steps` from now on."""

    class Watched(apsw.Connection):
        def __init__(self, *place: Any, **ways: Any) -> None:
            super().__init__(*place, **ways)
            self.set_exec_trace(steps.statement)

        def backup(self, *between: Any) -> apsw.Backup:
            steps.copied()
            return super().backup(*between)

    execute = psycopg.Connection.execute

    def executed(db: Any, query: Any, *given: Any, **ways: Any) -> Any:
        steps.on_server(query.decode() if isinstance(query, bytes) else query)
        return execute(db, query, *given, **ways)

    apsw.Connection = Watched  # type: ignore[misc]
    psycopg.Connection.execute = executed  # type: ignore[assignment, method-assign]
    sys.addaudithook(steps.happened)


def read_by_nobody(number: int) -> int:
    """Let stdout or stderr go into a pipe; return its other end, which is never read, but can be closed."""
    ours, theirs = os.pipe()
    os.dup2(theirs, number)
    return ours


def copy_place(root: Path, to: Path) -> None:
    """Copy all that an act may change: the store, backups beside it, memories and the trash.

    A program of its own does: SQLite's locks on a file go when this process closes it.
    """
    to.mkdir()
    changed = (file for name in CHANGED for file in root.parent.glob(name))
    subprocess.run(["cp", "-R", *changed, to], check=True)


def perform(asked: dict[str, Any], answer: IO[str]) -> None:
    """Perform an act, and write the steps it took."""
    ends = [read_by_nobody(number) for number in asked["hang_up"]]

    def interrupt() -> None:
        if not ends:
            os.kill(os.getpid(), asked["signal"])
        for end in ends:
            os.close(end)

    def record(step: int) -> None:
        copy_place(Path(asked["root"]), Path(asked["record"], str(step)))

    steps = Steps(asked["at"], interrupt, record if asked["record"] else None)
    watch(steps)
    try:
        if asked["act"] == "command":
            os.chdir(asked["root"])
            sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
            sys.argv = ["notewell", *asked["extra"]]
            command_line(lambda path, settings: Vault.open(path, settings, OPENING))
        else:
            with Vault.open(asked["root"], asked["settings"], OPENING) as vault:
                ACTS[asked["act"]](vault, *asked["extra"])
    finally:
        json.dump(steps.taken, answer)
        answer.flush()


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Perform an act in a fork, and return how it ended, the steps it took, and what it wrote."""
    with TemporaryFile("w+") as steps, TemporaryFile("w+") as printed, TemporaryFile("w+") as said:
        child = os.fork()
        if not child:
            os.dup2(printed.fileno(), 1)
            os.dup2(said.fileno(), 2)
            code = 0
            try:
                perform(asked, steps)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            except BaseException:
                traceback.print_exc(file=said)
                code = 1
            finally:
                said.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for file in (steps, printed, said):
            file.seek(0)
        taken = json.loads(steps.read() or "[]")
        return {"code": code, "steps": taken, "printed": printed.read(), "said": said.read()}


def warm_up() -> None:
    """Load what every fork would load: index one note. It has no links, as measuring those starts threads."""
    with TemporaryDirectory() as folder:
        Path(folder, "note.md").write_text("# Note\n\npassword: hunter2-again\n")
        with Vault.open(folder, {"embed.model": "words"}) as vault:
            vault.index()


def main() -> None:
    """Answer every line."""
    warm_up()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a fork of a process with threads may hang"
    # So that a move of a few notes has several transactions, too.
    moving.ASKED, copying.READ, copying.WRITTEN = 3, 4, 8
    # So that forks share it: a collection of garbage would write to all of it.
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
