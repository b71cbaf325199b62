"""Addresses that open a hit in Obsidian, in an editor, or as a file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from notewell.types.note import Chunk

# Characters that a link to a heading cannot contain; Obsidian reads them as spaces.
NO_HEADING = re.compile(r"[#^|:\[\]\\]+")


@dataclass(frozen=True, slots=True)
class Addresses:
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

    def of_chunk(self, chunk: Chunk, line: int = 0, *, host: str = "") -> str:
        """Return the address of a chunk, or of one of its lines; a terminal needs the `host` of a file too.

        >>> bees = Chunk("Garden/Bees.md", "", 12, 14, headings=("Bees", "In winter"))
        >>> Addresses(Path("/home/me/notes"), "obsidian").of_chunk(bees)
        'obsidian://open?vault=notes&file=Garden%2FBees.md%23In%20winter'
        >>> Addresses(Path("/home/me/notes"), "vscode").of_chunk(bees, 13)
        'vscode://file/home/me/notes/Garden/Bees.md:13'
        """
        if self.opener == "obsidian":
            return f"obsidian://open?vault={_quoted(self.root.name)}&file={_quoted(chunk.path + _heading(chunk))}"
        file = (self.root / chunk.path).as_uri().removeprefix("file://")
        return f"vscode://file{file}:{line or chunk.line}" if self.opener == "vscode" else f"file://{host}{file}"


def _heading(chunk: Chunk) -> str:
    """Return the heading above a chunk, as in a link: Obsidian cannot open a line."""
    name = NO_HEADING.sub(" ", chunk.headings[-1]).strip() if chunk.headings else ""
    return f"#{name}" if name and chunk.path.endswith(".md") else ""


def _quoted(text: str) -> str:
    return quote(os.fsencode(text), safe="")
