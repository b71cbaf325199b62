"""Links as notes write them: wikilinks, embeds, relative Markdown links, links in front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from notewell.types import Link, Note

# Lengths are bounded, so that no line, however odd, is tried again from each of its characters to its end.
WIKI = re.compile(r"(!?)\[\[([^\[\]\n|#^]{0,500})(?:([#^][^\[\]\n|]{0,500}))?(?:\|([^\[\]\n]{0,500}))?\]\]")
MARKDOWN = re.compile(
    r"(!?)\[([^\[\]\n]{0,500})\]\([ \t]{0,8}"
    r"(?:<([^<>\n]{1,1000})>|([^()\s<>]{1,1000}(?:\([^()\s]{0,200}\)[^()\s<>]{0,200}){0,8}))"
    r"(?:[ \t]{1,8}[\"'(][^\n)]{0,300})?[ \t]{0,8}\)"
)
INLINE_CODE = re.compile(r"(?<!`)(`{1,20})(?!`)[^\n]{0,1000}?[^`\n]\1(?!`)")
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
        if not OUTSIDE.match(_address(match))
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
        for text in _link_texts(value):
            for match in WIKI.finditer(text):
                link = _wiki_link(match)
                yield Link(link.target, 1, "field", link.anchor, link.text)


def _link_texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a value; YAML reads an unquoted [[Bees]] as a list in a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth and value and all(isinstance(item, str) for item in value):
        yield f"[[{', '.join(value)}]]"
    elif isinstance(value, list):
        for item in value:
            yield from _link_texts(item, depth + 1)


def _matches(pattern: re.Pattern[str], sign: str, text: str, start: int) -> Iterator[re.Match[str]]:
    # Looking for a fixed sign first is many times faster than trying the pattern at every bracket.
    return pattern.finditer(text, start) if sign in text else iter(())


def _wiki_link(match: re.Match[str]) -> Link:
    embed, target, anchor, alias = match.groups(default="")
    # Inside a table the bar is escaped: [[Note\|alias]].
    return Link(target.strip().rstrip("\\").strip(), 1, "embed" if embed else "wiki", _anchor(anchor), alias.strip())


def _markdown_link(match: re.Match[str]) -> Link:
    target, _, anchor = unquote(_address(match)).partition("#")
    return Link(target, 1, "embed" if match[1] else "markdown", anchor, match[2].strip())


def _address(match: re.Match[str]) -> str:
    """Return where a Markdown link leads, written in angle brackets or not."""
    return str(match[3] or match[4])


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
