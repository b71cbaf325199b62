"""`notewell backup`, `notewell restore` and `notewell doctor`: the store as a whole."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from notewell.errors import StoreDamaged, StoreUnfit
from notewell.serve.cli.options import json_option, open_vault, print_json, say_notices, vault_option
from notewell.serve.cli.query_options import option
from notewell.serve.parameters import QUERY
from notewell.serve.say import counted, echo, say

FOUND = "problems found; `notewell doctor --repair` rebuilds the store"


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@option(QUERY["domain"])
@json_option
def backup(file: Path, vault: Path | None, domain: list[str], as_json: bool) -> None:
    """Copy the store to a file

    The copy is complete and consistent, even while the store is being written. It contains the text of all notes, with
    secrets redacted, so keep it as private as the notes. It does not replace a backup of the notes: their files cannot
    be restored from it. Domains have a file each: notes-store.fitness.db and so on.

    \b
    Example:
        notewell backup ~/notes-store.db
    """
    with open_vault(vault) as opened:
        files = opened.within(domain).backup(file)
    sizes = {str(one): one.stat().st_size for one in files}
    if as_json:
        several = {"files": list(sizes)} if len(sizes) > 1 else {}
        print_json({"file": str(file), "bytes": sum(sizes.values()), **several})
    else:
        echo("\n".join(f"{one} ({size / 1e6:,.1f} MB)" for one, size in sizes.items()))


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@option(QUERY["domain"])
@click.option("--force", is_flag=True, help="Restore even a backup of another vault")
@json_option
def restore(file: Path, vault: Path | None, domain: list[str], force: bool, as_json: bool) -> None:
    """Replace the store with a backup

    FILE is one that `notewell backup` wrote. Notewell checks it first, which takes half a minute for 100,000 chunks,
    and rejects a damaged one. Searches use the old store until this is done. Run `notewell index` afterwards to index
    what changed since the backup. With domains, FILE is the name that was given to `notewell backup`; with --domain
    NAME, it is the file of that domain.

    \b
    Example:
        notewell restore ~/notes-store.db
    """
    with open_vault(vault) as opened:
        view = opened.within(domain)
        notices = view.restore(file, force=force)
        about = view.store.about()
    say_notices(notices)
    if as_json:
        print_json({"notes": about.notes, "chunks": about.chunks, "indexed_at": about.indexed_at})
    else:
        echo(f"{counted(about.notes, 'note')}, as of {about.indexed_at}")


@click.command("doctor")
@vault_option
@click.option("--repair", is_flag=True, help="Rebuild the store if it has errors")
@json_option
def doctor(vault: Path | None, repair: bool, as_json: bool) -> None:
    """Check the store for errors, and repair it

    Everything that can be derived from the notes is computed again and compared with the store, and every stored line
    is checked for secrets. Exit code 1 if there are errors that were not repaired.

    \b
    Example:
        notewell doctor --repair
    """
    with open_vault(vault) as opened:
        # A store that cannot be read is what this command is for.
        with suppress(StoreDamaged, StoreUnfit):
            opened.storage.check_indexed()
        if not as_json:
            say("checking the whole store")
        diagnosis = opened.doctor(repair=repair)
    if as_json:
        print_json({"problems": list(diagnosis.problems), "repaired": diagnosis.repaired})
    else:
        for problem in diagnosis.problems:
            echo(problem)
        echo("repaired" if diagnosis.repaired else FOUND if diagnosis.problems else "no problems found")
    if diagnosis.problems and not diagnosis.repaired:
        raise SystemExit(1)
