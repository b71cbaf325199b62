"""The present proposals for a vault, worded for the review queue, and read back from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from urllib.parse import quote

from notewell.curate.duplicates import Duplicate, find_duplicates
from notewell.curate.intake_log import Decision, IntakeLog
from notewell.curate.journal import Journal
from notewell.curate.link_fixes import SAME_NAME, LinkFix, find_link_fixes
from notewell.curate.notes import checked_path, is_asked, is_below, own_files, template_folders
from notewell.curate.queue import Item, Kind, Proposal, id_of
from notewell.curate.scoring import DIMENSIONS
from notewell.curate.suggest import ProposedTag, suggest_tags
from notewell.curate.tag_edits import checked_tag
from notewell.errors import CurateError
from notewell.files.control_chars import real_path, shown_path, visible_line
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.types.notices import Notice
from notewell.vault import Vault

# A person reads a queue: so many proposals of a kind are enough.
MOST = 50
# What a link of Obsidian cannot have in its path.
UNLINKABLE = re.compile(r"[\[\]|#^\\`\n\r]")
SUFFIXES = (".md", ".markdown")
NAME = r"(?:\[\[(?P<{0}>[^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]|`(?P<{0}_raw>[^`\n]+)`)"
TAG = re.compile(r"`#(?P<tag>[^`\s]+)` for " + NAME.format("note"))
LINK = re.compile(NAME.format("note") + r", line (?P<line>\d{1,7}): `(?P<old>[^`]+)` → `(?P<new>[^`]+)`")
DUPLICATE = re.compile(r"Trash " + NAME.format("note") + r", keep " + NAME.format("other"))
INTAKE = re.compile(r"Add `(?P<path>[^`\n]+)`")


@frozen
class Action:
    """The change that a ticked line asks for."""

    kind: Kind
    path: str
    tag: str = ""
    line: int = 0
    old: str = ""
    new: str = ""
    other: str = ""
    id: str = ""


@frozen
class Proposed:
    """All proposals of a moment, how many notes have no tags beside, and what the user should know."""

    proposals: tuple[Proposal, ...]
    untagged: int = 0
    notices: tuple[Notice, ...] = ()


def named(path: str) -> str:
    """Return a note as the queue names it: as a link, or as code if a link cannot have its name.

    >>> named("Garden/Bees.md"), named("a#b.md"), named("x.markdown"), named("x.MD.md")
    ('[[Garden/Bees]]', '`a#b.md`', '[[x.markdown]]', '[[x.MD.md]]')
    """
    shown = shown_path(path)
    bare = shown.removesuffix(".md")
    return f"`{shown}`" if UNLINKABLE.search(shown) else f"[[{shown if bare.lower().endswith(SUFFIXES) else bare}]]"


def path_named(match: re.Match[str], group: str) -> str:
    """Return the path that a line of the queue names."""
    if raw := match[f"{group}_raw"]:
        return real_path(raw)
    path = str(match[group])
    return path if path.lower().endswith(SUFFIXES) else f"{path}.md"


def find_proposals(
    vault: Vault, folders: tuple[str, ...], seen: Iterable[Item] = (), progress: Progress | None = None
) -> Proposed:
    """Return the proposals for the notes in these folders of an indexed vault, without declined ones.

    `seen` are the items of the queue: what was declined makes no room for itself again.
    """
    own, seen, templates = own_files(vault), [*seen], template_folders(vault.root)
    declined = {item.id for item in seen if item.declined}
    done_with = _notes_of(item for item in seen if item.declined) - _notes_of(
        item for item in seen if not item.declined
    )

    def may(path: str) -> bool:
        # A backtick would end the code that names the note.
        return "`" not in path and is_below(path, folders) and path not in own and not is_below(path, templates)

    def is_ours(one: Decision) -> bool:
        return one.waits and is_asked(vault, one.path) and is_new(intake_proposal(one))

    def is_new(made: Proposal) -> bool:
        # Code that a backtick or a line end in it would end early.
        return made.id not in declined and "\n" not in made.text and action_of(made.text) is not None

    log = IntakeLog(Journal(vault.root).folder).decisions().values()
    waiting = [*filter(is_ours, log)][-MOST:]
    tags = suggest_tags(vault, most=MOST, wanted=lambda path: may(path) and path not in done_with, progress=progress)

    def is_likely(fix: LinkFix) -> bool:
        # In another domain, a name that is only similar means something else.
        domains = vault.settings_files.domains
        return not domains or fix.why == SAME_NAME or domains.of(fix.path) == domains.of(fix.to)

    fixes = find_link_fixes(vault, MOST, lambda fix: may(fix.path) and is_likely(fix) and is_new(link_proposal(fix)))

    def is_wanted(one: Duplicate) -> bool:
        # Which of the two goes may have changed since a person declined to trash the other one.
        ways = (one, replace(one, path=one.of, of=one.path))
        return may(one.path) and "`" not in one.of and all(is_new(duplicate_proposal(way)) for way in ways)

    with vault.shown.answering() as snapshot:
        same = find_duplicates(snapshot, MOST, own, is_wanted, suffix=".md")
    made = (
        *(tag_proposal(note.path, tag) for note in tags.notes for tag in note.tags),
        *map(link_proposal, fixes),
        *map(duplicate_proposal, same),
        *map(intake_proposal, waiting),
    )
    return Proposed(tuple(filter(is_new, made)), tags.left, tags.notices)


def _notes_of(items: Iterable[Item]) -> set[str]:
    """Return the notes for which tags were proposed."""
    with_tags = (match for item in items if (match := TAG.match(item.text)))
    return {path_named(match, "note") for match in with_tags}


def tag_proposal(path: str, tag: ProposedTag) -> Proposal:
    """Return the proposal of a tag."""
    text = f"`#{tag.tag}` for {named(path)}: {_reason(tag.why)} ({tag.score:.2f})"
    return Proposal("tag", id_of("tag", path, tag.tag.casefold()), text)


def link_proposal(fix: LinkFix) -> Proposal:
    """Return the proposal to mend a broken link."""
    why = f"only one note has a similar name ({fix.why})"
    text = f"{named(fix.path)}, line {fix.line}: `{fix.written}` → `{fix.new}`: {why}"
    return Proposal("link", id_of("link", fix.path, fix.written, fix.new), text)


def duplicate_proposal(one: Duplicate) -> Proposal:
    """Return the proposal to move a near-duplicate to the trash."""
    links = {0: "nothing links to it", 1: "1 note links to it"}.get(one.links, f"{one.links:,} notes link to it")
    same = "the same, word for word" if one.similarity == 1 else f"{one.similarity:.0%} the same"
    return Proposal(
        "duplicate",
        id_of("duplicate", one.path, one.of),
        f"Trash {named(one.path)}, keep {named(one.of)}: {same}; {links}",
    )


def intake_proposal(one: Decision) -> Proposal:
    """Return the proposal to add a signal to the vault."""
    best = max(DIMENSIONS, key=lambda name: getattr(one.scores, name).value)
    title = f"[{_reason(one.title)}]({link_safe(one.url)})" if one.url else f"“{_reason(one.title)}”"
    why = _reason(getattr(one.scores, best).why)
    return Proposal("intake", one.id, f"Add `{shown_path(one.path)}` from {title}: {one.total:.2f}, {why}")


def link_safe(url: str) -> str:
    """Return an address that cannot end the link that it stands in."""
    return quote(url, safe=":/?#@!$&'*+,;=%~-._")


def _reason(why: str) -> str:
    """Return a reason as text of one line, in which nothing is a tag, a link or an id."""
    return visible_line(re.sub(r"[\[\]`#^*_<>|]", " ", why))


def action_of(text: str) -> Action | None:
    """Return what a line of the queue asks for; None if it cannot be read.

    >>> action_of("`#bees` for [[Garden/Wax moths]]: 4 of 4").tag
    'bees'
    """
    return next(_actions(text), None)


def _actions(text: str) -> Iterator[Action]:
    if match := TAG.match(text):
        yield Action("tag", path_named(match, "note"), tag=checked_tag(match["tag"]))
    if match := LINK.match(text):
        yield Action("link", path_named(match, "note"), line=int(match["line"]), old=match["old"], new=match["new"])
    if match := DUPLICATE.match(text):
        yield Action("duplicate", path_named(match, "note"), other=path_named(match, "other"))
    if match := INTAKE.match(text):
        yield Action("intake", real_path(match["path"]))


def readable_action(item: Item) -> Action | None:
    """Return what a line of the queue asks for; None if a person rewrote it beyond recognition."""
    with suppress(CurateError):
        return action_of(item.text)
    return None


def asked_for(item: Item) -> Action:
    """Return what a ticked line asks for; one that cannot be read is an error that names the line."""
    try:
        action = action_of(item.text)
        for path in (action.path, action.other) if action else ():
            checked_path(path or item.queue)
    except CurateError as error:
        raise CurateError(f"{item.queue}:{item.line}: {error.fact}", error.hint) from error
    if action is None:
        raise CurateError(
            f"{item.queue}:{item.line}: this proposal can no longer be read",
            "Untick it, or delete the line; `notewell review` proposes it again",
        )
    return replace(action, id=item.id)
