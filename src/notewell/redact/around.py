"""Where the secrets around a mark are: in the same braces, or in the same manifest of Kubernetes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from notewell.patterns import lazy_pattern

Span = tuple[int, int]
# From where a mark begins: the text that belongs to it, and the parts of it that hold secrets.
Around = Callable[[str, int], tuple[Span, list[Span]]]

# How far a mark reaches, in both directions.
_REACH = 20_000
# A brace, or a string, in which braces do not count.
_BRACE = lazy_pattern(r"[{}]|\"(?:[^\"\\\n]|\\.)*\"")
# A list of manifests may be all that a file contains: `[1].data.name`.
_PATH = r"(?:(?:[\w-]+|(?=\[))(?:\[\d+\])*\.)*"
_PATH_BEFORE = lazy_pattern(rf"(?<![\w.\[\]-]){_PATH}[\"']?\Z")
# Where a document of YAML or a fenced block begins or ends.
_EDGE = lazy_pattern(r"(?P<indent>[ \t>]*)(?:---(?=\s|\Z)|```|~~~)")
_OUTER_EDGE = lazy_pattern(r"^(?:---(?=\s|\Z)|```|~~~)", re.MULTILINE)
_AFTER_BRACE = lazy_pattern(r"[{,]\s*[\"']?\Z")
# What is in the braces of an object, whose strings may contain braces; its end may be cut off.
_OBJECT = r"(?:[^\"{}]|\"(?:[^\"\\]|\\.)*\")*"
_IN_BRACES = lazy_pattern(rf"[\"']?(?:string)?data[\"']?[ \t]*:\s*\{{(?P<fields>{_OBJECT})", re.IGNORECASE | re.DOTALL)
# `data:` at the end of a line, behind which a tag, an anchor or a comment may stand.
_DATA = lazy_pattern(
    r"(?:^(?P<indent>[ \t>]*(?:-[ \t]+)*)|(?<=[\s\"'(\[,;]))[\"']?(?:stringData|data)[\"']?[ \t]*:"
    r"[ \t]*(?:[&!][\w!:/.-]*[ \t]*){0,2}(?:#[^\n]*)?\r?\n",
    re.MULTILINE,
)
# The keys of a manifest; every other key below `data` is the name of a secret.
_KEYS = "apiVersion|kind|metadata|type|immutable|status|items"
_FIELDS = lazy_pattern(
    rf"(?:(?![\"']?(?:{_KEYS}|data|stringData)[\"']?:)(?:[ \t>]+\S|[\"\w.-]{{1,200}}:)[^\n]*(?:\n|\Z))*"
)
_INDENT = lazy_pattern(r"[ \t>]*(?:-[ \t]+)*")
# What a line of nothing may consist of, in a quotation too.
_BLANK = " \t\r\n>"


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
    # The mark may be in a string itself.
    start = text.find('"', at, last) + 1 if text[at - 1 : at] == '"' else at
    for brace in _BRACE.finditer(text, start, last):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth < 0:
            return brace.end()
    return last


def _document(text: str, at: int) -> Span:
    """Return the document of YAML, or the fenced block, in which an offset is."""
    start, end = max(0, at - _REACH), min(len(text), at + _REACH)
    for edge in _OUTER_EDGE.finditer(text, start, at):
        start = edge.end()
    after = _OUTER_EDGE.search(text, at, end)
    return start, after.start() if after else end


def manifest(text: str, at: int) -> tuple[Span, list[Span]]:
    """Return a manifest and the fields below its `data` and `stringData`; the mark is its `kind`.

    YAML may be indented, flat (`items[0].data.name: …`), or have lost its indentation in a reader.
    """
    if _AFTER_BRACE.search(text, max(0, at - 200), at) and _opening(text, max(0, at - _REACH), at) >= 0:
        span, _ = braces(text, at)
        return span, [found.span("fields") for found in _IN_BRACES.finditer(text, *span)]
    line = text.rfind("\n", max(0, at - _REACH), at) + 1 or max(0, at - _REACH)
    before = _PATH_BEFORE.search(text, max(line, at - 200), at)
    key = before.start() if before else at
    path = text[key:at].strip("\"'")
    # A text that a table or a reader put before the first key is no indentation.
    indent = _indent(text, line) if line + _indent(text, line) == key else 0
    start, end = span = _mapping(text, line, indent) if indent else _document(text, at)
    # Below a manifest that is not in a list, every path counts: those of a `SecretList` need not name their kind.
    fields = [found.span("fields") for found in _IN_BRACES.finditer(text, start, end)]
    return span, [*fields, *_flat_fields(text, span, re.escape(path) or _PATH), *_fields_below(text, span)]


def _mapping(text: str, line: int, column: int) -> Span:
    """Return the lines around a line that are indented as far as it is, or farther."""
    first, last = max(0, line - _REACH), min(len(text), line + _REACH)
    start = end = line
    while start > first and not _begins_item(text, start, column):
        above = text.rfind("\n", first, start - 1) + 1 or first
        if _ends_mapping(text, above, column):
            break
        start = above
    while following := text.find("\n", end, last) + 1:
        if _ends_mapping(text, following, column) or _begins_item(text, following, column):
            return start, following
        end = following
    return start, last


def _ends_mapping(text: str, line: int, column: int) -> bool:
    # Farther to the right, three dashes are part of a value.
    if (edge := _EDGE.match(text, line)) and len(edge["indent"]) <= column:
        return True
    return _indent(text, line) < column and not _is_blank(text, line)


def _begins_item(text: str, line: int, column: int) -> bool:
    """Tell whether a line begins an item of a list, whose keys are in this column."""
    return text[line : line + column].rstrip().endswith("-")


def _is_blank(text: str, line: int) -> bool:
    return not text[line : text.find("\n", line) + 1 or len(text)].strip(_BLANK)


def _indent(text: str, line: int) -> int:
    """Return how far a line is indented; the dash of a list counts as a space."""
    indent = _INDENT.match(text, line)
    return indent.end() - line if indent else 0


def _flat_fields(text: str, span: Span, path: str) -> Iterator[Span]:
    """Yield the values of flat fields, up to the next key of the manifest or of the next one."""
    begins = re.compile(rf"(?:^|(?<![\w.\]])){path}(?:stringData|data)\.", re.MULTILINE)
    ends = re.compile(rf"(?:^|; )(?:{path}|(?:[\w-]*(?:\[\d+\])+\.)+)(?:{_KEYS})(?:[.:]|\[\d)", re.MULTILINE)
    read = span[0]
    for found in begins.finditer(text, *span):
        if found.start() >= read:
            after = ends.search(text, found.end(), span[1])
            read = after.start() if after else span[1]
            yield found.end(), read


def _fields_below(text: str, span: Span) -> Iterator[Span]:
    """Yield the lines below `data:`, which are indented, or go up to the next key of the manifest."""
    for found in _DATA.finditer(text, *span):
        column, start = len(found["indent"] or ""), found.end()
        while start < span[1] and _is_blank(text, start):
            start = text.find("\n", start) + 1 or span[1]
        if _indent(text, start) > column:
            yield start, _end_of_indented(text, start, span[1], column)
        elif below := _FIELDS.match(text, start, span[1]):
            yield below.span()


def _end_of_indented(text: str, start: int, end: int, column: int) -> int:
    while start < end:
        if not _is_blank(text, start) and _indent(text, start) <= column:
            return start
        start = text.find("\n", start, end) + 1 or end
    return end
