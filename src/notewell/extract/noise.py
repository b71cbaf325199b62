"""What differs between two runs of the same command and says nothing: clocks, durations, addresses, temporary names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from notewell.extract.error_lines import Signs, is_error, signs_in

# Colours, titles and cursor movements.
ESCAPES = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|\x1b[@-_]")
# What a log puts before a line, maybe after the name of a level or a source.
BEFORE = r"^(\s*(?:[\[(]?[A-Za-z][\w.-]{0,30}[\])]?:?\s+)?[\[(]?)"
CLOCKS = tuple(
    re.compile(BEFORE + clock)
    for clock in (
        r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?(?=[\s\]),:]|$)",
        r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)?\s?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+"
        r"\d\d:\d\d:\d\d(?=[\s\]),:]|$)",
        r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?=[\s\]),:]|$)",
    )
)
# At the end of a line, as test runners and builds write it: `3 passed in 0.12s`, `done (1.2 s)`, `took 3 min`.
NUMBER = r"\d+(?:[.,]\d+)?"
UNIT = r"\s?(?:ns|µs|us|ms|s|sec(?:ond)?s?|m|min(?:ute)?s?|h)"
ENDING = re.compile(
    rf"((?:\bin|\bafter|\btook|[Ee]lapsed:?|[Dd]uration:?|[Tt]ime:?)\s+~?){NUMBER}{UNIT}(?:\s?{NUMBER}{UNIT})*"
    rf"(?=(?:\s\(\d+:\d\d:\d\d\))?[\s.=)\]!]*$)"
)
CLOCKED = re.compile(r"(?<=\()\d+:\d\d:\d\d(?=\)[\s=]*$)")
IN_BRACKETS = re.compile(rf"(?<=[(\[]){NUMBER}{UNIT}(?=[)\]])")
DIGIT = re.compile(r"\d")
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}\b")
# Names that a program makes up for a file nobody will look for, by the ways in which Python, mktemp and pytest do.
TEMPORARY = re.compile(r"\b(?:tmp[a-z0-9_]{8}|tmp\.[A-Za-z0-9]{6,12})\b|\bpytest-of-[\w.-]{1,64}/pytest-\d+")
# Patterns take their time with a longer line, and it is data.
LONGEST = 2_000
NUMBERED = re.compile(r"\b(pid|PID|process|Process)([ =:]+)\d+\b")


def without_escapes(text: str) -> str:
    r"""Return the text as a terminal shows it in the end: no colours; of a line written over, the last, and its errors.

    >>> without_escapes("\x1b[31mred\x1b[0m\n10 %\r99 %\rdone\r\n")
    'red\ndone\n'
    """
    plain = ESCAPES.sub("", text) if "\x1b" in text else text
    if "\r" not in plain:
        return plain
    lines = plain.replace("\r\n", "\n").split("\n")
    signs = signs_in(plain.replace("\r", "\n"))
    return "\n".join("\n".join(_in_the_end(line.split("\r"), signs)) for line in lines)


def _in_the_end(parts: Sequence[str], signs: Signs) -> list[str]:
    """Return what stays of a line that was written over: its last words, and those before that tell of an error."""
    written = [part for part in parts if part]
    return [*(part for part in written[:-1] if is_error(part, signs)), *(written[-1:] or [""])]


def steady(line: str, *, times: bool) -> str:
    """Return a line without what another run would write otherwise; with `times`, durations are what was asked for.

    >>> steady("[2026-01-02 10:11:12,345] INFO built in 3.2s", times=False)
    '[<time>] INFO built in <duration>'
    """
    if len(line) > LONGEST:
        return line
    if "tmp" in line or "pytest-of-" in line:
        line = TEMPORARY.sub("<temporary>", line)
    # Most lines have no number, and nothing else to look for.
    if not DIGIT.search(line):
        return line
    line = _without_clock(line) if times else IN_BRACKETS.sub("<duration>", steady_error(line))
    return NUMBERED.sub(r"\1\2<number>", line)


def steady_error(line: str) -> str:
    """Return a line that tells of an error without the clock before it and the time that all took at its end.

    Everything else stays: a timeout's seconds, or a file's name, may be the error.

    >>> steady_error("10:11:12 ERROR no answer within 30s from /tmp/tmpab12cd34"), steady_error("1 failed in 0.31s")
    ('<time> ERROR no answer within 30s from /tmp/tmpab12cd34', '1 failed in <duration>')
    """
    if len(line) > LONGEST:
        return line
    line = CLOCKED.sub("<duration>", ENDING.sub(r"\1<duration>", _without_clock(line)))
    return ADDRESS.sub("at <address>", line)


def _without_clock(line: str) -> str:
    for clock in CLOCKS:
        line, found = clock.subn(r"\1<time>", line)
        if found:
            break
    return line
