"""Removes the differences between two runs of one command: clocks, durations, addresses, temporary names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from notewell.extract.error_lines import Signs, is_error, signs_in

# Colours, window titles and cursor movements.
ESCAPES = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|\x1b[@-_]")
# A clock begins a line of a log, perhaps after the name of a level or a source.
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
# A duration at the end of a line, as tests and builds print it: `1 passed in 0.1s`, `done (1.2 s)`, `took 3 min`.
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
# Names of temporary files, as Python, mktemp and pytest make them up.
TEMPORARY = re.compile(r"\b(?:tmp[a-z0-9_]{8}|tmp\.[A-Za-z0-9]{6,12})\b|\bpytest-of-[\w.-]{1,64}/pytest-\d+")
# A longer line is data, and slow to match.
LONGEST = 2_000
NUMBERED = re.compile(r"\b(pid|PID|process|Process)([ =:]+)\d+\b")


def plain_text(text: str) -> str:
    r"""Return the text as a terminal shows it: no colours, and only the last state of an overwritten line; errors stay.

    >>> plain_text("\x1b[31mred\x1b[0m\n10 %\r99 %\rdone\r\n")
    'red\ndone\n'
    """
    plain = ESCAPES.sub("", text) if "\x1b" in text else text
    if "\r" not in plain:
        return plain
    lines = plain.replace("\r\n", "\n").split("\n")
    signs = signs_in(plain.replace("\r", "\n"))
    return "\n".join("\n".join(_last_state(line.split("\r"), signs)) for line in lines)


def _last_state(parts: Sequence[str], signs: Signs) -> list[str]:
    """Return the last state of an overwritten line, after earlier states that report an error."""
    states = [part for part in parts if part]
    return [*(state for state in states[:-1] if is_error(state, signs)), *(states[-1:] or [""])]


def stable_line(line: str, *, times: bool) -> str:
    """Return a line without clocks, durations and temporary names; with `times`, durations stay.

    >>> stable_line("[2026-01-02 10:11:12,345] INFO built in 3.2s", times=False)
    '[<time>] INFO built in <duration>'
    """
    if len(line) > LONGEST:
        return line
    if "tmp" in line or "pytest-of-" in line:
        line = TEMPORARY.sub("<temporary>", line)
    # Most lines have no digit, and so nothing else to replace.
    if not DIGIT.search(line):
        return line
    line = _without_clock(line) if times else IN_BRACKETS.sub("<duration>", stable_error(line))
    return NUMBERED.sub(r"\1\2<number>", line)


def stable_error(line: str) -> str:
    """Return a line that reports an error without the clock before it and the total time at its end.

    Everything else stays: the seconds of a timeout, or the name of a file, may be the error.

    >>> stable_error("10:11:12 ERROR no answer within 30s from /tmp/tmpab12cd34"), stable_error("1 failed in 0.31s")
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
