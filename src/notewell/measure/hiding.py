"""A copy of a vault's store in which notes lack the texts that ask for them; the notes themselves are only read."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree

from notewell.config.files import SettingsFiles
from notewell.config.sections import StoreSettings
from notewell.errors import NoteError
from notewell.files.formats import format_of
from notewell.files.lock import held
from notewell.files.user import home_folder, private_folder, state_folder
from notewell.graph.link_report import LinkQuery
from notewell.index import Progress, Source
from notewell.index.dates import with_vault_formats
from notewell.index.prepare import embedded, parse_and_chunk
from notewell.index.readers import load, read
from notewell.index.readers.sandbox import Extraction
from notewell.index.walk import VaultFile
from notewell.measure.golden import Golden
from notewell.measure.judgements import Hidden, Judgement, hide_some
from notewell.redact import redact
from notewell.types.note import Note
from notewell.vault import Vault

FOLDER = "tuning"
# Notes that are read at most, to find judgements: some seconds of work.
MOST_READ = 3_000
# The share of a vault's chunks that may lack a vector of the encoder's, and still have it counted.
ENCODED = 0.05


def find_judgements(vault: Vault, most: int, progress: Progress) -> list[Hidden]:
    """Return at most so many judgements of a vault, the same in each run."""
    source = _source(vault)
    with vault.shown.answering() as snapshot:
        often = Counter(name.title.casefold() for name in snapshot.names())

    def notes() -> Iterator[Note]:
        files = sorted(vault.store.files().notes.items(), key=lambda item: blake2b(item[0].encode()).digest())
        with Extraction(source.walk.max_seconds) as extraction:
            for number, (path, stamp) in enumerate(files[:MOST_READ]):
                progress.tell(number, min(len(files), MOST_READ))
                if progress.stop():
                    raise KeyboardInterrupt
                if (kind := format_of(path)) and kind.shape == "markdown":
                    with suppress(NoteError):
                        found = VaultFile(path, stamp)
                        note = redact(read(path, *load(source.root, found, source.walk), extraction))
                        parsed = parse_and_chunk(found, note, source).note
                        assert parsed is not None, "a note that was read is parsed"
                        yield parsed

    return hide_some(notes(), lambda path: vault.link_graph.links(LinkQuery(path, path)).links, often, most)


def suggest_golden(vault: Vault, most: int, progress: Progress) -> tuple[Golden, ...]:
    """Return golden queries that the notes themselves propose: headings, questions, link texts, aliases, summaries."""
    vault.refresh()
    judged = [one for one in find_judgements(vault, 2 * most, progress) if one.judgement.kind != "title"]
    return tuple(Golden(one.judgement.text, (_place(one.judgement),)) for one in judged[:most])


def _place(judgement: Judgement) -> str:
    return f"{judgement.path}:{judgement.lines[0]}" if judgement.lines else judgement.path


@contextmanager
def hidden_vault(vault: Vault, hidden: Sequence[Hidden], progress: Progress) -> Iterator[Vault]:
    """Open a copy of the vault's store with these notes in place of theirs; it is deleted at the end.

    It lies in the user's folder of state, and has no secrets, as the store has none.
    """
    folder = private_folder(state_folder(os.environ, home_folder(os.environ)) / FOLDER)
    with held(folder / "lock", 0, "is tuning a vault"):
        for left in folder.iterdir():
            # Of a process that was killed.
            if left.is_dir() and not left.is_symlink():
                rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            file = Path(name) / "store.db"
            vault.storage.backup(file)
            settings = replace(vault.settings, store=StoreSettings(str(file)))
            with Vault(vault.root, SettingsFiles(lambda: settings)) as copy:
                lacking = vault.encoder.left
                _put(copy, hidden)
                copy.link_graph.complete()
                if lacking <= ENCODED * vault.store.about().chunks:
                    copy.encode(progress)
                if progress.stop():
                    raise KeyboardInterrupt
                yield copy


def _put(copy: Vault, hidden: Sequence[Hidden]) -> None:
    source, store = _source(copy), copy.store
    outcomes = [parse_and_chunk(VaultFile(one.note.path, one.note.stamp), one.note, source) for one in hidden]
    with store.writing() as writer:
        for one in hidden:
            if one.note.path != one.was:
                writer.remove(one.was)
        for outcome in embedded(iter([outcomes]), writer, copy.models.embedder, store.state.made_for.dimensions):
            outcome.store_in(writer)


def _source(vault: Vault) -> Source:
    settings = vault.settings
    return Source(vault.root, settings.index, settings.chunk, dates=with_vault_formats(settings.dates, vault.root))
