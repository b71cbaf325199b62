"""`notewell apply-renames`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.curate.renames import Renamed, apply_renames, undo_renames
from notewell.curate.tag_edits import read_renames
from notewell.curate.tag_report import used_tags
from notewell.curate.taxonomy import renames_of_aliases
from notewell.errors import CurateError
from notewell.files.control_chars import shown_path
from notewell.serve.cli.completion import complete_folder
from notewell.serve.cli.inputs import place_from_root
from notewell.serve.cli.options import json_option, open_vault, print_reasons, print_result, say_notices, vault_option
from notewell.serve.cli.query_options import option
from notewell.serve.parameters import QUERY
from notewell.serve.say import counted, echo, printable_line, say


@click.command("apply-renames")
@click.argument("renames", nargs=-1, metavar="[OLD=NEW]...")
@click.option("--under", metavar="PATH", default="", shell_complete=complete_folder, help="Only this folder or note")
@option(QUERY["domain"])
@click.option("--merge", is_flag=True, help="Allow a new name that is already a tag")
@click.option("--dry-run", "-n", is_flag=True, help="Show the changes, and change nothing")
@click.option("--undo", is_flag=True, help="Undo the last renames")
@vault_option
@json_option
def command(
    renames: tuple[str, ...],
    under: str,
    domain: list[str],
    merge: bool,
    dry_run: bool,
    undo: bool,
    vault: Path | None,
    as_json: bool,
) -> None:
    """Rename tags in all notes, or in none

    OLD=NEW renames a tag, and the tags nested below it, in front matter and in text. OLD=ONE,TWO splits it. Without
    renames, the aliases of the taxonomy are replaced by their tags. Code, links and addresses stay as they are. If one
    note cannot be written, all others are restored. This is off until `notewell.toml` names `folders` under `[curate]`.

    \b
    Example:
        notewell apply-renames gardening=garden --dry-run
        notewell apply-renames todo=task/open misc=inbox,someday
        notewell apply-renames --undo
    """
    if undo and (renames or dry_run or merge or under or domain):
        raise click.UsageError("--undo takes no other option.")
    with open_vault(vault) as opened:
        if undo:
            done = undo_renames(opened)
        else:
            view, wanted = opened.within(domain), list(renames)
            if not wanted:
                merge = True
                view, wanted = renames_of_aliases(view, lambda part: used_tags(part) if part.indexed else ())
            if not wanted:
                raise CurateError("There is nothing to rename", "Give renames such as gardening=garden")
            place = place_from_root(opened.root, under) if under else ""
            done = apply_renames(view, read_renames(wanted), under=place, merge=merge, dry_run=dry_run)
    print_result(done, as_json, lambda done: _print_renamed(done, dry_run=dry_run))


def _print_renamed(done: Renamed, *, dry_run: bool) -> None:
    for note in done.notes:
        echo(f"{shown_path(note.path)}  {counted(note.tags, 'tag')}")
        for line in note.lines if dry_run else ():
            echo(f"  {line.line:>5} - {printable_line(line.before)}")
            for after in filter(str.strip, line.after.split("\n")):
                echo(f"  {'':>5} + {printable_line(after.rstrip())}")
    would = "would change" if dry_run else "changed"
    say(f"{counted(len(done.notes), 'note')} {would}")
    print_reasons("unchanged note", done.left, verbose=True)
    say_notices(done.notices)
