"""Who may set what: a vault may come from a stranger, so its own file cannot do everything that its user can."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from notewell.embed import EmbedRules
from notewell.embed.rules import RerankRules
from notewell.errors import SettingsError
from notewell.files.safe_open import MACHINERY, SETTINGS
from notewell.frozen import frozen
from notewell.llm.rules import LlmRules
from notewell.remote.address import Key, parse_address

FILE = SETTINGS
FOLDER = ".notewell"
# The sources of values that are in no file and no variable.
DEFAULT, OPTION = "default", "option"
# NOTEWELL_SEARCH_LIMIT sets search.limit.
PREFIX = "NOTEWELL_"

# Rules of a section that names a server and has a key for it.
Rules = TypeVar("Rules", EmbedRules, RerankRules, LlmRules)


class Who(Enum):
    """Where a setting may be set."""

    ANYONE = "any file, the environment or an option"
    # The folder of stores concerns all vaults of a user.
    USER = "your own settings"
    # A vault is copied and shared; a key is not.
    ENVIRONMENT = "the environment"
    # Only a vault's own file, where its owner sees it, lets agents write into it. Elsewhere it can only be emptied.
    VAULT = f"a vault's {FILE}"


@frozen
class Setting:
    """A setting, its value, and its source: `default`, a file, a variable, or an `option`.

    `of` stands before the name where it is set: `domains.NAME.` for a domain's own.
    """

    name: str
    value: Any
    source: str
    remark: str = ""
    of: str = ""

    @property
    def by(self) -> Who:
        """Return where it was set."""
        if self.source == FILE:
            return Who.VAULT
        return Who.ENVIRONMENT if self.source.startswith(PREFIX) else Who.USER

    @property
    def place(self) -> str:
        """Return the name with the file or variable that sets it."""
        return self.of + self.name + ("" if self.source in (OPTION, DEFAULT) else f" in {self.source}")


def may_set(setting: Setting, who: Who) -> bool:
    """Tell whether a setting was set in a place where it may be.

    >>> may_set(Setting("store.folder", "~/stores", FILE), Who.USER)
    False
    """
    if who is Who.USER:
        return setting.by is not Who.VAULT
    return who is Who.ANYONE or setting.by is who


def variable_of(name: str) -> str:
    """Return the environment variable of a setting.

    >>> variable_of("search.limit")
    'NOTEWELL_SEARCH_LIMIT'
    """
    return PREFIX + name.replace(".", "_").upper()


def check_store_path(root: Path, path: str) -> None:
    """Refuse a store outside the vault: a stranger would decide where files of the user are written."""
    place = Path(os.path.normpath(root / os.path.expanduser(path)))
    if path and (place == root or not place.is_relative_to(root) or _is_of_another_program(place.relative_to(root))):
        raise SettingsError(
            f"{FILE} sets store.path outside the vault, or in a folder of another program",
            f"Name a file inside the vault, set store.folder in your own settings, or set {variable_of('store.path')}",
        )


def _is_of_another_program(path: Path) -> bool:
    return not MACHINERY.isdisjoint(path.parts) and path.parts[0] != FOLDER


def check_server(name: str, root: Path, url: str) -> None:
    """Refuse a server on another machine: a vault must not send its notes away."""
    address = parse_address(url) if url else None
    if address and not address.is_here:
        raise SettingsError(
            f"{FILE} sets {name} to another machine ({address.host})",
            f"A vault's own file cannot send its notes away. To send them there, set {variable_of(name)}",
        )


def with_safe_key(section: str, rules: Rules, url: Setting | None) -> Rules:
    """Return the rules, without the key if the user did not name the server; refuse a key that would leak."""
    variable = variable_of(f"{section}.key")
    if url is None or url.by is Who.VAULT or not rules.url:
        return replace(rules, key=Key())
    text = rules.key.reveal()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError(f"{variable} has characters that no key has", "Copy it again, without line breaks")
    address = parse_address(rules.url)
    if rules.key and address.scheme == "http" and not address.is_here:
        raise SettingsError(f"The key would be sent to {address.host} unencrypted", f"Use https, or unset {variable}")
    return rules
