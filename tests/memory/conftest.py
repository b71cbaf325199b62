"""A small vault whose file allows memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from notewell import Vault

ALLOWED = {
    "notewell.toml": '[memory]\nfolder = "Memories"\n',
    "Bees.md": "# Bees\n\nThe hive hums in the warm evening. Drones leave in August.\n",
}


@pytest.fixture
def make_allowed(make_vault: Callable[..., Vault]) -> Callable[..., Vault]:
    """Make a vault that allows memories, with more notes, or other settings."""
    return lambda files=None: make_vault({**ALLOWED, **(files or {})})


@pytest.fixture
def allowed(make_vault: Callable[..., Vault]) -> Vault:
    """A vault of one note that allows memories."""
    files: Mapping[str, str] = ALLOWED
    return make_vault(files)
