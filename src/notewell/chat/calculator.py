"""Arithmetic for a model: the expression becomes a syntax tree, and only listed operators are computed."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

from notewell.errors import QueryError

Number = int | float

# A longer expression is no arithmetic that a question asks for.
LONGEST, MOST_PARTS = 200, 60
# Bits of a whole number, about 300 digits: larger ones take time, and nobody reads them.
MOST_BITS = 1_000

OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
SIGNS: Mapping[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
# How people and models write operators and numbers: 2 × 3, 2^3, 1,200 and 15%.
WRITTEN = (
    (re.compile(r"[×·]"), "*"),
    (re.compile(r"[÷:]"), "/"),
    (re.compile(r"[−–]"), "-"),
    (re.compile(r"\^"), "**"),
    (re.compile(r"(?<=\d),(?=\d{3}(?!\d))"), ""),
    (re.compile(r"(\d+(?:\.\d+)?)\s*%(?=\s*(?:of\b|[-+*/)]|$))"), r"(\1/100)"),
    (re.compile(r"\bof\b"), "*"),
)
STRANGE = re.compile(r"[^\d\s.+\-*/%()eE]", re.ASCII)
ONLY = "Only numbers, parentheses and + - * / // % ** are allowed"


def calculate(expression: str) -> str:
    """Return the value of an arithmetic expression as text; anything else, or too large a result, is an error.

    >>> calculate("15% of 2,340"), calculate("2^10 + 0.1 + 0.2"), calculate("7 // 2")
    ('351', '1024.3', '3')
    >>> calculate("9**9**9")
    Traceback (most recent call last):
    notewell.errors.QueryError: The result is too large
    """
    try:
        value = _value(_parsed(expression))
    except ZeroDivisionError:
        raise _refused("Nothing can be divided by zero") from None
    except OverflowError:
        raise _refused("The result is too large") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise _refused("The result is too large")
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _parsed(expression: str) -> ast.expr:
    if len(expression) > LONGEST:
        raise _refused(f"The expression is longer than {LONGEST} characters")
    for written, meant in WRITTEN:
        expression = written.sub(meant, expression)
    if STRANGE.search(expression.strip().rstrip("=")):
        raise _refused(ONLY)
    try:
        tree = ast.parse(expression.strip().rstrip("=").strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _refused("This is not an arithmetic expression") from None
    if sum(1 for _ in ast.walk(tree)) > MOST_PARTS * 2:
        raise _refused("The expression has too many parts")
    return tree


def _value(node: ast.expr) -> Number:
    # Python counts True and False as numbers.
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return _small(node.value)
    if isinstance(node, ast.UnaryOp) and type(node.op) in SIGNS:
        return SIGNS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(_value(node.left), _value(node.right))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return _small(OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    raise _refused(ONLY)


def _power(base: Number, exponent: Number) -> Number:
    """Return a power; one that would be too large is refused before it is computed."""
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > MOST_BITS:
        raise _refused("The result is too large")
    if base < 0 and not float(exponent).is_integer():
        raise _refused("A negative number has no such root")
    made = base**exponent
    assert isinstance(made, int | float), "roots of negative numbers were refused"
    return _small(made)


def _small(value: Number) -> Number:
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise _refused("The result is too large")
    return value


def _refused(fact: str) -> QueryError:
    return QueryError(fact, "Write plain arithmetic, such as 0.15 * 2340")
