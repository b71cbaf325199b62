"""A rule: how one kind of secret is recognised."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, compiled on first use: compiling all of them takes longer than a search."""

    text: str
    any_case: bool = False

    def compile(self, lead: int = 0) -> re.Pattern[str]:
        """Return the compiled expression; with `lead`, the match may begin up to that many characters later."""
        text = rf"(?s:.{{0,{lead}}}?)(?:{self.text})" if lead else self.text
        return re.compile(text, re.IGNORECASE if self.any_case else 0)


def exactly(text: str) -> Pattern:
    """Return a case-sensitive pattern."""
    return Pattern(text)


def any_case(text: str) -> Pattern:
    """Return a pattern that ignores case."""
    return Pattern(text, any_case=True)


class Ahead(NamedTuple):
    """A cheap test before the real pattern: `pattern` must begin within `reach` characters after the keyword."""

    pattern: str
    reach: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    The pattern is tried wherever a keyword occurs, starting up to `lead` characters before it. Keywords ignore case if
    the pattern does. If the pattern has a named group, only that group is the secret. The `check` has the last word.
    """

    name: str
    keywords: tuple[str, ...]
    pattern: Pattern
    # Forms from which tests make up secrets; `tests/redact/made_up.py` explains them.
    examples: tuple[str, ...]
    check: Check | None = None
    lead: int = 0
    # The match is a column's header; the secrets are the cells below it that pass `check`, or `column_check` where the
    # table leaves no doubt about the column.
    column_check: Check | None = None
    ahead: Ahead | None = None
    # Skip the match if label and value are both cells of table rows: the column rules decide there.
    outside_rows: bool = False
    # If the check refuses the whole match, do not try again inside it.
    all_or_nothing: bool = False
    # Certain enough to skip a whole file whose name matches.
    certain: bool = False

    @property
    def any_case(self) -> bool:
        """Tell whether the keywords are found in any case."""
        return self.pattern.any_case


# A token is not part of a longer word; an escape of a URL may stand before it: `%3Dghp_`.
START = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))"
