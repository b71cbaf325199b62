"""The entities of one vault: extracted when asked, note by note, and looked up when a query names one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import apsw

from notewell.entities import file as rows
from notewell.entities.candidates import Candidate, NoteText, candidates_of
from notewell.entities.file import EntityFile, Row
from notewell.entities.kinds import key_of
from notewell.entities.merge import Merge
from notewell.entities.ner import NameModel, find_model
from notewell.entities.relations import relate
from notewell.entities.report import Entities, EntityDetails, EntityRow, OtherSpelling
from notewell.errors import QueryError, StoreError
from notewell.llm import LlmRules
from notewell.names.suggest import did_you_mean, suggest
from notewell.store import Snapshot, State
from notewell.terms import find_tokens, stop_terms
from notewell.types.note import Stamp
from notewell.types.notices import Notice
from notewell.types.results import KINDS, EntityPlace, NamedEntity, Neighbour, Relation

# Grows with every change of what is extracted, so that notes are read again.
RECIPE = 3
# Notes that are committed together: an interrupted run loses these at most, and reads them again.
BATCH = 200
# How long a language model may read for one answer.
SECONDS = 600.0
# Words of a name in a query; entities that a query names, and what is shown of each.
LONGEST, SHOWN, PLACES, NEIGHBOURS = 6, 3, 5, 6
# What a larger share of a vault's notes names, and more than a few notes, says nothing about a query.
MOST_NOTES_SHARE, FEW = 0.25, 10
Progress = Callable[[int, int], None]


class VaultEntities:
    """Extracts and finds the entities of a vault, or of some of its domains."""

    def __init__(
        self,
        file: Path,
        reading: Callable[[], AbstractContextManager[Snapshot]],
        stamps: Callable[[], Mapping[str, Stamp]],
        llm: LlmRules,
        lag: Callable[[Snapshot], tuple[Notice, ...]],
    ) -> None:
        """Take the file, how a state of the store is read, the stamps of its notes, and which language model to ask.

        `lag` tells what is missing from a state.
        """
        self._file = EntityFile(file)
        self._reading = reading
        self._stamps = stamps
        self._llm = llm
        self._lag = lag

    def answer(
        self, name: str, kind: str, tell: Progress, stop: Callable[[], bool], *, relations: bool = False
    ) -> Entities:
        """Bring the entities up to date, and return them, or one in detail.

        With `relations`, a language model reads notes for as long as `SECONDS`; the next call continues.
        """
        if kind and kind not in KINDS:
            raise QueryError(f"There is no kind '{kind}'", f"Choose one of {', '.join(KINDS)}")
        model, missing = find_model()
        with self._reading() as snapshot, self._file.opened(create=True) as db:
            self._forget(db, snapshot)
            read, total = self._extract(db, snapshot, model, tell, stop)
            if not rows.is_merged(db) and not stop():
                names = rows.mark(db, "names")
                rows.keep(db, Merge(rows.all_names(db)).entities(), names)
            related, told = relate(db, snapshot, self._llm, SECONDS, tell, stop) if relations else (0, ())
            found = self._details(db, name) if name else None
            listed = [] if name else rows.listed(db, kind)
            kinds, lag = rows.counts(db), self._lag(snapshot)
        stopped = (Notice("extraction_stopped", {"done": read, "total": total}),) if read < total else ()
        return Entities(
            total=sum(kinds.values()),
            kinds=kinds,
            entities=tuple(EntityRow(row.name, row.kind, row.notes) for row in listed),
            entity=found,
            extracted=read,
            related=related,
            model=model.name if model else "",
            notices=(*lag, *stopped, *(() if name else missing), *told),
        )

    def _forget(self, db: apsw.Connection, snapshot: Snapshot) -> None:
        """Delete what comes from notes that are gone or changed since the file was last looked at."""
        seen = _seen(snapshot.state)
        if rows.mark(db, "seen") != seen:
            rows.forget(db, self._stamps(), seen)

    def _extract(
        self, db: apsw.Connection, snapshot: Snapshot, model: NameModel | None, tell: Progress, stop: Callable[[], bool]
    ) -> tuple[int, int]:
        """Extract the names of new and changed notes; return how many notes were read, and how many there were."""
        recipe = f"{RECIPE} {snapshot.state.made_for.recipe} {model.name if model else ''}"
        stamps, known = self._stamps(), rows.extracted(db, recipe)
        # Another process may have changed the store since this state of it.
        waiting = [path for path in snapshot.ids() if path in stamps and path not in known]
        if snapshot.state.lost:
            # The notes of a node that is down have no text now; they are read once it is back.
            waiting = [path for path in waiting if snapshot.chunks_of(path)]
        done = 0
        while done < len(waiting) and not stop():
            batch, found = waiting[done : done + BATCH], []
            for note in read_notes(snapshot, batch):
                more: Sequence[Candidate] = model.candidates(note) if model else ()
                day = note.facts.day if note.facts.dated_by != "file" else ""
                digest = rows.digest_of(stamps[note.path])
                found.append((note.path, digest, recipe, day, candidates_of(note, more)))
                done += 1
                tell(done, len(waiting))
                if stop():
                    break
            rows.put(db, found)
        return done, len(waiting)

    def _details(self, db: apsw.Connection, name: str) -> EntityDetails:
        row = self._row(db, name)
        return EntityDetails(
            row.name,
            row.kind,
            row.notes,
            tuple(OtherSpelling(*each) for each in rows.spellings(db, row.id)),
            _places(db, row, 50),
            _beside(db, row, 20),
            _relations(db, row, 50),
        )

    def _row(self, db: apsw.Connection, name: str) -> Row:
        key = key_of(name)
        if row := rows.named(db, [key]).get(key):
            return row
        near = suggest(name, rows.all_keys(db))
        hint = did_you_mean(near, "`notewell entities` lists those in most notes")
        raise QueryError(f"No entity is called '{name}'", hint)

    def notes_of(self, name: str) -> tuple[str, ...] | None:
        """Return the notes that name an entity; None if none is called so, or nothing was extracted."""
        if not self._file.exists:
            return None
        key = key_of(name)
        with self._reading() as snapshot, self._file.opened() as db:
            self._forget(db, snapshot)
            row = rows.named(db, [key]).get(key)
            return tuple(rows.notes_of(db, row.id)) if row else None

    def named_in(self, text: str) -> tuple[NamedEntity, ...] | None:
        """Return details of the entities that a query names; None if nothing was extracted.

        It is shown beside results: while the file cannot be read, there is nothing to show.
        """
        if not self._file.exists:
            return None
        with suppress(StoreError), self._file.opened() as db:
            # Most queries name nobody, and need no state of the store.
            if not _longest(db, text):
                return None
            with self._reading() as snapshot:
                self._forget(db, snapshot)
                most = max(FEW, rows.note_count(db) * MOST_NOTES_SHARE)
                # Of concepts, those that capitals alone tell may be ordinary words, as `File` in a menu.
                found = [
                    row
                    for row in _longest(db, text)
                    if row.notes <= most and (row.kind != "concept" or rows.is_chosen(db, row.id))
                ]
                return tuple(_context(db, row) for row in found[:SHOWN]) or None
        return None

    def explained(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        """Return notices with the names that an unknown entity may stand for, or with what to do first."""
        return tuple(self._explained(one) if one.code == "no_entity" else one for one in notices)

    def _explained(self, notice: Notice) -> Notice:
        if not self._file.exists:
            return Notice("no_entities")
        with self._file.opened() as db:
            near = suggest(str(notice.facts["value"]), rows.all_keys(db))
        return Notice("no_entity", {**notice.facts, "near": tuple(near)}) if near else notice


def read_notes(snapshot: Snapshot, paths: Sequence[str]) -> Iterator[NoteText]:
    """Yield notes as the store has them, with secrets redacted."""
    ids, facts = snapshot.ids(), snapshot.notes(paths)
    links = snapshot.links_of([ids[path] for path in paths if path in ids])
    for path in paths:
        chunks = snapshot.chunks(snapshot.chunks_of(path)).values()
        yield NoteText(path, sorted(chunks, key=lambda chunk: chunk.line), facts[path], links.get(ids.get(path, 0), ()))


def _seen(state: State) -> str:
    return f"{state.id} {state.notes_changed} {state.generation if not state.id else ''}"


def _longest(db: apsw.Connection, text: str) -> list[Row]:
    """Return the entities that a text names, the longest names first; words of one are not part of another."""
    words = find_tokens(text)[:64]
    spans = [(at, end) for at in range(len(words)) for end in range(at + 1, min(at + LONGEST, len(words)) + 1)]
    keys = {span: key_of(" ".join(words[slice(*span)])) for span in spans}
    known = rows.named(db, {*keys.values()} - stop_terms())
    found: dict[int, Row] = {}
    taken: set[int] = set()
    for at, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        row = known.get(keys[at, end])
        if row and not taken & {*range(at, end)}:
            taken |= {*range(at, end)}
            found.setdefault(row.id, row)
    return [*found.values()]


def _context(db: apsw.Connection, row: Row) -> NamedEntity:
    return NamedEntity(
        row.name,
        row.kind,
        row.notes,
        *rows.days(db, row.id),
        _places(db, row, PLACES),
        _beside(db, row, NEIGHBOURS),
        _relations(db, row, NEIGHBOURS),
    )


def _places(db: apsw.Connection, row: Row, limit: int) -> tuple[EntityPlace, ...]:
    return tuple(EntityPlace(*place) for place in rows.places(db, row.id, limit))


def _beside(db: apsw.Connection, row: Row, limit: int) -> tuple[Neighbour, ...]:
    found = rows.beside(db, row.id, limit)
    return tuple(Neighbour(other.name, other.kind, shared, path, line) for other, shared, path, line in found)


def _relations(db: apsw.Connection, row: Row, limit: int) -> tuple[Relation, ...]:
    return tuple(Relation(*relation) for relation in rows.relations(db, row.id, limit))
