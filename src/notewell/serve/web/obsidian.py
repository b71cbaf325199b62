"""Obsidian's additions to Markdown: links, embeds, callouts, tags, tasks, highlights, fields, block names."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from notewell.index.inline import KEY
from notewell.index.links import WIKI
from notewell.index.tags import TAG

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")
REDACTED = re.compile(r"\[REDACTED:[\w-]{1,60}\]")
# Bounded, so that no text takes quadratic time.
HIGHLIGHT = re.compile(r"==(?=[^\s=])(.{1,500}?)(?<=[^\s=])==", re.DOTALL)
LINE_FIELD = re.compile(rf"{KEY}::(?=[ \t]+\S)")
INNER_FIELD = re.compile(rf"[\[(]{KEY}::[ \t]*([^\[\]()\n]{{1,500}})[\])]")
CALLOUT = re.compile(r"\[!([\w-]{1,40})[^\]\n]{0,40}\]([+-]?)[ \t]*([^\n]*)(?:\n|\Z)")
TASK = re.compile(r"\[([^\]\n])\](?:[ \t]+|\Z)")
BLOCK_NAME = re.compile(r"(?:^|(?<=\]\])|\s)\^[A-Za-z0-9-]{1,100}[ \t]*\Z")
SIZE = re.compile(r"(?:(.*)\|)?(\d{1,4})(?:x(\d{1,4}))?")
# Comments, outside of code; code comes first, so that a comment that begins inside it is none.
COMMENT = re.compile(
    r"^[ \t>]*(?P<marks>`{3,}|~{3,})[^\n]*\n(?:.*?^[ \t>]*(?P=marks)|.*\Z)"
    r"|(?<!`)(?P<ticks>`{1,20}+)(?!`)[^\n]{0,1000}?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<comment>%%.*?%%)",
    re.DOTALL | re.MULTILINE,
)
# What stands in the box of a task: its mark, unless a sign says it better.
CHECKS = {" ": "", "x": "✓", "X": "✓", "-": "–", "/": "◐"}
MEANINGS = {" ": "to do", "x": "done", "X": "done", "-": "cancelled", "/": "in progress"}


def without_comments(text: str) -> str:
    """Return a text without `%%comments%%`; every line keeps its number.

    >>> without_comments("a %%b\\nc%% d `%%e%%`")
    'a \\n d `%%e%%`'
    """
    return COMMENT.sub(_without_comment, text) if "%%" in text else text


def _without_comment(match: re.Match[str]) -> str:
    return match.group() if match["comment"] is None else "\n" * match.group().count("\n")


def obsidian_plugin(parser: MarkdownIt) -> None:
    """Teach a parser Obsidian's syntax."""
    rules = {"redacted": _redacted, "wiki": _wiki, "inner_field": _inner_field, "hashtag": _hashtag}
    for name, rule in rules.items():
        parser.inline.ruler.before("link", name, rule)
    parser.inline.ruler.before("emphasis", "highlight", _highlight)
    parser.inline.ruler.before("text", "line_field", _line_field)
    parser.core.ruler.after("block", "obsidian", _reshape)


def _redacted(state: StateInline, silent: bool) -> bool:
    match = REDACTED.match(state.src, state.pos)
    if not match:
        return False
    if not silent:
        state.push("redacted", "", 0).content = match.group()
    state.pos = match.end()
    return True


def _wiki(state: StateInline, silent: bool) -> bool:
    """Read `[[note#heading|text]]` and `![[image.png|300]]`."""
    match = WIKI.match(state.src, state.pos)
    if not match:
        return False
    target, anchor, shown = _parts(match)
    if not silent and match[1] and target.lower().endswith(IMAGES):
        token = state.push("image", "img", 0)
        token.attrs, token.content, token.children = {"src": quote(target)}, shown or target, []
        token.meta = {"sized": shown}
    elif not silent:
        state.push("link_open", "a", 1).attrs = {"href": f"{quote(target)}{anchor and '#'}{quote(anchor)}"}
        state.push("text", "", 0).content = shown or label_of(target, anchor)
        state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _parts(match: re.Match[str]) -> tuple[str, str, str]:
    """Return the target, the anchor and the text of a wikilink, as the index reads them."""
    _, target, anchor, shown = match.groups(default="")
    return target.strip().rstrip("\\").strip(), anchor.lstrip("#").strip().rstrip("\\"), shown.strip()


def label_of(target: str, anchor: str) -> str:
    """Return what a link without a text shows.

    >>> label_of("Bees", "In winter"), label_of("", "^a1"), label_of("Bees", "^a1")
    ('Bees › In winter', 'this block', 'Bees')
    """
    if anchor.startswith("^"):
        return target or "this block"
    return " › ".join(filter(None, (target, *anchor.split("#"))))


def label_in(match: re.Match[str]) -> str:
    """Return what the wikilink of a match shows.

    >>> WIKI.sub(label_in, "[[Bees|honey]] and [[Rye]]")
    'honey and Rye'
    """
    target, anchor, shown = _parts(match)
    return shown or label_of(target, anchor)


def _hashtag(state: StateInline, silent: bool) -> bool:
    match = TAG.match(state.src, state.pos) if state.src[state.pos] == "#" and not state.linkLevel else None
    if not match:
        return False
    if not silent:
        state.push("hashtag", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _highlight(state: StateInline, silent: bool) -> bool:
    match = HIGHLIGHT.match(state.src, state.pos, state.posMax) if state.src.startswith("==", state.pos) else None
    if not match:
        return False
    if not silent:
        _nested(state, "mark", match.span(1))
    state.pos = match.end()
    return True


def _inner_field(state: StateInline, silent: bool) -> bool:
    match = INNER_FIELD.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push("field", "", 0).content = match[1]
        _nested(state, "span", match.span(2))
    state.pos = match.end()
    return True


def _line_field(state: StateInline, silent: bool) -> bool:
    at_start = state.pos == 0 or state.src[state.pos - 1] == "\n"
    match = LINE_FIELD.match(state.src, state.pos) if at_start else None
    if not match:
        return False
    if not silent:
        state.push("field", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _nested(state: StateInline, tag: str, span: tuple[int, int]) -> None:
    """Add an element whose text is parsed like the text around it."""
    end = state.posMax
    state.push(f"{tag}_open", tag, 1)
    state.pos, state.posMax = span
    state.md.inline.tokenize(state)
    state.posMax = end
    state.push(f"{tag}_close", tag, -1)


def _reshape(state: StateCore) -> None:
    """Make callouts of quotes, tasks of list items and embeds of paragraphs; take the names of blocks away."""
    made: list[Token] = []
    # The tag of each open quote; empty for a quote that is no callout.
    quotes: list[str] = []
    rest = deque(state.tokens)
    while rest:
        token = rest.popleft()
        if token.type == "blockquote_open":
            quotes.append(_open_callout(token, made, rest))
        elif token.type == "blockquote_close":
            tag = quotes.pop()
            token.type, token.tag = ("callout_close", tag) if tag else (token.type, token.tag)
            made.append(token)
        elif token.type == "list_item_open":
            made.append(token)
            _open_task(token, made, rest)
        elif token.type == "inline":
            token.content = BLOCK_NAME.sub("", token.content)
            _add_text(token, made, rest)
        else:
            made.append(token)
    state.tokens = made


def _first_text(rest: deque[Token]) -> Token | None:
    """Return the text of the paragraph that comes next, if one does."""
    is_paragraph = len(rest) > 1 and rest[0].type == "paragraph_open" and rest[1].type == "inline"
    return rest[1] if is_paragraph else None


def _open_callout(token: Token, made: list[Token], rest: deque[Token]) -> str:
    """Add the beginning of a callout with its title, and return its tag; a plain quote has none."""
    inline = _first_text(rest)
    match = CALLOUT.match(inline.content) if inline else None
    if inline is None or match is None:
        made.append(token)
        return ""
    kind, fold, title = match[1].lower(), match[2], match[3].strip()
    line = (inline.map or [0])[0]
    tag, heading = ("details", "summary") if fold else ("div", "div")
    opening = _token("callout_open", tag, 1, line=token.map)
    opening.attrs = {"class": "callout", "data-callout": kind} | ({"open": ""} if fold == "+" else {})
    titled = _token("callout_title_open", heading, 1, line=[line, line + 1])
    titled.attrs = {"class": "callout-title"}
    text = _token("inline", content=title or kind.replace("-", " ").capitalize(), line=[line, line + 1])
    text.children = []
    made += [opening, titled, text, _token("callout_title_close", heading, -1)]
    # The rest of the first paragraph stays, one line further down.
    inline.content = inline.content[match.end() :]
    rest[0].map = inline.map = [line + 1, max(line + 2, (inline.map or [0, 0])[1])]
    return tag


def _open_task(item: Token, made: list[Token], rest: deque[Token]) -> None:
    inline = _first_text(rest)
    match = TASK.match(inline.content) if inline else None
    if inline and match:
        item.attrSet("class", "task")
        inline.content = inline.content[match.end() :]
        made += [rest.popleft(), _token("check", content=match[1])]


def _add_text(token: Token, made: list[Token], rest: deque[Token]) -> None:
    """Add the text of a block; a paragraph that is empty by now goes, one of embeds becomes these."""
    embeds = list(_embeds(token))
    if made[-1].type == "paragraph_open" and (embeds or not token.content.strip()):
        made[-1:] = embeds
        rest.popleft()
    else:
        made.append(token)


def _embeds(inline: Token) -> Iterator[Token]:
    """Yield the embeds of a paragraph that contains nothing else."""
    matches = [WIKI.fullmatch(line.strip()) for line in inline.content.split("\n")]
    if not all(match and match[1] and not _parts(match)[0].lower().endswith(IMAGES) for match in matches):
        return
    for match in filter(None, matches):
        target, anchor, shown = _parts(match)
        token = _token("embed", line=inline.map)
        token.meta = {"target": target, "anchor": anchor, "shown": shown}
        yield token


def _token(
    kind: str, tag: str = "", nesting: Literal[-1, 0, 1] = 0, *, content: str = "", line: list[int] | None = None
) -> Token:
    token = Token(kind, tag, nesting)
    token.block, token.content, token.map = True, content, line
    return token
