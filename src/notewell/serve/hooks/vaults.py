"""The vault that a hook asks: the one that is named, or the nearest above where Claude Code works; never a new one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from notewell.config import FILE, FOLDER
from notewell.own import write_private
from notewell.serve.cli.options import open_vault
from notewell.serve.hooks import Call
from notewell.serve.hooks.block import make_block
from notewell.serve.hooks.given import Given, Late, Nothing
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
def vault_of(given: Given, call: Call) -> Iterator[tuple[Vault, float]]:
    """Yield the vault, with what changed taken in if it is small, and the deadline; without an index, nothing."""
    root = call.vault or _nearest(given.cwd)
    if root is None:
        raise Nothing("no vault here")
    with open_vault(root) as vault:
        deadline = call.allow(vault.settings.hook.timeout_ms)
        if not vault.indexed:
            raise Nothing("the vault was never indexed")
        _refresh(vault, call.state, deadline)
        yield vault, deadline


def show(found: Sequence[Excerpt], vault: Vault, given: Given, call: Call, *, what: str) -> dict[str, str]:
    """Return what a hook adds of these: what this session has not been shown, and is marked as shown by it."""
    if not found:
        raise Nothing("nothing is relevant enough")
    with remembering(call.state, given.session) as (session, keep):
        new = [excerpt for excerpt in found if not session.was_shown(excerpt.hit.chunk.text)][:SHOWN]
        block, shown = make_block(new, root=vault.root, what=what, max_tokens=vault.settings.hook.max_tokens)
        if not block:
            raise Nothing("shown before in this session" if not new else "nothing fits")
        if time.monotonic() > call.allow(vault.settings.hook.timeout_ms):
            # Whoever waited has gone: what nobody sees was not shown.
            raise Late("out of time")
        keep(session.with_shown(excerpt.hit.chunk.text for excerpt in shown))
    return {"additionalContext": block}


def _nearest(start: Path | None) -> Path | None:
    """Return the nearest folder upward with a store or settings of ours; Obsidian's mark alone says nothing of one."""
    if start is None or not start.is_absolute():
        return None
    marks = (FILE, FOLDER)
    folders = (start, *start.parents)
    return next((folder for folder in folders if any(map(os.path.exists, map(folder.joinpath, marks)))), None)


def _refresh(vault: Vault, state: Path, deadline: float) -> None:
    """Take in what changed in a small vault, if there is time; one that was cut short is not begun again soon."""
    if time.monotonic() > deadline - SPARE or vault.store_file.stat().st_size > SMALL:
        return
    begun = state / "refreshing" / digest(str(vault.root))
    with suppress(OSError):
        if time.time() - begun.stat().st_mtime < REST:
            return
    with suppress(OSError):
        write_private(begun, b"")
        vault.refresh()
        begun.unlink()
