"""Links as notes write them: wikilinks, embeds, relative Markdown links, links in front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from notewell.types import Link, Note

WIKI = re.compile(r"(!?)\[\[([^\[\]\n|#^]*)(?:([#^][^\[\]\n|]*))?(?:\|([^\[\]\n]*))?\]\]")
MARKDOWN = re.compile(r"(!?)\[([^\[\]\n]*)\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+[\"'(][^\n)]*)?\s*\)")
INLINE_CODE = re.compile(r"(`+)[^`\n]+\1")
# A scheme (https:, mailto:) or // leads out of the vault.
OUTSIDE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


def body_links(note: Note, code: Iterator[tuple[int, int]]) -> list[Link]:
    """Return the links in the note's body, in order; what stands in code is no link."""
    if "[[" not in note.text and "](" not in note.text:
        return []
    text = _without_code(note.text, code)
    found = [(match.start(), _wiki_link(match)) for match in _matches(WIKI, "[[", text, note.body)]
    found += [
        (match.start(), _markdown_link(match))
        for match in _matches(MARKDOWN, "](", text, note.body)
        if not OUTSIDE.match(match.group(3))
    ]
    lines = [(note.line_at(offset), link) for offset, link in sorted(found, key=lambda item: item[0])]
    return [
        Link(link.target, line, link.kind, link.anchor, link.text) for line, link in lines if link.target or link.anchor
    ]


def field_links(fields: Mapping[str, Any]) -> Iterator[Link]:
    """Yield the wikilinks written in front matter, as text or in lists.

    >>> [link.target for link in field_links({"related": ["[[Bees]]"], "up": "[[Garden]]"})]
    ['Bees', 'Garden']
    """
    for value in fields.values():
        for item in value if isinstance(value, list) else [value]:
            # YAML reads an unquoted [[Bees]] as a list in a list.
            text = f"[[{item[0]}]]" if isinstance(item, list) and len(item) == 1 else item
            for match in WIKI.finditer(text) if isinstance(text, str) else ():
                link = _wiki_link(match)
                yield Link(link.target, 1, "field", link.anchor, link.text)


def _matches(pattern: re.Pattern[str], sign: str, text: str, start: int) -> Iterator[re.Match[str]]:
    # Looking for a fixed sign first is many times faster than trying the pattern at every bracket.
    return pattern.finditer(text, start) if sign in text else iter(())


def _wiki_link(match: re.Match[str]) -> Link:
    embed, target, anchor, alias = match.groups(default="")
    # Inside a table the bar is escaped: [[Note\|alias]].
    return Link(target.strip().rstrip("\\"), 1, "embed" if embed else "wiki", _anchor(anchor), alias.strip())


def _markdown_link(match: re.Match[str]) -> Link:
    embed, words, address = match.groups()
    target, _, anchor = unquote(address).partition("#")
    return Link(target, 1, "embed" if embed else "markdown", anchor, words.strip())


def _anchor(written: str) -> str:
    return written.lstrip("#").strip().rstrip("\\")


def _without_code(text: str, code: Iterator[tuple[int, int]]) -> str:
    """Return the text with code blanked out, every other character in its place."""
    if "`" not in text and "~~~" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end in code:
        parts += text[at:start], " " * (end - start)
        at = end
    blanked = "".join((*parts, text[at:]))
    return INLINE_CODE.sub(lambda match: " " * len(match.group()), blanked)
