"""Which lines of an output tell of something that went wrong, with what stands around them: none of these may go."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Each is looked for by itself: that takes a tenth of the time of one pattern for all.
TELLING = """
error fail exception traceback warn fatal panic critical abort denied refused cannot can't unable invalid missing
undefined unresolved unexpected timeout deprecat conflict broken corrupt killed segmentation assert severe violation
vulnerab rejected unhandled forbidden unauthorized illegal unrecognized unknown expected mismatch exceeded overflow
crashloop backoff elifecycle sigsegv sigkill sigabrt sigbus fehler ✗ ✘ ✖ × ❌
"""
PHRASES = """
not found, no such, not ok, not permitted, timed out, time out, core dumped, could not, couldn't, no space, read-only,
reset by peer, in use, too many, out of memory, exit code, exit status, exited with
"""
WORDS = (*TELLING.split(), *(phrase.strip() for phrase in PHRASES.split(",")))
# Marks of npm, pytest and HTTP, which are as they are written; a row of pytest's dots has a letter for what failed.
MARK = re.compile(r"\bERR\b|^E\s|\bHTTP(?:/[\d.]{1,3})? [45]\d\d\b|^[.sxX]*[FE][.sxXFE]*(?:\s+\[ *\d+%\])?$")
# Lines that only count: `0 errors`, `no failures`, `exit code 0`.
NONE = re.compile(
    r"\b(?:0|no)\s+(?:errors?|failures?|failed|warnings?|problems?|vulnerabilities|issues)\b"
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?:? 0\b",
    re.IGNORECASE,
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
    last, reached = len(lines), 0
    begins, ends = _runs([bool(GOES_ON.match(line)) for line in lines])
    for place, line in enumerate(lines):
        if SECTION.match(line):
            kept.update(range(place, last))
            break
        if is_error(line):
            # A trace of Python ends with what was raised, and begins with a line of its own.
            first = max(0, min(begins[place] - 1, place - BEFORE))
            after = min(last, max(ends[place + 1] + 1, place + AFTER + 1))
            # What was kept already is not gone through again: there may be an error in each of many thousand lines.
            kept.update(range(max(first, reached), after))
            reached = max(reached, after)
    return kept


def _runs(goes_on: Sequence[bool]) -> tuple[list[int], list[int]]:
    """Return, for each place, where the lines of a trace that end before it begin, and where those from it on end.

    >>> _runs([False, True, True])
    ([0, 1, 1, 1], [0, 3, 3, 3])
    """
    begins = [0]
    for place, goes in enumerate(goes_on):
        begins.append(begins[-1] if goes else place + 1)
    ends = [len(goes_on)]
    for place in reversed(range(len(goes_on))):
        ends.append(ends[-1] if goes_on[place] else place)
    return begins, ends[::-1]
