"""Addresses of websites that stand in a text by themselves, as links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# What ends a sentence does not end an address.
ADDRESS = re.compile(r"\bhttps?://[^\s<>\"'`]{1,2000}?(?=[.,;:!?)\]*_~]{0,20}(?:[\s<>\"'`]|\Z))")


def bare_addresses_plugin(parser: MarkdownIt) -> None:
    """Teach a parser that addresses are links.

    The plug-in for this, gfm_autolink, looks through the whole text before each colon: 40 KB of them took 4.8 s.
    """
    parser.core.ruler.push("bare_addresses", _link_addresses)


def _link_addresses(state: StateCore) -> None:
    for token in state.tokens:
        if token.children and "://" in token.content:
            token.children = list(_linked(token.children))


def _linked(tokens: Sequence[Token]) -> Iterator[Token]:
    inside = 0
    for token in tokens:
        inside += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not inside and "://" in token.content:
            yield from _split(token.content)
        else:
            yield token


def _split(text: str) -> Iterator[Token]:
    at = 0
    for match in ADDRESS.finditer(text):
        yield Token("text", "", 0, content=text[at : match.start()])
        yield Token("link_open", "a", 1, attrs={"href": match.group()})
        yield Token("text", "", 0, content=match.group())
        yield Token("link_close", "a", -1)
        at = match.end()
    yield Token("text", "", 0, content=text[at:])
