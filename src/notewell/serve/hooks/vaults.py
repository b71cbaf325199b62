"""The vault that a hook asks: the one that is named, or the nearest above where Claude Code works; never a new one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from notewell.config import FILE, FOLDER
from notewell.own import write_private
from notewell.serve.hooks import Call
from notewell.serve.hooks.block import make_block
from notewell.serve.hooks.given import Given, Nothing
from notewell.serve.hooks.sessions import digest, remembering
from notewell.types import Excerpt
from notewell.vault import Vault

# Chunks that are looked at, and passages that a block has room for.
LOOKED_AT, SHOWN = 5, 3
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
    root = call.vault or _nearest(given.cwd)
    if root is None:
        raise Nothing("no vault here")
    with (call.opening or Vault.open)(root, {}) as vault:
        call.limit.allow(vault.settings.hook.timeout_ms)
        if not vault.indexed:
            raise Nothing("the vault was never indexed")
        if time.monotonic() < call.limit.deadline - SPARE:
            take_in(vault, call.state)
        yield vault


@contextmanager
def show(found: Sequence[Excerpt], vault: Vault, given: Given, call: Call, *, what: str) -> Iterator[dict[str, str]]:
    """Yield what a hook adds of these, which this session has not been shown; then it is marked as shown."""
    if not found:
        raise Nothing("nothing is relevant enough")
    with remembering(call.state, given.session) as (session, keep):
        new = [excerpt for excerpt in found if not session.was_shown(excerpt.hit.chunk.text)][:SHOWN]
        block, shown = make_block(new, root=vault.root, what=what, max_tokens=vault.settings.hook.max_tokens)
        if not block:
            raise Nothing("shown before in this session" if not new else "nothing fits")
        yield {"additionalContext": block}
        # What nobody was told was not shown: whatever kept it from being told is raised above.
        keep(session.with_shown(excerpt.hit.chunk.text for excerpt in shown))


def _nearest(start: Path | None) -> Path | None:
    """Return the nearest folder upward with a store or settings of ours; Obsidian's mark alone says nothing of one."""
    if start is None or not start.is_absolute():
        return None
    marks = (FILE, FOLDER)
    folders = (start, *start.parents)
    return next((folder for folder in folders if any(map(os.path.exists, map(folder.joinpath, marks)))), None)


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
