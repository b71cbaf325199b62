"""Whether an output is data: what a program reads, of which every line counts."""

from __future__ import annotations

import json
import re
from itertools import islice

# So many lines tell what the others are like.
LOOKED_AT = 200
# A table has as many separators in each line; so many lines are no coincidence.
ROWS = 5
SEPARATORS = "\t,;|"
# A log may have a comma in every line, before the milliseconds.
CLOCK = re.compile(r":\d\d,\d{3}\b")
MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|[a-z][\w:-]*[\s>/])", re.IGNORECASE)
KEY = re.compile(r"\s*(?:- +)?[\"']?[\w./-]+[\"']?:(?: .*)?|\s*- .*|---|#.*")
# Of a list in YAML, the line that names it has nothing else.
OPENING = re.compile(r"\s*(?:- +)?[\"']?[\w./-]+[\"']?:")
# So many of them, and the output is no log in which some lines end with a colon.
OPENINGS = 3
# Some programs say a line or two before or after.
MOST = 0.95


def is_data(text: str) -> bool:
    r"""Tell whether a text is JSON, lines of JSON, XML, YAML or a table.

    >>> is_data('{"a": 1}'), is_data("a,b\n" * 5), is_data("compiling a, b\ndone\n")
    (True, True, False)
    """
    stripped = text.strip()
    lines = list(islice((line for line in stripped.split("\n") if line.strip()), LOOKED_AT))
    return bool(MARKUP.match(stripped)) or _is_json(stripped, lines) or _is_yaml(lines) or _is_table(lines)


def _is_json(text: str, lines: list[str]) -> bool:
    if not text.startswith(("{", "[")):
        return False
    return _parses(text) or (len(lines) > 1 and sum(map(_parses, lines)) >= MOST * len(lines))


def _parses(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def _is_yaml(lines: list[str]) -> bool:
    keys = sum(bool(KEY.fullmatch(line)) for line in lines)
    return keys >= MOST * len(lines) and sum(bool(OPENING.fullmatch(line)) for line in lines) >= OPENINGS


def _is_table(lines: list[str]) -> bool:
    if len(lines) < ROWS:
        return False
    for sign in SEPARATORS:
        counts = [CLOCK.sub("", line).count(sign) for line in lines]
        if counts[0] and counts.count(counts[0]) >= MOST * len(lines):
            return True
    return False
