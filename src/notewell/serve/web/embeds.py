"""Notes that are shown inside another one: `![[Note#Heading]]`, one level deep, few and short."""

from __future__ import annotations

from notewell.errors import NoteError
from notewell.files.formats import format_of
from notewell.index.place import Place, lines_at, read_note
from notewell.index.shapes.front_matter import split_front_matter
from notewell.serve.web.markdown import Style, render
from notewell.serve.web.note_links import NoteLinks
from notewell.serve.web.resolving import Resolving
from notewell.vault import Vault

# Embeds of one note that show their text; the others are links.
MOST = 20
# Characters of an embed.
LONGEST = 20_000


class Embeds:
    """The embeds of one note, as HTML."""

    def __init__(self, vault: Vault, resolving: Resolving, made: set[str], *, breaks: bool) -> None:
        self._vault = vault
        self._resolving = resolving
        self._made = made
        self._breaks = breaks
        self._count = 0

    def shown(self, path: str, anchor: str) -> str | None:
        """Return a note, or a part of it, as HTML; None if it is only linked."""
        format = format_of(path)
        # Only what is indexed is shown.
        if format is None or format.shape != "markdown" or self._count >= MOST or not self._resolving.is_note(path):
            return None
        self._count += 1
        try:
            text = self._text(path, anchor)
        except NoteError:
            return None
        cut = text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(chr(10))[0]}\n\n…"
        links = NoteLinks(self._resolving.resolver(path), made=self._made)
        return render(cut, links, Style(0, breaks=self._breaks, headings=False, name=f"{self._count}-"))[0]

    def _text(self, path: str, anchor: str) -> str:
        note = read_note(self._vault.root, path, self._vault.settings.index)
        text = lines_at(note, Place(note.path, part=anchor)).text
        return text if anchor else text[split_front_matter(text)[1] :]
