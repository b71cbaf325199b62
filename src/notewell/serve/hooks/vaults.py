"""The vault that a hook searches: the one that the command names, or the nearest one above the current folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from notewell.config import nearest_vault
from notewell.files.user import write_private
from notewell.freshness import is_recent
from notewell.serve.background import is_paused, start
from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import NothingToSay, Payload
from notewell.serve.hooks.sessions import short_hash
from notewell.vault import Vault

# A refresh takes some 15 ms for a store of this many bytes, about a thousand notes; larger vaults are left to
# `notewell watch`, searches and servers.
SMALL = 10_000_000
# Seconds that must be left of a hook's time for a refresh to begin.
SPARE = 0.1
NOT_INDEXED = "the vault was never indexed"
NOT_YOURS = "the store was made elsewhere, or by an older version; "
REBUILT, NOT_REBUILT = "it is rebuilt in the background", "`notewell index` rebuilds it"


@contextmanager
def vault_of(payload: Payload, call: Call) -> Iterator[Vault]:
    """Yield the vault, refreshed if it is small; raise `NothingToSay` if there is none or it is not indexed."""
    root = call.vault or nearest_vault(payload.cwd)
    if root is None:
        raise NothingToSay("no vault here")
    with (call.open_vault or Vault.open)(root, {}) as vault:
        call.limit.allow(vault.settings.hook.timeout_ms)
        if not vault.indexed:
            raise NothingToSay(NOT_YOURS + _rebuild(vault, call) if vault.storage.is_foreign else NOT_INDEXED)
        if time.monotonic() < call.limit.deadline - SPARE:
            refresh_small(vault, call.state)
        yield vault


def refresh_small(vault: Vault, state: Path) -> None:
    """Index what changed in a small vault, unless the last attempt was cut off a short time ago."""
    if not vault.storage.is_remote and vault.storage.bytes <= SMALL:
        vault.freshness.refresh_unless_cut_short(state / "refreshing" / short_hash(str(vault.root)))


def _rebuild(vault: Vault, call: Call) -> str:
    """Start to rebuild a store, at most once in ten minutes; return whether that is done, in words for the log.

    A store may come with a folder from somebody else. The user wants the folder indexed only if the store was made for
    this place, or if the hook's command names the vault.
    """
    is_wanted = call.vault or vault.storage.is_made_here
    if not is_wanted or not vault.settings.embed.background or is_paused():
        return NOT_REBUILT
    attempt = call.state / "rebuilding" / short_hash(str(vault.root))
    try:
        if not is_recent(attempt):
            write_private(attempt, b"")
            start(vault.store_file.parent, "index", "--gently", "--vault", str(vault.root))
    except OSError:
        return NOT_REBUILT
    return REBUILT
