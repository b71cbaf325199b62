"""Made-up secrets in the form of their vendors."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from notewell.redact.rule import Made


@pytest.fixture(scope="session")
def plant() -> Callable[..., Made]:
    """Return a secret of a kind, put together from chance, so that no scanner sees one in the source."""
    from notewell.redact import RULES  # noqa: PLC0415

    rules = {rule.name: rule for rule in RULES}

    def planted(kind: str, seed: int = 0) -> Made:
        return rules[kind].example(Random(f"{kind} {seed}"))

    return planted
