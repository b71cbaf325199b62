"""What the page offers of a vault: values for the filters below the search box, and topics to begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice

from notewell.files.control_chars import visible_line
from notewell.frozen import frozen
from notewell.serve.web.properties import MOST_VALUES, offered, read_properties
from notewell.store import Snapshot
from notewell.vault import Vault

# More than a menu shows well; of folders and tags, those with the most notes.
MOST = 100
# Topics, and the most linked notes that they are chosen from; a long title is none.
TOPICS, LINKED, LONGEST = 8, 50, 40


@frozen
class FilterChoices:
    """The values that filters can take."""

    folders: tuple[str, ...]
    """Folders with notes, in alphabetical order."""
    tags: tuple[str, ...]
    """Tags, the most used first."""
    types: tuple[str, ...]
    """Types of notes, as in their front matter."""
    keys: tuple[str, ...]
    """Properties of the front matter, those that most notes have first."""
    properties: Mapping[str, tuple[str, ...]]
    """Those with few values, and these values, without days and addresses."""
    domains: tuple[str, ...]
    """The domains of the vault."""
    topics: tuple[str, ...]
    """Titles of the notes with the most standing, to begin with."""


def filter_choices(vault: Vault) -> FilterChoices:
    """Return the values to filter the notes of a vault by; none if it is not indexed."""
    domains = tuple(domain.name for domain in vault.settings_files.domains)
    if not vault.indexed:
        return FilterChoices((), (), (), (), {}, domains, ())
    tags = tuple(vault.store.about(tags=True).tags)[:MOST]
    with vault.shown.answering() as snapshot:
        paths = sorted(snapshot.ids())
        folders = Counter(folder for path in paths for folder in _folders(path))
        largest = sorted(folder for folder, _ in folders.most_common(MOST))
        types = tuple(sorted(snapshot.values("type", most=MOST_VALUES)))
        read = read_properties(snapshot, paths)
        keys = tuple(islice(read, MOST))
        return FilterChoices(tuple(largest), tags, types, keys, offered(read), domains, _topics(snapshot))


def _folders(path: str) -> list[str]:
    """Return the folders above a note, up to the second level.

    >>> _folders("a/b/c/d.md"), _folders("d.md")
    (['a', 'a/b'], [])
    """
    parts = path.split("/", 2)
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _topics(snapshot: Snapshot) -> tuple[str, ...]:
    standings = snapshot.standings()
    best = sorted(standings, key=lambda path: (-standings[path].pagerank, path))[:LINKED]
    titles = {named.path: named.title for named in snapshot.names()} if best else {}
    named = (visible_line(titles.get(path, "")) for path in best)
    return tuple(islice(dict.fromkeys(title for title in named if _is_worded(title)), TOPICS))


def _is_worded(title: str) -> bool:
    """Tell whether a title is a name in words, not that of a snippet or a file.

    >>> _is_worded("Rye bread"), _is_worded("applies-md"), _is_worded("x" * 80)
    (True, False, False)
    """
    return 1 < len(title) <= LONGEST and not title[0].islower() and title[0].isalnum() and "_" not in title
