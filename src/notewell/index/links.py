"""Links as notes write them: wikilinks, embeds, Markdown links in all their forms, links in front matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from notewell.index.mask_code import IndentedCode, blank_unlinked
from notewell.types.note import Link, Note

# Lengths are bounded, so that no line makes the pattern take quadratic time.
WIKI = re.compile(r"(!?)\[\[([^\[\]\n|#^]{0,500})(?:([#^][^\[\]\n|]{0,500}))?(?:\|([^\[\]\n]{0,500}))?\]\]")
ADDRESS = r"(?:<([^<>\n]{1,1000})>|([^()\s<>]{1,1000}(?:\([^()\s]{0,200}\)[^()\s<>]{0,200}){0,8}))"
MARKDOWN = re.compile(
    rf"(!?)\[([^\[\]\n]{{0,500}})\]\([ \t]{{0,8}}{ADDRESS}(?:[ \t]{{1,8}}[\"'(][^\n)]{{0,300}})?[ \t]{{0,8}}\)"
)
# `[label]: address "title"` on its own line; a footnote looks similar.
DEFINITION = re.compile(
    rf"^ {{0,3}}\[(?!\^)([^\[\]\n]{{1,200}})\]:[ \t]{{0,8}}{ADDRESS}(?:[ \t]{{1,8}}[\"'(][^\n]{{0,300}})?[ \t\r]*$",
    re.MULTILINE,
)
# `[text][label]`, `[label][]` or `[label]`: links if the label is defined.
REFERENCE = re.compile(r"(!?)(?<!\[)\[([^\[\]\n]{1,500})\](?:\[([^\[\]\n]{0,200})\])?(?![\[\](:])")
# A scheme (https:, mailto:) or // leads out of the vault; lines of a note (`Bees.md:12`) only look like one.
OUTSIDE = re.compile(r"(?![^/:]*\.(?:md|markdown):\d+(?:-\d*)?$)[a-zA-Z][a-zA-Z0-9+.-]*:|//")
# Line numbers after a file name, which are not part of the name.
LINES = re.compile(r"(?<=\w):\d{1,7}(?:-\d{0,7})?$")
SUFFIX = re.compile(r"\.\w{1,10}:")


class LinkSpan(NamedTuple):
    """A link and its offset."""

    start: int
    end: int
    link: Link


def body_links(note: Note, code: Iterable[tuple[int, int]]) -> list[Link]:
    """Return the links in the note's body, in order; code, comments and formulas contain none."""
    if not any(sign in note.text for sign in ("[[", "](", "]:")):
        return []
    text = blank_unlinked(note.text, code)
    found = [*_wiki_links(text, note.body), *_markdown_links(text, note.body), *_reference_links(text, note.body)]
    indented = IndentedCode(note.text, note.body)
    return [
        _placed(link, note.line_at(start), note.text[start:end])
        for start, end, link in sorted(found, key=lambda each: each.start)
        if not indented.holds(start)
    ]


def field_links(note: Note) -> list[Link]:
    """Return the links in any value of the note's front matter, with their lines."""
    links, at = [], -1
    for text in _link_texts(note.fields):
        for start, end, link in (*_wiki_links(text, 0), *_markdown_links(text, 0)):
            at = _place_in_front(note, text[start:end], at)
            links.append(_placed(link, note.line_at(max(0, at)), text[start:end]))
    return links


def _place_in_front(note: Note, written: str, last: int) -> int:
    """Return the offset of a link in front matter, after the `last` one; YAML changes quotes, and spaces in lists."""
    for text in (written, written.replace("'", "''"), written.replace(", ", ",")):
        if (place := note.text.find(text, last + 1, note.body)) >= 0:
            return place
    return last


def _placed(link: Link, line: int, written: str) -> Link:
    """Return a link with its line, and with its original form if that cannot be rebuilt from its parts."""
    raw = "" if link.written == written else written
    return Link(link.target, line, link.kind, link.anchor, link.text, link.embed, raw)


def _link_texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a value; YAML reads an unquoted [[Bees]] as a list in a list.

    >>> list(_link_texts({"up": [["Bees"]], "related": [{"note": "[[Rye]]"}]}))
    ['[[Bees]]', '[[Rye]]']
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _link_texts(item)
    elif isinstance(value, list) and depth and value and all(isinstance(item, str) for item in value):
        yield f"[[{', '.join(value)}]]"
    elif isinstance(value, list):
        for item in value:
            yield from _link_texts(item, depth + 1)


def _wiki_links(text: str, start: int) -> Iterator[LinkSpan]:
    # Searching for a fixed character first is many times faster than trying the pattern at every bracket.
    for match in WIKI.finditer(text, start) if "[[" in text else ():
        embed, target, anchor, alias = match.groups(default="")
        # Inside a table the bar is escaped: [[Note\|alias]].
        target, anchor = target.strip().rstrip("\\").strip(), anchor.lstrip("#").strip().rstrip("\\")
        if target or anchor:
            yield LinkSpan(*match.span(), Link(target, 1, "wiki", anchor, alias.strip(), embed == "!"))


def _markdown_links(text: str, start: int) -> Iterator[LinkSpan]:
    for match in MARKDOWN.finditer(text, start) if "](" in text else ():
        embed, called, bracketed, plain = match.groups()
        if link := _to_address(bracketed or plain, called, embed):
            yield LinkSpan(*match.span(), link)


def _reference_links(text: str, start: int) -> Iterator[LinkSpan]:
    """Yield the links whose address is defined elsewhere in the note, if it is inside the vault."""
    defined: dict[str, str] = {}
    for match in DEFINITION.finditer(text, start) if "]:" in text else ():
        label, bracketed, plain = match.groups()
        defined.setdefault(_label(label), bracketed or plain)
    defined = {label: address for label, address in defined.items() if not OUTSIDE.match(address)}
    for match in REFERENCE.finditer(text, start) if defined else ():
        embed, called, label = match.groups()
        address = defined.get(_label(label or called))
        if address and (link := _to_address(address, called, embed)):
            yield LinkSpan(*match.span(), link)


def _label(written: str) -> str:
    return " ".join(written.casefold().split())


def _to_address(address: str, text: str, embed: str) -> Link | None:
    """Return the link to an address; None if it leads out of the vault or nowhere.

    >>> _to_address("C%23%20notes.md?view=1#top", "x", "")
    Link(target='C# notes.md', line=1, kind='markdown', anchor='top', text='x', embed=False, raw='')
    """
    if OUTSIDE.match(address):
        return None
    # `#` and `?` in a name are encoded, so the address is split before it is decoded.
    path, _, anchor = address.partition("#")
    target = unquote(path.partition("?")[0])
    if SUFFIX.search(target):
        target = LINES.sub("", target)
    return Link(target, 1, "markdown", unquote(anchor), text.strip(), embed == "!") if target or anchor else None
