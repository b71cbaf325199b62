"""Whatever lies where Notewell has a file of its own, no command waits for it, fails with a traceback or writes to it.

A vault may come from a stranger, in an archive that carries pipes, links, hard links and folders.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.serve.hooks import Hooks

from notewell.errors import NotewellError
from notewell.serve.http.access import load_digest, make_token

PACKAGE = Path(__file__).parent.parent / "src" / "notewell"
RunCommand = Callable[..., tuple[int, str, str]]
STORE = ("store.db", *(f"store.db{end}" for end in ("-wal", "-shm", "-journal")))
BUILT = tuple(f"store.db.new{end}" for end in ("", "-wal", "-shm", "-journal"))
BESIDE = ("store.db.lock", "store.db.fill", "store.db.memory", "store.db.opened", "store.db.opened.lock", ".gitignore")
MODEL = ("config.json", "tokenizer.json", "model.safetensors")
OBSIDIAN = ("daily-notes.json", "plugins/periodic-notes/data.json", "plugins/calendar/data.json")
# Every name that Notewell may open, from the folder that has the vault and the user's home in it.
NAMES = (
    *(f"vault/.notewell/{name}" for name in (*STORE, *BUILT, *BESIDE)),
    *(f"vault/.obsidian/{name}" for name in OBSIDIAN),
    *(f"vault/model/{name}" for name in MODEL),
    *("vault/notewell.toml", "vault/bees.md", "vault/Memories", "vault/Memories/quiet.md", "vault/.trash"),
    *("vault/.claude/settings.json", "home/.claude/settings.json"),
    *("home/.config/notewell/notewell.toml", "home/.config/notewell/token.sha256"),
    *(f"home/.local/state/notewell/{name}" for name in ("key", "hooks.jsonl", "hooks.jsonl.1", "paused")),
    *(f"home/.local/state/notewell/{name}" for name in ("sessions/lock", "sessions", "wished")),
)
KINDS: dict[str, Callable[[Path, Path], object]] = {
    "pipe": lambda place, _: os.mkfifo(place),
    "folder": lambda place, outside: shutil.copytree(outside.parent, place),
    "link to a file": lambda place, outside: place.symlink_to(outside),
    "link to zeros": lambda place, _: place.symlink_to("/dev/zero"),
    "hard link": lambda place, outside: place.hardlink_to(outside),
}
# How a command may end: done, an error, wrong usage, or `secrets` with files that it could not read.
CODES = (0, 1, 2, 3)
COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("search", "hive"), ("status",), ("index",), ("index", "--full"), ("config",), ("secrets",)),
    *(("read", "bees"), ("related", "last"), ("links", "bees"), ("graph",), ("traverse", "bees")),
    *(("remember", "The orchard is quiet.", "--title", "Quiet"), ("forget", "Memories/quiet.md"), ("encode",)),
    *(("backup", "../copy.db"), ("restore", "../copy.db"), ("doctor", "--repair")),
    *(("hook", "status"), ("hook", "install", "--yes"), ("hook", "uninstall", "--yes"), ("daemon", "stop")),
)


@contextmanager
def ends_a_hang(what: str, seconds: float = 60) -> Iterator[None]:
    """Fail if the block hangs; the time is far longer than any of these commands takes."""

    def fail(*_: object) -> None:
        raise TimeoutError(what)

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a vault, a home, and a file of the user's outside of both."""
    root = tmp_path / "vault"
    for folder in (root / "Memories", root / "model", tmp_path / "outside", tmp_path / "home"):
        folder.mkdir(parents=True)
    (root / "notewell.toml").write_text('[embed]\nmodel = "words"\n[memory]\nfolder = "Memories"\n')
    (root / "bees.md").write_text("# Bees\n\nThe hive hums in the [[orchard]].\n")
    (root / "orchard.md").write_text("# Orchard\n\nApples and pears.\n")
    (tmp_path / "outside" / "kept.md").write_text("# Kept\n\nNobody may lose this.\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "home"))
    return tmp_path


def run_all(place: Path, run_command: RunCommand) -> list[str]:
    """Run every command and hook, and return what is wrong with how they ended."""
    hooks = Hooks(place / "home/.local/state/notewell", place / "vault")
    wrong = []
    for command in COMMANDS:
        with ends_a_hang(" ".join(command)):
            code, _, said = run_command(place / "vault", *command)
        if code not in CODES or "Cannot write the output" in said or "Traceback" in said:
            wrong.append(f"{command}: {code} {said}")
        if command[0] == "restore":
            (place / "copy.db").unlink(missing_ok=True)
    for hook in ("start", "prompt", "before", "after"):
        with ends_a_hang(hook):
            hooks.run(hook, prompt="where does the hive hum?", tool_name="Grep", tool_input={"pattern": "hive"})
    with ends_a_hang("token"), suppress(NotewellError):
        load_digest(place / "home/.config/notewell")
    with ends_a_hang("token"), suppress(NotewellError):
        make_token(place / "home/.config/notewell")
    return wrong


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_planted_hangs_or_breaks_a_command_or_is_written_to(
    place: Path, name: str, kind: str, run_command: RunCommand
) -> None:
    if "/model/" in name:
        (place / "vault/notewell.toml").write_text('[embed]\nmodel = "model"\n')
    planted, outside = place / name, place / "outside" / "kept.md"
    planted.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(planted) if planted.is_dir() else planted.unlink(missing_ok=True)
    KINDS[kind](planted, outside)
    before = outside.read_bytes(), outside.stat().st_mode, outside.stat().st_mtime_ns
    assert run_all(place, run_command) == []
    assert (outside.read_bytes(), outside.stat().st_mode, outside.stat().st_mtime_ns) == before
    assert [file.name for file in outside.parent.iterdir()] == ["kept.md"]


# What opens files by their paths: the ground floor, commands for a file that the user names, and two modules that read
# the package's own files and the system's.
OPENING = {"safe_open.py", "folder.py", "lock.py", "user.py", "collection.py", "redact/__init__.py", "health.py"}
OPENS = re.compile(r"(?<![\w.])open\(|(?<!flat)(?<!archive)\.open\(|\.read_bytes\(|\.read_text\(")
# A file that must not exist yet or was just made, the package's own data, and opening anything but a file.
OTHER = re.compile(
    r"open\(\"x\"|\"postgresql.conf\"\)|os\.devnull|nowhere|"
    r"Path\(__file__\)|^ *def |Vault\.open\(|vaults\.open|stream\.open\(\)"
)


def test_only_the_ground_floor_opens_files() -> None:
    lines = [
        f"{file.relative_to(PACKAGE).as_posix()}: {line.strip()}"
        for file in PACKAGE.rglob("*.py")
        if not file.as_posix().endswith(tuple(f"/{name}" for name in OPENING))
        for line in file.read_text("utf-8").splitlines()
        if OPENS.search(line) and not OTHER.search(line)
    ]
    assert lines == []
