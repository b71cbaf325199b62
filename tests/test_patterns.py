from __future__ import annotations

import re
from collections.abc import Callable

from tests.cases import cases

from notewell.patterns import lazy_pattern

TEXT = "Rye bread, rye flour"
USES: dict[str, Callable[[re.Pattern[str]], object]] = {
    "search": lambda pattern: pattern.search(TEXT),
    "fullmatch": lambda pattern: pattern.fullmatch("rye"),
    "findall": lambda pattern: pattern.findall(TEXT),
    "sub": lambda pattern: pattern.sub("oat", TEXT),
    "source": lambda pattern: pattern.pattern,
    "flags": lambda pattern: pattern.flags,
}


@cases("name", USES)
def test_a_lazy_pattern_answers_as_a_compiled_one(name: str) -> None:
    lazy, compiled = lazy_pattern("rye", re.IGNORECASE), re.compile("rye", re.IGNORECASE)
    # The second time, the method is found without compiling.
    for _ in range(2):
        assert repr(USES[name](lazy)) == repr(USES[name](compiled))


def test_a_pattern_that_is_never_used_is_never_compiled() -> None:
    assert lazy_pattern("(rye").pattern == "(rye"
