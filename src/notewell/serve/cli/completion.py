"""`notewell completion`, and the notes, folders and tags that a shell is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import PurePosixPath
from typing import ClassVar

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    add_completion_class,
    get_completion_class,
)

from notewell.errors import NotewellError
from notewell.serve.cli.options import open_vault
from notewell.store import Snapshot

# More than anyone looks through.
MOST = 300
# In a vault with more tags than this, tags are not completed.
MOST_TAGS = 200_000
# With this variable set, the program completes instead of running.
VARIABLE = "_NOTEWELL_COMPLETE"
# Where each shell looks for completion scripts.
HOMES = {
    "bash": "~/.local/share/bash-completion/completions/notewell",
    "zsh": "_notewell in a folder of your $fpath, such as ~/.zfunc/_notewell",
    "fish": "~/.config/fish/completions/notewell.fish",
}
# `filenames` makes bash quote the spaces of a path; versions before 4 have no compopt and complete without it.
BASH = """\
%(complete_func)s() {
    local kind value
    COMPREPLY=()
    while IFS=$'\\t' read -r kind value; do
        case $kind in
            dir) compopt -o dirnames 2>/dev/null ;;
            file) compopt -o default 2>/dev/null ;;
            note) compopt -o filenames 2>/dev/null; COMPREPLY+=("$value") ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_WORDS="$(printf '%%s\\n' "${COMP_WORDS[@]}")" COMP_CWORD=$COMP_CWORD \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Bash, which needs to know which words are file names."""

    source_template: ClassVar[str] = BASH

    def source(self) -> str:
        """Return the script, whatever the version of bash."""
        return ShellComplete.source(self)

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return a line of the script's input."""
        return f"{'note' if item.note else item.type}\t{item.value}"


class Fish(FishComplete):
    """Fish, whose script would cut names of notes at commas."""

    source_template: ClassVar[str] = FishComplete.source_template.replace('split ","', 'split --max 1 ","')


add_completion_class(Bash)
add_completion_class(Fish)


@click.command("completion")
@click.argument("shell", type=click.Choice(list(HOMES)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and notes in your shell

    The script is for bash, zsh or fish; stderr says where to save it; create that folder if it is missing. Notes,
    folders and tags come from the vault that contains the current folder, or from --vault.

    \b
    Example:
        notewell completion bash > ~/.local/share/bash-completion/completions/notewell
        notewell completion zsh > ~/.zfunc/_notewell
        notewell completion fish > ~/.config/fish/completions/notewell.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind((ctx.parent or ctx).command, {}, "notewell", VARIABLE).source(), nl=False)
    click.echo(f"Save this as {HOMES[shell]}; it takes effect in new shells.", err=True)


def complete_note(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Return the notes whose paths begin like this or, if there are none, the one note whose name does."""
    notes = sorted(_stored(ctx, lambda snapshot: snapshot.ids()))
    found = _beginning(notes, incomplete)
    if not found:
        found = [note for note in notes if PurePosixPath(note).name.casefold().startswith(incomplete.casefold())]
        # A shell inserts what all offers have in common, and several paths would have nothing.
        found = found if len(found) == 1 else []
    return [CompletionItem(note, note=True) for note in found]


def complete_folder(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Return the folders whose paths begin like this."""
    notes = _stored(ctx, lambda snapshot: snapshot.ids())
    folders = {str(parent) for note in notes for parent in PurePosixPath(note).parents} - {"."}
    return [CompletionItem(folder, note=True) for folder in _beginning(sorted(folders), incomplete)]


def complete_tag(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the tags that begin like this."""
    tags = _stored(ctx, lambda snapshot: snapshot.values("tag", most=MOST_TAGS))
    return _beginning(sorted(tags), incomplete)


def complete_domain(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the domains that begin like this."""
    with suppress(NotewellError, OSError), open_vault(ctx.params.get("vault")) as vault:
        return _beginning((one.name for one in vault.domains().domains), incomplete)
    return []


def _stored(ctx: click.Context, read: Callable[[Snapshot], Iterable[str]]) -> list[str]:
    """Return what is read from the store; errors are not shown to someone who pressed Tab."""
    with suppress(NotewellError, OSError), open_vault(ctx.params.get("vault")) as vault:
        if vault.indexed:
            with vault.shown.answering() as snapshot:
                return list(read(snapshot))
    return []


def _beginning(values: Iterable[str], incomplete: str) -> list[str]:
    begun = incomplete.casefold()
    # Shells read offers line by line, so line breaks are left out.
    return [value for value in values if value.casefold().startswith(begun) and value.isprintable()][:MOST]
