"""What `/health` answers: that the server is running and, for requests that may search, what it serves."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from importlib.metadata import version

from starlette.requests import Request

from notewell.errors import NotewellError
from notewell.frozen import frozen
from notewell.index.report import EncoderProgress
from notewell.serve.answering import IndexingProgress
from notewell.serve.background import is_paused
from notewell.serve.http.guard import is_trusted
from notewell.serve.web.kept import Kept
from notewell.vault import Vault


@frozen
class Health:
    """A server that is running."""

    ok: bool
    """Always true."""
    version: str
    """The version of Notewell."""


@frozen
class VaultHealth(Health):
    """A running server and what it serves, for requests that have the token or need none."""

    vault: str
    """The vault's folder."""
    store: str
    """The store's file."""
    model: str = ""
    """The embedder whose vectors are stored; empty if the vault was never indexed."""
    dimension: int = 0
    """How many numbers such a vector has."""
    indexed_at: str | None = None
    """When the vault was last indexed; none if never."""
    notes: int = 0
    """How many notes are indexed."""
    filling: EncoderProgress = field(default_factory=EncoderProgress)
    """The encoder's progress."""
    paused: bool = False
    """Whether background encoding is paused."""


@frozen
class Paused:
    """Whether background work is paused."""

    paused: bool
    """Whether nothing may start in the background."""


@frozen
class Indexed:
    """Whether a vault is indexed, and the run that indexes it now."""

    indexed: bool
    """Whether anything is indexed, and can be found."""
    finished: bool
    """Whether a first run has ever reached its end."""
    run: IndexingProgress | None = None
    """The progress of a current run; none if nothing is being indexed."""
    problem: str = ""
    """Why the last run failed; empty if it did not."""


def indexing_of(vault: Vault) -> Indexed:
    """Return how far indexing is; the first question about a new vault starts it."""
    vault.freshness.begin()
    run, indexed = vault.freshness.run, vault.indexed
    finished = indexed and vault.store.state.finished
    if run is None or (run.is_over and run.error is None):
        return Indexed(indexed, finished)
    if isinstance(run.error, NotewellError):
        return Indexed(indexed, finished, problem=f"{run.error.fact}. {run.error.hint}")
    return Indexed(indexed, finished, None if run.is_over else IndexingProgress(*run.progress))


def count_notes(vault: Vault) -> int:
    """Return how many notes are indexed, which takes long in a large store on a server."""
    return vault.store.about().notes


def health_of(vault: Vault, request: Request, notes: Kept[int]) -> Health:
    """Return the health of a server; about the vault only for requests that may search it."""
    running = version("notewell")
    if not is_trusted(request.scope):
        return Health(ok=True, version=running)
    found = VaultHealth(True, running, str(vault.root), vault.storage.place, paused=is_paused())
    # The server runs, whatever is wrong with the store.
    with suppress(NotewellError):
        if vault.indexed:
            state = vault.store.state
            made, indexed_at = state.made_for, state.indexed_at
            found = replace(found, model=made.embedder, dimension=made.dimensions, indexed_at=indexed_at)
            found = replace(found, notes=notes.of(vault), filling=vault.encoder.progress)
    return found
