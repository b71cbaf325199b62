"""Words that carry grammar and no subject, English and German."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from notewell.terms import split_terms


@cache
def stop_terms() -> frozenset[str]:
    """Return the terms of the words that say nothing by themselves."""
    return frozenset(split_terms((Path(__file__).parent / "stopwords.txt").read_text(encoding="utf-8")))
