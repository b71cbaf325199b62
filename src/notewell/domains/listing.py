"""The domains of a vault as a report: where each begins and ends, its settings, and what is indexed of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from notewell.config.files import SettingsFiles
from notewell.domains.parts import Opened
from notewell.frozen import frozen
from notewell.store import About
from notewell.types.notices import Notice


@frozen
class DomainReport:
    """One domain."""

    name: str
    """Its name."""
    folders: tuple[str, ...]
    """Its folders; none for the legacy domain, which takes what no other claims."""
    exclude: tuple[str, ...]
    """Folders below these that are not in it."""
    legacy: bool
    """Whether it takes what no other domain claims."""
    store: str
    """Where its store is."""
    notes: int
    """How many notes are indexed."""
    chunks: int
    """How many chunks they have."""
    store_bytes: int
    """How large its store is."""
    embedder: str
    """The embedder whose vectors are stored."""
    settings: Mapping[str, str]
    """Its own settings by name, as texts."""
    problems: tuple[str, ...]
    """What in the registry has no effect."""


@frozen
class DomainList:
    """The domains of a vault, the legacy one last; none for a vault without a registry."""

    domains: tuple[DomainReport, ...]
    """The domains."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


def list_domains(root: Path, files: SettingsFiles, parts: Mapping[str, Opened]) -> DomainList:
    """Return the domains of these stores; folders that the vault does not have are named as problems."""
    reports = []
    for domain in files.domains:
        if (part := parts.get(domain.name)) is None:
            continue
        # What the legacy domain excludes are the folders of the others.
        named = domain.folders if domain.legacy else (*domain.folders, *domain.exclude)
        missing = [folder for folder in named if not (root / folder).is_dir()]
        about = part.storage.store.about() if part.storage.is_indexed else About()
        reports.append(
            DomainReport(
                name=domain.name,
                folders=domain.folders,
                exclude=domain.exclude,
                legacy=domain.legacy,
                store=part.storage.place,
                notes=about.notes,
                chunks=about.chunks,
                store_bytes=about.bytes,
                embedder=about.embedder,
                settings={name: _as_text(value) for name, value in domain.settings.items()},
                problems=(*domain.problems, *(f"there is no folder {folder}" for folder in missing)),
            )
        )
    return DomainList(tuple(reports))


def _as_text(value: Any) -> str:
    """Return the value of a setting as a text.

    >>> _as_text(["author", "by"]), _as_text(0.5)
    ('author, by', '0.5')
    """
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
