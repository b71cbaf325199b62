"""The vault that a hook asks: the one that is named, or the nearest above where Claude Code works; never a new one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from notewell.files.user import write_private
from notewell.serve.hooks import Call
from notewell.serve.hooks.nearest import nearest_vault
from notewell.serve.hooks.payload import Given, Nothing
from notewell.serve.hooks.sessions import digest
from notewell.vault import Vault

# To look for changes takes some 15 ms for a store of so many bytes, or a thousand notes; larger vaults are left to
# `notewell watch` and others.
SMALL = 10_000_000
# A look for changes that was cut short is not begun again for so long, in seconds: each would be cut short.
REST = 600.0
# What is left of a hook's time, in seconds, for it to begin one.
SPARE = 0.1


@contextmanager
def vault_of(given: Given, call: Call) -> Iterator[Vault]:
    """Yield the vault, with what changed taken in if it is small; without an index, there is nothing to say."""
    root = call.vault or nearest_vault(given.cwd)
    if root is None:
        raise Nothing("no vault here")
    with (call.opening or Vault.open)(root, {}) as vault:
        call.limit.allow(vault.settings.hook.timeout_ms)
        if not vault.indexed:
            raise Nothing("the vault was never indexed")
        if time.monotonic() < call.limit.deadline - SPARE:
            take_in(vault, call.state)
        yield vault


def take_in(vault: Vault, state: Path) -> None:
    """Take in what changed in a small vault; where that was cut short, it is not begun again soon."""
    if vault.store_file.stat().st_size > SMALL:
        return
    begun = state / "refreshing" / digest(str(vault.root))
    with suppress(OSError):
        if time.time() - begun.stat().st_mtime < REST:
            return
    with suppress(OSError):
        write_private(begun, b"")
        vault.refresh()
        begun.unlink()
