"""Dates and words for a time in a query."""

from __future__ import annotations

from datetime import date

from tests.calls import calls_of
from tests.cases import cases

from notewell.search.dates import named_days, read_when
from notewell.search.plan import make_plan
from notewell.search.query import ParseContext
from notewell.terms import split_terms, stop_terms
from notewell.types.query import Plan, Range

# A Sunday.
TODAY = date(2025, 8, 3)


def planned(text: str, today: date | None = TODAY) -> Plan:
    return make_plan(text, context=ParseContext(today=today))


@cases(
    ("text", "low", "high"),
    [
        ("what did we do today", "2025-08-03", "2025-08-03"),
        ("was haben wir heute gemacht", "2025-08-03", "2025-08-03"),
        ("what Ada said yesterday about bees", "2025-08-02", "2025-08-02"),
        ("yesterday's standup", "2025-08-02", "2025-08-02"),
        ("gestern Honig", "2025-08-02", "2025-08-02"),
        ("meetings this week", "2025-07-28", "2025-08-03"),
        ("diese Woche im Garten", "2025-07-28", "2025-08-03"),
        ("what the planners decided last week on login", "2025-07-21", "2025-07-27"),
        ("letzte Woche im Garten", "2025-07-21", "2025-07-27"),
        ("bees last week of January 2025", "2025-01-01", "2025-01-31"),
        ("letzte Woche im Januar 2025", "2025-01-01", "2025-01-31"),
        ("the meeting on January 30, 2025", "2025-01-30", "2025-01-30"),
        ("Protokoll vom 30. Januar 2025", "2025-01-30", "2025-01-30"),
        ("bees this month", "2025-08-01", "2025-08-31"),
        ("bees last month", "2025-07-01", "2025-07-31"),
        ("Bienen letzten Monat", "2025-07-01", "2025-07-31"),
        ("honey this year", "2025-01-01", "2025-12-31"),
        ("Honig dieses Jahr", "2025-01-01", "2025-12-31"),
        ("honey last year", "2024-01-01", "2024-12-31"),
        ("honey in 2024", "2024-01-01", "2024-12-31"),
        ("Honig im Jahr 2024", "2024-01-01", "2024-12-31"),
        ("honey in February 2024", "2024-02-01", "2024-02-29"),
        ("Honig im Mai 2024", "2024-05-01", "2024-05-31"),
        ("honey in december 2024", "2024-12-01", "2024-12-31"),
        ("login since March", "2025-03-01", ""),
        ("login since november", "2024-11-01", ""),
        ("Login seit März 2023", "2023-03-01", ""),
        ("login since 2023", "2023-01-01", ""),
    ],
)
def test_days_are_read_from_a_phrase(text: str, low: str, high: str) -> None:
    assert planned(text).when == Range(low, high)


@cases(
    "text",
    [
        "latest state of the planner",
        "What's the latest on the planner?",
        "Show me our newest notes on bees",
        "the most recent decision on login",
        "what did we decide most recently on login",
        "login decision, latest",
        "neueste Notizen zu Bienen",
        "Was haben wir zum Login zuletzt entschieden",
        "hive inspected recently",
    ],
)
def test_the_newest_are_asked_for(text: str) -> None:
    assert planned(text).when == Range()


@cases(
    "text",
    [
        "pull the latest image tag",
        "python get most recent file in folder",
        "Traceback (most recent call last)",
        "image:latest",
        "nginx-latest",
        "latest.md",
        "the phone's today widget is broken",
        '"latest state" of the planner',
        'vec:"what happened last week"',
        "bees may swarm in spring",
        "may I open the hive",
        "march to the hive",
        "since marching bees",
        "a week in the garden",
        "the last weekend",
        "before January 30, 2025",
        "seit 30. Januar 2025",
        "since January 30, 2025",
        "march 10 2000 miles",
        "this yearning",
        "room 2024",
        "in 2024.5 grams",
        "what happens in 2031",
        "plans since 2031",
        " ".join(["words"] * 70) + " latest",
    ],
)
def test_ordinary_words_are_not_a_time(text: str) -> None:
    plan = planned(text)
    assert plan.when is None
    assert not any("preferring" in told for told in plan.read_as)


@cases("text", ["latest state of login", "login in 2024", "login last week"])
def test_without_a_day_of_today_nothing_is_read(text: str) -> None:
    assert planned(text, None) == make_plan(text)
    assert make_plan(text).when is None


@cases(
    ("text", "terms"),
    [
        ("latest state of login", ("state", "login")),
        ("login decided last week", ("login", "decid")),
        ("what is the latest", ("latest",)),
        ("worth more than today", ("worth", "more", "today")),
        # In the midst of a sentence the words may be part of what it is about.
        ("python datetime last month number", ("python", "datetim", "last", "month", "number")),
        # Notes may also be about a year.
        ("login in 2024", ("login", "2024")),
        ("login since March", ("login", "sinc", "march")),
    ],
)
def test_words_for_time_alone_are_not_terms_if_others_remain(text: str, terms: tuple[str, ...]) -> None:
    assert planned(text).terms == terms
    assert planned(text).text == text


@cases(
    ("text", "told"),
    [
        ("latest login", 'preferring the newest ("latest")'),
        ("login in May 2024", 'preferring 2024-05-01 to 2024-05-31 ("in May 2024")'),
        ("login yesterday", 'preferring 2025-08-02 ("yesterday")'),
        ("login since March", 'preferring 2025-03-01 and later ("since March")'),
    ],
)
def test_the_plan_says_how_it_was_read(text: str, told: str) -> None:
    assert planned(text).read_as[-1] == told


def test_the_first_phrase_that_can_be_read_counts() -> None:
    when = read_when("login today as in 2023", TODAY, stop_terms())
    assert when is not None and when.days == Range("2023-01-01", "2023-12-31")


def test_a_text_names_days_months_and_years() -> None:
    text = "2024-02-03 and Feb 2024, 2023; not 2024-13, 2024-02-31, v1.2024, 12024, 2024.5 or 2024-1"
    assert list(named_days(text)) == [
        Range("2024-02-03", "2024-02-03"),
        Range("2024-02-01", "2024-02-29"),
        Range("2023-01-01", "2023-12-31"),
    ]


def test_what_stands_before_a_time_is_read_once() -> None:
    """Not once for each of the times: that takes a second for as many as fit into a query."""
    text = "bees, " + "today," * 660 + "bees"
    with calls_of(split_terms) as calls:
        assert read_when(text, TODAY, stop_terms()) is None
    assert 0 < sum(len(call["text"]) for call in calls) <= len(text)
