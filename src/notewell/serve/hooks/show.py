"""What a hook shows of what it found: what this session has not been shown, as one block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from notewell.serve.hooks import Call
from notewell.serve.hooks.block import make_block
from notewell.serve.hooks.payload import Given, Nothing
from notewell.serve.hooks.sessions import remembering
from notewell.types.results import Excerpt
from notewell.vault import Vault

# Chunks that are looked at, and passages that a block has room for.
LOOKED_AT, SHOWN = 5, 3


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
