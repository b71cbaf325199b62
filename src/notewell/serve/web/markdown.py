"""Markdown as HTML that is safe to show: nothing of a note runs, and nothing but images of the vault is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from notewell.files.control_chars import escaped
from notewell.frozen import frozen
from notewell.serve.web.bare_addresses import bare_addresses_plugin
from notewell.serve.web.elements import ELEMENTS, Env, line_range
from notewell.serve.web.note_links import NoteLinks
from notewell.serve.web.obsidian import obsidian_plugin, without_comments
from notewell.serve.web.sanitise import sanitised


@frozen
class Heading:
    """A heading of a note."""

    level: int
    """From 1 to 6."""
    text: str
    """Its words."""
    line: int
    """Its line."""


@frozen
class Style:
    """How a text is rendered: the number of its first line, or 0 for no lines; line breaks; headings."""

    first: int = 1
    # Obsidian shows a line break in a paragraph as one.
    breaks: bool = False
    # Headings of an embed are not headings of the page.
    headings: bool = True
    # Tells the footnotes of one text from those of another.
    name: str = ""


PLAIN = Style()


def render(text: str, links: NoteLinks, style: Style = PLAIN) -> tuple[str, tuple[Heading, ...]]:
    """Return Markdown as HTML, with the lines of each block in `data-line`, and its headings.

    >>> html, (heading,) = render("# Bees\\n<script>alert(1)</script>", NoteLinks(lambda target: None))
    >>> html, heading.line
    ('<h1 data-line="1">Bees</h1>\\n', 1)
    """
    parser, env = _parser(style.breaks), {"links": links, "style": style}
    # A lone \r, which is a line end for the parser and not for us, is escaped with the hidden characters.
    tokens = parser.parse(without_comments(escaped(text)), env)
    headings = tuple(_headings(tokens, style.first))
    for token in tokens:
        _place(token, style)
    return sanitised(parser.renderer.render(tokens, parser.options, env), links.judge), headings


def _place(token: Token, style: Style) -> None:
    """Give a token its lines, and the tag its style wants."""
    if style.first and token.map and token.nesting >= 0:
        token.attrSet("data-line", line_range(token.map[0] + style.first, token.map[1] + style.first - 1))
    if "style" in token.attrs:
        # The alignment of a column: no note has styles of its own.
        token.attrSet("align", str(token.attrs.pop("style")).rpartition(":")[2])
    if not style.headings and token.type in ("heading_open", "heading_close"):
        token.tag = "p"
        if token.nesting > 0:
            token.attrSet("class", "heading")


def _headings(tokens: Sequence[Token], first: int) -> Iterator[Heading]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            yield Heading(int(opening.tag[1]), _words(inline.children or ()), (opening.map or [0])[0] + first)


def _words(tokens: Sequence[Token]) -> str:
    """Return the words of a heading."""
    hidden = {"redacted": "…", "html_inline": ""}
    return "".join(hidden.get(token.type, token.content) for token in tokens).strip()


@cache
def _parser(breaks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "breaks": breaks}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(bare_addresses_plugin).use(obsidian_plugin)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    for kind, make in ELEMENTS.items():
        parser.add_render_rule(kind, _rule(make))
    return parser


def _rule(make: Callable[[Token, Env], str]) -> Callable[..., str]:
    """Return a function as the parser calls it."""

    def rule(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Env) -> str:
        return make(tokens[index], env)

    return rule
