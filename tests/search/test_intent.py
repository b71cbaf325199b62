from __future__ import annotations

import pytest

from notewell.search.fuse import SearchRules
from notewell.search.intent import OF_ONE_WORD, leaning
from notewell.search.plan import make_plan

RULES = SearchRules(fine_weight=1.0)


@pytest.mark.parametrize("text", ["hive", "the hive", "Hive?", "_rrf_fuse", "getTenantId", "where is the hive", "北京"])
def test_a_single_word_leans_on_words(text: str) -> None:
    assert leaning(make_plan(text), RULES).fine_weight == OF_ONE_WORD


@pytest.mark.parametrize("text", ["bee hive", "why does my loaf collapse", "to be or not to be", "", 'vec:"warm hive"'])
def test_anything_else_is_as_the_rules_say(text: str) -> None:
    assert leaning(make_plan(text), RULES) == RULES
