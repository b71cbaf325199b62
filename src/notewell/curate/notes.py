"""The Markdown notes of a vault, as curation reads and may change them: as they are on disk, through no link."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from notewell.config.sections import CurateSettings
from notewell.config.settings import Settings
from notewell.errors import CurateError, NoteError, NoteOutOfReach, SettingsError
from notewell.files.folder import Folder
from notewell.files.formats import BY_SUFFIX
from notewell.files.safe_open import ALWAYS_EXCLUDED
from notewell.index.dates import obsidian_settings
from notewell.index.walk import walk
from notewell.redact import names_secret
from notewell.vault import Vault

SETTING = "curate.folders"
MARK = b"\xef\xbb\xbf"
WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)
SUFFIXES = frozenset(suffix for suffix, format in BY_SUFFIX.items() if format.shape == "markdown")


class NoteFile(NamedTuple):
    """A Markdown file: its path, its bytes, their text without a byte order mark, and whether it is read-only."""

    path: str
    data: bytes
    text: str
    is_read_only: bool = False

    def check_writable(self) -> None:
        """Raise an error if its owner made it read-only."""
        if self.is_read_only:
            raise NoteError("it is read-only", "Allow writing to it")

    def offset(self, at: int) -> int:
        """Return where in the bytes a character of the text stands."""
        return (len(MARK) if self.data.startswith(MARK) else 0) + len(self.text[:at].encode())

    def encoded(self, text: str) -> bytes:
        """Return a piece of text as bytes with the line ends of this file, also those of old Macs."""
        is_old = "\n" in self.text and b"\n" not in self.data
        return (text.replace("\n", "\r") if is_old else text).encode()

    def with_text(self, text: str) -> bytes:
        """Return the bytes of this file with another text."""
        return self.data[: self.offset(0)] + self.encoded(text)


def allowed_folders(root: Path, settings: Settings) -> tuple[str, ...]:
    """Return the folders that may be written to, from the root; raise an error unless the settings name any."""
    if not settings.curate.folders:
        raise SettingsError(
            "This vault has no folder whose notes may be changed",
            f'To allow it, add two lines to {root / "notewell.toml"}: `[curate]` and `folders = ["."]`',
        )
    return tuple(_checked(folder) for folder in settings.curate.folders)


def _checked(named: str) -> str:
    path = os.path.normpath(named).replace(os.sep, "/")
    parts = path.split("/")
    if Path(named).is_absolute() or ":" in parts[0] or parts[0] == "..":
        raise SettingsError(f"{SETTING} names a folder outside the vault", "Name folders of the vault")
    if path != "." and any(part.startswith(".") or part in ALWAYS_EXCLUDED for part in parts):
        raise SettingsError(
            f"{SETTING} names a hidden folder, or one that belongs to a program", "Name folders that you see"
        )
    return "" if path == "." else path


def is_below(path: str, folders: tuple[str, ...]) -> bool:
    """Tell whether a path is in one of these folders.

    >>> is_below("Garden/Bees.md", ("Garden",)), is_below("Gardens/Bees.md", ("Garden",)), is_below("a.md", ("",))
    (True, False, True)
    """
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)


def checked_path(path: str) -> str:
    """Return a path of a note below the root; one that leads elsewhere is an error."""
    made = posixpath.normpath(path)
    if made.startswith(("/", "../")) or made in ("..", ".") or ALWAYS_EXCLUDED.intersection(made.split("/")):
        raise CurateError(f"'{path[:200]}' is not a note of this vault", "Use a path from the vault's root")
    return made


def markdown_paths(vault: Vault) -> Iterator[str]:
    """Yield the paths of the vault's Markdown notes, without taxonomies and queues, which only list tags."""
    own = own_files(vault)
    for file in walk(vault.root, vault.settings.index, SUFFIXES):
        if not file.flaw and file.path not in own and not names_secret(file.path):
            yield file.path


def own_files(vault: Vault) -> tuple[str, ...]:
    """Return the paths of the taxonomies and of the review queues, those of all domains."""
    files = vault.settings_files
    every = (vault.settings, files.settings, *map(files.of, files.domains.names))
    named = (path for one in every for path in (one.curate.taxonomy, one.curate.queue))
    return tuple(dict.fromkeys(map(checked_path, named)))


def template_folders(root: Path) -> tuple[str, ...]:
    """Return the folders of templates, as Obsidian and its plug-in Templater name them: these are no notes yet."""
    found = (obsidian_settings(root, file).get(key) for file, key in TEMPLATES)
    return tuple(folder for named in found if isinstance(named, str) and (folder := named.strip("/ ")))


def settings_at(vault: Vault, path: str) -> CurateSettings:
    """Return the settings of curation that count for a note: those of its domain."""
    files = vault.settings_files
    return files.of(files.domains.of(path)).curate if files.domains else vault.settings.curate


def is_asked(vault: Vault, path: str) -> bool:
    """Tell whether a note belongs to the domains that are asked."""
    return not (domains := vault.settings_files.domains) or domains.of(path) in vault.domain_names


def domains_by(vault: Vault, setting: Callable[[CurateSettings], str]) -> dict[str, tuple[str, ...]]:
    """Return the paths that a setting names, each with the domains that share it; none for a vault without domains."""
    files, found = vault.settings_files, dict[str, tuple[str, ...]]()
    for name in vault.domain_names:
        path = checked_path(setting(files.of(name).curate))
        found[path] = (*found.get(path, ()), name)
    return found or {checked_path(setting(vault.settings.curate)): ()}


def read_note(root: Path, path: str, most: int) -> NoteFile:
    """Return a Markdown file, or raise `NoteError`: it is too large or not UTF-8; of a link, `NoteOutOfReach`."""
    place, _, name = path.rpartition("/")
    try:
        with Folder(root, place) as folder:
            data, about = folder.read_whole(name, most)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise NoteOutOfReach("it is a link", "Notewell does not write through links") from error
        raise NoteError(error.strerror or str(error), "Check the file") from error
    try:
        return NoteFile(path, data, _text_of(data.removeprefix(MARK)), not about.st_mode & WRITABLE)
    except UnicodeDecodeError as error:
        raise NoteError("it is not UTF-8", "Save it as UTF-8") from error


def _text_of(data: bytes) -> str:
    text = data.decode("utf-8")
    # As indexing does: a lone \r is the line end of old Macs.
    return text if "\n" in text else text.replace("\r", "\n")
