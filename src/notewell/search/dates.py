"""Time in a query: dates as people write them (`2024-05`, `7d`), and words such as `latest` or `last week`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from notewell.patterns import lazy_pattern
from notewell.terms import TOKEN, fold, split_terms
from notewell.types.query import Range

ISO = lazy_pattern(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?")
AGO = lazy_pattern(r"(\d{1,4})([dwmy])")
DAYS_AGO = {"today": 0, "yesterday": 1, "tomorrow": -1}

# Months by their first three letters, English and German.
SHORT_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number for number, name in enumerate(SHORT_MONTHS, start=1)} | {"mai": 5, "okt": 10, "dez": 12}
MONTH = (
    "jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    "|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?"
)
YEAR = r"(?:19|20)\d\d"
# A year, or a month or day in numbers. The digits are searched for first, and what is before them only then: that reads
# a hundred chunks in a tenth of the time.
NAMED = lazy_pattern(r"((?:19|20)(?<![\w.,-]..)\d\d)(?:-(\d\d)(?:-(\d\d))?)?(?![\d-]|[.,]\d)")
MONTH_BEFORE = lazy_pattern(rf"(?<!\w)({MONTH})\.?\s{{1,3}}$", re.IGNORECASE)
LONGEST_MONTH = len("September.   ")
THIS, LAST = r"(?:this|dies(?:e|er|en|es|em))", r"(?:last|past|(?:letzt|vorig|vergangen)(?:e|er|en|es|em))"
# Not that of another time: the last week of January.
PERIOD = rf"(?:week|month|year|woche|monat|jahr)(?!\s+(?:of|in|im|vom|von)\s+(?:{MONTH}|{YEAR})\b)"
# A day from which or up to which time runs is not the time asked for.
BESIDE = ("before", "after", "since", "until", "by", "vor", "nach", "seit", "bis")
NOT_BESIDE = "".join(rf"(?<!{word}\s)" for word in BESIDE)
DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|\.)?"
PHRASE = lazy_pattern(
    rf"""(?<![\w./:-])(?:
    (?P<newest>latest|newest|most\s+recent|neueste[mnrs]?|aktuellste[mnrs]?)
    | (?P<recently>(?:most\s+)?recently|zuletzt|kürzlich|neulich)
    | (?P<today>today|heute)
    | (?P<yesterday>yesterday|gestern)
    | (?P<this>{THIS})\s+(?P<period>{PERIOD})
    | (?P<last>{LAST})\s+(?P<before>{PERIOD})
    | {NOT_BESIDE}(?P<on>{DAY}\s+(?:{MONTH})\s+{YEAR}|(?:{MONTH})\s+{DAY},\s+{YEAR}|{YEAR}-\d\d-\d\d)
    | (?:in|im|im\s+jahre?)\s+(?P<in>(?:(?:{MONTH})\s+)?{YEAR})
    | (?:of|vom|von)\s+(?P<of>(?:{MONTH})\s+{YEAR})
    | (?:since|seit)\s+(?P<since>(?:{MONTH})(?:\s+{YEAR})?|{YEAR})(?!\s+\d)
    )(?:['’]s)?\b(?![-'’./]\w)""",
    re.IGNORECASE | re.VERBOSE,
)
# What each of these has in it: most queries have none, and a short command need not compile the phrases, which takes
# 4 ms.
HINT = lazy_pattern(
    "latest|newest|recent|neuest|aktuellst|zuletzt|kürzlich|neulich|today|heute|yesterday|gestern"
    "|this|dies|last|past|letzt|vorig|vergangen|since|seit|19|20",
    re.IGNORECASE,
)
# Words that occur in sentences about anything, and are about notes only where one begins or ends.
AT_AN_END = ("newest", "today")
# Words that notes contain as well, so that they are also matched; in the middle of a sentence, so are all the others.
ALSO_IN_NOTES = ("today", "in", "of", "on", "since")
# How a request begins, beside stop words.
REQUEST = frozenset(split_terms("show tell give zeig zeige gib"))
# Words for the newest, to recognise notes that have one of them in their names.
NEWEST = frozenset(split_terms("latest newest recent recently neueste neuester neuestes neuesten zuletzt"))
NO_BOUNDS = Range()


def read_day(text: str, today: date | None) -> str:
    """Return the day that a text names, or the first day of its month or year, in ISO format; nothing if it names none.

    Without a `today`, relative days such as `7d` are not read.

    >>> read_day("2024-05", None), read_day("3m", date(2024, 5, 31)), read_day("lunch", None)
    ('2024-05-01', '2024-02-29', '')
    """
    text = text.lower()
    try:
        if match := ISO.fullmatch(text):
            return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
        if today and text in DAYS_AGO:
            return (today - timedelta(days=DAYS_AGO[text])).isoformat()
        if today and (match := AGO.fullmatch(text)):
            return _ago(int(match[1]), match[2], today).isoformat()
    except (ValueError, OverflowError):
        # A month 13, or a year before all calendars.
        return ""
    return ""


def _ago(number: int, unit: str, today: date) -> date:
    if unit in "dw":
        return today - timedelta(days=number * (7 if unit == "w" else 1))
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "y" else 1)
    first = date(months // 12, months % 12 + 1, 1)
    # A month may be shorter than today's: three months before the 31st of May is the end of February.
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return min(first + timedelta(days=today.day - 1), last)


class When(NamedTuple):
    """The days that a phrase means, and its terms that say nothing else; days without bounds mean the newest notes."""

    phrase: str
    days: Range
    idle: frozenset[str] = frozenset()

    @property
    def is_day(self) -> bool:
        """Tell whether the time is one day."""
        return self.days.low == self.days.high != ""

    def __str__(self) -> str:
        low, high = self.days.low, self.days.high
        span = low if low == high else f"{low} to {high}" if high else f"{low} and later"
        return f'preferring {span if low else "the newest"} ("{self.phrase}")'


def read_when(text: str, today: date, empty: Collection[str]) -> When | None:
    """Return the time that a text asks for; `empty` are the terms to ignore.

    >>> str(read_when("login since March", date(2025, 8, 3), ())), read_when("pull latest tag", date(2025, 8, 3), ())
    ('preferring 2025-03-01 and later ("since March")', None)
    """
    if not HINT.search(text):
        return None
    read, begins = 0, True
    for match in PHRASE.finditer(text):
        # The text before a match is read once, however many matches there are.
        begins = begins and all(term in empty or term in REQUEST for term in split_terms(text[read : match.start()]))
        read = match.start()
        at_an_end = begins or not TOKEN.search(text, match.end())
        kind, days = str(match.lastgroup), _days(match, today)
        if days is None or (kind in AT_AN_END and not at_an_end):
            continue
        idle = split_terms(match[0]) if at_an_end and kind not in ALSO_IN_NOTES else ()
        return When(match[0], days, frozenset(idle))
    return None


def named_days(text: str) -> Iterator[Range]:
    """Yield the days, months and years that a text names.

    >>> list(named_days("2024-02-03, Feb 2024"))[1]
    Range(low='2024-02-01', high='2024-02-29', open=False)
    """
    for match in NAMED.finditer(text):
        year, number, day = (int(digits or 0) for digits in match.groups())
        name = MONTH_BEFORE.search(text, max(0, match.start() - LONGEST_MONTH), match.start())
        try:
            yield _span(year, number or (MONTHS[fold(name[1])[:3]] if name else 0), day)
        except ValueError:
            # There is no month 13.
            continue


def _days(match: re.Match[str], today: date) -> Range | None:
    """Return the days that a phrase means; None for a time in the future."""
    if match["newest"] or match["recently"]:
        return NO_BOUNDS
    if match["today"] or match["yesterday"]:
        day = (today - timedelta(days=bool(match["yesterday"]))).isoformat()
        return Range(day, day)
    if period := match["period"] or match["before"]:
        return _period(fold(period), today, bool(match["last"]))
    if month := match["in"] or match["of"]:
        (span,) = named_days(month)
        return span if span.low <= today.isoformat() else None
    if match["on"]:
        return _one_day(match["on"], today)
    return _since(match["since"], today)


def _one_day(written: str, today: date) -> Range | None:
    """Return the day of `30 January 2025`, `January 30, 2025` or `2025-01-30`.

    None for one in the future, or that does not exist.
    """
    try:
        span = Range(written, read_day(written, None)) if ISO.fullmatch(written) else _worded_day(written)
    except ValueError:
        return None
    if not span.high:
        return None
    return span if span.low <= today.isoformat() else None


def _worded_day(written: str) -> Range:
    year, day = (int(re.findall(pattern, written)[0]) for pattern in (YEAR, r"\b\d{1,2}(?=\D)"))
    month = re.findall(MONTH, written, re.IGNORECASE)[0]
    return _span(year, MONTHS[fold(month)[:3]], day)


def _period(name: str, today: date, last: bool) -> Range:
    """Return the days of this week, month or year, or of the last one."""
    if name in ("week", "woche"):
        monday = today - timedelta(days=today.weekday() + 7 * last)
        return Range(monday.isoformat(), (monday + timedelta(days=6)).isoformat())
    if name in ("year", "jahr"):
        return _span(today.year - last)
    within = today.replace(day=1) - timedelta(days=last)
    return _span(within.year, within.month)


def _since(written: str, today: date) -> Range | None:
    """Return the days since a year or a month; without a year, since the last month of that name."""
    for year in (today.year, today.year - 1):
        text = written if written[-1].isdigit() else f"{written} {year}"
        (span,) = named_days(text)
        if span.low <= today.isoformat():
            return Range(low=span.low)
    return None


def _span(year: int, month: int = 0, day: int = 0) -> Range:
    first = date(year, month or 1, day or 1)
    if day:
        return Range(first.isoformat(), first.isoformat())
    after = date(year + (month == 12), month % 12 + 1, 1) if month else date(year + 1, 1, 1)
    return Range(first.isoformat(), (after - timedelta(days=1)).isoformat())
