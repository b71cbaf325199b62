from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.chat.calculator import calculate
from notewell.errors import QueryError


@cases(
    "expression, value",
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * -4", "-20"),
        ("7 / 2", "3.5"),
        ("7 // 2", "3"),
        ("7 % 4", "3"),
        ("2 ** 10", "1024"),
        ("2^10", "1024"),
        ("0.1 + 0.2", "0.3"),
        ("15% of 2,340", "351"),
        ("100 × 3 ÷ 4 − 5 =", "70"),
        ("1,200 + 1", "1201"),
        ("4 ** 0.5", "2"),
        ("2 ** -1", "0.5"),
    ],
)
def test_arithmetic_is_computed_as_people_write_it(expression: str, value: str) -> None:
    assert calculate(expression) == value


@cases(
    "expression, fact",
    [
        ("9**9**9", "too large"),
        ("9**9**9**9**9", "too large"),
        ("10**400", "too large"),
        ("2**1000 * 2**1000", "too large"),
        ("1e308 * 10", "too large"),
        ("10.0 ** 400", "too large"),
        ("1 / 0", "divided by zero"),
        ("0 ** -1", "divided by zero"),
        ("(-8) ** 0.5", "no such root"),
        ("1 << 99999999", "Only numbers"),
        ("'a' * 999999999", "Only numbers"),
        ("[0] * 9", "Only numbers"),
        ("True + 1", "Only numbers"),
        ("1j * 2", "Only numbers"),
        ("abs(1)", "Only numbers"),
        ("__import__('os')", "Only numbers"),
        ("(lambda: 1)()", "Only numbers"),
        ("x", "Only numbers"),
        ("1 if 1 else 2", "Only numbers"),
        ("", "not an arithmetic expression"),
        ("2 +", "not an arithmetic expression"),
        ("1; 2", "Only numbers"),
        ("\0", "Only numbers"),
        ("2(3)", "Only numbers"),
        ("1e", "not an arithmetic expression"),
        ("(" * 199, "not an arithmetic expression"),
        ("1+" * 150, "longer than 200"),
        ("1+" * 99 + "1", "too many parts"),
        ("-" * 190 + "1", "too many parts"),
    ],
)
def test_anything_else_is_refused(expression: str, fact: str) -> None:
    with pytest.raises(QueryError, match=fact):
        calculate(expression)


numbers = st.integers(-999, 999)


@given(numbers, numbers, numbers, st.sampled_from("+-*"), st.sampled_from("+-*"))
def test_whole_numbers_are_exact(a: int, b: int, c: int, first: str, second: str) -> None:
    expression = f"({a} {first} ({b})) {second} ({c})"
    done = {"+": Fraction.__add__, "-": Fraction.__sub__, "*": Fraction.__mul__}
    assert calculate(expression) == str(done[second](done[first](Fraction(a), Fraction(b)), Fraction(c)))


@given(st.text(max_size=60))
def test_no_text_is_more_than_refused(text: str) -> None:
    try:
        assert calculate(text)
    except QueryError as error:
        assert error.fact and error.hint
