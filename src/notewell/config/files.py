"""The settings of an open vault: read again once one of their files has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from notewell.config import FILE, load_domains, load_settings, own_selection, user_file
from notewell.config.domains import NO_DOMAINS
from notewell.config.domains_yaml import YAML
from notewell.config.settings import Settings
from notewell.errors import SettingsError
from notewell.index.domains import Domain, Domains
from notewell.types.notices import Notice

Stamp = tuple[int, ...]


class Registry(NamedTuple):
    """How domains are read, and the settings of one of them."""

    load: Callable[[], Domains]
    settings: Callable[[Domain], Settings]


class SettingsFiles:
    """Settings and domains, and the files they come from; without files, they never change."""

    def __init__(
        self,
        load: Callable[[], Settings],
        files: Sequence[Path] = (),
        selection: str = "",
        registry: Registry | None = None,
    ) -> None:
        """Read the settings; `selection` names the notes that they choose, if the files alone would choose others."""
        self._load = load
        self._registry = registry or Registry(lambda: NO_DOMAINS, lambda domain: load())
        self.selection = selection
        self._files = files
        # Before they are read: a change meanwhile is for the next look.
        self._seen = self._stamps()
        self.domains = self._registry.load()
        self._own: dict[str, Settings] = {}
        self.settings = self._load()
        self._notices: tuple[Notice, ...] = ()

    def of(self, name: str) -> Settings:
        """Return the settings of a domain: those of the vault, and its own; the vault's for one that is not there."""
        domain = self.domains.named(name)
        if domain is None or not domain.settings:
            return self.settings
        if domain.name not in self._own:
            self._own[domain.name] = self._registry.settings(domain)
        return self._own[domain.name]

    def look(self) -> tuple[Notice, ...]:
        """Read the settings again if a file has changed; if one is invalid, keep the old ones and return a notice."""
        stamps = self._stamps()
        if stamps != self._seen:
            try:
                settings, domains = self._load(), self._registry.load()
                self.settings, self.domains, self._own, self._notices = settings, domains, {}, ()
            except SettingsError as error:
                self._notices = (Notice("settings_invalid", {"reason": error.fact}),)
            # Last: another thread must not take the old settings for the new ones.
            self._seen = stamps
        return self._notices

    def _stamps(self) -> tuple[Stamp | None, ...]:
        return tuple(map(_stamp, self._files))


def settings_files(root: Path, environment: Mapping[str, str], overrides: Mapping[str, Any]) -> SettingsFiles:
    """Return the settings of a vault, from the user's file, the vault's, the environment and the overrides."""
    # As it is now: the daemon has another environment for its next request.
    environment = dict(environment)
    load = partial(load_settings, root, environment, overrides)
    files = (user_file(environment), root / FILE, root / YAML)
    selection = own_selection(root, environment, overrides)
    registry = Registry(partial(load_domains, root, environment, overrides), load)
    return SettingsFiles(load, files, selection, registry)


def _stamp(file: Path) -> Stamp | None:
    try:
        found = os.stat(file)  # noqa: PTH116
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
