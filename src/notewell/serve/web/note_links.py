"""What the links of a note mean: where they lead on the page, and what embeds show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from urllib.parse import quote, unquote, urlencode

from notewell.frozen import frozen
from notewell.serve.web.obsidian import IMAGES
from notewell.serve.web.sanitise import OUTSIDE

# Where a link of the note leads: the path of a note or file, or None for a missing one.
Resolve = Callable[[str], str | None]
# What an embed of a note shows, by path and anchor, as safe HTML; None if it is only a link.
Embed = Callable[[str, str], str | None]


@frozen
class NoteLinks:
    """The links of one note."""

    resolve: Resolve
    embed: Embed | None = None
    # Addresses that we wrote: an address that a note wrote is resolved first.
    made: set[str] = field(default_factory=set)

    def to(self, target: str, anchor: str = "") -> str | None:
        """Return the address that a link leads to; None if what it names is missing."""
        path = self.resolve(target) if target else ""
        if path is None:
            return None
        query = f"?{urlencode({'part': anchor})}" if anchor and not path.lower().endswith(IMAGES) else ""
        return self.make(f"{address_of(path)}{query}" if path else query or "?")

    def make(self, address: str) -> str:
        """Return an address of ours, and remember it."""
        self.made.add(address)
        return address

    def judge(self, kind: str, written: str) -> str | None:
        """Return what the address of a link (`a`) or an image (`img`) becomes; None if it is left out."""
        if written in self.made:
            return written
        if OUTSIDE.match(written):
            return written if kind == "a" else None
        address = self.to(*split_address(written))
        return address if kind == "a" or (address or "").startswith("/file/") else None


def address_of(path: str) -> str:
    """Return where the page shows a file of the vault.

    >>> address_of("Garden/My bees.md"), address_of("hive.png")
    ('/node/Garden/My%20bees.md', '/file/hive.png')
    """
    return f"{'/file/' if path.lower().endswith(IMAGES) else '/node/'}{quote(path)}"


def split_address(written: str) -> tuple[str, str]:
    """Return the target and the anchor of a Markdown link, as the index reads them.

    >>> split_address("C%23%20notes.md?view=1#top")
    ('C# notes.md', 'top')
    """
    path, _, anchor = written.partition("#")
    return unquote(path.partition("?")[0]), unquote(anchor)
