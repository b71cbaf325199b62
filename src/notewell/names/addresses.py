"""Addresses that open a hit in Obsidian, in an editor, or as a file."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from notewell.types.note import Chunk
from notewell.types.results import Hit

# Characters that a link to a heading cannot contain; Obsidian reads them as spaces.
NOT_IN_HEADING = re.compile(r"[#^|:\[\]\\]+")


class Addresses(NamedTuple):
    """How the notes of a vault are opened: in `obsidian`, as a `file`, or in an editor (`vscode`)."""

    root: Path
    opener: str

    @classmethod
    def of(cls, root: Path) -> Addresses:
        """Return addresses for a folder: of Obsidian if it is an Obsidian vault, else of files.

        >>> Addresses.of(Path("/nowhere/notes")).of_chunk(Chunk("My bees.md", "", 12, 14))
        'file:///nowhere/notes/My%20bees.md'
        """
        return cls(root, "obsidian" if root.name and (root / ".obsidian").is_dir() else "file")

    def of_chunk(self, chunk: Chunk) -> str:
        """Return the address of a chunk.

        >>> bees = Chunk("Garden/Bees.md", "", 12, 14, headings=("Bees", "In winter"))
        >>> Addresses(Path("/home/me/notes"), "obsidian").of_chunk(bees)
        'obsidian://open?vault=notes&file=Garden%2FBees.md%23In%20winter'
        """
        return self._of(chunk.path, chunk.headings[-1] if chunk.headings else "", chunk.line)

    def of_hit(self, hit: Hit, line: int, *, host: str = "") -> str:
        """Return the address of a line of a hit; a terminal also needs to know the `host` of a file."""
        if self.opener == "obsidian" and hit.uri.startswith("obsidian:"):
            return hit.uri
        # Below a heading that is the title, a note opens at its beginning anyway.
        heading = hit.heading.rpartition(" > ")[2] if hit.heading != hit.title else ""
        return self._of(hit.path, heading, line, host)

    def _of(self, path: str, heading: str, line: int, host: str = "") -> str:
        if self.opener == "obsidian":
            # Obsidian's links know headings, and no lines.
            name = NOT_IN_HEADING.sub(" ", heading).strip() if path.endswith(".md") else ""
            return f"obsidian://open?vault={_quoted(self.root.name)}&file={_quoted(path + f'#{name}' * bool(name))}"
        file = f"{_quoted(self.root.as_posix().rstrip('/'), safe='/')}/{_quoted(path, safe='/')}"
        return f"vscode://file{file}:{line}" if self.opener == "vscode" else f"file://{host}{file}"


# The same paths come up in query after query.
@lru_cache(maxsize=1024)
def _quoted(text: str, safe: str = "") -> str:
    return quote(os.fsencode(text), safe=safe)
