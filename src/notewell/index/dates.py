"""The dates of notes, from file names as people and Obsidian write them or from properties, and of headings."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from notewell.errors import NotewellError
from notewell.files.safe_open import open_inside
from notewell.frozen import frozen
from notewell.patterns import lazy_pattern
from notewell.types.note import Note

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
GERMAN = {"mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12}

# A day, week or month at the beginning or end of a name: 2025-07-11, 2025_07_11, 20250711, 2025-W28, 2025-07. An id
# such as 202507111230 begins with a day.
YEAR = r"(?P<year>(?:19|20)\d\d)"
NAMES = (
    lazy_pattern(rf"(?<!\d){YEAR}([-_. ]?)(?P<month>0[1-9]|1[0-2])\2(?P<day>0[1-9]|[12]\d|3[01])(?!\d(?!\d))"),
    lazy_pattern(rf"(?<!\d)(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.{YEAR}(?!\d)"),
    lazy_pattern(rf"(?<!\d){YEAR}[-_ ]?[WK]W?(?P<week>0[1-9]|[1-4]\d|5[0-3])(?!\d)", re.IGNORECASE),
    lazy_pattern(rf"(?<!\d){YEAR}[-_](?P<month>0[1-9]|1[0-2])(?![-_\d])"),
)
# The parts of a format that Obsidian's daily notes are named by (moment.js), the longest first.
PARTS = {
    "YYYY": r"(?P<year>\d{4})",
    "GGGG": r"(?P<year>\d{4})",
    "gggg": r"(?P<year>\d{4})",
    "MMMM": r"(?P<named>[^\W\d_]++)",
    "dddd": r"[^\W\d_]++",
    "DDDD": r"\d{3}",
    "MMM": r"(?P<named>[^\W\d_]++)\.?",
    "ddd": r"[^\W\d_]++\.?",
    "YY": r"(?P<short>\d\d)",
    "MM": r"(?P<month>\d\d)",
    "DD": r"(?P<day>\d\d)",
    "Do": r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)",
    "dd": r"[^\W\d_]++",
    "WW": r"(?P<week>\d\d)",
    "ww": r"(?P<week>\d\d)",
    "HH": r"\d\d",
    "mm": r"\d\d",
    "ss": r"\d\d",
    "M": r"(?P<month>\d{1,2})",
    "D": r"(?P<day>\d{1,2})",
    "W": r"(?P<week>\d{1,2})",
    "w": r"(?P<week>\d{1,2})",
    "Q": r"(?P<quarter>[1-4])",
}
TOKEN = lazy_pattern(rf"\[([^\[\]]{{0,100}})\]|({'|'.join(PARTS)})|(.)", re.DOTALL)

# Where Obsidian keeps the formats of daily notes, and its plugins those of weekly, monthly and other ones.
DAILY_NOTES = ".obsidian/daily-notes.json"
PERIODIC_NOTES = ".obsidian/plugins/periodic-notes/data.json"
CALENDAR = ".obsidian/plugins/calendar/data.json"
LARGEST = 1 << 20
# Characters of a format, and formats; a longer one, or more, are a mistake or an attack. Each is tried with each name,
# which takes 45 µs for a path of 2,400 characters.
LONGEST_FORMAT, MOST_FORMATS = 100, 20
# A day at the beginning of a property's value, which may go on with a time.
ISO_DAY = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")


@frozen
class DateRules:
    """Where to find the date of a note, besides the usual forms in its file name."""

    keys: tuple[str, ...] = ("date", "created", "updated")
    """Properties with the date; the first that has one counts."""
    formats: tuple[str, ...] = ()
    """Formats of file names, as in Obsidian: `DD MMMM YYYY`."""


def date_note(note: Note, rules: DateRules) -> Note:
    """Return the note with its day and its source: the file's `name`, or the key of a property."""
    if day := day_in_name(note.path, [name_pattern(format) for format in rules.formats]):
        return replace(note, day=day, dated_by="name")
    for key in rules.keys:
        if match := ISO_DAY.match(str(note.fields.get(key, ""))):
            with suppress(ValueError):
                return replace(note, day=date(*map(int, match.groups())).isoformat(), dated_by=key)
    return note


def with_vault_formats(rules: DateRules, root: Path) -> DateRules:
    """Return the rules with the formats by which the vault's own daily, weekly and other notes are named."""
    formats = (*rules.formats, *(format for format in _formats(root) if len(format) <= LONGEST_FORMAT))
    return replace(rules, formats=tuple(dict.fromkeys(format for format in formats if format))[:MOST_FORMATS])


def _formats(root: Path) -> Iterator[str]:
    daily, calendar = obsidian_settings(root, DAILY_NOTES), obsidian_settings(root, CALENDAR)
    yield str(daily.get("format") or "")
    yield str(calendar.get("weeklyNoteFormat") or "")
    for kind in obsidian_settings(root, PERIODIC_NOTES).values():
        if isinstance(kind, dict):
            yield str(kind.get("format") or "")


def obsidian_settings(root: Path, path: str) -> Mapping[str, Any]:
    """Return a settings file of Obsidian's; nothing, if there is none or it cannot be read."""
    try:
        with os.fdopen(open_inside(root, path), "rb") as file:
            settings = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError, NotewellError):
        return {}
    return settings if isinstance(settings, dict) else {}


@cache
def name_pattern(format: str) -> re.Pattern[str]:
    """Return a pattern for the end of a path that a moment.js format makes.

    >>> name_pattern("YYYY/MM-MMMM/YYYY-MM-DD").search("Daily/2025/07-July/2025-07-11")["day"]
    '11'
    """
    parts: list[str] = []
    named: set[str] = set()
    for literal, token, other in TOKEN.findall(format):
        part = PARTS.get(token, re.escape(literal or other))
        group = re.match(r"\(\?P<(\w+)>", part)
        if group and group[1] in named:
            # The same part again has to be the same: a folder for the year, and the year in the name.
            part = f"(?P={group[1]})" + part[part.index(")") + 1 :]
        elif group:
            named.add(group[1])
        parts.append(part)
    return re.compile(rf"(?:^|/){''.join(parts)}$", re.IGNORECASE)


# A heading that begins with a day, week or month: `2025-07-11 Friday`, `[[2025-07-11]]`, `Friday, 11 July 2025`.
WEEKDAY = (
    r"(?:(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|mo|di|mi|do|fr|sa|so)\.?,?\s+)?"
)
NAMED_MONTH = r"(?P<named>[^\W\d_]{3,9})\.?"
HEADINGS = (
    *(lazy_pattern(rf"{WEEKDAY}{pattern.pattern}", re.IGNORECASE) for pattern in NAMES),
    lazy_pattern(rf"{WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+{NAMED_MONTH},?\s+{YEAR}(?!\d)", re.IGNORECASE),
    lazy_pattern(rf"{WEEKDAY}{NAMED_MONTH}\s+(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?{YEAR}(?!\d)", re.IGNORECASE),
)


def day_in_headings(headings: Sequence[str]) -> str:
    """Return the day, in ISO format, at the beginning of the innermost heading that has one there; nothing if none has.

    >>> day_in_headings(("Log", "Friday, 11 July 2025", "Call")), day_in_headings(("Since 2025-07-11",))
    ('2025-07-11', '')
    """
    for heading in reversed(headings):
        if any(map(str.isdigit, heading)):
            for pattern in HEADINGS:
                if (match := pattern.match(heading.lstrip("[ "))) and (day := _day(match)):
                    return day
    return ""


def day_in_name(path: str, patterns: Sequence[re.Pattern[str]] = ()) -> str:
    """Return the day that a path names, in ISO format: the first of a week, month or quarter; nothing if none.

    >>> day_in_name("Daily/2025-07-11.md"), day_in_name("2025-W28.md"), day_in_name("20250711 Call.md")
    ('2025-07-11', '2025-07-07', '2025-07-11')
    >>> day_in_name("Daily/11 July 25.md", [name_pattern("DD MMMM YY")]), day_in_name("RFC 2616.md")
    ('2025-07-11', '')
    """
    stem = path.rpartition(".")[0] or path
    for pattern in patterns:
        if (match := pattern.search(stem)) and (day := _day(match)):
            return day
    name = stem.rpartition("/")[2]
    return next((day for pattern in NAMES if (match := pattern.search(name)) and (day := _day(match))), "")


def _day(match: re.Match[str]) -> str:
    found = {name: value for name, value in match.groupdict().items() if value}
    # Without a year there is no day: `date` refuses the year 0.
    short = 2000 + int(found["short"]) if "short" in found else 0
    year = int(found.get("year", short))
    try:
        if "week" in found:
            return date.fromisocalendar(year, int(found["week"]), 1).isoformat()
        month = _month(found["named"]) if "named" in found else int(found.get("month", 0))
        if "quarter" in found:
            month = int(found["quarter"]) * 3 - 2
        return date(year, month or 1, int(found.get("day", 1))).isoformat()
    except ValueError:
        # A 31st of June, or a word that is no month.
        return ""


def _month(name: str) -> int:
    begins = name.lower()[:3]
    return GERMAN.get(begins) or (MONTHS.index(begins) + 1)
