"""The only HTML that a note may have: no script, style, form or frame, no address that a browser loads by itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import nh3

from notewell.files.control_chars import escaped

IN_LINES = {"a", "abbr", "b", "br", "code", "del", "em", "i", "img", "ins", "kbd", "mark", "s", "samp", "small", "span"}
IN_LINES |= {"strong", "sub", "sup", "u", "var"}
BLOCKS = {"blockquote", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p"}
BLOCKS |= {"pre", "section", "summary", "ul"}
TABLES = {"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
TAGS = frozenset(IN_LINES | BLOCKS | TABLES)
ATTRIBUTES = {
    "*": frozenset({"data-line", "title"}),
    "a": frozenset({"href"}),
    "img": frozenset({"src", "alt", "width", "height"}),
    "ol": frozenset({"start"}),
    "td": frozenset({"colspan", "rowspan", "align"}),
    "th": frozenset({"colspan", "rowspan", "scope", "align"}),
    "div": frozenset({"data-callout"}),
    "details": frozenset({"open", "data-callout"}),
    "pre": frozenset({"data-language"}),
    "section": frozenset({"data-speaker"}),
}
# Only these classes, which style notes and nothing else: a note must not look like a part of the page.
CLASSES = {
    "a": frozenset({"outside", "hashtag"}),
    "code": frozenset({"math"}),
    "div": frozenset({"callout", "callout-title", "embed", "scroll"}),
    "details": frozenset({"callout", "aside"}),
    "li": frozenset({"task"}),
    "p": frozenset({"source", "heading"}),
    "pre": frozenset({"math", "plain", "numbered"}),
    "section": frozenset({"footnotes", "part", "turn"}),
    "span": frozenset({"redacted", "check", "field"}),
    "summary": frozenset({"callout-title"}),
}
# Schemes of links that a click may follow. Addresses without a scheme were made by us, or are resolved by us.
SCHEMES = frozenset({"http", "https", "mailto"})
OUTSIDE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|\\\\|/\\|\\/")
FOOTNOTE = re.compile(r'id="(note-fn[\w:-]{1,40})"')

# Elements inside each other that a browser and the sanitiser still handle quickly; the time grows with the square.
DEEPEST = 300
ELEMENT = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
# Elements that are closed by themselves, if nobody does.
SELF_CLOSED = TABLES - {"table"} | {"br", "col", "dd", "dt", "hr", "img", "input", "li", "option", "p", "wbr"}

# Returns what the address of a link (`a`) or an image (`img`) becomes, or None to leave it out.
Address = Callable[[str, str], str | None]


def sanitised(html: str, address: Address) -> str:
    """Return HTML of a note that is safe to show, hidden characters escaped; `address` judges links and images.

    >>> sanitised('<p onclick="x()">Rye<script>x()</script> <a href="javascript:x()">a</a></p>', lambda kind, to: to)
    '<p>Rye <a rel="noreferrer noopener">a</a></p>'
    """

    def judged(tag: str, attribute: str, value: str) -> str | None:
        return address(tag, value) if attribute in ("href", "src") else value

    if is_too_deep(html):
        return escaped(f'<pre class="plain">{escape(html)}</pre>')
    ids = frozenset(FOOTNOTE.findall(html))
    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        attributes=_sets(ATTRIBUTES),
        allowed_classes=_sets(CLASSES),
        tag_attribute_values={"li": {"id": set(ids)}, "a": {"id": set(ids)}} if ids else None,
        attribute_filter=judged,
        url_schemes=set(SCHEMES),
        link_rel="noreferrer noopener",
    )
    # Also those that were entities: `&#x202e;`.
    return escaped(cleaned)


def is_too_deep(html: str) -> bool:
    """Tell whether more elements are inside each other than any note needs.

    >>> is_too_deep("<b>rye</b>" * 999), is_too_deep("<div>" * 999)
    (False, True)
    """
    depth = 0
    for closes, name in ELEMENT.findall(html):
        if name.lower() not in SELF_CLOSED:
            depth = max(0, depth - 1) if closes else depth + 1
            if depth > DEEPEST:
                return True
    return False


def _sets(values: dict[str, frozenset[str]]) -> dict[str, set[str]]:
    return {key: set(inner) for key, inner in values.items()}


def attributes(*pairs: tuple[str, str]) -> str:
    """Return attributes as HTML, without the empty ones.

    >>> attributes(("class", "embed"), ("title", ""), ("alt", '<"'))
    ' class="embed" alt="&lt;&quot;"'
    """
    return "".join(f' {name}="{escape(value)}"' for name, value in pairs if value)


def escape(text: str) -> str:
    """Return a text as HTML.

    >>> escape('a < "b" & c')
    'a &lt; &quot;b&quot; &amp; c'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
