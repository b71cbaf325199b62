"""The root of a website whose pages are the notes: which folder `/docs/` stands for, judged by all such links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from notewell.names.paths import Paths, page_keys

# Fewer pages that links lead to may be chance.
LEAST_PAGES = 2


class SiteRoot(NamedTuple):
    """What the addresses of a website begin with, and the folder of the vault that it stands for, folded."""

    prefix: str = ""
    folder: str = ""

    @property
    def mark(self) -> str:
        """Return it as the store keeps it; empty for the vault's own root."""
        return "\n".join(self) if any(self) else ""

    def keys(self, address: str) -> tuple[str, ...]:
        """Return the paths of the page at an address; none if it begins otherwise.

        >>> SiteRoot("en-us/docs", "files/en-us").keys("en-us/docs/css.html")[:2]
        ('files/en-us/css.html', 'files/en-us/css.md')
        """
        before = f"{self.prefix}/" if self.prefix else ""
        rest = address[len(before) :] if address.startswith(before) else ""
        return page_keys(f"{self.folder}/{rest}" if self.folder else rest) if rest else ()


NO_ROOT = SiteRoot()


def find_root(addresses: Collection[str], notes: Paths) -> SiteRoot:
    """Return the root under which more than half of these addresses lead to a note, or else the vault's own.

    >>> notes = Paths(["src/a/Bees.md", "src/b/Rye/index.md", "src/Home.md"])
    >>> find_root(["docs/a/bees", "docs/b/rye", "docs/wax"], notes)
    SiteRoot(prefix='docs', folder='src')
    """
    votes = Counter(root for address in addresses for root in set(_roots(address, notes)))
    if not votes:
        return NO_ROOT
    # Of equals, the one that changes least.
    root = min(votes, key=lambda root: (-votes[root], len(root.prefix), len(root.folder), root))
    pages = [page for address in addresses if (page := next(filter(None, map(notes.at, root.keys(address))), ""))]
    return root if 2 * len(pages) > len(addresses) and len(set(pages)) >= LEAST_PAGES else NO_ROOT


def _roots(address: str, notes: Paths) -> Iterator[SiteRoot]:
    """Yield the roots under which an address leads to a note of its name."""
    above, _, page = address.rpartition("/")
    for key in page_keys(page):
        for folder in notes.folders_of(key):
            yield _without_common_end(above, folder)


def _without_common_end(prefix: str, folder: str) -> SiteRoot:
    """Return a root without the folders that both sides end in.

    >>> _without_common_end("en-us/docs/web", "files/en-us/web")
    SiteRoot(prefix='en-us/docs', folder='files/en-us')
    """
    one, other = prefix.split("/"), folder.split("/")
    while one and other and one[-1] == other[-1]:
        one.pop()
        other.pop()
    return SiteRoot("/".join(one), "/".join(other))
