"""What every store must let through a scope, and what not."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.notes import OpenStore, only, paths_in, put_texts

from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreDamaged
from notewell.store import Store
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING, Filter, Range, Scope

FIELDS: dict[str, dict[str, Any]] = {
    "Garden/Hive.md": {"tags": ["Garden/bees"], "type": "log", "rating": 5, "status": "Open", "date": date(2024, 5, 1)},
    "Garden/Roses.md": {"tags": "garden, flowers", "type": "Log", "rating": 3.5, "done": True, "created": "2023-12-31"},
    "Recipes/Rye.md": {"tags": ["bread"], "rating": "4", "author": ["Jane Doe", "[[People/Max|Max  Müller]]"]},
    "Recipes/Übung.md": {"Status": "open", "date": "soon", "updated": "2025-01-06 10:00:00+00:00", "odd": float("nan")},
    "100%_x/a.md": {
        "status": "closed",
        "nested": {"a": 1},
        "none": None,
        "date": 20240501,
        "year": 2024,
        'q"uote': "x",
    },
    "100aax/a.md": {"date": "0000-00-00", "created": "12:30"},
}

DAYS = {"Garden/Hive.md": "2024-05-01", "Garden/Roses.md": "2023-12-31", "Recipes/Übung.md": "2025-01-06"}


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    store = open_store()
    with store.writing() as writer:
        for number, (path, fields) in enumerate(FIELDS.items()):
            mtime = int(datetime(2020, 6, number + 1, 12, tzinfo=UTC).timestamp() * 1e9)
            chunk = Chunk(path, f"rye {path}", 1, 1, title="Title")
            note = Note(path, chunk.text, Stamp(mtime, 1, path), title="Title", fields=fields)
            note = replace(note, day=DAYS.get(path, ""), dated_by="name" if path in DAYS else "")
            writer.put(note, [chunk], WordsEmbedder().embed([chunk.text]))
    return store


HIVE, ROSES, RYE, UBUNG, ODD, ODDER = FIELDS


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (only("path", "Garden"), {HIVE, ROSES}),
        (only("path", "garden/"), {HIVE, ROSES}),
        (only("path", "./Garden"), {HIVE, ROSES}),
        (only("path", "Gard"), set()),
        (only("path", "/"), set(FIELDS)),
        (only("path", "."), set(FIELDS)),
        (only("path", "garden/hive"), {HIVE}),
        (only("path", "Garden/Hive.md"), {HIVE}),
        (only("path", "*hive*"), {HIVE}),
        (only("path", "recipes/ubung.md"), {UBUNG}),
        (only("path", "G*"), {HIVE, ROSES}),
        (only("path", "100%_x"), {ODD}),
        (only("path", "100?_x"), set()),
        (only("path", "Garden", "100aax"), {HIVE, ROSES, ODDER}),
        (only("path", "Garden", negated=True), {RYE, UBUNG, ODD, ODDER}),
        (only("tag", "garden"), {HIVE, ROSES}),
        (only("tag", "garden/bees"), {HIVE}),
        (only("tag", "bees"), set()),
        (only("tag", "gard"), set()),
        (only("tag", "*bees"), {HIVE}),
        (only("tag", "bread", "flowers"), {ROSES, RYE}),
        (only("tag", "garden", negated=True), {RYE, UBUNG, ODD, ODDER}),
        (only("type", "log"), {HIVE, ROSES}),
        (only("type", "lo"), set()),
        (only("field", "open", key="status"), {HIVE, UBUNG}),
        (only("field", "open", key="STATUS"), {HIVE, UBUNG}),
        (only("field", "open", "closed", key="status"), {HIVE, UBUNG, ODD}),
        (only("field", "open", key="status", negated=True), {ROSES, RYE, ODD, ODDER}),
        (only("field", "*", key="status"), {HIVE, UBUNG, ODD}),
        (only("field", "jane doe", key="author"), {RYE}),
        (only("field", "max muller", key="author"), {RYE}),
        (only("field", "[[People/Max|Max Müller]]", key="author"), {RYE}),
        (only("field", "[[Max Müller]]", key="author"), {RYE}),
        (only("field", "jane", key="author"), set()),
        (only("field", "true", key="done"), {ROSES}),
        (only("field", "1", key="done"), set()),
        (only("field", "5", key="rating"), {HIVE}),
        (only("field", "5.0", key="rating"), {HIVE}),
        (only("field", "4", key="rating"), {RYE}),
        (only("field", Range("3", "5"), key="rating"), {HIVE, ROSES, RYE}),
        (only("field", Range("3.5", "5", open=True), key="rating"), {RYE}),
        (only("field", Range(low="4"), key="rating"), {HIVE, RYE}),
        (only("field", Range(low="4", open=True), key="rating"), {HIVE}),
        (only("field", Range(high="10"), key="rating"), {HIVE, ROSES, RYE}),
        (only("field", Range("2024-05", "2024-05"), key="date"), {HIVE}),
        (only("field", Range(high="2024-05", open=True), key="date"), {ODDER}),
        (only("field", "1", key="nested"), {ODD}),
        (only("field", "null", key="none"), set()),
        (only("field", "nan", key="odd"), set()),
        (only("field", "x", key="no such key"), set()),
        (only("date", Range(low="2024-05-01")), {HIVE, UBUNG}),
        (only("date", Range(high="2024-05-01", open=True)), {ROSES, RYE, ODD, ODDER}),
        (only("date", Range(low="2020-06-03"), negated=True), set()),
        (only("term", "Übung"), {UBUNG}),
        (only("term", "Übung", negated=True), {HIVE, ROSES, RYE, ODD, ODDER}),
        (only("term", "roses*"), {ROSES}),
        (only("phrase", "RYE  garden/hive.md"), {HIVE}),
        (only("phrase", "rye garden", negated=True), {RYE, UBUNG, ODD, ODDER}),
        (Scope("Garden", (Filter("tag", ("garden",)), Filter("date", (Range("2024"),)))), {HIVE}),
        (Scope("Recipes", (Filter("tag", ("garden",)),)), set()),
        (EVERYTHING, set(FIELDS)),
    ],
)
def test_a_scope_lets_through(store: Store, scope: Scope, expected: set[str]) -> None:
    assert paths_in(store, scope) == sorted(expected)


def test_the_keys_of_front_matter_are_known_however_they_are_written(store: Store) -> None:
    with store.reading() as snapshot:
        assert {"status", "rating", "author", "done"} <= set(snapshot.values("key"))
        assert not {"Status", "no such key"} & set(snapshot.values("key"))


def test_what_notes_have_is_returned_for_each_filter(store: Store) -> None:
    with store.reading() as snapshot:
        assert set(snapshot.values("tag", most=9)) == {"Garden/bees", "garden", "flowers", "bread"}
        assert set(snapshot.values("type", most=9)) == {"log", "Log"}
        assert set(snapshot.values("field", "status", most=9)) == {"Open", "open", "closed"}
        assert snapshot.values("phrase", most=9) == []
        assert snapshot.values("tag", most=2) == []


def test_the_newest_come_first_one_chunk_of_each(store: Store) -> None:
    with store.reading() as snapshot:
        found = snapshot.newest(only("path", "*"), 10)
        paths = [chunk.path for chunk in snapshot.chunks([slot for slot, _ in found]).values()]
        assert paths == [UBUNG, HIVE, ROSES, ODDER, ODD, RYE]
        assert [day for _, day in found][:3] == ["2025-01-06", "2024-05-01", "2023-12-31"]
        assert snapshot.newest(only("path", "*"), 2) == found[:2]
        assert snapshot.newest(only("path", "nowhere"), 2) == []


def test_notes_say_their_day_and_their_front_matter(store: Store) -> None:
    with store.reading() as snapshot:
        said = snapshot.notes([HIVE, RYE, UBUNG])
        assert {path: note.day for path, note in said.items()} == {
            HIVE: "2024-05-01",
            RYE: "2020-06-03",
            UBUNG: "2025-01-06",
        }
        assert said[RYE].fields["author"] == ["Jane Doe", "[[People/Max|Max  Müller]]"]
        assert snapshot.notes([]) == {}
        with pytest.raises(StoreDamaged):
            snapshot.notes([HIVE, "nowhere.md"])


def test_the_newest_are_shown_by_their_first_chunk_that_is_inside(store: Store) -> None:
    put_texts(store, {"New.md": ["a draft", "b rye", "c rye"]})
    with store.reading() as snapshot:
        scope = Scope("New.md", (Filter("term", ("draft",), negated=True),))
        (found,) = snapshot.chunks([slot for slot, _ in snapshot.newest(scope, 5)]).values()
        assert found.text == "b rye"


def test_a_note_that_was_touched_has_its_new_day(store: Store) -> None:
    scope = only("date", Range(low="2021-01-01"))
    assert RYE not in paths_in(store, scope)
    with store.writing() as writer:
        writer.touch(RYE, Stamp(int(datetime(2022, 1, 1, tzinfo=UTC).timestamp() * 1e9), 1))
    assert RYE in paths_in(store, scope)


def test_a_scope_is_of_the_state_that_is_searched(store: Store) -> None:
    scope = only("tag", "bread")
    assert paths_in(store, scope) == [RYE]
    with store.writing() as writer:
        writer.remove(RYE)
        note = Note(HIVE, "", Stamp(1, 1), fields={"tags": ["bread"]})
        writer.put(note, [Chunk(HIVE, "rye", 1, 1)], WordsEmbedder().embed(["rye"]))
    assert paths_in(store, scope) == [HIVE]


def test_notes_without_chunks_are_in_no_scope(store: Store) -> None:
    with store.writing() as writer:
        writer.put(Note("z.md", "", Stamp(1, 1), fields={"tags": ["bread"]}), [], WordsEmbedder().embed([]))
    assert paths_in(store, only("tag", "bread")) == [RYE]


def test_an_empty_store_has_nothing_in_any_scope(open_store: OpenStore) -> None:
    empty = open_store()
    for scope in (only("tag", "x"), only("phrase", "x y"), only("term", "x*"), Scope("x")):
        assert paths_in(empty, scope) == []


def test_a_pattern_of_many_stars_does_not_take_long(store: Store) -> None:
    put_texts(store, {"a" * 200 + ".md": "rye"})
    began = time.process_time()
    assert paths_in(store, only("path", "*a" * 60 + "*b")) == []
    assert paths_in(store, only("path", "*a" * 60 + "*")) == ["a" * 200 + ".md"]
    assert time.process_time() - began < 5


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=6), st.one_of(st.text(max_size=9), st.integers(), st.floats()), max_size=3
    )
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_front_matter_can_be_asked_for(store: Store, fields: dict[str, Any]) -> None:
    with store.writing() as writer:
        note = Note("any.md", "", Stamp(1, 1), fields=fields)
        writer.put(note, [Chunk("any.md", "rye", 1, 1)], WordsEmbedder().embed(["rye"]))
    for key, value in fields.items():
        found = paths_in(store, only("field", str(value), key=key))
        odd = not key.isprintable() or set('"\\') & set(key) or set("*[") & set(str(value)) or isinstance(value, float)
        assert odd or "any.md" in found


def test_a_note_has_its_own_day_or_that_of_its_file_and_says_which(store: Store) -> None:
    with store.reading() as snapshot:
        facts = snapshot.notes({HIVE, RYE})
    assert (facts[HIVE].day, facts[HIVE].dated_by) == ("2024-05-01", "name")
    assert (facts[RYE].day, facts[RYE].dated_by) == ("2020-06-03", "file")


# Beginnings


def test_a_beginning_stands_for_all_terms_that_begin_so_as_one(store: Store) -> None:
    put_texts(store, {"a.md": "authenticate authority", "b.md": "author", "c.md": "auto", "d.md": "auth"})
    assert paths_in(store, only("term", "auth*"), "auth*") == ["a.md", "b.md", "d.md"]
    with store.reading() as snapshot:
        scores = dict(snapshot.match(["auth*"], EVERYTHING, 10).found)
        assert len(scores) == 3
        # Two words of the many that begin so count as one word that is there twice.
        assert max(scores.values()) < 2 * min(scores.values())
        assert snapshot.match(["zzz*"], EVERYTHING, 10).found == ()


@pytest.mark.parametrize("beginning", ["authen*", "authenticat*", "authentication*"])
def test_a_beginning_finds_words_whose_stem_is_shorter(store: Store, beginning: str) -> None:
    put_texts(store, {"a.md": "authentication", "b.md": "author"})
    with store.reading() as snapshot:
        found = snapshot.match([beginning], EVERYTHING, 10).found
        assert [chunk.path for chunk in snapshot.chunks([slot for slot, _ in found]).values()] == ["a.md"]
