"""Findings in a vault: where secrets were redacted, which notes are the largest, and which links are broken."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notewell.frozen import frozen
from notewell.graph.link_report import LinkQuery, NoteLink
from notewell.index.secrets import Secret
from notewell.store import Snapshot
from notewell.terms import split_terms
from notewell.types.note import place_of
from notewell.types.query import EVERYTHING
from notewell.vault import Vault

MARK = re.compile(r"\[REDACTED:([\w-]+)\]")
# More than anyone goes through on a page; `notewell secrets` lists all.
MOST_SECRETS = 500
LARGEST = 10
# `notewell links --broken` lists all, with suggestions.
MOST_BROKEN = 100


@frozen
class NoteSize:
    """A note and its size."""

    path: str
    """The note, from the vault's root."""
    bytes: int
    """The size of its file."""


@frozen
class Findings:
    """Redacted secrets and the largest notes of a vault."""

    secrets: tuple[Secret, ...]
    """Where secrets were redacted, at most 500 places; never the secrets."""
    largest: tuple[NoteSize, ...]
    """The ten largest notes."""


@frozen
class BrokenLinks:
    """The broken links of a vault."""

    count: int
    """How many there are."""
    links: tuple[NoteLink, ...]
    """The first of them, by path and line; at most 100."""


def find_broken(vault: Vault) -> BrokenLinks:
    """Return the broken links; none for a vault that is not indexed."""
    if not vault.indexed:
        return BrokenLinks(0, ())
    found = vault.link_graph.links(LinkQuery(broken=True, most=MOST_BROKEN))
    return BrokenLinks(found.counts.broken, found.links)


def find_findings(vault: Vault) -> Findings:
    """Return the findings, from the store alone; none for a vault that is not indexed."""
    if not vault.indexed:
        return Findings((), ())
    with vault.shown.answering() as snapshot:
        secrets = tuple(sorted(_redacted(snapshot), key=lambda one: (one.path, one.line)))[:MOST_SECRETS]
        shown = snapshot.ids()
    sizes = [NoteSize(path, stamp.size) for path, stamp in vault.store.files().notes.items() if path in shown]
    return Findings(secrets, tuple(sorted(sizes, key=lambda one: (-one.bytes, one.path))[:LARGEST]))


def _redacted(snapshot: Snapshot) -> Iterator[Secret]:
    """Yield the marks of redacted secrets: the chunks that have them are found by the marks' own word."""
    # A chunk has several marks at most, so that a limit of chunks is one of secrets.
    found = snapshot.match_all(split_terms("REDACTED"), EVERYTHING, MOST_SECRETS).found
    for chunk in snapshot.chunks([place for place, _ in found]).values():
        for match in MARK.finditer(chunk.text):
            line = chunk.line + chunk.text.count("\n", 0, match.start())
            yield Secret(chunk.path, line, match[1], place_of(chunk.parts, line, line))
