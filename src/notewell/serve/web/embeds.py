"""Notes that are shown inside another one: `![[Note#Heading]]`, one level deep, few and short."""

from __future__ import annotations

import posixpath

from notewell.errors import NoteError
from notewell.files.formats import format_of
from notewell.files.safe_open import exists
from notewell.graph.link_report import Links
from notewell.index.place import Place, lines_at, read_note
from notewell.index.shapes.front_matter import split_front_matter
from notewell.serve.web.markdown import Style, render
from notewell.serve.web.note_links import NoteLinks, Resolve
from notewell.serve.web.obsidian import IMAGES
from notewell.vault import Vault

# Embeds of one note that show their text; the others are links.
MOST = 20
# Characters of an embed.
LONGEST = 20_000


class Embeds:
    """The embeds of one note, as HTML."""

    def __init__(self, vault: Vault, made: set[str], *, breaks: bool) -> None:
        self._vault = vault
        self._made = made
        self._breaks = breaks
        self._count = 0

    def shown(self, path: str, anchor: str) -> str | None:
        """Return a note, or a part of it, as HTML; None if it is only linked."""
        format = format_of(path)
        if format is None or format.shape != "markdown" or self._count >= MOST:
            return None
        self._count += 1
        try:
            text = self._text(path, anchor)
        except NoteError:
            return None
        cut = text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(chr(10))[0]}\n\n…"
        links = NoteLinks(resolver(self._vault, path, self._vault.links(path)), made=self._made)
        return render(cut, links, Style(0, breaks=self._breaks, headings=False, name=f"{self._count}-"))[0]

    def _text(self, path: str, anchor: str) -> str:
        # Only what is indexed is shown.
        note = read_note(self._vault.root, self._vault.find(path), self._vault.settings.index)
        text = lines_at(note, Place(note.path, part=anchor)).text
        return text if anchor else text[split_front_matter(text)[1] :]


def resolver(vault: Vault, path: str, found: Links) -> Resolve:
    """Return a function that says where the links of a note lead; images in its HTML are found beside it."""
    ends = {link.target: link.to for link in found.links if link.to}

    def resolve(target: str) -> str | None:
        if target in ends or not target.lower().endswith(IMAGES):
            return ends.get(target)
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return beside if not beside.startswith(("/", "..")) and exists(vault.root / beside) else None

    return resolve
