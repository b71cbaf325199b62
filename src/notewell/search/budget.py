"""Candidates cut to a budget of tokens, so that a page of them fits into a prompt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from notewell.files.control_chars import shown_path, visible_line, without_hidden
from notewell.patterns import lazy_pattern
from notewell.search.sentences import find_blocks, text_kind
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.results import Hit

# Characters of a token of English text: close enough for a budget, without a tokenizer.
CHARS_PER_TOKEN = 4
# Characters that tokenizers seldom join: a few letters, two digits, any other sign. On pages of hits, full of numbers
# and quotation marks, WordPiece counts 0.92 of it on average, and 1.18 at most.
PIECE = lazy_pattern(r"[A-Za-z]{1,5}|\d{1,2}|[^\sA-Za-z0-9]")
# Notes use backticks for code far more often, so three tildes are nearly always enough.
FENCE = "~~~"
TILDES = lazy_pattern("~{3,}")
# Signs around a heading in Markdown, Org and others.
HEADING_SIGNS = "#*= \t"

# Any `<` before a word, and those before `|`, with which some models mark who speaks; also in the wide and small forms
# of Chinese text.
TAG = lazy_pattern(r"[<＜﹤](?:(?P<gap>\s*+(?:/\s*+)?)(?P<name>[^\W\d][\w.:-]*)|(?=\|\w))")
# HTML in notes: formatting, tables, pictures. Prompts use none of these names for their parts.
HTML_NAMES = """
a abbr article aside audio b big blockquote body br button caption center cite code col colgroup dd del details dfn
div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img ins kbd label li link
main mark meta nav ol p pre q s samp script section small span strike strong style sub summary sup svg table tbody td
tfoot th thead title tr tt u ul var video wbr
"""
HTML = frozenset(HTML_NAMES.split())
ADDRESS = lazy_pattern(r"(?:https?|ftp|file|mailto|obsidian):", re.IGNORECASE)
# In code, after a word: `List<String>`, `vector<int>`, `a<b`.
TYPE = lazy_pattern(
    r"[A-Z][A-Za-z0-9]*|[a-z]|(?:u?int|float|[iuf])(?:8|16|32|64|128)?|[iu]size|str|string|bool|boolean|char|byte|short|long|"
    r"double|void|any|number|unknown|never|object|dyn|const|auto|typename"
)
# Names of tags that separate a conversation from text quoted in it: these never pass. Any other name with spaces is not
# a tag.
SPEAKERS = lazy_pattern(
    r"system|user|human|assistant|developer|agent|prompt|tool|function|hook|antml|mcp|bash|instruction|invoke|parameter|"
    r"result|output|thinking",
    re.IGNORECASE,
)


def count_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    >>> count_tokens("The hive hums"), count_tokens('{"line":12}')
    (4, 7)
    """
    return max(-(-len(text) // CHARS_PER_TOKEN), len(PIECE.findall(text)))


def block(chunk: Chunk | Hit) -> str:
    """Return a chunk as a block of a prompt: its headings, its place and its lines, all in a fence.

    Whatever a name or a line opens or pretends to be ends with the block.

    >>> block(Chunk("a.md", "```sh\\nmake", 3, 4, title="Build"))
    '~~~\\n### Build (a.md:3)\\n```sh\\nmake\\n~~~\\n\\n'
    """
    place = f", {line_in_prompt(chunk.place)}" if chunk.place else ""
    header = f"### {line_in_prompt(chunk.heading)} ({path_in_prompt(chunk.path)}:{chunk.line}{place})"
    return fenced("\n".join((header, safe_in_prompt(chunk.text)))) + "\n"


def fenced(text: str) -> str:
    """Return a text in a fence that nothing in the text can end.

    >>> fenced("one\\n~~~\\ntwo")
    '~~~~\\none\\n~~~\\ntwo\\n~~~~\\n'
    """
    fence = fence_for(text)
    return f"{fence}\n{text}\n{fence}\n"


def fence_for(*texts: str) -> str:
    """Return a fence that is longer than any run of tildes in the texts."""
    return max((FENCE, *(f"{tildes}~" for text in texts for tildes in TILDES.findall(text))), key=len)


def safe_in_prompt(text: str) -> str:
    """Return text of a note without hidden characters and without the tags that separate turns of a conversation.

    >>> safe_in_prompt("rye </sys\\u00adtem-reminder> <b>"), safe_in_prompt("<System>"), safe_in_prompt("r\\u202eye")
    ('rye &lt;/system-reminder> <b>', '&lt;System>', 'rye')
    """
    return plain_tags(without_hidden(text.replace("\r\n", "\n")))


def line_in_prompt(text: str) -> str:
    """Return a title, heading or another text of a note as one line, safe as `safe_in_prompt` makes it."""
    return plain_tags(visible_line(text))


def path_in_prompt(path: str) -> str:
    """Return a path as `shown_path` does, on one line; a `<` that could begin a tag is escaped, too.

    >>> path_in_prompt("a\\u200b <system>.md")
    'a\\\\u200b \\\\x3csystem>.md'
    """
    return TAG.sub(lambda match: _plain(match, r"\x3c"), shown_path(path))


def context(passages: Iterable[Chunk | Hit]) -> str:
    """Return hits or chunks as Markdown for a prompt: the same bytes for the same ones."""
    return "".join(map(block, passages))


def fit(candidates: Sequence[Candidate], max_tokens: int) -> list[Candidate]:
    """Return the first candidates whose blocks fit; the last one is cut after the last line that fits.

    >>> candidate = Candidate(Chunk("a.md", "one line\\nand another", 1, 2, title="A"), 1.0)
    >>> [kept.chunk.text for kept in fit([candidate], 10)]
    ['one line']
    """
    if not max_tokens:
        return list(candidates)
    kept: list[Candidate] = []
    left = max_tokens * CHARS_PER_TOKEN
    for candidate in candidates:
        size = len(block(candidate.chunk))
        if size > left:
            shorter = _shortened(candidate.chunk, left)
            if _says_something(shorter):
                kept.append(candidate._replace(chunk=shorter))
            break
        kept.append(candidate)
        left -= size
    return kept


def _shortened(chunk: Chunk, left: int) -> Chunk:
    """Return the chunk with as many of its lines as fit, possibly none."""
    lines = chunk.text.split("\n")

    def first(count: int) -> Chunk:
        # The number of the last line is right; the offset stays that of the whole chunk.
        return replace(chunk, text="\n".join(lines[:count]), end_line=chunk.line + max(0, count - 1))

    fitting = bisect_right(range(1, len(lines) + 1), left, key=lambda count: len(block(first(count))))
    return first(fitting)


def _says_something(chunk: Chunk) -> bool:
    """Tell whether a chunk that was cut has more than its headings, which are above its lines anyway."""
    names = {"", chunk.title, *chunk.headings}
    units = find_blocks(chunk.text, text_kind(chunk))
    return any(chunk.text[unit.start : unit.end].strip(HEADING_SIGNS) not in names for unit in units)


def plain_tags(text: str) -> str:
    """Return a text in which every `<` that could begin a tag is written as `&lt;`; usual notes stay as they are.

    >>> plain_tags("</system-reminder> <invoke name='x'> <|im_end|>")
    "&lt;/system-reminder> &lt;invoke name='x'> &lt;|im_end|>"
    >>> plain_tags("<b>rye</b> <https://example.org> List<String> if a < b < 3")
    '<b>rye</b> <https://example.org> List<String> if a < b < 3'
    """
    return TAG.sub(_plain, text)


def _plain(match: re.Match[str], instead: str = "&lt;") -> str:
    whole, gap, name = match.group(), match["gap"], match["name"] or ""
    if name and _is_harmless(match.string[match.start() - 1 : match.start()], gap, name):
        return whole
    return f"{instead}{whole[1:]}"


def _is_harmless(before: str, gap: str, name: str) -> bool:
    if name.lower() in HTML or ADDRESS.match(name):
        return True
    if SPEAKERS.match(name):
        return False
    if gap and gap != "/":
        return True
    return not gap and before.isalnum() and bool(TYPE.fullmatch(name.rstrip(".:-")))
