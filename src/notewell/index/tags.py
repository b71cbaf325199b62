"""Tags in the text of a Markdown note, such as `#garden/bees`: which there are, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from notewell.index.mask_code import IndentedCode, blank_unlinked
from notewell.types.note import LONGEST, MOST, Note, Span

# As Obsidian has it: a tag follows a space or an opening sign, has no spaces or punctuation but `_`, `-` and `/`, and
# is not all digits. The pattern begins with a fixed character, which makes the search many times faster.
IN_TAG = r"[^\s\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]"
TAG = re.compile(rf"#(?<![^\s(>*_~,;|\"']#)(?=[\d/]*[^\d/\s])({IN_TAG}{{1,{LONGEST}}})")
# What holds no tags: the target of a link, also of one that is defined on a line of its own, and an address.
ADDRESS = re.compile(
    r"\]\([ \t]*(?:<[^<>\n]{0,1000}>|[^()\s]{0,1000})(?:[ \t]+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?[ \t]*\)"
    r"|\[\[[^\[\]\n]{0,1000}\]\]"
    r"|^ {0,3}\[(?!\^)[^\[\]\n]{1,500}\]:[ \t]*\S{1,2000}"
    r"|\b[a-zA-Z][a-zA-Z+.-]{1,20}://\S{1,2000}",
    re.MULTILINE,
)
# A fence, also in a quote or a list: what it stands in, its marks, and what follows them.
FENCE = re.compile(
    r"^(?P<inside>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)*)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE
)
NOT_QUOTED = re.compile(r"^(?![ \t]*>)", re.MULTILINE)
NOT_INDENTED = re.compile(r"^(?=[^\s])", re.MULTILINE)
# An element of HTML, without what stands between it and its end; and the elements that show or run their text as it is.
ELEMENT = re.compile(
    r"</?(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,30})(?:[\s/](?>(?:[^<>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}'){0,5000}))?>"
)
VERBATIM = {
    name: re.compile(rf"</{name}\s{{0,20}}>", re.IGNORECASE) for name in ("script", "style", "pre", "code", "textarea")
}


def inline_tags(note: Note) -> tuple[str, ...]:
    """Return the tags in a note's text, without `#`, in order and each once; code, comments and addresses have none."""
    return tuple(dict.fromkeys(note.text[span.start : span.end] for span in tag_spans(note)))[:MOST]


def tag_spans(note: Note) -> list[Span]:
    """Return where the tags in a note's text stand, without their `#`, in order."""
    if not TAG.search(note.text, note.body):
        return []
    text = _blanked(note.text, find_fences(note.text, note.body))
    text = blank_unlinked(text, ())
    text = ADDRESS.sub(lambda match: " " * len(match.group()), _blanked(text, _find_html(text, note.body)))
    indented = IndentedCode(note.text, note.body)
    spans: list[Span] = []
    # A line is looked at once: one may hold a hundred thousand tags.
    line_end, is_code = -1, False
    for match in TAG.finditer(text, note.body):
        if match.start() > line_end:
            is_code, line_end = indented.holds(match.start()), note.text.find("\n", match.start())
            line_end = len(text) if line_end < 0 else line_end
        if not is_code:
            written = match[1]
            start = match.start(1) + len(written) - len(written.lstrip("/"))
            spans.append(Span(start, start + len(written.strip("/"))))
    return spans


def _blanked(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += text[at : span.start], " " * (span.end - span.start)
        at = span.end
    return "".join((*parts, text[at:])) if parts else text


def find_fences(text: str, body: int) -> Iterator[Span]:
    """Yield the fenced code of a text, also in quotes and lists, in order.

    As Markdown has it, a fence that never closes lasts to the end of what it stands in.
    """
    opened: re.Match[str] | None = None
    limits: dict[re.Pattern[str], int] = {}
    limit = 0
    for mark in FENCE.finditer(text, body):
        if opened and mark.start() >= limit:
            yield Span(opened.start(), limit)
            opened = None
        if opened is None:
            # A backtick in the info string makes it inline code, not a fence.
            if mark["marks"][0] == "~" or "`" not in mark["info"]:
                opened, limit = mark, _limit(text, mark, limits)
        elif mark["marks"].startswith(opened["marks"]) and not mark["info"].strip():
            yield Span(opened.start(), mark.end())
            opened = None
    if opened:
        yield Span(opened.start(), limit)


def _limit(text: str, mark: re.Match[str], limits: dict[re.Pattern[str], int]) -> int:
    """Return where the quote or list ends that a fence stands in; `limits` remembers the ends that were found."""
    inside = mark["inside"]
    if ">" in inside:
        ends = NOT_QUOTED
    elif inside.strip() or len(inside.expandtabs(4)) >= 4:
        ends = NOT_INDENTED
    else:
        return len(text)
    if limits.get(ends, -1) <= mark.end():
        found = ends.search(text, mark.end() + 1) if mark.end() < len(text) else None
        limits[ends] = found.start() - 1 if found else len(text)
    return limits[ends]


def _find_html(text: str, body: int) -> Iterator[Span]:
    """Yield the elements of HTML without their text, and scripts, styles and code with it."""
    at = body
    never = set[str]()
    for element in ELEMENT.finditer(text, body):
        if element.start() < at:
            continue
        at, name = element.end(), element["name"].lower()
        if name in VERBATIM and text[element.start() + 1] != "/" and name not in never:
            if closing := VERBATIM[name].search(text, at):
                at = closing.end()
            else:
                never.add(name)
                # At the start of a line it lasts to the end of the note; in a sentence, somebody writes about it.
                at = len(text) if not text[text.rfind("\n", 0, element.start()) + 1 : element.start()].strip() else at
        yield Span(element.start(), at)
