"""What a shell is offered to complete, from the store as it is: notes, folders and tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import PurePosixPath

import click
from click.shell_completion import CompletionItem

from notewell.errors import NotewellError
from notewell.serve.cli.options import open_vault
from notewell.store import Snapshot

# More than one looks through.
MOST = 300
# The tags of a vault are read if there are no more than these.
MOST_TAGS = 200_000


def complete_note(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Return the notes whose paths begin so; where none does, the one whose name does."""
    notes = sorted(_stored(ctx, lambda snapshot: snapshot.ids()))
    found = _beginning(notes, incomplete)
    if not found:
        found = [note for note in notes if PurePosixPath(note).name.casefold().startswith(incomplete.casefold())]
        # A shell writes what several have in common, and that would be nothing.
        found = found if len(found) == 1 else []
    return [CompletionItem(note, note=True) for note in found]


def complete_folder(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Return the folders of notes whose paths begin so."""
    notes = _stored(ctx, lambda snapshot: snapshot.ids())
    folders = {str(parent) for note in notes for parent in PurePosixPath(note).parents} - {"."}
    return [CompletionItem(folder, note=True) for folder in _beginning(sorted(folders), incomplete)]


def complete_tag(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the tags that begin so."""
    tags = _stored(ctx, lambda snapshot: snapshot.values("tag", most=MOST_TAGS))
    return _beginning(sorted(tags), incomplete)


def _stored(ctx: click.Context, read: Callable[[Snapshot], Iterable[str]]) -> list[str]:
    """Return what is read from the store; whoever presses a key is told of no error."""
    with suppress(NotewellError, OSError), open_vault(ctx.params.get("vault")) as vault:
        if vault.has_store:
            with vault.store.reading() as snapshot:
                return list(read(snapshot))
    return []


def _beginning(values: Iterable[str], incomplete: str) -> list[str]:
    begun = incomplete.casefold()
    # A shell reads line by line.
    return [value for value in values if value.casefold().startswith(begun) and value.isprintable()][:MOST]
