"""The review queue as text: proposals as check boxes in a note that a person edits, read and written anew.

A line of ours ends in a block id. All other lines are the person's, and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Literal, get_args

from notewell.errors import CurateError
from notewell.frozen import frozen

Kind = Literal["tag", "link", "duplicate", "intake"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HEADINGS: Mapping[Kind, str] = {
    "tag": "## Tags",
    "link": "## Broken links",
    "duplicate": "## Near-duplicates",
    "intake": "## Intake",
}
DECLINED = "## Declined"
TITLE = "# Review queue"
INTRO = (
    "Tick what you want, then run `notewell promote`. To decline a proposal, write `[-]` or delete its line: it is not "
    "proposed again. All other lines are yours."
)
# A line of ours: its box, its text, and its id, which Obsidian does not show.
LINE = re.compile(r"[ \t]*[-*+][ \t]+\[(?P<box>[^\]\n]{0,3})\][ \t]+(?P<text>.*?)[ \t]+\^nw-(?P<id>[0-9a-f]{10})[ \t]*")
BOX = re.compile(r"[ \t]*[-*+][ \t]+\[[^\]\n]{0,3}\][ \t]+(?P<text>.*)")
OURS = re.compile(r"\^nw-[0-9a-f]{10}\b")
OPEN, DECLINE, TICKED = " ", "-", ("x", "X")
# What a sync or a version control leaves where two versions meet.
CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)
# The review queue is read by a person.
LARGEST = 2_000_000
MOST_DECLINED = 2_000


@frozen
class Proposal:
    """A change that Notewell makes once a person ticks it."""

    kind: Kind
    """What kind it is: tag, link, duplicate, intake."""
    id: str
    """What identifies it, however it is worded."""
    text: str
    """What would be done, and why, on one line of Markdown."""
    read: bool = False
    """Whether it was read from the queue, where a person may have edited it."""

    @property
    def line(self) -> str:
        """Return its line in the queue."""
        return f"- [ ] {self.text} ^nw-{self.id}"


@frozen
class Item:
    """A line of ours in a queue, as it was found."""

    line: int
    box: str
    text: str
    id: str
    declined: bool = False
    queue: str = ""

    @property
    def ticked(self) -> bool:
        """Tell whether a person ticked it."""
        return self.box in TICKED and not self.declined


def id_of(kind: Kind, *subject: str) -> str:
    """Return what identifies a proposal on every machine.

    >>> id_of("tag", "a.md", "bees") == id_of("tag", "a.md", "bees") != id_of("tag", "a.md", "rye")
    True
    """
    return blake2b("\0".join((kind, *subject)).encode("utf-8", "replace"), digest_size=5).hexdigest()


def read_queue(text: str, path: str) -> list[Item]:
    """Return the proposals in a queue; one that a person cannot have meant is an error that names the line."""
    if CONFLICT.search(text):
        raise CurateError(
            f"{path} has two versions in it, from a sync or from git", "Keep one of them, then run `notewell promote`"
        )
    items: dict[str, Item] = {}
    declined = False
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        declined = line.strip() == DECLINED or (declined and not line.startswith("#"))
        if not OURS.search(line):
            continue
        item = _item(line, number, path, declined=declined)
        other = items.get(item.id)
        if other and (other.box, other.text, other.declined) != (item.box, item.text, item.declined):
            raise CurateError(
                f"{path}:{number}: this proposal is in line {other.line}, too, and differs", "Delete one of the lines"
            )
        items[item.id] = item
    return [*items.values()]


def _item(line: str, number: int, path: str, *, declined: bool) -> Item:
    match = LINE.fullmatch(line)
    if match is None:
        raise CurateError(
            f"{path}:{number}: this proposal is no longer a check box",
            "Write `- [ ] ` before it, or delete the line",
        )
    if match["box"] not in (OPEN, DECLINE, *TICKED, ""):
        raise CurateError(f"{path}:{number}: '[{match['box']}]' is not a known mark", "Write [x], [ ] or [-]")
    return Item(number, match["box"] or OPEN, match["text"], match["id"], declined, path)


def boxes(tick: Iterable[str], decline: Iterable[str] = (), untick: Iterable[str] = ()) -> dict[str, str]:
    """Return what shall stand in the boxes of these proposals, by their ids."""
    return dict.fromkeys(tick, "x") | dict.fromkeys(untick, OPEN) | dict.fromkeys(decline, DECLINE)


def marked(text: str, marks: Mapping[str, str]) -> str:
    """Return a queue with other signs in the boxes of these proposals.

    >>> marked("- [ ] `#a` for [[b]] ^nw-0123456789", boxes(["0123456789"]))
    '- [x] `#a` for [[b]] ^nw-0123456789'
    """

    def box(match: re.Match[str]) -> str:
        new = marks.get(match["id"])
        return match[0].replace(f"[{match['box']}]", f"[{new}]", 1) if new else match[0]

    return "\n".join(LINE.sub(box, line) if OURS.search(line) else line for line in text.split("\n"))


@frozen
class Base:
    """The queue as Notewell wrote it last: its lines by id, and which of them were declined."""

    open: Mapping[str, str]
    declined: frozenset[str] = frozenset()


NO_BASE = Base({})


def check_ids(text: str, path: str, base: Base) -> None:
    """Raise an error that names the line of a proposal that lost its id: without it, a tick would count as declined."""
    here = {match[0].removeprefix("^nw-") for match in OURS.finditer(text)}
    written = {key: LINE.fullmatch(line) for key, line in base.open.items() if key not in here}
    lost = {match["text"]: key for key, match in written.items() if match}
    for number, line in enumerate(text.split("\n") if lost else (), start=1):
        match = BOX.fullmatch(line.rstrip(" \t\r"))
        if match and match["text"] in lost:
            raise CurateError(
                f"{path}:{number}: this proposal has lost its id, ^nw-{lost[match['text']]}",
                "Write it back at the end of the line, or delete the line",
            )


@frozen
class Renewed:
    """An updated queue: its text, the lines that Notewell wrote, and the proposals declined for good."""

    text: str
    base: Base


def renew(text: str, path: str, proposals: Sequence[Proposal], base: Base, done: Iterable[str] = ()) -> Renewed:
    """Merge what is proposed now into a queue as a person left it: three ways, line by line.

    A line that the person did not touch follows the proposal, or goes with it. One that was edited stays. One that was
    deleted is declined, unless it was `done`. Declined lines stay together at the end, and deleting one there allows
    the proposal again. A queue that is gone or empty says nothing of its lines: what was open is proposed again.
    """
    is_blank = not text.strip()
    items = {item.id: item for item in read_queue(text, path)}
    fresh, finished = {one.id: one for one in proposals}, {*done}
    missing = base.declined if is_blank else {key for key in base.open if key not in items and key not in finished}
    refused = {item.id: item.text for item in items.values() if item.declined or item.box == DECLINE}
    refused |= {key: fresh[key].text for key in sorted(missing) if key in fresh}
    kept: list[str] = []
    shown: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.rstrip("\r")
        found = LINE.fullmatch(bare) if OURS.search(bare) else None
        if found is None:
            kept.append(line)
            continue
        item = items[found["id"]]
        if item.line != number or item.id in refused or item.id in finished:
            continue
        # What was not written by us, as far as is known, is the person's.
        untouched = base.open.get(item.id) == bare
        if untouched and item.id not in fresh:
            continue
        made = fresh[item.id].line if untouched else bare
        kept.append(made + line[len(bare) :])
        # A line without a record, as on another machine, counts as edited unless it is what is proposed now.
        ours = fresh[item.id].line if item.id in fresh and not fresh[item.id].read else ""
        shown[item.id] = made if untouched else base.open.get(item.id) or ours
    new = [one for one in proposals if one.id not in shown and one.id not in refused and one.id not in finished]
    lines = _with_sections(kept, new, {key: refused[key] for key in [*refused][-MOST_DECLINED:]})
    shown |= {one.id: one.line for one in new}
    return Renewed("\n".join(lines), Base(shown, frozenset(refused)))


def _with_sections(lines: list[str], new: Sequence[Proposal], refused: Mapping[str, str]) -> list[str]:
    """Return the lines with new proposals at the end of their sections, and what is declined in the last one."""
    ending = "\r" if any(line.endswith("\r") for line in lines) else ""
    if not any(line.strip() for line in lines):
        lines = [TITLE, "", INTRO, ""]
    sections = {heading: [one.line for one in new if one.kind == kind] for kind, heading in HEADINGS.items()}
    sections[DECLINED] = [f"- [-] {text} ^nw-{key}" for key, text in refused.items()]
    for heading, more in sections.items():
        lines = _with_section(lines, heading, [line + ending for line in more], ending)
    return lines


def _with_section(lines: list[str], heading: str, more: list[str], ending: str) -> list[str]:
    """Return the lines with more at the end of a section, which is made if it is missing, or removed if it is empty."""
    start = next((at for at, line in enumerate(lines) if line.strip() == heading), None)
    if start is None:
        if not more:
            return lines
        declined = next((at for at, line in enumerate(lines) if line.strip() == DECLINED), len(lines))
        before = lines[:declined]
        while before and not before[-1].strip():
            before.pop()
        return [*before, ending, heading + ending, ending, *more, ending, *lines[declined:]]
    end = next((at for at in range(start + 1, len(lines)) if lines[at].startswith("#")), len(lines))
    inside = lines[start + 1 : end]
    if not more and not any(line.strip() for line in inside):
        return [*lines[:start], *lines[end:]]
    while inside and not inside[-1].strip():
        inside.pop()
    return [*lines[:start], lines[start], *(inside or [ending]), *more, ending, *lines[end:]]
