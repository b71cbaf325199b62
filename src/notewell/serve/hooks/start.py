"""SessionStart: a warm process that has the notes open before the first prompt; there is never anything to say."""

from __future__ import annotations

from typing import NoReturn

from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import Given, Nothing

# Any prompt: what is found is shown to nobody.
ANY = "what was decided about the garden"


def answer(given: Given, call: Call) -> NoReturn:
    """Open the vault and load its embedder, where they stay so; a process that ends with the hook leaves it to one."""
    if not call.stays:
        wanted = "left to the warm process, if the vault wants one"
        raise Nothing(wanted if call.opening else "no warm process could be asked")
    # The other hooks, too, are loaded before they are needed.
    from notewell.serve.hooks import after, before, prompt  # noqa: F401, PLC0415
    from notewell.serve.hooks.show import LOOKED_AT  # noqa: PLC0415
    from notewell.serve.hooks.vaults import take_in, vault_of  # noqa: PLC0415

    with vault_of(given, call) as vault:
        if not call.limit.awaited:
            take_in(vault, call.state)
        vault.relevant(ANY, limit=LOOKED_AT, least=vault.settings.hook.threshold)
    raise Nothing("the notes are open")
