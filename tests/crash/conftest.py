"""A vault of a few small notes, and a process that performs acts on it and is killed before a step of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

NOTES = 12
WORDS = ("rye", "bread", "oven", "hive", "honey", "orchard", "summer", "water", "letter", "tenant", "token", "crumb")


class Ended(NamedTuple):
    """How an act ended: its exit code, or the negative number of a signal; its steps, its stdout and its stderr."""

    code: int
    steps: list[str]
    printed: str
    said: str


class Acts:
    """Performs acts on a vault, each in a process of its own; `steps.py` is that process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("steps.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def __call__(
        self,
        act: str,
        root: Path,
        settings: Mapping[str, Any],
        *extra: str,
        at: int | None = None,
        number: int = signal.SIGKILL,
        hang_up: Sequence[int] = (),
        record: Path | None = None,
    ) -> Ended:
        """Perform an act; before the step `at` it gets a signal, or those who read what it prints hang up.

        With a folder to `record` in, what lies there before each step is copied to it.
        """
        asked = {
            "act": act,
            "root": str(root),
            "settings": dict(settings),
            "extra": extra,
            "at": at,
            "signal": number,
            "hang_up": hang_up,
            "record": str(record or ""),
        }
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()


@pytest.fixture(scope="session")
def perform() -> Iterator[Acts]:
    acts = Acts()
    yield acts
    acts.close()


def note_text(number: int, words: tuple[str, ...] = WORDS) -> str:
    """Return a note of two sections with links, every fourth with a secret."""
    turned = words[number % len(words) :] + words[: number % len(words)]
    secret = "\npassword: hunter2-again\n" if number % 4 == 0 else ""
    return (
        f"---\ntags: [{turned[0]}]\n---\n\n# Note {number}\n\n## {turned[1]}\n\n{' '.join(turned[:8])}, "
        f"see [[note {number // 2}]].\n\n## {turned[2]}\n\n{' '.join(turned[3:])} of number {number}.\n{secret}"
    )


@pytest.fixture
def few_notes(tmp_path: Path) -> Path:
    """A folder of small notes, two of them the same, one that cannot be read."""
    root = tmp_path / "notes"
    for number in range(NOTES):
        file = root / f"folder {number % 3}" / f"note {number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note_text(number if number != NOTES - 1 else 0), encoding="utf-8")
    (root / "bad.md").write_bytes(b"\xff\xfe not text")
    (root / "Memories").mkdir()
    (root / "notewell.toml").write_text('[memory]\nfolder = "Memories"\n')
    return root
