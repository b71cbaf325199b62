"""Which lines of an output tell of something that went wrong, with what stands around them: none of these may go."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Each is looked for by itself: that takes a tenth of the time of one pattern for all.
TELLING = """
error fail exception traceback warn fatal panic critical abort denied refused cannot can't unable invalid missing
undefined unresolved unexpected timeout deprecat conflict broken corrupt killed segmentation assert severe violation
vulnerab rejected unhandled ✗ ✘ × ❌
"""
WORDS = (*TELLING.split(), "not found", "no such", "timed out", "time out", "core dumped")
# Marks of npm and pytest, which are as they are written.
MARK = re.compile(r"\bERR\b|^E\s")
# Lines that only count: `0 errors`, `no failures`.
NONE = re.compile(
    r"\b(?:0|no)\s+(?:errors?|failures?|failed|warnings?|problems?|vulnerabilities|issues)\b", re.IGNORECASE
)
# So many lines before and after are its surroundings.
BEFORE, AFTER = 3, 5
# What goes on with a trace: indented lines, frames, arrows and carets of compilers, chained causes.
GOES_ON = re.compile(r"\s+\S|at\s|E\s|>\s|\||-->|\^|\.\.\.|Caused by|During handling|The above exception|File \"")
# From here on a test runner tells nothing but what failed.
SECTION = re.compile(r"=+\s*(?:FAILURES|ERRORS|warnings summary)\s*=+|(?:Failed|Failing) tests?:?\s*$|failures:\s*$")


def is_error(line: str) -> bool:
    """Tell whether a line tells of an error, or may.

    >>> is_error("ModuleNotFoundError: rye"), is_error("0 errors, 12 passed"), is_error("12 passed")
    (True, False, False)
    """
    return _tells(line) and _tells(NONE.sub("", line))


def _tells(line: str) -> bool:
    low = line.lower()
    return any(word in low for word in WORDS) or bool(MARK.search(line))


def kept_for_faults(lines: Sequence[str]) -> set[int]:
    """Return the places of all lines that tell of errors, and of what stands around them; traces are whole."""
    kept: set[int] = set()
    last = len(lines)
    for place, line in enumerate(lines):
        if SECTION.match(line):
            kept.update(range(place, last))
            break
        if is_error(line):
            kept.update(range(max(0, place - BEFORE), min(last, place + AFTER + 1)))
            kept.update(_trace(lines, place))
    return kept


def _trace(lines: Sequence[str], place: int) -> range:
    """Return the lines of the trace that an error stands in: those above that lead to it, and those below it."""
    first, after = place, place + 1
    while first > 0 and GOES_ON.match(lines[first - 1]):
        first -= 1
    while after < len(lines) and GOES_ON.match(lines[after]):
        after += 1
    # A trace of Python ends with what was raised, and begins with a line of its own.
    return range(max(0, first - 1), min(len(lines), after + 1))
