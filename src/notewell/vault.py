"""Vault: the one object callers hold; it wires the rooms together."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from notewell.config import FOLDER, Settings, find_root, load_settings
from notewell.embed import Embedder, load_embedder
from notewell.errors import EmbedError, NoteError, StoreBusy, StoreError, VaultError
from notewell.index import Progress, Report, Rules, Walk, find_changes, index
from notewell.index.readers import READERS, read
from notewell.index.walk import Found, stamp_of
from notewell.redact import redact
from notewell.search import Searching, Weights, find_hits, make_plan, search
from notewell.search.plan import readable
from notewell.store import About
from notewell.store.sqlite import SqliteStore
from notewell.types import Hit, Reading, Results, Scope

# Text that is read, embedded and stored in well under a second on two old cores.
QUICK_BYTES = 1_000_000
# Grows when terms, redaction or what is embedded change in a way that old stores do not have.
RECIPE = 1
# A place in a note: path:12 or path:12-20.
LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Status:
    """How the store stands against the folder."""

    root: Path
    store: Path
    about: About | None
    embedder: str
    stale: int


class Vault:
    """A folder of notes and its store."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.settings = settings

    @classmethod
    def open(cls, path: str | Path | None = None, settings: Mapping[str, Any] | None = None) -> Vault:
        """Open the folder `path`; without one, the nearest vault from here upward, or this folder.

        `settings` such as `{"search.limit": 5}` win over the vault's file and the environment.
        """
        root = find_root(Path.cwd()) if path is None else Path(os.path.expanduser(path)).absolute()
        if not _exists(root):
            raise VaultError(f"There is no folder {root}", "Check the path, or name the vault with --vault")
        if not root.is_dir():
            raise VaultError(f"{root} is a file, not a folder", "Name the folder that holds your notes")
        if not os.access(root, os.R_OK | os.X_OK):
            raise VaultError(f"{root} cannot be read", "Check the folder's permissions")
        return cls(root, load_settings(root, os.environ, settings or {}))

    @property
    def store_file(self) -> Path:
        """Return where the store lies."""
        named = self.settings.store.path
        return self.root / os.path.expanduser(named) if named else self.root / FOLDER / "store.db"

    @cached_property
    def embedder(self) -> Embedder:
        """Return the vault's embedder, loaded on first use."""
        return load_embedder(self.settings.embed.model)

    @cached_property
    def store(self) -> SqliteStore:
        """Return the vault's store, made on first use."""
        return self._open_store(self.store_file)

    @property
    def indexed(self) -> bool:
        """Tell whether the vault was ever indexed."""
        return self.store_file.is_file() and bool(self.store.indexed_at)

    def index(self, *, full: bool = False, progress: Progress | None = None) -> Report:
        """Bring the store up to date; all of it when `full`, or when it was made with other settings."""
        if not full and self._matches(self.store):
            return self._index(self.store, progress)
        fresh = self._store_beside()
        report = self._index(fresh, progress)
        if not report.interrupted:
            self.store.replace_by(fresh)
        fresh.close()
        if not report.interrupted:
            _delete(fresh.file)
        return report

    def refresh(self, progress: Progress | None = None) -> str:
        """Take in what changed if that is quick, and index a new vault; return what the user should know."""
        if not self.indexed:
            self.index(progress=progress)
            return ""
        changes = find_changes(self.root, self._rules.walk, self.store)
        try:
            if not self._matches(self.store):
                return "this vault was indexed with other settings; run `notewell index` to do it anew"
            if changes.bytes > QUICK_BYTES:
                return f"{len(changes.read):,} files changed since the last index; run `notewell index` to take them in"
            if changes:
                self.index(progress=progress)
        except StoreBusy:
            return "another process is indexing this vault; this is its state before that"
        except EmbedError:
            # The search that follows says so itself, and answers by words.
            return f"{len(changes.read):,} changed files are not taken in" if changes else ""
        return ""

    def search(self, text: str, *, limit: int | None = None, under: str = "", max_tokens: int | None = None) -> Results:
        """Find the lines that answer the text, among the notes under a folder or in all."""
        began = time.perf_counter()
        text = readable(text)
        if not self.indexed:
            return Results(text, (), 0, 0.0, ("this vault was never indexed; `index` comes first",))
        embedder, notices = self._matching_embedder()
        with self.store.reading() as snapshot:
            excerpts = search(
                text,
                store=snapshot,
                embedder=embedder,
                searching=self._searching(limit, max_tokens),
                scope=_scope(under),
            )
            took = (time.perf_counter() - began) * 1000
            return Results(text, tuple(excerpts), snapshot.generation, round(took, 3), notices)

    def hits(self, text: str, *, limit: int) -> list[Hit]:
        """Return the hits without excerpts: what measuring needs."""
        embedder, _ = self._matching_embedder()
        with self.store.reading() as snapshot:
            searching = self._searching(limit, 0)
            return find_hits(make_plan(text), store=snapshot, embedder=embedder, searching=searching)

    def read(self, place: str) -> Reading:
        """Return a note's lines as they stand in its file, without secrets: `path`, `path:12` or `path:12-20`."""
        path, first, last = self._place(place)
        if PurePosixPath(path).suffix.lower() not in READERS:
            raise NoteError(f"{path} is of a format that is not read yet", f"Formats: {', '.join(READERS)}")
        try:
            found = Found(path, stamp_of((self.root / path).stat()))
            note = redact(read(self.root, found, self.settings.index.max_bytes))
        except NoteError as error:
            raise NoteError(f"{path}: {error.fact}", error.hint) from error
        lines = note.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        last = min(last or len(lines), len(lines))
        if first > last:
            raise NoteError(f"{path} has {len(lines)} lines; there is no line {first}", "Ask for lines it has")
        return Reading(path, first, last, "\n".join(lines[first - 1 : last]))

    def status(self) -> Status:
        """Return how the store stands against the folder."""
        if not self.indexed:
            return Status(self.root, self.store_file, None, self.settings.embed.model, 0)
        changes = find_changes(self.root, self._rules.walk, self.store)
        stale = len(changes.read) + len(changes.gone)
        return Status(self.root, self.store_file, self.store.about(), self.store.embedder, stale)

    @property
    def _rules(self) -> Rules:
        settings = self.settings.index
        return Rules(Walk(settings.include, settings.exclude, settings.hidden), self.settings.chunk, settings.max_bytes)

    @property
    def _recipe(self) -> str:
        return f"{RECIPE} {self.settings.chunk}"

    def _matches(self, store: SqliteStore) -> bool:
        """Tell whether a store was made with this embedder and these settings."""
        return store.recipe == self._recipe and store.embedder == self.embedder.fingerprint

    def _store_beside(self) -> SqliteStore:
        """Return a store to build beside the vault's own; what an interrupted build left is taken up again."""
        file = self.store_file.with_suffix(".new")
        try:
            beside = self._open_store(file)
            if self._matches(beside):
                return beside
            beside.close()
        except StoreError:
            # Half a file, left by a kill; nothing but time is lost with it.
            pass
        _delete(file)
        return self._open_store(file)

    def _searching(self, limit: int | None, max_tokens: int | None) -> Searching:
        settings = self.settings.search
        return Searching(
            candidates=settings.candidates,
            fusion=settings.fusion,
            weights=Weights(settings.lexical_weight, settings.vector_weight),
            limit=settings.limit if limit is None else max(1, limit),
            max_tokens=settings.max_tokens if max_tokens is None else max(0, max_tokens),
        )

    def _matching_embedder(self) -> tuple[Embedder | None, tuple[str, ...]]:
        """Return the embedder whose vectors the store holds, or none and the reason."""
        try:
            if self.embedder.fingerprint == self.store.embedder:
                return self.embedder, ()
        except EmbedError as error:
            return None, (f"{error.fact}; searching by words alone",)
        notice = f"the store's vectors come from {self.store.embedder}; searching by words alone until `notewell index`"
        return None, (notice,)

    def _index(self, store: SqliteStore, progress: Progress | None) -> Report:
        return index(self.root, store=store, embedder=self.embedder, rules=self._rules, progress=progress or Progress())

    def _open_store(self, file: Path) -> SqliteStore:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.parent.name == FOLDER and not (file.parent / ".gitignore").exists():
                (file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                f"{file.parent} cannot be written: {error.strerror or error}",
                "Check its permissions, or set store.path to a place that can be written",
            ) from error
        if file.is_file() and file.stat().st_size:
            return SqliteStore(file)
        return SqliteStore(
            file, embedder=self.embedder.fingerprint, dimensions=self.embedder.dimensions, recipe=self._recipe
        )

    def _place(self, place: str) -> tuple[str, int, int]:
        """Split `path:12-20`, and refuse a path that leaves the vault."""
        path, first, last = place, 1, 0
        match = LINES.fullmatch(place)
        if match and not _exists(self.root / place):
            path, first = match[1], max(1, int(match[2]))
            last = int(match[3]) if match[3] else first
        if last and last < first:
            raise NoteError(f"Lines {first} to {last} run backwards", f"Ask for {path}:{last}-{first}")
        if not _exists(self.root / path):
            raise NoteError(f"There is no note {path[:200]}", "Paths are as `notewell search` prints them")
        file = Path(os.path.realpath(self.root / path))
        if not file.is_relative_to(os.path.realpath(self.root)):
            raise NoteError(f"{path} is outside the vault", "Name a note by its path from the vault's root")
        if not file.is_file():
            raise NoteError(f"{path} is a folder", "Name a note in it")
        return PurePosixPath(os.path.normpath(path)).as_posix(), first, last


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # Too long a name, or one with a zero byte or half a character in it.
        return False


def _scope(under: str) -> Scope:
    """Return the scope of a folder or note as a user writes it: `Garden`, `Garden/` and `./Garden` are the same."""
    path = PurePosixPath(readable(under)).as_posix().strip("/")
    return Scope("" if path == "." else path)


def _delete(file: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
