"""Plain paragraphs out of Markdown, HTML, XML and loose text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

# A paragraph below this says too little to be found by meaning.
SHORTEST = 40
# About 200 word pieces, under the 256 that the teacher was trained to read.
LONGEST = 900

FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.S)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
MACRO = re.compile(r"\{[{%].*?[}%]\}", re.S)
LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
TAG = re.compile(r"<[^<>]{1,400}>")
HIDDEN = re.compile(r"<(script|style|xref|table-wrap|disp-formula|inline-formula|math|m:math|code)\b.*?</\1>", re.S)
NOTE = re.compile(r"\[\d{1,3}\]|\[citation needed\]")
SPACE = re.compile(r"\s+")
BLANK = re.compile(r"\n\s*\n")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
HTML_PARTS = re.compile(r"<(h[1-6]|title|p|li|dd|td)\b[^>]*>(.*?)</\1>", re.S | re.I)
XML_PARTS = re.compile(r"<(title|p|para)\b[^>]*(?<!/)>(.*?)</\1>", re.S)


@dataclass(frozen=True, slots=True)
class Section:
    """A paragraph and the heading above it."""

    heading: str
    text: str


def clean(text: str) -> str:
    """The text without tags, entities, note marks and runs of space.

    >>> clean("<b>Salt</b> &amp;\\n water[2]")
    'Salt & water'
    """
    bare = TAG.sub(" ", html.unescape(TAG.sub(" ", text)))
    return SPACE.sub(" ", NOTE.sub("", bare)).strip()


def clip(text: str, limit: int = LONGEST) -> str:
    """The text up to the last whole word within the limit."""
    return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0]


def worth_reading(text: str) -> bool:
    """Whether the text is long enough and made of words rather than of code, numbers or link lists."""
    letters = sum(map(str.isalpha, text))
    return len(text) >= SHORTEST and letters > 0.7 * len(text) and text.count("|") < 4


def sections(parts: Iterator[tuple[bool, str]]) -> Iterator[Section]:
    """Each paragraph worth reading, under the last heading before it."""
    heading = ""
    for is_heading, raw in parts:
        text = clean(raw)
        if is_heading:
            heading = text
        elif worth_reading(text):
            yield Section(heading, clip(text))


def markdown(text: str) -> tuple[str, list[Section]]:
    """The title and the sections of a Markdown page."""
    front = FRONT.match(text)
    found = re.search(r"^title:\s*['\"]?(.*?)['\"]?$", front.group(1), re.M) if front else None
    body = text[front.end() :] if front else text
    body = LINK.sub(r"\1", MACRO.sub(" ", FENCE.sub(" ", body))).replace("**", "").replace("`", "")
    title = clean(found.group(1)) if found else ""
    read = list(sections(_markdown_parts(body)))
    return title or (read[0].heading if read else ""), read


def _markdown_parts(body: str) -> Iterator[tuple[bool, str]]:
    for block in BLANK.split(re.sub(r"^(#{1,6} .*)$", r"\n\1\n", body, flags=re.M)):
        heading = HEADING.match(block.strip())
        if heading:
            yield True, re.sub(r"\{#.*?\}|\{:.*?\}", "", heading.group(1))
        elif not block.lstrip().startswith(("|", "    ", ":::", "import ")):
            yield False, block


def tagged(text: str, parts: re.Pattern[str] = HTML_PARTS) -> list[Section]:
    """The sections of an HTML or XML page."""
    body = HIDDEN.sub(" ", text)
    return list(
        sections((m.group(1).lower() not in ("p", "li", "dd", "td", "para"), m.group(2)) for m in parts.finditer(body))
    )


def loose(text: str) -> list[Section]:
    """The sections of text whose headings are short lines of their own, as in Wikipedia extracts."""
    return list(sections((_is_heading(block), block) for block in BLANK.split(text)))


def _is_heading(block: str) -> bool:
    line = block.strip()
    return 2 < len(line) < 70 and "\n" not in line and line[-1] not in ".:;,!?)]" and line[0].isalnum()
