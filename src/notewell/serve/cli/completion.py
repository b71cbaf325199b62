"""`notewell completion`."""

from __future__ import annotations

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

# What the scripts set, so that the program completes instead of running.
VARIABLE = "_NOTEWELL_COMPLETE"
# Where a shell looks for such scripts by itself.
HOMES = {
    "bash": "~/.local/share/bash-completion/completions/notewell",
    "zsh": "_notewell in a folder of your $fpath, such as ~/.zfunc/_notewell",
    "fish": "~/.config/fish/completions/notewell.fish",
}
# `filenames` makes bash quote the spaces of a note; versions before 4 do not have compopt, and complete without it.
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
    """Bash, which has to be told which words are like names of files."""

    source_template: ClassVar[str] = BASH

    def source(self) -> str:
        """Return the script, for any version."""
        return ShellComplete.source(self)

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return a line of the script's input."""
        return f"{'note' if item.note else item.type}\t{item.value}"


class Fish(FishComplete):
    """Fish, whose script cuts words at commas; names of notes have them."""

    source_template: ClassVar[str] = FishComplete.source_template.replace('split ","', 'split --max 1 ","')


add_completion_class(Bash)
add_completion_class(Fish)


@click.command("completion")
@click.argument("shell", type=click.Choice(list(HOMES)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Let the shell complete commands, options and notes

    Prints a script for bash, zsh or fish, and says on stderr where it belongs. Notes, folders and tags come from the
    vault around the current folder, or from the one that --vault names.

    \b
    Example:
        notewell completion bash > ~/.local/share/bash-completion/completions/notewell
        notewell completion zsh > ~/.zfunc/_notewell
        notewell completion fish > ~/.config/fish/completions/notewell.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind((ctx.parent or ctx).command, {}, "notewell", VARIABLE).source(), nl=False)
    click.echo(f"This script belongs into {HOMES[shell]}; it works in new shells.", err=True)
