"""SessionStart: has the daemon open the vault before the first prompt; it never has anything to say."""

from __future__ import annotations

from typing import NoReturn

from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import NothingToSay, Payload

# A search for any text loads everything that searches need.
ANY_TEXT = "what was decided about the garden"


def answer(payload: Payload, call: Call) -> NoReturn:
    """Open the vault and load its embedder in the daemon; another process would only lose them when it ends."""
    if not call.in_daemon:
        raise NothingToSay(
            "left to the daemon, if the vault uses it" if call.open_vault else "no daemon could be asked"
        )
    # The other hooks are loaded before they are needed, too.
    from notewell.serve.hooks import after, before, prompt  # noqa: F401, PLC0415
    from notewell.serve.hooks.block import CANDIDATES, find_sure  # noqa: PLC0415
    from notewell.serve.hooks.vaults import refresh_small, vault_of  # noqa: PLC0415

    with vault_of(payload, call) as vault:
        if not call.limit.awaited:
            refresh_small(vault, call.state)
        find_sure(vault, [ANY_TEXT], limit=CANDIDATES, floor=vault.settings.hook.threshold)
    raise NothingToSay("the vault is open")
