"""Filling that goes on behind a command: a process of its own, at the lowest priority, that ends when it is done."""

from __future__ import annotations

import sys
from threading import Thread

from notewell.serve.cli.options import counted
from notewell.serve.say import say
from notewell.vault import Vault


def fill_behind(vault: Vault) -> None:
    """Start filling in a process of its own, if the vault is set to, something is missing and nobody is at it."""
    filling = vault.filling
    if filling.problem:
        say(f"note: {filling.problem}; its vectors are not made")
    if not vault.settings.embed.background or not filling.left or filling.under_way:
        return
    say(
        f"a better model reads {counted(filling.left, 'chunk')} in the background; `notewell status` says how far it is"
    )
    # Few commands start one, and it takes 2 ms to load.
    import subprocess  # noqa: PLC0415

    process = subprocess.Popen(
        # -P: the current folder, which may be the vault's, is no place for Python to look for modules.
        [sys.executable, "-P", "-m", "notewell", "fill", "--gently", "--vault", str(vault.root)],
        cwd=vault.store_file.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # On Windows a process outlives the one that started it only if it is told to.
        creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
    )
    # It may outlive this process; if this one goes on for longer, it takes its end down, and no dead child is left.
    Thread(target=process.wait, name="fill", daemon=True).start()
