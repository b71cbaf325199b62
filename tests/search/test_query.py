from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.errors import SettingsError
from notewell.search.dates import read_day
from notewell.search.plan import make_plan
from notewell.search.query import ParseContext, parse_query, read_filters
from notewell.types.notices import Notice
from notewell.types.query import Filter, Filters, Plan, Range, Scope

CONTEXT = ParseContext(lambda: {"status", "rating", "author", "due", "ms.date", "c", "https"}, date(2024, 5, 31))


def read(text: str) -> str:
    return "; ".join(map(str, parse_query(text, CONTEXT).parts))


def plan_of(text: str) -> Plan:
    return make_plan(text, context=CONTEXT)


def filters_of(text: str) -> tuple[Filter, ...]:
    return parse_query(text, CONTEXT).filters


# What is text


@cases(
    "text",
    [
        "getTenantId",
        "why did the bread collapse?",
        "  two  spaces\tand a tab ",
        "https://example.org/a?b=c#d",
        "see https://example.org",
        r"C:\notes\bees c:\x",
        "12:30",
        "std::vector<int>",
        "at 12:30 in std::map",
        "-",
        "foo -",
        "- foo",
        "-- drop table note",
        "--flag",
        "--flag=1",
        "-5 degrees",
        "ls -l",
        "well-known",
        "a well-known-fact",
        "–word",
        "nokey:value",
        "nokey:3..5",
        "no.key:3",
        'nokey:"some value"',
        "-nokey:value",
        "tag:",
        "tag: bees",
        "status: open",
        "after:lunch",
        "before:2024-13",
        "before:2024-02-30",
        "after:0000",
        "after:9999y",
        "in:there",
        "-in:heading",
        "-lex:word",
        "*",
        "**",
        "a*",
        "*args",
        "**bold**",
        "_emphasis_",
        "a*b",
        "東京*",
        '"unclosed',
        'unclosed"',
        '12" pizza and 14" pan',
        '""',
        '" "',
        '"?!"',
        'a"b c"d',
        "“unclosed",
        '" OR ( NEAR *',
        "'; drop table note; --",
        "🐝",
        ":",
        ":value",
        "|",
        "a|b",
        "%_",
        "(bees)",
        "#tag",
        "[[Bees]]",
        "C++",
        "user@example.org",
        "§3 Absatz 2",
    ],
)
def test_what_is_not_syntax_is_text(text: str) -> None:
    assert [(part.kind, part.text) for part in parse_query(text, CONTEXT).parts] == [("text", text)]


def test_nothing_has_no_parts() -> None:
    assert parse_query("").parts == ()


def test_a_pasted_page_is_text_whatever_is_in_it() -> None:
    page = 'He said "no such thing" -never about tag:x. ' * 10
    assert [part.kind for part in parse_query(page, CONTEXT).parts] == ["text"]
    assert parse_query(f'lex:x hyde:"{page.replace(chr(34), "")}" -draft', CONTEXT).passage.count("tag:x") == 10


@cases(
    ("sign", "parts_read"),
    [
        ('"a phrase {}"', "phrases"),
        ('-"a phrase {}"', "phrases"),
        ("-word{}*", "excluded beginnings"),
    ],
)
def test_what_costs_is_text_beyond_the_first_sixteen(sign: str, parts_read: str) -> None:
    parts = [sign.format(number) for number in range(20)]
    query = parse_query(" ".join(parts), CONTEXT)
    assert len(query.filters) == 16
    assert query.parts[-1].kind == "text" and query.parts[-1].text == " ".join(parts[16:])
    assert query.unparsed.notices == (Notice("too_many_parts", {"most": 16, "parts": parts_read}),)
    assert parse_query(" ".join(parts[:16]), CONTEXT).unparsed.notices == ()


def test_a_key_that_is_reported_is_not_a_word_to_guess_at() -> None:
    assert plan_of("bread statsu:opne").words == ("bread",)
    assert plan_of("bread nokey:opne").words == ("bread", "nokey", "opne")


def test_what_was_not_written_for_us_has_no_syntax() -> None:
    text = '"a phrase" -not tag:x'
    assert make_plan(text, context=ParseContext(syntax=False)).text == text


# What is syntax


@cases(
    ("text", "expected"),
    [
        # Typed parts.
        ('lex:"getTenantId"', 'words "getTenantId"'),
        ("lex:word", 'words "word"'),
        ("LEX:word", 'words "word"'),
        ('vec:"auth mutation" rest', 'meaning "auth mutation"; words and meaning "rest"'),
        ('hyde:"how caching works"', 'passage "how caching works"'),
        ('lex:"a b" vec:"c d" e', 'words "a b"; meaning "c d"; words and meaning "e"'),
        ("lex:a|b", 'words "a|b"'),
        # Phrases.
        ('"exact phrase"', 'phrase "exact phrase"'),
        ('one "two three" four', 'words and meaning "one"; phrase "two three"; words and meaning "four"'),
        ('who said "to be"?', 'words and meaning "who said"; phrase "to be"'),
        ('"C++" code', 'phrase "C++"; words and meaning "code"'),
        ("“smart” quotes", 'phrase "smart"; words and meaning "quotes"'),
        ("„deutsche“ Zeichen", 'phrase "deutsche"; words and meaning "Zeichen"'),
        ("«französische» auch", 'phrase "französische"; words and meaning "auch"'),
        ('" padded "', 'phrase "padded"'),
        # Exclusions.
        ("bread -rye", 'words and meaning "bread"; not rye'),
        ("-rye bread", 'not rye; words and meaning "bread"'),
        ('bread -"rye flour"', 'words and meaning "bread"; not phrase "rye flour"'),
        ("bread -well-known", 'words and meaning "bread"; not phrase "well-known"'),
        ("-getTenantId", "not getTenantId"),
        ("-auth*", "not auth*"),
        ("-Übung,", "not Übung"),
        # Prefixes.
        ("auth*", 'prefix "auth"'),
        ("auth* flow", 'prefix "auth"; words and meaning "flow"'),
        ("is it auth*?", 'words and meaning "is it"; prefix "auth"'),
        ("src/auth*", 'prefix "src/auth"'),
        # Filters.
        ("path:Garden", "path Garden"),
        ('path:"Machine learning"', "path Machine learning"),
        ("path:Journal/2025-*", "path Journal/2025-*"),
        ("tag:bees", "tag bees"),
        ("tag:#bees", "tag bees"),
        ("tags:bees", "tag bees"),
        ("Tag:bees", "tag bees"),
        ("tag:a|b", "tag a or b"),
        ('tag:a|"b c"', "tag a or b c"),
        ("tag:bees, mites", 'tag bees; words and meaning "mites"'),
        ("-tag:bees", "not tag bees"),
        ("type:log -type:draft", "type log; not type draft"),
        ("status:open", "status open"),
        ("Status:Open", "status Open"),
        ("-status:open", "not status open"),
        ('author:"Jane Doe"', "author Jane Doe"),
        ("rating:3", "rating 3"),
        ("rating:3..5", "rating 3 to 5"),
        ("rating:4.5..5", "rating 4.5 to 5"),
        ("rating:3..", "rating >= 3"),
        ("rating:..5", "rating <= 5"),
        ("rating:..", "rating .."),
        ("rating:>3", "rating > 3"),
        ("rating:>=3 rating:<5", "rating >= 3; rating < 5"),
        ('rating:">3"', "rating >3"),
        ("ms.date:2024", "ms.date 2024"),
        ("due:2024-05..2024-06", "due 2024-05 to 2024-06"),
        ("after:2024-05-01", "after 2024-05-01"),
        ("after:2024-5-1", "after 2024-05-01"),
        ("after:2024-05", "after 2024-05-01"),
        ("before:2024", "before 2024-01-01"),
        ("after:7d", "after 2024-05-24"),
        ("after:2w", "after 2024-05-17"),
        ("after:3m", "after 2024-02-29"),
        ("before:1y", "before 2023-05-31"),
        ("after:today", "after 2024-05-31"),
        ("after:Yesterday", "after 2024-05-30"),
        ("-after:2024", "not after 2024-01-01"),
        ("in:heading mites", 'in a heading; words and meaning "mites"'),
        # All together.
        (
            'varroa "formic acid" -oxalic tag:bees after:2024-05 lex:H2',
            'words and meaning "varroa"; phrase "formic acid"; not oxalic; tag bees; after 2024-05-01; words "H2"',
        ),
    ],
)
def test_a_query_is_read_as(text: str, expected: str) -> None:
    assert read(text) == expected


def test_a_key_that_no_note_has_is_text_and_one_that_some_has_is_a_filter() -> None:
    assert parse_query("mood:good", ParseContext()).filters == ()
    assert parse_query("mood:good", ParseContext(lambda: {"mood"})).filters == (Filter("field", ("good",), "mood"),)


def test_keys_are_only_asked_for_when_a_query_may_have_one() -> None:
    def ask() -> set[str]:
        raise AssertionError("asked")

    parse_query('bread -rye "a b" auth* tag:x path:y lex:z in:heading https://x.org 12:30', ParseContext(ask))


def test_without_a_day_nothing_is_seven_days_ago() -> None:
    assert parse_query("after:7d after:2024").filters == (Filter("date", (Range("2024-01-01"),)),)


# What becomes of it


def test_typed_parts_are_matched_by_words_or_by_meaning_alone() -> None:
    plan = plan_of('lex:"getTenantId" vec:"whose request" caching')
    assert plan.terms == ("gettenantid", "get", "tenant", "id", "cach")
    assert (plan.text, plan.passage, plan.by_words) == ("whose request caching", "", True)


def test_words_alone_have_no_text_to_embed() -> None:
    plan = plan_of("lex:bread lex:rye")
    assert (plan.terms, plan.text, plan.by_words) == (("bread", "rye"), "", True)


def test_meaning_alone_is_not_matched_by_words_but_shows_them() -> None:
    assert (plan_of('vec:"bread rises"').text, plan_of('vec:"bread rises"').by_words) == ("bread rises", False)
    assert plan_of('vec:"bread rises"').terms == ("bread", "rise")
    assert (plan_of('hyde:"bread rises"').passage, plan_of('hyde:"bread rises"').by_words) == ("bread rises", False)


def test_a_phrase_is_matched_by_its_words_too() -> None:
    plan = plan_of('rye "sour dough"')
    assert (plan.text, plan.terms) == ("rye sour dough", ("rye", "sour", "dough"))
    assert plan.scope == Scope(filters=(Filter("phrase", ("sour dough",)),))


def test_a_prefix_is_a_term_with_a_star() -> None:
    assert plan_of("Authen* flow").terms == ("authen*", "flow")
    assert plan_of("src/getTen*").terms == ("src", "getten*")
    assert plan_of("Authen* flow").text == "Authen flow"


def test_what_is_left_out_is_not_looked_for() -> None:
    plan = plan_of("bread -rye -tag:draft")
    assert (plan.text, plan.terms) == ("bread", ("bread",))
    assert [asked.of for asked in plan.scope.filters] == ["term", "tag"]


def test_the_words_that_have_to_stand_in_a_heading_are_those_that_are_matched() -> None:
    assert plan_of("the mites in:heading").scope.filters == (Filter("heading", ("mite",)),)
    assert plan_of("in:heading").scope == Scope()


def test_filters_come_after_those_of_the_scope_and_each_once() -> None:
    tag = Filter("tag", ("bees",))
    plan = make_plan("mites tag:bees type:log", Scope("Garden", (tag,)))
    assert plan.scope == Scope("Garden", (tag, Filter("type", ("log",))))
    assert plan.read_as == ('words and meaning "mites"', "tag bees", "type log", "under Garden", "one word")


def test_filters_alone_are_answered_by_date() -> None:
    assert plan_of("tag:bees -draft").only_filters
    assert make_plan("", Scope("Garden")).only_filters
    assert not plan_of("").only_filters
    assert not plan_of("tag:bees mites").only_filters
    assert not plan_of("tag:bees ?!").terms


# As parameters


def test_parameters_are_read_as_in_a_query() -> None:
    only = Filters(
        tag=("a|b", "#c"), type="log", after="7d", before="2024", where={"rating": "3..5", "due date": "x y"}
    )
    assert read_filters(only, CONTEXT.today) == (
        *filters_of("tag:a|b tag:c type:log after:7d before:2024 rating:3..5"),
        Filter("field", ("x y",), key="due date"),
    )
    assert read_filters(Filters(tag='a b | "c|d" |'), CONTEXT.today) == (Filter("tag", ("a b", "c|d")),)
    assert read_filters(Filters(), CONTEXT.today) == ()


@cases("only", [Filters(after="lunch"), Filters(before="2024-13")])
def test_a_parameter_that_is_not_a_date_is_an_error(only: Filters) -> None:
    with pytest.raises(SettingsError, match="is not a date"):
        read_filters(only, CONTEXT.today)


# Anything


@cases(
    "text",
    ["k:" + "“a”|" * 700 + '"', '"a ' * 1_300, "-" * 4_000, "a*" * 2_000, "x:|" * 1_300, "„a «" * 900, "lex:" * 999],
)
def test_no_text_takes_long_to_read(text: str) -> None:
    began = time.process_time()
    plan_of(text)
    assert time.process_time() - began < 2


SIGNS = st.text(alphabet='ab1 "“”„«»-:*|.<>=#/\\()éß東🐝\n\t,?!', max_size=40)
PIECES = st.sampled_from(
    ['"', "-", "tag:", "after:", "2024", "status:", "lex:", "*", "|", "..", " ", "word", "in:heading"]
)


@given(st.one_of(st.text(max_size=80), SIGNS, st.lists(PIECES, max_size=12).map("".join)))
def test_any_text_is_a_query(text: str) -> None:
    plan = plan_of(text)
    assert plan == plan_of(text)
    assert hash(plan.scope) == hash(plan_of(text).scope)
    assert all(plan.terms)
    assert all(asked.values and all(asked.values) for asked in plan.scope.filters)


@given(st.text(alphabet="abcß é.-:*'", min_size=1, max_size=30))
def test_what_is_in_quotes_is_not_syntax_and_stays_so_when_it_is_quoted_again(text: str) -> None:
    for key, kind in (("lex:", "words"), ("vec:", "meaning"), ("hyde:", "passage"), ("", "phrase")):
        parts = parse_query(f'{key}"{text}"', CONTEXT).parts
        assert [part.kind for part in parts] in ([kind], ["text"])
        if parts[0].kind == kind:
            assert parts[0].text == text.strip()
            assert parse_query(f'{key}"{parts[0].text}"', CONTEXT).parts == parts


@given(st.text(max_size=12), st.dates())
def test_any_text_is_a_day_or_none(text: str, today: date) -> None:
    day = read_day(text, today)
    assert not day or date.fromisoformat(day).isoformat() == day


@given(st.integers(0, 9999), st.sampled_from("dwmy"), st.dates())
def test_ago_is_never_in_the_future(number: int, unit: str, today: date) -> None:
    day = read_day(f"{number}{unit}", today)
    assert not day or date.fromisoformat(day) <= today
