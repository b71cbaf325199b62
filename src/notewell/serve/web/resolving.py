"""Where the links of notes lead, for a page: nothing is suggested for broken links, and few files are looked up."""

from __future__ import annotations

import posixpath

from notewell.files.safe_open import exists
from notewell.graph.edges import links_of
from notewell.graph.link_report import NoteLink, ResolvedLinks
from notewell.index.changes import list_others
from notewell.index.walk import left_out_by
from notewell.names.paths import SUFFIX
from notewell.serve.web.note_links import Resolve
from notewell.serve.web.obsidian import IMAGES
from notewell.store import Snapshot
from notewell.vault import Vault


class Resolving:
    """The links of one state of a vault."""

    def __init__(self, vault: Vault, snapshot: Snapshot) -> None:
        self._root = vault.root
        self._rules = vault.settings.index
        self._snapshot = snapshot
        # Whether an anchor exists is not asked here, so no text is read for it.
        self._links = ResolvedLinks(
            snapshot, lambda: list_others(vault.root, vault.settings.index, vault.store), lambda path: ""
        )

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
                ends[target] = self._beside(path, target) or self._image(path, target)
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

    def _image(self, path: str, target: str) -> str | None:
        """Return the image that a note names without its folder; that takes a walk through the vault."""
        if not target.lower().endswith(IMAGES):
            return None
        return next((link.to for link in self._links.out_of(path) if link.target == target), None)
