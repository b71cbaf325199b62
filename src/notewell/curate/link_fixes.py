"""Broken links that can mean one note only, and the edit that mends one."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from urllib.parse import quote

from notewell.curate.tag_edits import TextEdit, note_of, with_edits
from notewell.curate.tag_report import TYPO, similar_tags
from notewell.errors import NoteError
from notewell.frozen import frozen
from notewell.graph.link_report import NO_NOTE, NoteLink
from notewell.index.links import MARKDOWN, WIKI
from notewell.names.paths import last_name
from notewell.vault import Vault

# Names that differ in one letter are different things more often than not (Silver, Sliver), but not long ones of
# several words: of 50 such links of zettelkasten-13419, nearly all to shorter names were wrong.
LONG = 12
SAME_NAME = "the same name elsewhere"


@frozen
class LinkFix:
    """A broken link as it is written, and as it should be."""

    path: str
    """The note that holds it."""
    line: int
    """Its line."""
    written: str
    """The link as it is written."""
    new: str
    """The link to the only note that it can mean."""
    to: str
    """That note."""
    why: str = ""
    """What the two names have in common."""


def find_link_fixes(vault: Vault, most: int, wanted: Callable[[LinkFix], bool] = bool) -> list[LinkFix]:
    """Return the broken links with exactly one note of a similar name, each once for a note."""
    found: dict[tuple[str, str], LinkFix] = {}
    for fix in _fixes(vault.links(broken=True, to="notes").links):
        if wanted(fix):
            found.setdefault((fix.path, fix.written), fix)
        if len(found) == most:
            break
    return [*found.values()]


def _fixes(links: tuple[NoteLink, ...]) -> Iterator[LinkFix]:
    for link in links:
        if link.problem != NO_NOTE:
            continue
        alike = [(path, why) for path in link.near if (why := alike_because(link.target, path))]
        if len(alike) == 1 and (new := mended(link, alike[0][0])):
            yield LinkFix(link.path, link.line, link.written, new, *alike[0])


def alike_because(target: str, path: str) -> str:
    """Return what the target of a link and the name of a note have in common; empty if they mean different things.

    >>> alike_because("Bee hive", "Garden/bee-hives.md"), alike_because("River", "Don River.md")
    ('singular and plural', '')
    >>> alike_because("TLS 1.0", "TLS 1.3.md")
    ''
    """
    names = [last_name(name).removesuffix(".md").casefold() for name in (target, path)]
    if names[0] == names[1]:
        return SAME_NAME
    why = next((pair.why for pair in similar_tags(dict.fromkeys(names, 1))), "")
    return "" if why == TYPO and not all(" " in name and len(name) >= LONG for name in names) else why


def mended(link: NoteLink, to: str) -> str:
    """Return a broken link with another target; empty if it is written in a way that is left to the person.

    >>> link = NoteLink("a/b.md", "Bee hive", 1, "wiki", "Top", "hives", False, "[[Bee hive#Top|hives]]")
    >>> mended(link, "c/Bee hives.md")
    '[[c/Bee hives#Top|hives]]'
    """
    bare = to.removesuffix(".md")
    if WIKI.fullmatch(link.written) and not {*bare} & {*"[]|#^\n"}:
        start = link.written.index("[[") + 2
        end = start + len(WIKI.fullmatch(link.written)[2])  # type: ignore[index]
        return link.written[:start] + bare + link.written[end:]
    match = MARKDOWN.fullmatch(link.written)
    if match is None or match.end(2) < 0:
        return ""
    group = 3 if match[3] else 4
    old = match[group].partition("#")
    relative = quote(posixpath.relpath(to, posixpath.dirname(link.path) or "."))
    return link.written[: match.start(group)] + relative + "".join(old[1:]) + link.written[match.end(group) :]


def link_edits(path: str, text: str, line: int, written: str, new: str) -> list[TextEdit]:
    """Return the edit that mends a link in its line, or else where it stands alone; none if it is mended already.

    A note in which that is not safe raises `NoteError`.
    """
    if not WIKI.fullmatch(new) and not MARKDOWN.fullmatch(new):
        raise NoteError(f"{new} is not a link", "Write it as a link, or delete the proposal")
    at = _place(text, line, written)
    if at < 0:
        if new in text:
            return []
        raise NoteError(f"{written} is no longer there", "Find it, or delete the proposal")
    edits = [TextEdit(at, at + len(written), new)]
    before, after = note_of(path, text), note_of(path, with_edits(text, edits))
    if (
        len(before.links) != len(after.links)
        or before.tags != after.tags
        or before.fields.keys() != after.fields.keys()
    ):
        raise NoteError("the link cannot be mended safely", "Mend it by hand")
    return edits


def _place(text: str, line: int, written: str) -> int:
    """Return where a link stands: in its line, or anywhere if it is there once."""
    lines = text.split("\n")
    if 1 <= line <= len(lines) and (column := lines[line - 1].find(written)) >= 0:
        return sum(len(one) + 1 for one in lines[: line - 1]) + column
    return text.find(written) if text.count(written) == 1 else -1
