"""The parts of a Markdown text as HTML, one function for each kind of token."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from markdown_it.token import Token

from notewell.serve.web.note_links import NoteLinks, split_address
from notewell.serve.web.obsidian import CHECKS, MEANINGS, REDACTED, SIZE, label_of
from notewell.serve.web.sanitise import OUTSIDE, attributes, escape

LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
# Attributes in raw HTML that would make an element look like ours.
OURS = re.compile(r"[\s/](?:class|title|data-[\w-]+)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.IGNORECASE)
MISSING = "There is no such note"

# What the parser hands on to these functions: `links` and `style`.
Env = MutableMapping[str, Any]


def line_range(first: int, last: int) -> str:
    """Return lines as in `data-line`.

    >>> line_range(3, 5), line_range(3, 3)
    ('3-5', '3')
    """
    return f"{first}-{last}" if last > first else str(first)


def badges(html: str) -> str:
    """Return escaped text with each `[REDACTED:rule]` in a badge.

    >>> badges("key: [REDACTED:password]")
    'key: <span class="redacted" title="A secret was removed">password</span>'
    """
    return REDACTED.sub(_as_badge, html)


def _as_badge(match: re.Match[str]) -> str:
    return f'<span class="redacted" title="A secret was removed">{match.group()[len("[REDACTED:") : -1]}</span>'


def code(text: str, first: int, language: str = "", *, kind: str = "") -> str:
    """Return code as HTML, each line by itself so that it can be marked; `first` is the number of its first line.

    >>> code("a <b>\\n", 3, "html")
    '<pre data-language="html"><code><span data-line="3">a &lt;b&gt;\\n</span></code></pre>\\n'
    """
    lines = badges(escape(text.removesuffix("\n"))).split("\n") if text else []
    spans = (f'<span data-line="{number}">{line}\n</span>' for number, line in enumerate(lines, first))
    inner = "".join(spans) if first else "\n".join(lines)
    return f"<pre{attributes(('class', kind), ('data-language', language))}><code>{inner}</code></pre>\n"


def _lines(token: Token) -> tuple[str, str]:
    return "data-line", str(token.attrGet("data-line") or "")


def _anchor(address: str | None, text: str = "", *more: tuple[str, str]) -> str:
    """Return the beginning of a link, or with a text all of it; a missing target has no address."""
    where = ("title", MISSING) if address is None else ("href", address)
    return f"<a{attributes(where, *more)}>{escape(text)}{'</a>' if text else ''}"


def _link(token: Token, env: Env) -> str:
    href = str(token.attrGet("href") or "")
    if OUTSIDE.match(href):
        return f"<a{attributes(('href', href), ('class', 'outside'))}>"
    return _anchor(env["links"].to(*split_address(href)))


def _image(token: Token, env: Env) -> str:
    """Return an image of the vault as an image, and any other one as a link: showing it would tell its server."""
    source, label = str(token.attrGet("src") or ""), token.content
    size = SIZE.fullmatch(label)
    label, width, height = (size[1] or "", size[2], size[3] or "") if size else (label, "", "")
    if OUTSIDE.match(source):
        return f"<a{attributes(('href', source), ('class', 'outside'))}>{escape(label or source)}</a>"
    target, _ = split_address(source)
    address = env["links"].to(target)
    if address is None or not address.startswith("/file/"):
        return _anchor(address, label or target)
    name = label or target.rpartition("/")[2]
    return f"<img{attributes(('src', address), ('alt', name), ('width', width), ('height', height))}>"


def _embed(token: Token, env: Env) -> str:
    """Return the text of a note in place, with a link to it; or only the link."""
    links: NoteLinks = env["links"]
    target, anchor, shown = token.meta["target"], token.meta["anchor"], token.meta["shown"]
    path = links.resolve(target) if target else None
    html = links.embed(path, anchor) if links.embed and path else None
    link = _anchor(links.to(target, anchor), shown or label_of(target, anchor))
    if html is None:
        return f"<p{attributes(_lines(token))}>{link}</p>\n"
    return f'<div{attributes(("class", "embed"), _lines(token))}>{html}<p class="source">{link}</p></div>\n'


def _check(token: Token, env: Env) -> str:
    mark = token.content
    shown = attributes(("class", "check"), ("title", MEANINGS.get(mark, "")))
    return f"<span{shown}>{escape(CHECKS.get(mark, mark))}</span> "


def _redacted(token: Token, env: Env) -> str:
    return badges(escape(token.content))


def _hashtag(token: Token, env: Env) -> str:
    address = env["links"].make(f"/search?{urlencode({'text': f'tag:{token.content}'})}")
    return _anchor(address, f"#{token.content}", ("class", "hashtag"))


def _field(token: Token, env: Env) -> str:
    return f'<span class="field">{escape(token.content)}</span> '


def _code(token: Token, env: Env) -> str:
    language = LANGUAGE.match(token.info.strip())
    # The first line of a fence is its opening.
    first = env["style"].first and (token.map or [0])[0] + env["style"].first + (token.type == "fence")
    return code(token.content, first, language.group() if language else "")


def _math(token: Token, env: Env) -> str:
    return f'<code class="math">{badges(escape(token.content.strip()))}</code>'


def _math_block(token: Token, env: Env) -> str:
    content = badges(escape(token.content.strip()))
    return f"<pre{attributes(('class', 'math'), _lines(token))}>{content}</pre>\n"


def _table(token: Token, env: Env) -> str:
    return f'<div class="scroll"><table{attributes(_lines(token))}>\n'


def _table_end(token: Token, env: Env) -> str:
    return "</table></div>\n"


def _footnote_name(token: Token, env: Env) -> str:
    return f"{env['style'].name}{token.meta['id'] + 1}"


def _footnote_mark(token: Token, env: Env) -> str:
    name = _footnote_name(token, env)
    own = "" if token.meta.get("subId", 0) else f"note-fnref{name}"
    return f"<sup>{_anchor(env['links'].make(f'#note-fn{name}'), str(token.meta['id'] + 1), ('id', own))}</sup>"


def _footnotes(token: Token, env: Env) -> str:
    return '<section class="footnotes"><ol>\n'


def _footnote(token: Token, env: Env) -> str:
    return f'<li id="note-fn{_footnote_name(token, env)}">'


def _footnote_back(token: Token, env: Env) -> str:
    if token.meta.get("subId", 0):
        return ""
    address = env["links"].make(f"#note-fnref{_footnote_name(token, env)}")
    return f" {_anchor(address, '↩', ('title', 'Back to the text'))}"


# By the type of the token; the parser's own functions make the others.
def _raw(token: Token, env: Env) -> str:
    """Return HTML that a note wrote, without what marks our own elements: a badge, or the lines of a block."""
    return OURS.sub("", token.content)


ELEMENTS: MappingProxyType[str, Callable[[Token, Env], str]] = MappingProxyType(
    {
        "html_inline": _raw,
        "html_block": _raw,
        "link_open": _link,
        "image": _image,
        "embed": _embed,
        "check": _check,
        "redacted": _redacted,
        "hashtag": _hashtag,
        "field": _field,
        "fence": _code,
        "code_block": _code,
        "math_inline": _math,
        "math_inline_double": _math,
        "math_block": _math_block,
        "table_open": _table,
        "table_close": _table_end,
        "footnote_ref": _footnote_mark,
        "footnote_block_open": _footnotes,
        "footnote_open": _footnote,
        "footnote_anchor": _footnote_back,
    }
)
