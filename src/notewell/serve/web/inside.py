"""Which files of the vault's folder a page may show or name, apart from notes."""

from __future__ import annotations

from notewell.files.safe_open import leads_to
from notewell.files.survey import left_out_by
from notewell.redact import names_secret
from notewell.vault import Vault


def path_inside(vault: Vault, path: str) -> str | None:
    """Return where a path leads; None if that is outside or hidden, or if the settings exclude it."""
    rules = vault.settings.index
    if path.startswith("/") or "\0" in path or names_secret(path):
        return None
    # A link inside the vault may lead to what the settings exclude.
    target = leads_to(vault.root, path)
    if target is None or _is_hidden(path, target) or left_out_by(path, rules) or left_out_by(target, rules):
        return None
    return target


def _is_hidden(*paths: str) -> bool:
    return any(part.startswith(".") for path in paths for part in path.split("/"))
