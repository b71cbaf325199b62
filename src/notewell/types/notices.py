"""Notices: messages from the core to the user, as a code and its facts; `serve` puts them into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from notewell.frozen import frozen

Fact = str | int | tuple[str, ...]


@frozen
class Notice:
    """Something the user should know about an answer, such as `Notice("no_exact_match", {"text": "iPhone"})`."""

    code: str
    """What happened, as a name that programs can compare."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """The values that the sentence about it needs, by name."""

    def __hash__(self) -> int:
        return hash((self.code, tuple(sorted(self.facts.items()))))
