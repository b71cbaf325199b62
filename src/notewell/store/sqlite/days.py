"""The day that a note is of, as SQL: as old as it says itself, and only then as its file."""

from __future__ import annotations


def day_of_note() -> str:
    """Return the expression for the day of a row of `note`."""
    said = ", ".join(_day_in(key) for key in ("date", "created", "updated"))
    return f"coalesce({said}, date(mtime_ns / 1000000000, 'unixepoch', 'localtime'), '1970-01-01')"


def _day_in(key: str) -> str:
    # SQLite takes a number for a day of its own count, a time for one in the year 2000, and has a year before 1.
    text = f"fields ->> '$.{key}'"
    day = f"date(substr({text}, 1, 10))"
    shape = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
    return f"case when {text} glob '{shape}' and {day} >= '0001' then {day} end"
