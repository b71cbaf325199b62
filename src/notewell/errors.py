"""Every error Notewell raises: a fact, and a hint at what to do.

NotewellError
├── VaultError          a folder is missing, not a folder, or cannot be read or written
├── NoteError           one note cannot be read, remembered or forgotten; a run goes on without it
│   └── NoteOutOfReach  not for anything in it: no permission, or what reads it is not installed
├── SettingsError       notewell.toml, the environment or an option is wrong
├── StoreError          the store cannot be opened, read or written
│   ├── StoreBusy       another process is writing
│   └── StoreDamaged    the store's file is not what it should be
├── EmbedError          an embedder cannot be loaded or does not answer
└── CollectionError     a folder to evaluate on is not what it should be
"""

from __future__ import annotations

# What mends a damaged store.
REPAIR = "Run `notewell index --full` to make it anew; your notes are safe"


class NotewellError(Exception):
    """Anything Notewell can explain: `fact` says what is wrong, `hint` what to do."""

    def __init__(self, fact: str, hint: str) -> None:
        super().__init__(fact)
        self.fact = fact
        self.hint = hint


class VaultError(NotewellError):
    """A folder is missing, not a folder, or cannot be read or written."""


class NoteError(NotewellError):
    """One note cannot be read, remembered or forgotten; a run goes on without it."""


class NoteOutOfReach(NoteError):
    """A note cannot be read for something outside of it, which may be another the next time."""


class SettingsError(NotewellError):
    """A setting in `notewell.toml`, the environment or an option is wrong."""


class StoreError(NotewellError):
    """The store cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class StoreDamaged(StoreError):
    """The store's file is not what it should be; it can be made anew from the notes."""


class EmbedError(NotewellError):
    """An embedder cannot be loaded or does not answer."""


class CollectionError(NotewellError):
    """A folder to evaluate on is not what it should be."""
