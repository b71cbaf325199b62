"""`notewell index`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from notewell.index import Report
from notewell.serve.cli.options import json_option, open_vault, print_json, progress_shown, say, vault_option
from notewell.store import About

# As many as one reads; the rest is in `notewell status`.
SHOWN = 10


@click.command("index")
@click.argument("folder", metavar="[VAULT]", required=False, type=click.Path(path_type=Path))
@vault_option
@click.option("--full", is_flag=True, help="Index every note anew")
@click.option(
    "--verbose", "-v", is_flag=True, help="Name every redaction by its kind and place, and every skipped file"
)
@json_option
def command(folder: Path | None, vault: Path | None, full: bool, verbose: bool, as_json: bool) -> None:
    """Bring the store up to date with the folder

    Only what changed is read again. Secrets are taken out before anything is stored.

    \b
    Example:
        notewell index ~/notes
    """
    opened = open_vault(folder or vault)
    with progress_shown() as progress:
        report = opened.index(full=full, progress=progress)
    about = opened.store.about()
    if as_json:
        print_json(as_dict(report, about))
    else:
        _tell(report, about, verbose)
    if report.interrupted:
        say(f"stopped; what was done is kept. Run `notewell index{' --full' * full}` again to go on")
        raise SystemExit(130)


def as_dict(report: Report, about: About) -> dict[str, Any]:
    """Return the report as other programs read it."""
    return {
        "notes": about.notes,
        "chunks": about.chunks,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "skipped": [{"path": path, "reason": reason} for path, reason in about.skipped.items()],
        "redacted": len(report.redacted),
        "seconds": round(report.seconds, 3),
        "warnings": [{"path": path, "reason": reason} for path, reason in report.warned.items()],
        "interrupted": report.interrupted,
    }


def _tell(report: Report, about: About, verbose: bool) -> None:
    changes = f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed"
    click.echo(f"{about.notes:,} notes, {about.chunks:,} chunks ({changes}) in {report.seconds:.1f} s")
    if report.redacted:
        click.echo(f"{len(report.redacted):,} secrets redacted" + ("" if verbose else "; --verbose says where"))
    for path, line, rule in report.redacted if verbose else ():
        click.echo(f"  {path}:{line} {rule}")
    _tell_paths("skipped", dict(about.skipped), verbose)
    _tell_paths("warned about", report.warned, verbose)


def _tell_paths(what: str, reasons: dict[str, str], verbose: bool) -> None:
    if not reasons:
        return
    say(f"{len(reasons):,} {what}:")
    for path, reason in list(reasons.items())[: None if verbose else SHOWN]:
        say(f"  {path!r}: {reason}" if not path.isprintable() else f"  {path}: {reason}")
    if len(reasons) > SHOWN and not verbose:
        say(f"  … and {len(reasons) - SHOWN:,} more; --verbose names them all")
