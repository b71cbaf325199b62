"""Where the text lies: bare repositories and unpacked Debian packages."""

from __future__ import annotations

import gzip
import io
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Sources are shuffled and cut down by lot, always the same.
SEED = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where repositories (owner+name/repo, bare) and unpacked packages lie."""

    repositories: Path
    packages: Path

    def files(self, repository: str, pattern: str, *, most: int = 1_000_000) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of the repository's files whose path matches, in a fixed shuffled order."""
        folder = self.repositories / repository.replace("/", "+") / "repo"
        git = ["git", f"--git-dir={folder / '.git' if (folder / '.git').exists() else folder}"]
        listing = subprocess.run([*git, "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=False).stdout
        wanted = [
            (path, blob) for path, blob in map(_entry, listing.split(b"\0")[:-1]) if blob and re.search(pattern, path)
        ]
        random.Random(SEED).shuffle(wanted)
        yield from _contents(git, wanted[:most])

    def texts(self, repository: str, pattern: str, *, most: int = 1_000_000) -> Iterator[tuple[str, str]]:
        """The same, decoded."""
        for path, data in self.files(repository, pattern, most=most):
            yield path, data.decode("utf-8", "replace")

    def package(self, name: str, glob: str) -> Iterator[str]:
        """The texts of an unpacked package's files, gunzipped where needed."""
        for path in sorted((self.packages / name).rglob(glob)):
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                yield (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")


def _entry(line: bytes) -> tuple[str, str]:
    """Path and blob of a line of ls-tree; no blob where the snapshot left the file out."""
    about, path = line.decode("utf-8", "replace").split("\t", 1)
    _, kind, blob, size = about.split()
    return path, blob if kind == "blob" and size.isdigit() else ""


def _contents(git: list[str], wanted: list[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
    """The bytes of each blob, through one long-running git."""
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        asked = "\n".join(blob for _, blob in part).encode()
        out = io.BytesIO(
            subprocess.run([*git, "cat-file", "--batch"], input=asked, capture_output=True, check=False).stdout
        )
        for path, _ in part:
            size = int(out.readline().split()[-1])
            yield path, out.read(size)
            out.read(1)
