"""Markdown as HTML that is safe to show: Obsidian's syntax included, nothing of a note runs or loads anything."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urlencode

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

WIKI = re.compile(r"(!?)\[\[([^\[\]\n|#]{0,500})(?:#([^\[\]\n|]{0,500}))?(?:\|([^\[\]\n]{0,500}))?\]\]")
OUTSIDE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
REDACTED = re.compile(r"\[REDACTED:[\w-]+\]")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")

TAGS = frozenset(
    "a abbr b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p "
    "pre s samp section small span strong sub summary sup table tbody td tfoot th thead tr u ul var".split()
)
ATTRIBUTES = {
    "*": {"data-line"},
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "input": {"type", "checked", "disabled"},
    "ol": {"start"},
    "td": {"align"},
    "th": {"align"},
}
# Only these classes of ours stay: a note must not look like a part of the page.
CLASSES = {
    "a": {"missing", "outside"},
    "span": {"redacted"},
    "section": {"footnotes"},
    "li": {"task-list-item"},
    "ul": {"contains-task-list"},
}

# Where a link of the note leads: the path of a note or file, or None for a missing one.
Resolve = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a note."""

    level: int
    """From 1 to 6."""
    text: str
    """Its words."""
    line: int
    """Its line."""


def render(text: str, resolve: Resolve, first: int = 1) -> tuple[str, tuple[Heading, ...]]:
    """Return Markdown as HTML, with the lines of each block in `data-line`, and its headings.

    >>> html, (heading,) = render("# Bees\\n<script>alert(1)</script>", lambda target: None)
    >>> html, heading.line
    ('<h1 data-line="1-1">Bees</h1>\\n', 1)
    """
    env: dict[str, Any] = {"resolve": resolve}
    tokens = _parser().parse(text, env)
    for token in tokens:
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", f"{token.map[0] + first}-{max(token.map[0] + first, token.map[1] + first - 1)}")
    html = _parser().renderer.render(tokens, _parser().options, env)
    return _cleaned(REDACTED.sub(_as_redacted, html)), tuple(_headings(tokens, first))


def _as_redacted(match: re.Match[str]) -> str:
    return f'<span class="redacted">{match[0]}</span>'


def _cleaned(html: str) -> str:
    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        allowed_classes={tag: set(names) for tag, names in CLASSES.items()},
        url_schemes={"http", "https", "mailto"},
        link_rel="noreferrer noopener",
    )


def _headings(tokens: Sequence[Token], first: int) -> list[Heading]:
    pairs = zip(tokens, tokens[1:], strict=False)
    return [
        Heading(int(opening.tag[1]), REDACTED.sub("…", inline.content), (opening.map or [0])[0] + first)
        for opening, inline in pairs
        if opening.type == "heading_open"
    ]


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(tasklists_plugin)
    parser.inline.ruler.before("link", "wiki", _wiki)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("image", _image)
    return parser


def _wiki(state: StateInline, silent: bool) -> bool:
    """Read `[[note#heading|text]]` and `![[image.png]]`."""
    match = WIKI.match(state.src, state.pos)
    if not match:
        return False
    if not silent:
        embed, target, anchor, shown = match.groups("")
        label = shown or (f"{target} › {anchor}" if target and anchor else target or anchor)
        href = f"{quote(target)}#{quote(anchor)}" if anchor else quote(target)
        if embed and target.lower().endswith(IMAGES):
            token = state.push("image", "img", 0)
            token.attrs, token.content, token.children = {"src": href, "alt": ""}, label, []
        else:
            state.push("link_open", "a", 1).attrs = {"href": href}
            state.push("text", "", 0).content = label
            state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    token = tokens[index]
    href = str(token.attrGet("href") or "")
    if OUTSIDE.match(href):
        token.attrs = {"href": href, "class": "outside"}
    else:
        target, _, anchor = unquote(href).partition("#")
        path = env["resolve"](target) if target else ""
        token.attrs = {"class": "missing"} if path is None else {"href": _address(path, anchor)}
    return str(self.renderToken(tokens, index, options, env))


def _address(path: str, anchor: str) -> str:
    """Return the address of a note on the page, or of a heading of the same note."""
    query = f"?{urlencode({'part': anchor})}" if anchor else ""
    return f"/node/{quote(path)}{query}" if path else query


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    """Return an image of the vault as an image, and any other one as a link: showing it would tell its server."""
    token = tokens[index]
    source = str(token.attrGet("src") or "")
    label = token.content or source
    safe = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    if OUTSIDE.match(source):
        return f'<a class="outside" href="{quote(source, safe=":/?&=%#")}">{safe}</a>'
    path = env["resolve"](unquote(source).partition("#")[0])
    return f'<img src="/file/{quote(path)}" alt="{safe}">' if path else f'<a class="missing">{safe}</a>'
