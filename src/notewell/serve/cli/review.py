"""`notewell review` and `notewell promote`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.curate import promote as promoting
from notewell.curate.promote import Promoted, Queue
from notewell.files.control_chars import shown_path
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.options import json_option, print_reasons, print_result, say_notices
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.query_options import option, vault_to_ask
from notewell.serve.parameters import QUERY
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices

READING = ("Reading", "read {:,} of {:,} notes")


@click.command("review")
@option(QUERY["domain"])
@vault_to_index_option
@json_option
def command(domain: list[str], vault: Path | None, as_json: bool) -> None:
    """Write proposals into the review queue

    The queue is a note, `_review-queue.md`, with a check box for each proposal: tags for notes without any, targets for
    broken links that fit only one note, notes that say nearly the same, and signals that `notewell intake` was unsure
    of. Tick the ones you accept in any editor, then run `notewell promote`. If you delete a line or mark it `[-]`,
    Notewell does not propose it again. This is off until `notewell.toml` names `folders` under `[curate]`.

    \b
    Example:
        notewell review
        notewell promote
    """
    with vault_to_ask(vault, {}, refresh=True) as (opened, notices):
        with progress_shown(*READING) as progress:
            queue = with_notices(promoting.review(opened.within(domain), progress), notices)
        print_result(queue, as_json, _print_queue)


def _print_queue(queue: Queue) -> None:
    for item in queue.items:
        echo(f"[{'x' if item.ticked else ' '}] {printable_line(item.text)}")
    new = f", {queue.new:,} new" if queue.new else ""
    declined = f", {queue.declined:,} declined" if queue.declined else ""
    paths = ", ".join(shown_path(path) for path in dict.fromkeys(item.queue for item in queue.items) or (queue.path,))
    say(f"{paths}: {counted(len(queue.items), 'proposal')}{new}{declined}")
    say_notices(queue.notices)


@click.command("promote")
@click.option("--dry-run", "-n", is_flag=True, help="Show the changes, and change nothing")
@click.option("--undo", is_flag=True, help="Undo the last promotion")
@option(QUERY["domain"])
@vault_to_index_option
@json_option
def promote(dry_run: bool, undo: bool, domain: list[str], vault: Path | None, as_json: bool) -> None:
    """Apply the proposals that you ticked in the review queue

    Applies all ticks or none, and updates the queue. If a proposal cannot be applied, it stays ticked, and its reason
    is shown. Your edits to the queue meanwhile are never lost.

    \b
    Example:
        notewell promote --dry-run
        notewell promote
        notewell promote --undo
    """
    if undo and (dry_run or domain):
        raise click.UsageError("--undo takes no other option.")
    with vault_to_ask(vault, {}, refresh=not undo) as (opened, notices):
        if undo:
            done = promoting.undo_promote(opened)
        else:
            with progress_shown(*READING) as progress:
                done = promoting.promote(opened.within(domain), dry_run=dry_run, progress=progress)
        done = with_notices(done, notices)
        print_result(done, as_json, lambda done: _print_promoted(done, dry_run=dry_run, undone=undo))


def _print_promoted(done: Promoted, *, dry_run: bool, undone: bool) -> None:
    for one in done.done:
        echo(shown_path(one.path) if undone else f"{one.kind:<9}  {shown_path(one.path)}  {printable_line(one.text)}")
    if undone:
        say(f"{counted(len(done.done), 'note')} put back; `notewell review` proposes the changes again")
    else:
        would = "would be applied" if dry_run else "applied"
        say(f"{counted(len(done.done), 'proposal')} {would}; {done.open:,} open")
    print_reasons("unapplied proposal", done.left, verbose=True)
    say_notices(done.notices)
