"""Made-up secrets of each kind."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.redact.made_up import Made


@pytest.fixture(scope="session")
def plant() -> Callable[..., Made]:
    """Return a function that makes up a secret of a kind; the same seed makes the same secret."""
    from tests.redact.made_up import made_up  # noqa: PLC0415

    from notewell.redact import all_rules  # noqa: PLC0415

    rules = {rule.name: rule for rule in all_rules()}

    def planted(kind: str, seed: int = 0) -> Made:
        return made_up(rules[kind], Random(f"{kind} {seed}"))

    return planted
