"""Which lines of an output tell of something that went wrong, with what stands around them: none of these may go."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from typing import NamedTuple

# Each is looked for by itself: that takes a tenth of the time of one pattern for all.
TELLING = """
error fail exception traceback warn fatal panic critical abort denied refused cannot can't unable invalid missing
undefined unresolved unexpected timeout deprecat conflict broken corrupt killed segmentation assert severe violation
vulnerab rejected unhandled forbidden unauthorized illegal unrecognized unknown expected mismatch exceeded overflow
crashloop backoff elifecycle sigsegv sigkill sigabrt sigbus segfault deadlock expired unavailable unsupported wrong
incorrect malformed incompatible ambiguous differs *** fehler ✗ ✘ ✖ × ❌
"""
PHRASES = """
not found, no such, not ok, not permitted, timed out, time out, core dumped, could not, couldn't, no space, read-only,
reset by peer, in use, too many, out of memory, exit code, exit status, exited with, no module, no rule, has no,
not defined, not declared, not assignable, not match, not exist, n't exist, not installed, not supported, not a valid,
multiple definition, redefinition, duplicate symbol, no matching, no suitable, data race, by signal, received signal,
non-zero, bad gateway, bad request
"""
WORDS = (*TELLING.split(), *(phrase.strip() for phrase in PHRASES.split(",")))
# Marks that are as they are written, of npm, of apt and pytest, of HTTP, of how programs end, and of the system.
MARKS = tuple(
    re.compile(mark, re.MULTILINE)
    for mark in (
        r"\bERR\b",
        r"^[EW]:?\s",
        r"\bHTTP(?:/[\d.]{1,3})? [45]\d\d\b",
        # A row of pytest's dots has a letter for what failed.
        r"^[.sxX]*[FE][.sxXFE]*(?:[ \t]+\[ *\d+%\])?$",
        r"\b(?:return(?:ed)?(?: code)?|rc)[ =:]+-?[1-9]",
        rf"\b(?:{'|'.join(errno.errorcode.values())})\b",
    )
)
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


class Signs(NamedTuple):
    """By what a line is known to tell of an error."""

    words: Sequence[str] = WORDS
    marks: Sequence[re.Pattern[str]] = MARKS

    def are_in(self, line: str) -> bool:
        """Tell whether a line has one of them."""
        low = _low(line)
        return any(word in low for word in self.words) or any(mark.search(line) for mark in self.marks)


ALL = Signs()


def signs_in(text: str) -> Signs:
    """Return the signs that a text has anywhere: its lines are read for these alone, in a fraction of the time."""
    low = _low(text)
    return Signs([word for word in WORDS if word in low], [mark for mark in MARKS if mark.search(text)])


def _low(text: str) -> str:
    return text.lower().replace("’", "'")


def is_error(line: str, signs: Signs = ALL) -> bool:
    """Tell whether a line tells of an error, or may.

    >>> is_error("ModuleNotFoundError: rye"), is_error("0 errors, 12 passed"), is_error("12 passed")
    (True, False, False)
    """
    return signs.are_in(line) and signs.are_in(NONE.sub("", line))


def kept_for_faults(lines: Sequence[str]) -> set[int]:
    """Return the places of all lines that tell of errors, and of what stands around them; traces are whole."""
    kept: set[int] = set()
    last, reached = len(lines), 0
    signs = signs_in("\n".join(lines))
    begins, ends = _runs([bool(GOES_ON.match(line)) for line in lines])
    for place, line in enumerate(lines):
        if SECTION.match(line):
            kept.update(range(place, last))
            break
        if is_error(line, signs):
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
