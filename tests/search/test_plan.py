from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.search.plan import MAX_CHARS, MAX_TERMS, make_plan
from notewell.terms import stop_terms
from notewell.types.query import EVERYTHING, Scope


def test_words_that_say_nothing_are_left_out() -> None:
    assert make_plan("Why does the bread collapse in my oven?").terms == ("bread", "collaps", "oven")


def test_german_words_that_say_nothing_are_left_out() -> None:
    assert make_plan("Wann muss die Abrechnung beim Mieter sein?").terms == ("abrechnung", "beim", "mieter")


def test_a_query_of_only_such_words_is_matched_by_them() -> None:
    assert make_plan("to be or not to be").terms == ("to", "be", "or", "not", "to", "be")


def test_a_word_said_twice_counts_twice() -> None:
    assert make_plan("rye, rye and wheat").terms == ("rye", "rye", "wheat")


def test_identifiers_are_matched_by_part_and_whole() -> None:
    assert make_plan("getTenantId").terms == ("gettenantid", "get", "tenant", "id")


def test_an_empty_query_has_no_terms_and_no_text() -> None:
    plan = make_plan(" \n\t ")
    assert (plan.text, plan.terms, plan.scope) == ("", (), EVERYTHING)


def test_punctuation_alone_has_no_terms() -> None:
    assert make_plan('" OR ( NEAR *').terms == ("near",)
    assert make_plan('"(*^:-)!').terms == ()


def test_a_zero_byte_is_a_space() -> None:
    assert make_plan("rye\0bread") == make_plan("rye bread")


def test_a_pasted_page_is_read_by_its_head() -> None:
    plan = make_plan(" ".join(f"word{number}" for number in range(3_000)))
    assert len(plan.text) == MAX_CHARS
    assert len(plan.terms) == MAX_TERMS
    assert plan.terms[:2] == ("word0", "word1")


def test_the_scope_is_kept() -> None:
    assert make_plan("bees", Scope("Garden")).scope == Scope("Garden")


def test_umlauts_and_accents_make_no_difference() -> None:
    assert make_plan("Übergabe Café").terms == make_plan("ubergabe cafe").terms


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_makes_a_plan_and_the_same_one_each_time(text: str) -> None:
    plan = make_plan(text)
    assert plan == make_plan(text)
    assert "\0" not in plan.text
    assert all(plan.terms)
    assert not stop_terms().intersection(plan.terms) or stop_terms().issuperset(plan.terms)
