"""A scripted server for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.llm.scripted_server import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Return a server that says "Yes." until it is told otherwise."""
    from tests.llm.scripted_server import ScriptedServer  # noqa: PLC0415

    from notewell.llm import Text  # noqa: PLC0415

    with ScriptedServer([Text("Yes.")]) as server:
        yield server
