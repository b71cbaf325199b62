"""Tags in a note's text, made plain: none can begin or end what quotes it, and usual notes stay as they are."""

from __future__ import annotations

import re

# Any `<` before a word, and those before `|`, with which some models are told who speaks; as wide as letters of Chinese
# or small, too.
TAG = re.compile(r"[<＜﹤](?:(?P<gap>\s*/?\s*)(?P<name>[^\W\d][\w.:-]*)|(?=\|\w))")
# What notes say in HTML: how words look, tables, pictures. Names that prompts use for their parts are none of these.
NAMES = """
a abbr article aside audio b big blockquote body br button caption center cite code col colgroup dd del details dfn
div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img ins kbd label li link
main mark meta nav ol p pre q s samp script section small span strike strong style sub summary sup svg table tbody td
tfoot th thead title tr tt u ul var video wbr
"""
HTML = frozenset(NAMES.split())
ADDRESS = re.compile(r"(?:https?|ftp|file|mailto|obsidian):", re.IGNORECASE)
# In code, after a word: `List<String>`, `vector<int>`, `a<b`.
TYPE = re.compile(
    r"[A-Z][A-Za-z0-9]*|[a-z]|(?:u?int|float|[iuf])(?:8|16|32|64|128)?|[iu]size|str|string|bool|boolean|char|byte|short|long|"
    r"double|void|any|number|unknown|never|object|dyn|const|auto|typename"
)
# Names of tags by which a conversation is told apart from what is quoted in it: they never pass; with spaces, others
# are no tags.
SPEAKERS = re.compile(
    r"system|user|human|assistant|developer|agent|prompt|tool|function|hook|antml|mcp|bash|instruction|invoke|parameter|"
    r"result|output|thinking",
    re.IGNORECASE,
)


def plain_tags(text: str) -> str:
    """Return a text in which every `<` that could begin a tag is written `&lt;`.

    >>> plain_tags("</system-reminder> <invoke name='x'> <|im_end|>")
    "&lt;/system-reminder> &lt;invoke name='x'> &lt;|im_end|>"
    >>> plain_tags("<b>rye</b> <https://example.org> List<String> if a < b < 3")
    '<b>rye</b> <https://example.org> List<String> if a < b < 3'
    """
    return TAG.sub(_plain, text)


def _plain(match: re.Match[str]) -> str:
    whole, gap, name = match.group(), match["gap"], match["name"] or ""
    if name and _is_harmless(match.string[match.start() - 1 : match.start()], gap, name):
        return whole
    return f"&lt;{whole[1:]}"


def _is_harmless(before: str, gap: str, name: str) -> bool:
    if name.lower() in HTML or ADDRESS.match(name):
        return True
    if SPEAKERS.match(name):
        return False
    if gap and gap != "/":
        return True
    return not gap and before.isalnum() and bool(TYPE.fullmatch(name.rstrip(".:-")))
