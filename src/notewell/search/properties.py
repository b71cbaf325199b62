"""The excerpt of a chunk that is front matter and nothing else: its properties, without those that say nothing."""

from __future__ import annotations

import re

from notewell.search.layout import BETWEEN_CELLS, LONGEST, Layout, Span

FRONT_MATTER = re.compile(r"---[ \t]*\n.*\n---\s*", re.DOTALL)
# A key, with its value behind it or as items below.
LINE = re.compile(r"^(?:(?P<key>[^\s:#-][^:\n]*):|[ \t]*-)(?=[ \t]|$)(?P<value>[^\n]*)$", re.MULTILINE)
# A value between its quotes and brackets.
BARE = re.compile(r"[\s\"'\[|>]*(.*?)[\s\"'\]]*")
# Longer values, and addresses, are shown only if they match.
LONG = 80
# A key, and its values.
Property = tuple[Span, list[Span]]


def is_front_matter(text: str) -> bool:
    """Tell whether a text is front matter and nothing else."""
    return text.startswith("---") and FRONT_MATTER.fullmatch(text) is not None


def find_properties(text: str) -> list[Property]:
    """Return the spans of each key that has a value, and of its values; without any value, all keys.

    >>> text = '---\\ncategories:\\n  - "[[Movies]]"\\nseen:\\nyear: 1982\\n---'
    >>> [(text[slice(*key)], [text[slice(*value)] for value in values]) for key, values in find_properties(text)]
    [('categories', ['Movies']), ('year', ['1982'])]
    """
    found: list[Property] = []
    for line in LINE.finditer(text):
        if line["key"]:
            found.append((line.span("key"), []))
        bare = BARE.fullmatch(text, *line.span("value"))
        if found and bare and bare[1]:
            found[-1][1].append(bare.span(1))
    # Of a template, whose properties are all empty, the names.
    return [(key, values) for key, values in found if values] or found


def show_properties(shown: Layout) -> Span:
    """Add the properties on one line, as many as fit beside those that match; return the span of those that match."""
    text, matched = shown.source, list[Span]()
    room, between = LONGEST, ""
    for key, values in find_properties(text):
        spans = [key, *values]
        span, size = (key[0], spans[-1][1]), sum(end - start for start, end in spans)
        if shown.matches(*span):
            matched.append(span)
        elif size > min(room, LONG) or text.startswith(("http:", "https:"), spans[-1][0]):
            continue
        shown.put(between)
        shown.copy(*key)
        for number, value in enumerate(values):
            shown.put(", " if number else ": ")
            shown.copy(*value)
        room, between = room - size, BETWEEN_CELLS
    return (matched[0][0], matched[-1][1]) if matched else (0, len(text))
