"""A vault of many small notes, and a process that forks indexing runs, so that killing fifty costs no fifty starts."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Notes of one run: read and committed in about thirty transactions of this many bytes.
NOTES = 200
BATCH_BYTES = 1_000

WORDS = ("rye", "bread", "oven", "hive", "honey", "orchard", "summer", "water", "letter", "tenant", "token", "crumb")

# Reads lines "<full> <store>", forks a run for each and answers with its process; then, with how it ended.
RUNNER = f"""
import os, sys
import notewell.index, notewell.index.shapes.markdown, notewell.vault
notewell.index.BATCH_BYTES = {BATCH_BYTES}
for line in sys.stdin:
    full, store = line.rstrip("\\n").split(" ", 1)
    pid = os.fork()
    if not pid:
        with notewell.vault.Vault.open(sys.argv[1], {{"embed.model": "words", "store.path": store}}) as vault:
            vault.index(full=full == "full")
        os._exit(0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


def note_text(chance: random.Random, number: int) -> str:
    """Return a note of two or three sections, with links, and now and then a secret."""
    sections = [
        f"## {chance.choice(WORDS)} {part}\n\n{' '.join(chance.choices(WORDS, k=18))}, see [[note {number // 2}]].\n"
        for part in range(chance.randint(1, 3))
    ]
    secret = "\npassword: hunter2-again\n" if number % 20 == 0 else ""
    return f"---\ntags: [{chance.choice(WORDS)}]\n---\n\n# Note {number}\n\n" + "\n".join(sections) + secret


@pytest.fixture
def many_notes(tmp_path: Path) -> Path:
    """A folder of small notes, some of them the same, one that cannot be read."""
    chance = random.Random(3)
    root = tmp_path / "notes"
    for number in range(NOTES):
        file = root / f"folder {number % 7}" / f"note {number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note_text(chance, number if number % 10 else 1000), encoding="utf-8")
    (root / "bad.md").write_bytes(b"\xff\xfe not text")
    return root


class Runner:
    """Starts indexing runs, each a process of its own."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )

    def start(self, store: Path, *, full: bool) -> int:
        """Return the process of a run that was just begun."""
        assert self._process.stdin
        self._process.stdin.write(f"{'full' if full else 'changed'} {store}\n")
        self._process.stdin.flush()
        return self._answer()

    def wait(self) -> int:
        """Return how the run ended: 0, or the negative number of the signal that ended it."""
        return self._answer()

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate(timeout=30)

    def _answer(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


@pytest.fixture
def runner(many_notes: Path) -> Iterator[Runner]:
    runner = Runner(many_notes)
    yield runner
    runner.close()
