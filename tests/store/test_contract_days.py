"""What every store knows of days and tasks: by note, by heading, and none where a clone dated all files."""

from __future__ import annotations

import pytest
from tests.store.notes import OpenStore, only, paths_in

from notewell.embed.words import WordsEmbedder
from notewell.store import CLONED_AT_LEAST, Store
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import Filter, Range, Scope
from notewell.types.tasks import Task

DAY = 86_400_000_000_000


def put(store: Store, *chunks: Chunk, day: str = "", mtime_ns: int = DAY, due: str = "") -> None:
    path, by, properties = chunks[0].path, "name" if day else "", chunks[0].properties
    stamp, fields = Stamp(mtime_ns, 1, path), {"due": due} if due else {}
    note = Note(path, "", stamp, day=day, dated_by=by, fields=fields, properties=properties)
    with store.writing() as writer:
        writer.put(note, chunks, WordsEmbedder().embed([chunk.text for chunk in chunks]))


def lines_in(store: Store, *filters: Filter) -> list[int]:
    with store.reading() as snapshot:
        return [chunk.line for chunk in snapshot.chunks(snapshot.within(Scope(filters=filters))).values()]


@pytest.fixture
def log(open_store: OpenStore) -> Store:
    store = open_store()
    days = ("", "2025-07-10", "2025-07-11")
    put(store, *(Chunk("log.md", "rye", line, line, day=day) for line, day in enumerate(days, 1)), day="2025-01-01")
    return store


@pytest.mark.parametrize(
    ("days", "negated", "lines"),
    [
        (Range(low="2025-07-11"), False, [3]),
        (Range(low="2025-07-11"), True, [1, 2]),
        (Range(high="2025-07-11", open=True), False, [1, 2]),
        (Range(low="2025-01-01", high="2025-07-10"), False, [1, 2]),
    ],
)
def test_the_day_of_a_heading_counts_before_the_notes(log: Store, days: Range, negated: bool, lines: list[int]) -> None:
    assert lines_in(log, Filter("date", (days,), negated=negated)) == lines


OPEN, DONE, ANY = (Filter("task", (wanted,)) for wanted in ("open", "done", "*"))
MARCH, LATER = Filter("due", ("2025-03",)), Filter("due", (Range(low="2025-04"),))


@pytest.mark.parametrize(
    ("filters", "lines"),
    [
        ([ANY], [1, 2, 3]),
        ([OPEN], [1, 3]),
        ([DONE], [2, 3]),
        ([MARCH], [1, 3]),
        ([LATER], [4]),
        # One task has to be both: the third chunk's open one is not due.
        ([OPEN, MARCH], [1]),
        ([DONE, MARCH], [3]),
        ([OPEN, LATER], []),
        ([ANY._replace(negated=True)], [4, 5]),
        ([OPEN, DONE._replace(negated=True)], [1]),
        ([MARCH._replace(negated=True)], [2, 4, 5]),
    ],
)
def test_tasks_are_asked_for_by_state_and_day(open_store: OpenStore, filters: list[Filter], lines: list[int]) -> None:
    store = open_store()
    tasks = [(Task(True, "2025-03-01"),), (Task(False),), (Task(True), Task(False, "2025-03-31"))]
    put(store, *(Chunk("todo.md", "rye", line, line, tasks=own) for line, own in enumerate(tasks, 1)))
    put(store, Chunk("due.md", "rye", 4, 4), due="2025-04-02")
    put(store, Chunk("none.md", "rye", 5, 5))
    assert lines_in(store, *filters) == lines


def test_a_chunk_comes_back_with_its_day_tasks_and_properties(open_store: OpenStore) -> None:
    store = open_store()
    tasks = Task(True), Task(False, "2025-03-01")
    put(store, chunk := Chunk("a.md", "rye", 1, 1, day="2025-07-11", tasks=tasks, properties="Stadtwerke | Kiel"))
    with store.reading() as snapshot:
        assert list(snapshot.chunks(snapshot.within(Scope())).values()) == [chunk]


def test_files_of_one_day_do_not_date_their_notes_if_there_are_many(open_store: OpenStore) -> None:
    store = open_store()
    for number in range(CLONED_AT_LEAST - 1):
        put(store, Chunk(f"{number}.md", "rye", 1, 1), mtime_ns=DAY + DAY // 2)
        with store.reading() as snapshot:
            facts = snapshot.notes(["0.md"])
        assert (facts["0.md"].day, facts["0.md"].dated_by) == ("1970-01-02", "file")
    put(store, Chunk("last.md", "rye", 1, 1), mtime_ns=DAY + DAY // 2)
    put(store, Chunk("own.md", "rye", 1, 1), day="1970-01-02", mtime_ns=DAY + DAY // 2)
    put(store, Chunk("edited.md", "rye", 1, 1), mtime_ns=9 * DAY + DAY // 2)
    with store.reading() as snapshot:
        facts = snapshot.notes(["0.md", "own.md", "edited.md"])
        newest = [snapshot.chunks([slot])[slot].path for slot, _ in snapshot.newest(Scope(), 3)]
    assert {path: (each.day, each.dated_by) for path, each in facts.items()} == {
        "0.md": ("", ""),
        "own.md": ("1970-01-02", "name"),
        "edited.md": ("1970-01-10", "file"),
    }
    assert newest == ["edited.md", "own.md", "0.md"]
    assert paths_in(store, only("date", Range(high="2030-01-01", open=True))) == ["edited.md", "own.md"]
