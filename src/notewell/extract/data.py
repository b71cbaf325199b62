"""Whether an output is data for a program, such as JSON or a table: then every line counts."""

from __future__ import annotations

import json
import re
from itertools import islice

# How many lines are looked at.
SAMPLE = 200
# In a table each line has the same number of separators; with this many lines that is no coincidence.
ROWS = 5
SEPARATORS = "\t,;|"
# A log may have a comma in every line, before the milliseconds.
CLOCK = re.compile(r":\d\d,\d{3}\b")
MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|[a-z][\w:-]*[\s>/])", re.IGNORECASE)
KEY = re.compile(r"\s*(?:- +)?[\"']?[\w./-]+[\"']?:(?: .*)?|\s*- .*|---|#.*")
# A key of YAML whose value follows on the next lines.
OPENING = re.compile(r"\s*(?:- +)?[\"']?[\w./-]+[\"']?:")
# With fewer of them, the output may be a log in which some lines end with a colon.
OPENINGS = 3
# Some programs print a line or two before or after the data.
SHARE = 0.95


def is_data(text: str) -> bool:
    r"""Tell whether a text is JSON, JSON Lines, XML, YAML or a table.

    >>> is_data('{"a": 1}'), is_data("a,b\n" * 5), is_data("compiling a, b\ndone\n")
    (True, True, False)
    """
    stripped = text.strip()
    lines = list(islice((line for line in stripped.split("\n") if line.strip()), SAMPLE))
    return bool(MARKUP.match(stripped)) or _is_json(stripped, lines) or _is_yaml(lines) or _is_table(lines)


def _is_json(text: str, lines: list[str]) -> bool:
    if not text.startswith(("{", "[")):
        return False
    return _parses(text) or (len(lines) > 1 and sum(map(_parses, lines)) >= SHARE * len(lines))


def _parses(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def _is_yaml(lines: list[str]) -> bool:
    keys = sum(bool(KEY.fullmatch(line)) for line in lines)
    return keys >= SHARE * len(lines) and sum(bool(OPENING.fullmatch(line)) for line in lines) >= OPENINGS


def _is_table(lines: list[str]) -> bool:
    if len(lines) < ROWS:
        return False
    for separator in SEPARATORS:
        counts = [CLOCK.sub("", line).count(separator) for line in lines]
        if counts[0] and counts.count(counts[0]) >= SHARE * len(lines):
            return True
    return False
