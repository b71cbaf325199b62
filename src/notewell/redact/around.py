"""Where the secrets around a mark are: in the same braces, or in the same manifest of Kubernetes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Span = tuple[int, int]
# From where a mark begins: the text that belongs to it, and the parts of it that hold secrets.
Around = Callable[[str, int], tuple[Span, list[Span]]]

# How far a mark reaches, in both directions.
_REACH = 20_000
_BRACE = re.compile(r"[{}]")
_DOCUMENT_END = re.compile(r"^[ \t>]*(?:---|```|~~~)", re.MULTILINE)
_BEFORE_KEY = re.compile(r"(?P<indent>[ \t>]*(?:-[ \t]+)*)(?P<path>(?:[\w-]+(?:\[\d+\])?\.)*)\Z")
# What is in the braces of an object, whose strings may contain braces; its end may be cut off.
_OBJECT = r"(?:[^\"{}]|\"(?:[^\"\\]|\\.)*\")*"
_IN_BRACES = re.compile(rf"[\"']?(?:string)?data[\"']?[ \t]*:\s*\{{(?P<fields>{_OBJECT})", re.IGNORECASE)
# The keys of a manifest; every other key below `data` is the name of a secret.
_KEYS = "apiVersion|kind|metadata|type|immutable|status|items"
_INDENT = re.compile(r"[ \t>]*(?:-[ \t]+)*")


def braces(text: str, at: int) -> tuple[Span, list[Span]]:
    """Return the innermost braces around a mark; where there are none, its neighbouring lines."""
    first, last = max(0, at - _REACH), min(len(text), at + _REACH)
    start, end = _opening(text, first, at), _closing(text, at, last)
    if start < 0:
        start, end = _document(text, at)
    return (start, end), [(start, end)]


def _opening(text: str, first: int, at: int) -> int:
    """Return where the braces around an offset open, or -1."""
    opening, closing, depth = text.rfind("{", first, at), text.rfind("}", first, at), 0
    while opening >= 0:
        if closing > opening:
            depth, closing = depth + 1, text.rfind("}", first, closing)
        elif depth:
            depth, opening = depth - 1, text.rfind("{", first, opening)
        else:
            return opening
    return -1


def _closing(text: str, at: int, last: int) -> int:
    depth = 0
    for brace in _BRACE.finditer(text, at, last):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return brace.end()
    return last


def _document(text: str, at: int) -> Span:
    """Return the document of YAML, or the fenced block, in which an offset is."""
    start, end = max(0, at - _REACH), min(len(text), at + _REACH)
    for edge in _DOCUMENT_END.finditer(text, start, at):
        start = edge.end()
    after = _DOCUMENT_END.search(text, at, end)
    return start, after.start() if after else end


def manifest(text: str, at: int) -> tuple[Span, list[Span]]:
    """Return a manifest and the fields below its `data` and `stringData`; the mark is its `kind`.

    YAML may be indented, flat (`items[0].data.name: …`), or have lost its indentation in a reader.
    """
    if text[max(0, at - 1) : at] in ('"', "'"):
        span, _ = braces(text, at)
        return span, [found.span("fields") for found in _IN_BRACES.finditer(text, *span)]
    line = text.rfind("\n", 0, at) + 1
    # On a line of several values, the path begins after the last of them.
    line = max(line, text.rfind("; ", line, at) + 2) if text.find("; ", line, at) >= 0 else line
    before = _BEFORE_KEY.match(text, line, at)
    if before is None:
        return (at, at), []
    start, end = span = _mapping(text, at, len(before["indent"])) if before["indent"] else _document(text, at)
    # Below a manifest that is not in a list, every path counts: those of a `SecretList` need not name their kind.
    path = re.escape(before["path"]) or r"(?:[\w-]+(?:\[\d+\])?\.)*"
    fields = [found.span("fields") for found in _IN_BRACES.finditer(text, start, end)]
    return span, [*fields, *_flat_fields(text, span, path), *_fields_below(text, span)]


def _mapping(text: str, at: int, column: int) -> Span:
    """Return the lines around an offset that are indented as far as its line, or farther."""
    first, last = _document(text, at)
    start = end = text.rfind("\n", 0, at) + 1
    while start > first and not text.startswith("-", start + _indent(text, start) - 2):
        above = text.rfind("\n", first, start - 1) + 1
        if _indent(text, above) < column and text[above : start - 1].strip():
            break
        start = above or first
        if above == 0:
            break
    while end < last:
        following = text.find("\n", end, last) + 1
        if not following:
            return start, last
        blank = not text[following : max(following, text.find("\n", following))].strip()
        if not blank and (_indent(text, following) < column or _begins_item(text, following, column)):
            return start, following
        end = following
    return start, last


def _begins_item(text: str, line: int, column: int) -> bool:
    return text[line : line + column].rstrip().endswith("-")


def _indent(text: str, line: int) -> int:
    """Return how far a line is indented; the dash of a list counts as a space."""
    indent = _INDENT.match(text, line)
    return indent.end() - line if indent else 0


def _flat_fields(text: str, span: Span, path: str) -> Iterator[Span]:
    """Yield the values of flat fields, up to the next key of the manifest."""
    begins = rf"(?:^|(?<=; )){path}"
    ends = re.compile(rf"(?:^|; ){path}(?:{_KEYS})(?:[.:]|\[\d)|^(?:[\w-]+\[\d+\]\.)+(?:{_KEYS})[.:]", re.MULTILINE)
    read = span[0]
    for found in re.compile(rf"{begins}(?:stringData|data)\.", re.MULTILINE).finditer(text, *span):
        if found.start() >= read:
            after = ends.search(text, found.end(), span[1])
            read = after.start() if after else span[1]
            yield found.end(), read


def _fields_below(text: str, span: Span) -> Iterator[Span]:
    """Yield the lines below `data:`, which are indented, or go up to the next key of the manifest."""
    fields = re.compile(rf"(?:(?!(?:{_KEYS}|data|stringData):)(?:[ \t>]+\S|[\w.-]{{1,200}}:)[^\n]*(?:\n|\Z))*")
    for found in re.compile(r"^([ \t>]*(?:-[ \t]+)*)(?:stringData|data):[ \t\r]*\n", re.MULTILINE).finditer(
        text, *span
    ):
        column, start = len(found[1]), found.end()
        if _indent(text, start) > column:
            yield start, _end_of_indented(text, start, span[1], column)
        elif below := fields.match(text, start, span[1]):
            yield below.span()


def _end_of_indented(text: str, start: int, end: int, column: int) -> int:
    while start < end:
        following = text.find("\n", start, end) + 1 or end
        if text[start:following].strip() and _indent(text, start) <= column:
            return start
        start = following
    return end
