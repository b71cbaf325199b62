"""Where the links of notes lead, for a page: nothing is suggested for broken links, and few files are looked up."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Sequence
from functools import partial
from weakref import WeakKeyDictionary

from notewell.files.safe_open import exists
from notewell.files.survey import left_out_by
from notewell.graph.edges import links_of
from notewell.graph.link_report import LinkEnds, NoteLink, ResolvedLinks
from notewell.index.changes import list_others
from notewell.names.paths import SUFFIX
from notewell.serve.web.note_links import Resolve
from notewell.store import Snapshot
from notewell.terms import fold_case
from notewell.vault import Vault

# Seconds for which the list of files that are not notes is used: a walk through 16,894 notes takes 0.2 s.
LISTED = 30.0
# What pages of a vault share, by its generation: reading it takes 0.06 s for 16,894 notes.
_ends: WeakKeyDictionary[Vault, tuple[tuple[str, int], LinkEnds]] = WeakKeyDictionary()
_others: WeakKeyDictionary[Vault, tuple[float, Sequence[str]]] = WeakKeyDictionary()


class Resolving:
    """The links of one state of a vault."""

    def __init__(self, vault: Vault, snapshot: Snapshot) -> None:
        self._root = vault.root
        self._rules = vault.settings.index
        self._snapshot = snapshot
        self._others = partial(_other_files, vault)
        # Whether an anchor exists is not asked here, so no text is read for it.
        self._links = ResolvedLinks(snapshot, self._others, lambda path: "", _ends_of(vault, snapshot))

    def is_note(self, path: str) -> bool:
        """Tell whether a file is indexed."""
        return path in self._links.paths

    def is_resolved(self, path: str) -> bool:
        """Tell whether the links of a note are resolved; a run that was stopped leaves some that are not."""
        written = sum(len(links) for _, links in links_of(self._snapshot, [self._links.paths[path]]))
        return len(self._links.to_notes(path)) == written

    def backlinks(self, path: str) -> tuple[NoteLink, ...]:
        """Return the links of other notes that lead to a note."""
        return self._links.into(path)

    def resolver(self, path: str) -> Resolve:
        """Return a function that says where the links of a note lead."""
        ends = {link.target: link.to for link in self._links.to_notes(path)}

        def resolve(target: str) -> str | None:
            if not ends.get(target):
                ends[target] = self._beside(path, target) or self._elsewhere(target)
            return ends[target]

        return resolve

    def _beside(self, path: str, target: str) -> str | None:
        """Return the file with that path from the note's folder, or from the root, that is no note."""
        for base in (posixpath.dirname(path), ""):
            file = posixpath.normpath(posixpath.join(base, target.lstrip("/") if not base else target))
            if not SUFFIX.search(file) or file.startswith(("/", ".")) or "/." in file or left_out_by(file, self._rules):
                continue
            if exists(self._root / file):
                return file
        return None

    def _elsewhere(self, target: str) -> str | None:
        """Return the file that a note names without its folder, the one nearest to the root; it is no note."""
        if not SUFFIX.search(target):
            return None
        name = f"/{fold_case(target).lstrip('/')}"
        named = (file for file in self._others() if fold_case(f"/{file}").endswith(name))
        # The settings may exclude more by now.
        allowed = (file for file in named if not left_out_by(file, self._rules))
        return min(allowed, key=lambda file: (file.count("/"), file), default=None)


def _ends_of(vault: Vault, snapshot: Snapshot) -> LinkEnds:
    kept, now = _ends.get(vault), (snapshot.state.id, snapshot.state.generation)
    if kept is None or kept[0] != now:
        _ends[vault] = kept = now, LinkEnds.of(snapshot)
    return kept[1]


def _other_files(vault: Vault) -> Sequence[str]:
    kept, now = _others.get(vault), time.monotonic()
    if kept is None or now - kept[0] > LISTED:
        _others[vault] = kept = now, list_others(vault.root, vault.settings.index, vault.store)
    return kept[1]
