"""The settings of an open vault: read again once one of their files has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from notewell.config import FILE, load_settings, own_selection, user_file
from notewell.config.settings import Settings
from notewell.errors import SettingsError
from notewell.types.notices import Notice

Stamp = tuple[int, ...]


class SettingsFiles:
    """Settings, and the files they come from; without files, they never change."""

    def __init__(self, load: Callable[[], Settings], files: Sequence[Path] = (), selection: str = "") -> None:
        """Read the settings; `selection` names the notes that they choose, if the files alone would choose others."""
        self._load = load
        self.selection = selection
        self._files = files
        # Before they are read: a change meanwhile is for the next look.
        self._seen = self._stamps()
        self.settings = self._load()
        self._notices: tuple[Notice, ...] = ()

    def look(self) -> tuple[Notice, ...]:
        """Read the settings again if a file has changed; if one is invalid, keep the old ones and return a notice."""
        stamps = self._stamps()
        if stamps != self._seen:
            try:
                self.settings, self._notices = self._load(), ()
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
    return SettingsFiles(load, (user_file(environment), root / FILE), own_selection(root, environment, overrides))


def _stamp(file: Path) -> Stamp | None:
    try:
        found = os.stat(file)  # noqa: PTH116
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
