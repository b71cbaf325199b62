"""`python -m bench.html_vault FOLDER… VAULT.tar.xz`: a vault of Markdown out of pages of HTML.

Each page is read as Notewell reads it. Its title goes into the front matter, without its number, and headings that
repeat it are left out: in a test of known items only the text may find the page.
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.child import say
from notewell.errors import NotewellError
from notewell.index.readers.html import extract

NUMBER = re.compile(
    r"^(?:(?:Kapitel|Anhang|Chapitre|Annexe|Capítulo|Chapter|Appendix)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*\.?\s+"
)
HEADING = re.compile(r"^#+[ \t]+(.*?)[ \t#]*\n", re.MULTILINE)


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the path of each page of a folder that has text, as a note's, and the note."""
    for file in sorted(folder.rglob("*.htm*")):
        try:
            page = extract(file.read_bytes())
        except NotewellError:
            continue
        title = _bare(page.title)
        text = _without_heading(page.text, title) if title else page.text
        front = f'---\ntitle: "{title}"\n---\n\n' if title else ""
        yield file.relative_to(folder).with_suffix(".md").as_posix(), front + text


def _without_heading(text: str, title: str) -> str:
    return HEADING.sub(lambda heading: "" if _bare(heading[1]) == title else heading[0], text)


def _bare(title: str) -> str:
    """Return a title without its number.

    >>> _bare('14.4. The "new" kernel'), _bare("Kapitel 5. Pakete"), _bare("2 bees")
    ("The 'new' kernel", 'Pakete', 'bees')
    """
    return NUMBER.sub("", " ".join(title.replace('"', "'").split()))


def main(arguments: Sequence[str]) -> None:
    """Write the vault of these folders."""
    *folders, archive = map(Path, arguments)
    with tarfile.open(archive, "w:xz") as tar:
        for folder in folders:
            for path, text in pages(folder):
                data = text.encode("utf-8")
                entry = tarfile.TarInfo(f"vault/{folder.name}/{path}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    say(f"stored {archive}")


if __name__ == "__main__":
    main(sys.argv[1:])
