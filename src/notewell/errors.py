"""Every error that Notewell raises: a fact, and a hint at what to do.

NotewellError
├── VaultError          a folder is missing, is not a folder, or cannot be read or written
│   └── DoubtfulVault   the current folder is unlikely to be a vault, such as the home folder or a whole disk
├── NoteError           one note cannot be read, remembered or forgotten; indexing continues without it
│   └── NoteOutOfReach  the cause lies outside the note: no permission, or a library is not installed
├── SettingsError       a setting in a file, the environment or an option is wrong
│   └── QueryError      a query is wrong: it is empty, or a date or condition in it cannot be read
├── StoreError          the store cannot be opened, read or written
│   ├── StoreBusy       another process is writing to the store
│   ├── StoreUnreachable    the server of the store does not answer, or refuses the connection
│   ├── StoreUnfit      the store is a newer Notewell's, or another vault's; it stays until it is rebuilt on request
│   └── StoreDamaged    the file of the store is damaged
│       └── StoreAltered    the store was made, or changed, by something other than this user's Notewell
├── WorkersError        workers that index notes cannot be started, reached or used
├── CurateError         a taxonomy, a review queue, a rename or an intake cannot be used as it is; no note was changed
├── DaemonError         the daemon cannot be started or stopped
├── ServerError         the user's own PostgreSQL server cannot be made, started or stopped
├── EmbedError          an embedder cannot be loaded, or does not answer
├── LlmError            a language model does not answer, or not in a way that can be used
└── CollectionError     a folder has no documents and judged queries to measure with
"""

from __future__ import annotations

# The hints for a damaged store, and for one that cannot be trusted.
REPAIR = "Run `notewell index --full` to rebuild it; your notes are safe"
REBUILD = "Ask again, or run `notewell index`, to rebuild it from your notes"


class NotewellError(Exception):
    """An error that Notewell can explain: `fact` says what is wrong, `hint` what to do."""

    def __init__(self, fact: str, hint: str) -> None:
        super().__init__(fact)
        self.fact = fact
        self.hint = hint


class VaultError(NotewellError):
    """A folder is missing, is not a folder, or cannot be read or written."""


class DoubtfulVault(VaultError):
    """The current folder is unlikely to be a vault, such as the home folder or a whole disk."""


class NoteError(NotewellError):
    """One note cannot be read, remembered or forgotten; indexing continues without it."""


class NoteOutOfReach(NoteError):
    """A note cannot be read for a reason outside of it, which may be gone the next time."""


class SettingsError(NotewellError):
    """A setting in `notewell.toml`, the environment or an option is wrong."""


class QueryError(SettingsError):
    """A query is wrong: it is empty, or a date or condition in it cannot be read."""


class StoreError(NotewellError):
    """The store cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class StoreUnreachable(StoreError):
    """The server of the store does not answer, or does not let this user in."""


class StoreUnfit(StoreError):
    """A newer Notewell made the store, or another vault's was copied here; only a rebuild on request replaces it."""


class StoreDamaged(StoreError):
    """The file of the store is damaged; it can be rebuilt from the notes."""


class StoreAltered(StoreDamaged):
    """The store was made, or changed, by something other than this user's Notewell on this machine."""


class EmbedError(NotewellError):
    """An embedder cannot be loaded, or does not answer."""


class WorkersError(NotewellError):
    """Workers that index notes cannot be started or reached, or are not fit for it."""


class LlmError(NotewellError):
    """A language model does not answer, or not in a way that can be used."""


class CurateError(NotewellError):
    """A taxonomy, a review queue, a rename or an intake cannot be used as it is; no note was changed."""


class DaemonError(NotewellError):
    """The daemon cannot be started or stopped."""


class ServerError(NotewellError):
    """The user's own PostgreSQL server cannot be made, started or stopped."""


class CollectionError(NotewellError):
    """A folder has no documents and judged queries to measure with."""
