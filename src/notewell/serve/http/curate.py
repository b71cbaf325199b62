"""The routes of curation: the tags of the vault, and renaming them; nothing is written until the settings allow it."""

from __future__ import annotations

from notewell.curate.intake import Intake, read_log, take_in, undo
from notewell.curate.promote import Promoted, Queue, promote, read_review, review, undo_promote
from notewell.curate.renames import Renamed, apply_renames, undo_renames
from notewell.curate.sources import read_data
from notewell.curate.suggest import MOST_NOTES, TagProposals, suggest_tags
from notewell.curate.tag_edits import read_renames
from notewell.curate.tag_report import TagReport, report_tags
from notewell.errors import CurateError
from notewell.index.place import find_place
from notewell.index.readers.sandbox import Extraction
from notewell.serve.arguments import model_of
from notewell.serve.http.arguments import KINDS, RouteArguments
from notewell.serve.parameters import QUERY, Parameter
from notewell.vault import Vault

RENAMES = model_of(
    RouteArguments,
    "apply_renames",
    (
        Parameter("renames", "Renames such as old=new, or old=one,two to split a tag", list[str], []),
        Parameter("under", "Rename only in this folder or note", str, ""),
        QUERY["domain"],
        Parameter("merge", "Allow a new name that is already a tag", bool, False),
        Parameter("dry_run", "Show the changes, and change nothing", bool, False),
        Parameter("undo", "Undo the last renames instead", bool, False),
    ),
    kinds=KINDS,
)

SUGGESTED = model_of(
    RouteArguments,
    "suggest_tags",
    (
        Parameter("note", "Notes by path, name or title. Default: the newest notes without tags", list[str], []),
        Parameter("limit", "Propose tags for at most N notes", int, MOST_NOTES),
        QUERY["domain"],
    ),
    kinds=KINDS,
    bounds={"limit": (1, 200)},
)
LISTED = model_of(RouteArguments, "tags", (QUERY["domain"],), kinds=KINDS)
SHOWN = model_of(RouteArguments, "queue", (QUERY["domain"],), kinds=KINDS)
REVIEW = model_of(RouteArguments, "review", (QUERY["domain"],), kinds=KINDS)
# What a request without a body asks for.
REVIEW_ALL = REVIEW()
PROMOTE = model_of(
    RouteArguments,
    "promote",
    (
        Parameter("tick", "Also tick these proposals, by their ids", list[str], []),
        Parameter("untick", "Do not apply these proposals, even if they are ticked in the queue", list[str], []),
        Parameter("decline", "Decline these proposals, by their ids", list[str], []),
        QUERY["domain"],
        Parameter("dry_run", "Show the changes, and change nothing", bool, False),
        Parameter("undo", "Undo the last promotion instead", bool, False),
    ),
    kinds=KINDS,
)
# No addresses are fetched and no files are read for a request: only the user's own commands may do that.
INTAKE = model_of(
    RouteArguments,
    "take_in",
    (
        Parameter("text", "A feed, a mail, a page, a list of addresses or any text"),
        Parameter("again", "Also decide signals that were decided before, except those that are notes", bool, False),
        Parameter("dry_run", "Show the decisions, and write nothing", bool, False),
    ),
    kinds=KINDS,
)
INTAKE_LOG = model_of(
    RouteArguments,
    "intake_log",
    (Parameter("limit", "Show the last N decisions", int, 20),),
    kinds=KINDS,
    bounds={"limit": (1, 1_000)},
)
INTAKE_UNDO = model_of(
    RouteArguments,
    "undo_intake",
    (Parameter("signal", "A decision, by its id, address, title or note. Default: the last run", str, ""),),
    kinds=KINDS,
)


def take_in_text(vault: Vault, asked: RouteArguments) -> Intake:
    """Score the signals in the text of a request: add, queue or drop each."""
    given = asked.given
    with Extraction(vault.settings.index.max_seconds) as extraction:
        read = read_data(given["text"].encode(), "", extraction)
    vault.freshness.look(refresh=True)
    vault.storage.check_indexed()
    return take_in(vault, read, again=given["again"], dry_run=given["dry_run"])


def last_decisions(vault: Vault, asked: RouteArguments) -> Intake:
    """Return the last decisions of intake, the newest first."""
    return Intake(read_log(vault)[: asked.given["limit"]], applied=False)


def undo_intake(vault: Vault, asked: RouteArguments) -> Intake:
    """Reverse the last run of intake, or one decision."""
    return undo(vault, asked.given["signal"] or None)


def list_tags(vault: Vault, asked: RouteArguments) -> TagReport:
    """Return the tags of the vault, once it is up to date."""
    vault.freshness.look(refresh=True)
    return report_tags(vault.within(asked.given["domain"]))


def show_queue(vault: Vault, asked: RouteArguments) -> Queue:
    """Return the review queue."""
    return read_review(vault.within(asked.given["domain"]))


def write_queue(vault: Vault, asked: RouteArguments) -> Queue:
    """Write proposals into the review queue."""
    vault.freshness.look(refresh=True)
    vault.storage.check_indexed()
    return review(vault.within(asked.given["domain"]))


def propose_tags(vault: Vault, asked: RouteArguments) -> TagProposals:
    """Return tags for the notes of a request, or for the newest notes without tags."""
    vault.freshness.look(refresh=True)
    view = vault.within(asked.given["domain"])
    paths = [find_place(view.root, view.find(note)).path for note in asked.given["note"]]
    return suggest_tags(view, paths, most=asked.given["limit"])


def apply_ticks(vault: Vault, asked: RouteArguments) -> Promoted:
    """Apply what is ticked in the review queue, as a request asks, or undo the last promotion."""
    given = asked.given
    if given["undo"]:
        return undo_promote(vault)
    vault.freshness.look(refresh=True)
    vault.storage.check_indexed()
    chosen = {name: given[name] for name in ("tick", "decline", "untick")}
    return promote(vault.within(given["domain"]), **chosen, dry_run=given["dry_run"])


def rename(vault: Vault, asked: RouteArguments) -> Renamed:
    """Rename tags as a request asks, or undo the last renames."""
    given = asked.given
    if given["undo"]:
        return undo_renames(vault)
    if not given["renames"]:
        raise CurateError("There is nothing to rename", 'Send {"renames": ["old=new"]}')
    renames = read_renames(given["renames"])
    view = vault.within(given["domain"])
    return apply_renames(view, renames, under=given["under"], merge=given["merge"], dry_run=given["dry_run"])
