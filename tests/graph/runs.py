"""Runs of indexing that end too early."""

from __future__ import annotations

from notewell import Vault
from notewell.index import Linking, Progress, Source, index


def index_without_links(vault: Vault) -> None:
    """Index a vault as a run does that is killed before it resolves links and measures standings."""
    source = Source(vault.root, vault.settings.index, vault.settings.chunk)
    nothing = Linking(lambda store: None, lambda store: None)
    index(source, store=vault.store, embedder=vault.models.embedder, linking=nothing, progress=Progress())
