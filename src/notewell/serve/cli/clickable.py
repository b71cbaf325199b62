"""Places that can be clicked on, for terminals that know how."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import click

from notewell.serve.addresses import Addresses
from notewell.serve.cli.options import is_terminal
from notewell.types.results import Excerpt
from notewell.vault import Vault

# OSC 8: an address, the text that leads there, and the end of both.
LINK = "\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\"
# What terminals that know links set, each in its own way.
PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"}
TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour", "wezterm", "rio")
VARIABLES = ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM")
# The first VTE (GNOME Terminal and its kin) whose links do not crash it.
VTE = 5000


def clicker(vault: Vault) -> Callable[[str, Excerpt], str]:
    """Return what makes a text lead to an excerpt; where links are not wanted, or not known, it stays as it is."""
    chosen = vault.settings.show.links
    if not _wanted(chosen, os.environ):
        return lambda text, _: text
    addresses = Addresses.of(vault.root) if chosen == "auto" else Addresses(vault.root, chosen)
    # A file may be on another machine than the terminal, and then it should not open another one of that name.
    host = os.uname().nodename if hasattr(os, "uname") else ""
    return lambda text, excerpt: LINK.format(addresses.of_chunk(excerpt.hit.chunk, excerpt.line, host=host), text)


def _wanted(chosen: str, environment: Mapping[str, str]) -> bool:
    context = click.get_current_context(silent=True)
    # Whoever wants no colours wants no other codes of a terminal either.
    if chosen == "off" or (context and context.color is False) or not is_terminal():
        return False
    return chosen != "auto" or knows_links(environment)


def knows_links(environment: Mapping[str, str]) -> bool:
    """Tell whether a terminal is one of those known to show links.

    >>> knows_links({"TERM": "xterm-256color", "VTE_VERSION": "7600"}), knows_links({"TERM": "linux"})
    (True, False)
    """
    term, vte = environment.get("TERM", ""), environment.get("VTE_VERSION", "")
    # What the terminal around it said of itself, GNU Screen does not know.
    return not term.startswith("screen") and (
        environment.get("TERM_PROGRAM") in PROGRAMS
        or term.startswith(TERMS)
        or any(map(environment.get, VARIABLES))
        or (vte.isdecimal() and int(vte) >= VTE)
    )
