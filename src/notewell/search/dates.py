"""Dates as people write them in a query: `2024-05-01`, `2024-05`, `2024`, `7d`, `today`."""

from __future__ import annotations

import re
from datetime import date, timedelta

ISO = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?")
AGO = re.compile(r"(\d{1,4})([dwmy])")
NAMED = {"today": 0, "yesterday": 1}


def read_day(text: str, today: date | None) -> str:
    """Return the day that a text names, or the first of its days, in ISO format; nothing, if it names none.

    Without a `today`, nothing is seven days ago.

    >>> read_day("2024-05", None), read_day("3m", date(2024, 5, 31)), read_day("lunch", None)
    ('2024-05-01', '2024-02-29', '')
    """
    text = text.lower()
    try:
        if match := ISO.fullmatch(text):
            return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
        if today and text in NAMED:
            return (today - timedelta(days=NAMED[text])).isoformat()
        if today and (match := AGO.fullmatch(text)):
            return _ago(int(match[1]), match[2], today).isoformat()
    except (ValueError, OverflowError):
        # A month 13, or a time before all calendars.
        return ""
    return ""


def _ago(number: int, unit: str, today: date) -> date:
    if unit in "dw":
        return today - timedelta(days=number * (7 if unit == "w" else 1))
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "y" else 1)
    first = date(months // 12, months % 12 + 1, 1)
    # A month may be shorter than today's: the 31st of May, three months ago, was the end of February.
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return min(first + timedelta(days=today.day - 1), last)
