"""What HTML of a note may contain, written down once more, and a check of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from notewell.files.control_chars import HIDDEN

TAGS = """a abbr b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol
p pre s samp section small span strong sub summary sup table tbody td tfoot th thead tr u ul var"""
DESCRIBED = {"class", "data-line", "data-callout", "data-language", "data-speaker", "title", "alt", "rel", "id", "open"}
SIZED = {"width", "height", "start", "colspan", "rowspan", "scope"}
# The classes that style notes; none of them is used by the page itself.
CLASSES = """outside hashtag math callout callout-title embed scroll aside task source heading plain numbered footnotes
part turn redacted check field"""
FOLLOWED = re.compile(r"https?:|mailto:|//|\\|/[\\]|/node/|/file/|/search\?text=tag|\?(?:part=|$)|#note-fn")


class Elements(HTMLParser):
    """Every element of an HTML text, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def check_safe(html: str) -> None:
    """Fail for anything that runs, loads, is sent, or looks like a part of the page."""
    for tag, attributes in Elements(html).found:
        assert tag in TAGS.split(), tag
        assert attributes.keys() <= DESCRIBED | SIZED | {"href", "src"}, attributes
        assert set(attributes.get("class", "").split()) <= set(CLASSES.split()), attributes
        assert "src" not in attributes or (tag == "img" and attributes["src"].startswith("/file/")), attributes
        assert "href" not in attributes or (tag == "a" and FOLLOWED.match(attributes["href"])), attributes
        assert re.fullmatch(r"note-fn(?:ref)?[\w:-]+|", attributes.get("id", "")), attributes
    assert not HIDDEN.search(html), HIDDEN.findall(html)
