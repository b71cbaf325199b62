"""What every store must do, whatever lies beneath it."""

from __future__ import annotations

import contextlib
import math
import random
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreBusy
from notewell.store import MadeFor, Snapshot, Store, Writing
from notewell.store.links import NOWHERE, TO_FILE, LinkBetween, LinkEnds, NoteName, Standing
from notewell.store.vectors import rounded, unit_rows
from notewell.terms import count_terms
from notewell.types.note import Chunk, Link, Note, Stamp, Vectors
from notewell.types.query import EVERYTHING, Scope
from notewell.types.results import Ranking

OpenStore = Callable[..., Store]
Place = tuple[str, int]

WORDS = [f"word{number}" for number in range(60)]
# Common words first, as in any language.
ODDS = [1 / (1 + number) for number in range(60)]


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


def note_of(path: str, texts: Sequence[str] = (), *, mtime_ns: int = 1, links: tuple[Link, ...] = ()) -> Note:
    text = "\n".join(texts)
    return Note(path, text, Stamp(mtime_ns, len(text), f"digest of {text}"), title="Title", links=links)


def chunks_of(path: str, texts: Sequence[str]) -> list[Chunk]:
    return [Chunk(path, text, line, line, title="Title") for line, text in enumerate(texts, start=1)]


def put(writer: Writing, path: str, *texts: str) -> None:
    writer.put(note_of(path, texts), chunks_of(path, texts), WordsEmbedder().embed(texts))


def places(snapshot: Snapshot, ranking: Ranking) -> list[Place]:
    return [(chunk.path, chunk.line) for chunk in snapshot.chunks([found for found, _ in ranking.found]).values()]


def matching(store: Store, *terms: str, under: str = "", limit: int = 10_000) -> list[str]:
    with store.reading() as snapshot:
        return [path for path, _ in places(snapshot, snapshot.match(terms, Scope(under), limit))]


def nearest(store: Store, text: str, under: str = "") -> list[str]:
    with store.reading() as snapshot:
        ranking = snapshot.nearest(WordsEmbedder().embed([text])[0], Scope(under), 300)
        return [path for path, _ in places(snapshot, ranking)]


# Notes in and out


def test_a_new_store_is_empty(store: Store) -> None:
    about = store.about()
    assert (about.notes, about.chunks, about.links, about.skipped) == (0, 0, 0, {})
    assert about.embedder == "words/27"
    assert store.files().notes == {}
    assert matching(store, "rye") == []
    assert nearest(store, "rye") == []


def test_a_note_that_was_put_is_found_by_words_and_by_meaning(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "bread.md", "rye bread")
        put(writer, "bees.md", "bees buzz", "honey")
    assert matching(store, "rye") == ["bread.md"]
    assert nearest(store, "bees buzz")[0] == "bees.md"
    about = store.about()
    assert (about.notes, about.chunks) == (2, 3)


def test_a_chunk_comes_back_as_it_was_put(store: Store) -> None:
    chunk = Chunk(
        path="日本語/猪 'x\"\n.md",
        text="## 猪\r\nline two\n\n\ttabs",
        line=12,
        end_line=15,
        start=301,
        end=330,
        headings=("Top", "猪"),
        title='A "title"',
        kind="log",
        tags=("a/b", "ü"),
        aliases=("Boar", "Wild, pig"),
    )
    fields = {"type": "log", "tags": ["a/b", "ü"], "aliases": ["Boar", "Wild, pig"]}
    note = Note(chunk.path, chunk.text, Stamp(5, 6, "d"), title=chunk.title, fields=fields)
    with store.writing() as writer:
        writer.put(note, [chunk], WordsEmbedder().embed([chunk.text]))
    with store.reading() as snapshot:
        found = snapshot.match(["line"], EVERYTHING, 10).found
        assert list(snapshot.chunks([slot for slot, _ in found]).values()) == [chunk]
    assert store.files().notes == {chunk.path: Stamp(5, 6, "d")}


def test_chunks_come_in_the_order_in_which_they_are_asked_for(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye one", "rye two", "rye three")
    with store.reading() as snapshot:
        ids = [slot for slot, _ in snapshot.match(["rye"], EVERYTHING, 10).found]
        forward, backward = snapshot.chunks(ids), snapshot.chunks([*ids[::-1], 4711])
        assert list(forward) == ids
        assert list(backward.items()) == list(forward.items())[::-1]
        assert snapshot.chunks([]) == {}


def test_notes_are_known_by_name_and_have_their_own_chunks(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "b.md", "rye", "wheat")
        put(writer, "a.md", "bees")
        put(writer, "c.md")
    with store.reading() as snapshot:
        assert {(name.path, name.title) for name in snapshot.names()} == {
            ("a.md", "Title"),
            ("b.md", "Title"),
            ("c.md", "Title"),
        }
        assert [chunk.text for chunk in snapshot.chunks(snapshot.chunks_of("b.md")).values()] == ["rye", "wheat"]
        assert snapshot.chunks_of("c.md") == snapshot.chunks_of("nowhere.md") == []


def test_vectors_come_back_as_they_point(store: Store) -> None:
    texts = ("rye bread in a tin", "the bees of the hive")
    with store.writing() as writer:
        put(writer, "a.md", *texts)
    made = WordsEmbedder().embed(texts)
    with store.reading() as snapshot:
        ids = snapshot.chunks_of("a.md")
        found = unit_rows(snapshot.vectors(ids).values())
        assert np.array_equal(found, unit_rows(rounded(made)))
        assert np.array_equal(unit_rows(snapshot.vectors(ids[1:2]).values()), found[1:2])
    assert np.allclose(found, made, atol=0.02)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)


def test_an_encoders_vectors_come_back_and_what_it_does_not_read_has_none(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread in a tin", "the bees of the hive", "not read yet")
    with store.reading() as snapshot:
        ids = snapshot.chunks_of("a.md")
        chunks = [*snapshot.chunks(ids).values()]
    made = WordsEmbedder().embed([chunks[0].text, ""])
    with store.writing() as writer:
        writer.keep_vectors("fine", chunks[:2], made)
    with store.reading() as snapshot:
        found = snapshot.vectors(ids, "fine")
        assert found.keys() == set(ids[:2])
        assert np.array_equal(unit_rows(found.values()), unit_rows(rounded(made[:1])))
        assert found[ids[1]] is None
        assert snapshot.vectors(ids, "another") == {}


def test_a_term_is_the_rarer_the_fewer_chunks_hold_it(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread", "rye rye", "bees")
    with store.reading() as snapshot:
        terms = ["rye", "bee", "ry", "nowhere"]
        rarities = snapshot.counts(terms).rarities(terms)
    assert rarities["rye"] == pytest.approx(math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)))
    assert rarities["rye"] < rarities["bee"] < rarities["nowhere"] == rarities["ry"]


def test_putting_a_path_again_replaces_everything_it_held(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread", "wheat bread")
    with store.writing() as writer:
        put(writer, "a.md", "honey")
    assert matching(store, "rye") == matching(store, "wheat") == matching(store, "bread") == []
    assert matching(store, "honey") == ["a.md"]
    assert nearest(store, "wheat bread") == ["a.md"]
    assert (store.about().notes, store.about().chunks) == (1, 1)


def test_a_path_put_twice_in_one_batch_holds_only_the_last(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        put(writer, "a.md", "honey")
    with store.writing() as writer:
        put(writer, "b.md", "corn")
        put(writer, "c.md", "barley")
    assert matching(store, "rye") == []
    assert matching(store, "corn", "rye") == ["b.md"]
    with store.reading() as snapshot:
        once = snapshot.match(["barley"], EVERYTHING, 5).found[0][1]
        assert snapshot.match(["honey"], EVERYTHING, 5).found[0][1] == pytest.approx(once)


def test_a_note_put_and_removed_in_one_batch_leaves_nothing_behind(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        writer.remove("a.md")
        put(writer, "b.md", "honey")
    with store.writing() as writer:
        put(writer, "c.md", "corn")
    assert store.files().notes.keys() == {"b.md", "c.md"}
    assert matching(store, "rye") == []
    assert matching(store, "corn") == ["c.md"]


def test_a_removed_note_leaves_nothing_behind(store: Store) -> None:
    with store.writing() as writer:
        writer.put(
            note_of("a.md", ["rye"], links=(Link("b", 1), Link("c", 2))),
            chunks_of("a.md", ["rye"]),
            WordsEmbedder().embed(["rye"]),
        )
        put(writer, "b.md", "rye")
    assert store.about().links == 2
    with store.writing() as writer:
        writer.remove("a.md")
    about = store.about()
    assert (about.notes, about.chunks, about.links) == (1, 1, 0)
    assert matching(store, "rye") == nearest(store, "rye") == ["b.md"]
    assert store.files().notes.keys() == {"b.md"}


def test_removing_what_is_not_there_changes_nothing(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    before = store.about().generation
    with store.writing() as writer:
        writer.remove("b.md")
    assert store.about().generation == before


def test_a_note_without_chunks_is_remembered(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "empty.md")
    assert store.files().notes.keys() == {"empty.md"}
    with store.writing() as writer:
        writer.remove("empty.md")
    assert store.files().notes == {}


def test_touching_a_note_changes_its_time_and_nothing_else(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    before, stamp = store.about(), store.files().notes["a.md"]
    with store.writing() as writer:
        writer.touch("a.md", Stamp(77, 88, "ignored"))
    assert store.files().notes == {"a.md": Stamp(77, 88, stamp.digest)}
    assert store.about().generation == before.generation
    assert matching(store, "rye") == ["a.md"]


def test_a_skipped_note_is_forgotten_and_its_reason_kept(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
        writer.skip("b.md", Stamp(1, 2), "too large", again=False)
    assert store.about().skipped == {"a.md": "not UTF-8", "b.md": "too large"}
    assert matching(store, "rye") == []
    assert store.about().notes == 0


def test_skipping_again_for_the_same_reason_is_no_change(store: Store) -> None:
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
    before = store.about().generation
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
    assert store.about().generation == before
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "too large", again=False)
    assert store.about().skipped == {"a.md": "too large"}


def test_a_note_that_can_be_read_again_is_no_longer_skipped(store: Store) -> None:
    with store.writing() as writer:
        writer.skip("a.md", Stamp(1, 2), "not UTF-8", again=False)
        writer.skip("b.md", Stamp(1, 2), "not UTF-8", again=False)
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        writer.remove("b.md")
    assert store.about().skipped == {}


def test_every_change_raises_the_generation_and_a_batch_without_one_does_not(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    first = store.about().generation
    with store.writing() as writer:
        put(writer, "b.md", "rye")
        put(writer, "c.md", "rye")
    second = store.about().generation
    with store.writing():
        pass
    assert second > first
    assert store.about().generation == second


# States


def test_a_failed_batch_leaves_everything_as_it_was(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye", "wheat")
    before = store.about(), store.files().notes, matching(store, "rye"), nearest(store, "rye")
    with pytest.raises(ZeroDivisionError), store.writing() as writer:
        put(writer, "b.md", "rye")
        writer.remove("a.md")
        writer.skip("c.md", Stamp(1, 1), "bad", again=False)
        raise ZeroDivisionError
    assert (store.about(), store.files().notes, matching(store, "rye"), nearest(store, "rye")) == before
    with store.writing() as writer:
        put(writer, "b.md", "rye")
    assert matching(store, "rye") == ["a.md", "b.md"]


def test_a_batch_is_seen_all_at_once_when_it_ends(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        assert other.about().notes == 0
        put(writer, "b.md", "rye")
        assert matching(other, "rye") == []
    assert matching(other, "rye") == ["a.md", "b.md"]


def test_a_snapshot_keeps_its_state_while_a_writer_commits(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye bread")
        put(writer, "b.md", "rye")
    with store.reading() as snapshot:
        before = snapshot.match(["rye"], EVERYTHING, 10)
        with other.writing() as writer:
            writer.remove("a.md")
            put(writer, "c.md", "rye", "rye", "rye")
        assert snapshot.match(["rye"], EVERYTHING, 10) == before
        assert [path for path, _ in places(snapshot, before)] == ["b.md", "a.md"]
        assert len(snapshot.nearest(WordsEmbedder().embed(["rye"])[0], EVERYTHING, 10).found) == 2
        held = snapshot.state.generation
    with store.reading() as snapshot:
        assert snapshot.state.generation > held
    assert sorted(matching(store, "rye")) == ["b.md", "c.md", "c.md", "c.md"]


def test_two_stores_open_at_once_see_each_others_changes(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with other.writing() as writer:
        put(writer, "b.md", "rye")
    assert matching(store, "rye") == matching(other, "rye") == ["a.md", "b.md"]
    assert store.about().generation == other.about().generation


def test_threads_share_a_store(store: Store) -> None:
    found: list[list[str]] = []
    with store.writing() as writer:
        put(writer, "a.md", "rye")

    def work(number: int) -> None:
        with store.writing() as writer:
            put(writer, f"{number}.md", "rye")
        found.append(matching(store, "rye"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(paths) for paths in found)[-1] == 5
    assert len(matching(store, "rye")) == 5


def test_a_store_says_what_it_was_made_for_and_when_it_was_indexed(store: Store) -> None:
    assert store.state.made_for == MadeFor("words/27", 27, "1")
    assert store.state.indexed_at == store.about().indexed_at == ""
    with store.writing():
        pass
    assert store.state.indexed_at == store.about().indexed_at != ""


def test_a_chunk_is_lacking_until_one_with_its_headings_and_lines_is_stored(store: Store) -> None:
    chunk = Chunk("a.md", "rye", 1, 1, headings=("Bread",))
    elsewhere = Chunk("b.md", "rye", 9, 9, headings=("Bread",), title="Other")
    others = [Chunk("a.md", "rye", 1, 1), Chunk("a.md", "corn", 1, 1, headings=("Bread",))]
    with store.writing() as writer:
        assert writer.lacks(chunk)
        writer.put(note_of("a.md", ["rye"]), [chunk], WordsEmbedder().embed(["rye"]))
        assert not writer.lacks(chunk)
    with store.writing() as writer:
        assert not writer.lacks(chunk) and not writer.lacks(elsewhere)
        assert all(writer.lacks(other) for other in others)
        writer.remove("a.md")
        # A renamed note finds its vectors until the batch ends.
        assert not writer.lacks(elsewhere)
    with store.writing() as writer:
        assert writer.lacks(chunk)


def test_the_vectors_of_chunks_that_are_not_lacking_are_not_looked_at(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
        writer.put(note_of("b.md", ["rye"]), chunks_of("b.md", ["rye"]), np.zeros((1, 27), dtype=np.float32))
    assert sorted(nearest(store, "rye")) == ["a.md", "b.md"]


# One writer, and one store in place of another


def test_a_store_is_locked_by_one_at_a_time(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.locked(wait=0):
        with pytest.raises(StoreBusy) as caught, other.locked(wait=0.1):
            pytest.fail("two hold the lock")
        assert caught.value.hint
        with store.writing() as writer:
            put(writer, "a.md", "rye")
        assert matching(other, "rye") == ["a.md"]
    with other.locked(wait=0):
        pass


def test_a_lock_is_free_after_a_failed_run(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with pytest.raises(ZeroDivisionError), store.locked(wait=0):
        raise ZeroDivisionError
    with other.locked(wait=0):
        pass


def test_a_store_built_beside_is_taken_over(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    before = store.about().generation
    fresh = store.beside(MadeFor("words/27", 27, "2"))
    with fresh.writing() as writer:
        put(writer, "b.md", "rye")
    assert matching(store, "rye") == ["a.md"]
    store.replace_by(fresh)
    assert matching(store, "rye") == matching(other, "rye") == ["b.md"]
    assert store.state.made_for == other.state.made_for == MadeFor("words/27", 27, "2")
    assert store.about().generation == other.about().generation > before
    again = store.beside(MadeFor("words/27", 27, "2"))
    assert again.files().notes == {}
    again.close()


def test_what_an_interrupted_build_left_is_taken_up_again_if_it_is_for_the_same(store: Store) -> None:
    fresh = store.beside(MadeFor("words/27", 27, "2"))
    with fresh.writing() as writer:
        put(writer, "b.md", "rye")
    fresh.close()
    same = store.beside(MadeFor("words/27", 27, "2"))
    assert same.files().notes.keys() == {"b.md"}
    same.close()
    other = store.beside(MadeFor("words/27", 27, "3"))
    assert (other.files().notes, other.state.made_for) == ({}, MadeFor("words/27", 27, "3"))
    other.close()


# Scope


@pytest.fixture
def scoped(store: Store) -> Store:
    with store.writing() as writer:
        for path in (
            "work/a.md",
            "work/deep/b.md",
            "work-old/c.md",
            "work.md",
            "other/work/d.md",
            "100%_x/e.md",
            "100aax/f.md",
        ):
            put(writer, path, f"rye {path}")
    return store


@pytest.mark.parametrize(
    ("under", "expected"),
    [
        ("work", {"work/a.md", "work/deep/b.md"}),
        ("work/deep", {"work/deep/b.md"}),
        ("work/a.md", {"work/a.md"}),
        ("work.md", {"work.md"}),
        ("wor", set()),
        ("Work", set()),
        ("100%_x", {"100%_x/e.md"}),
        ("nowhere", set()),
        ("' or 1=1 --", set()),
    ],
)
def test_a_scope_is_a_folder_or_a_note_and_never_a_prefix(scoped: Store, under: str, expected: set[str]) -> None:
    assert set(matching(scoped, "rye", under=under)) == expected
    assert set(nearest(scoped, "rye", under=under)) == expected


def test_a_narrow_scope_gives_the_scores_of_the_whole(scoped: Store) -> None:
    with scoped.reading() as snapshot:
        everywhere = dict(snapshot.match(["rye"], EVERYTHING, 100).found)
        inside = dict(snapshot.match(["rye"], Scope("work"), 100).found)
    assert len(inside) == 2
    assert inside.items() <= everywhere.items()


def test_at_most_the_limit_is_found_the_best_of_all(store: Store) -> None:
    with store.writing() as writer:
        for number in range(50):
            put(writer, f"{number:02}.md", "rye " * (number + 1))
    every = matching(store, "rye")
    assert len(every) == 50
    assert matching(store, "rye", limit=7) == every[:7]


# Oracles


class Notes:
    """Random notes, kept beside the store, so that all can be computed the slow way."""

    def __init__(self, seed: int, dimensions: int) -> None:
        self.chance = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.dimensions = dimensions
        self.chunks: dict[Place, Chunk] = {}
        self.vectors: dict[Place, Vectors] = {}

    def text(self, most: int) -> str:
        return " ".join(self.chance.choices(WORDS, ODDS, k=self.chance.randint(1, most)))

    def put(self, writer: Writing, path: str) -> None:
        self.forget(path)
        title, tags = self.text(3), tuple(self.text(1).split())
        chunks = [
            Chunk(path, self.text(40), line, line, headings=(self.text(2),), title=title, tags=tags)
            for line in range(1, self.chance.randint(1, 3) + 1)
        ]
        vectors = unit(self.numbers.standard_normal((len(chunks), self.dimensions)))
        note = Note(path, "", Stamp(1, 1, path), title=title, fields={"tags": list(tags)})
        writer.put(note, chunks, vectors)
        for chunk, vector in zip(chunks, vectors, strict=True):
            self.chunks[path, chunk.line] = chunk
            self.vectors[path, chunk.line] = vector

    def forget(self, path: str) -> None:
        for place in [place for place in self.chunks if place[0] == path]:
            del self.chunks[place], self.vectors[place]

    def bm25(self, terms: Iterable[str]) -> dict[Place, float]:
        tenths = {place: weighed(chunk) for place, chunk in self.chunks.items()}
        lengths = {place: max(1, sum(counts.values()) // 10) for place, counts in tenths.items()}
        mean = sum(lengths.values()) / len(lengths)
        scores: dict[Place, float] = defaultdict(float)
        for term in terms:
            holding = {place: counts[term] / 10 for place, counts in tenths.items() if term in counts}
            rarity = math.log(1 + (len(tenths) - len(holding) + 0.5) / (len(holding) + 0.5))
            for place, often in holding.items():
                norm = 1.5 * (1 - 0.75 + 0.75 * lengths[place] / mean)
                scores[place] += rarity * often / (often + norm)
        return scores

    def cosines(self, vector: Vectors) -> dict[Place, float]:
        return {place: float(own @ vector) for place, own in self.vectors.items()}


def weighed(chunk: Chunk) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text, weight in ((chunk.text, 10), (chunk.heading, 5), (chunk.context, 3)):
        for term, times in count_terms(text).items():
            counts[term] += weight * times
    return Counter({term: min(weight, 255) for term, weight in counts.items()})


def unit(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Vectors:
    scaled: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def check_matching(store: Store, notes: Notes, terms: Sequence[str]) -> None:
    expected = notes.bm25(terms)
    with store.reading() as snapshot:
        ranking = snapshot.match(terms, EVERYTHING, 10_000)
        found = dict(zip(places(snapshot, ranking), (score for _, score in ranking.found), strict=True))
        best = [score for _, score in snapshot.match(terms, EVERYTHING, 20).found]
    assert found == pytest.approx(expected, abs=1e-4)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert best == pytest.approx(sorted(expected.values(), reverse=True)[:20], abs=1e-4)


def check_nearest(store: Store, notes: Notes, vector: Vectors) -> None:
    expected = notes.cosines(vector)
    with store.reading() as snapshot:
        ranking = snapshot.nearest(vector, EVERYTHING, 300)
        found = dict(zip(places(snapshot, ranking), (score for _, score in ranking.found), strict=True))
    # Eight bits keep a cosine to about a hundredth.
    assert list(found.values()) == pytest.approx(sorted(expected.values(), reverse=True)[: len(found)], abs=0.015)
    assert found == pytest.approx({place: expected[place] for place in found}, abs=0.015)
    assert ranking.floor == ranking.found[-1][1]
    assert len(found) == min(300, len(expected))


def churned(store: Store, seed: int, *, batches: int, dimensions: int) -> Notes:
    notes = Notes(seed, dimensions)
    with store.writing() as writer:
        for number in range(180):
            notes.put(writer, f"{number % 7}/{number}.md")
    for _ in range(batches):
        with store.writing() as writer:
            for number in notes.chance.sample(range(200), 40):
                path = f"{number % 7}/{number}.md"
                if notes.chance.random() < 0.5:
                    writer.remove(path)
                    notes.forget(path)
                else:
                    notes.put(writer, path)
    return notes


@pytest.mark.parametrize("batches", [0, 6])
def test_words_are_matched_as_by_brute_force(open_store: OpenStore, batches: int) -> None:
    store = open_store(64)
    notes = churned(store, 7, batches=batches, dimensions=64)
    for query in (["word0"], ["word59"], ["word1", "word30", "word44"], ["word3", "word3", "word9"], WORDS, ["title"]):
        check_matching(store, notes, query)


@pytest.mark.parametrize("batches", [0, 6])
def test_vectors_are_compared_as_by_brute_force(open_store: OpenStore, batches: int) -> None:
    store = open_store(64)
    notes = churned(store, 11, batches=batches, dimensions=64)
    for vector in unit(notes.numbers.standard_normal((10, 64))):
        check_nearest(store, notes, vector)


def apart(text: str, number: int) -> str:
    """Return the text with signs that are no term: the same lines would be stored, and embedded, once."""
    return text + " " + format(number, "o").translate(str.maketrans("01234567", "!?.,;:-+"))


def test_the_nearest_are_found_among_thousands(open_store: OpenStore) -> None:
    store = open_store(128)
    numbers = np.random.default_rng(3)
    vectors = unit(numbers.standard_normal((3_000, 128)))
    texts = [apart("x", number) for number in range(3_000)]
    with store.writing() as writer:
        writer.put(note_of("a.md"), chunks_of("a.md", texts), vectors)
    queries = unit(vectors[:40] + numbers.standard_normal((40, 128)) * 0.06)
    kept = 0
    with store.reading() as snapshot:
        for row, query in enumerate(queries):
            best = [line - 1 for _, line in places(snapshot, snapshot.nearest(query, EVERYTHING, 10))]
            assert best[0] == row
            kept += len(set(best) & set(np.argsort(-(vectors @ query))[:10].tolist()))
    # One-bit codes choose the 400 that are compared: nearly all of the true ten are among them.
    assert kept >= 0.85 * 400


def test_a_vector_of_zeros_is_near_nothing(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with store.reading() as snapshot:
        assert snapshot.nearest(np.zeros(27, dtype=np.float32), EVERYTHING, 10).found == ()


def test_more_chunks_than_two_bytes_can_number_are_told_apart(open_store: OpenStore) -> None:
    store = open_store(8)
    size, beyond = 65_800, 65_536
    vectors = unit(np.random.default_rng(5).standard_normal((size, 8)))
    words = [f"w{number % 40}" if number != beyond + 100 else "zz" for number in range(size)]
    texts = [apart(word, number) for number, word in enumerate(words)]
    with store.writing() as writer:
        writer.put(note_of("first.md"), chunks_of("first.md", ["zz"]), vectors[:1])
        writer.put(note_of("big.md"), chunks_of("big.md", texts), vectors)
        writer.put(note_of("last.md"), chunks_of("last.md", ["zz w1"]), vectors[:1])
    assert set(matching(store, "zz")) == {"first.md", "big.md", "last.md"}
    assert matching(store, "zz", under="last.md") == ["last.md"]
    with store.reading() as snapshot:
        assert len(snapshot.match(["w1"], EVERYTHING, size).found) == words.count("w1") + 1
        ranking = snapshot.nearest(vectors[beyond + 100], Scope("big.md"), 1)
        assert places(snapshot, ranking) == [("big.md", beyond + 101)]
        # All chunks are equally long, and the word equally rare: the two of one word score the same.
        needles = snapshot.match(["zz"], EVERYTHING, 5).found
        assert needles[0][1] == pytest.approx(needles[1][1])
    with store.writing() as writer:
        writer.remove("big.md")
    assert set(matching(store, "zz")) == {"first.md", "last.md"}
    assert matching(store, "w1") == ["last.md"]
    with store.writing() as writer:
        put_plain(writer, "new.md", "zz", vectors[:1])
    assert set(matching(store, "zz")) == {"first.md", "last.md", "new.md"}


def put_plain(writer: Writing, path: str, text: str, vectors: Vectors) -> None:
    writer.put(note_of(path, [text]), chunks_of(path, [text]), vectors)


def test_chunks_may_have_to_hold_every_term(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread", "rye", "bread bread")
    with store.reading() as snapshot:
        assert places(snapshot, snapshot.match_all(["rye", "bread"], EVERYTHING, 10)) == [("a.md", 1)]
        assert snapshot.match_all(["rye", "beer"], EVERYTHING, 10).found == ()
        assert snapshot.match_all([], EVERYTHING, 10).found == ()


def test_a_stand_in_counts_as_the_term_for_less(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye", "wheat", "oats")
    with store.reading() as snapshot:
        ranking = snapshot.match(["wheat"], EVERYTHING, 10, stand_ins={"wheat": ("rye",)})
        assert places(snapshot, ranking) == [("a.md", 2), ("a.md", 1)]


def test_the_terms_that_chunks_hold_are_known(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread", "rye", "'quoted' 100%_ \u6771\u4eac")
    with store.reading() as snapshot:
        counts = snapshot.counts(["rye", "bread", "beer", "\u6771\u4eac"])
        assert (counts.by_term, counts.chunks) == ({"rye": 2, "bread": 1, "\u6771\u4eac": 1}, 3)
        assert snapshot.counts([]).by_term == {}


def test_terms_are_found_by_a_part_of_them_the_most_frequent_first(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "sourdough doughnut", "doughnut", "dough", "rye_dough")
    with store.reading() as snapshot:
        assert snapshot.terms_like("dough", 3) == ["dough", "doughnut", "ryedough"]
        assert snapshot.terms_like("beer", 3) == []


def test_a_new_term_is_seen_by_the_next_reader(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with store.reading() as snapshot:
        assert snapshot.terms_like("brea", 3) == []
    with store.writing() as writer:
        put(writer, "b.md", "bread")
    with store.reading() as snapshot:
        assert snapshot.terms_like("brea", 3) == ["bread"]


# Where links lead


def ends(*rows: tuple[int, int]) -> LinkEnds:
    return np.array(rows, dtype=np.uint32).reshape(-1, 2)


def put_linked(store: Store, path: str, *links: Link, aliases: Sequence[str] = ()) -> int:
    note = replace(note_of(path, ["rye"], links=links), fields={"aliases": list(aliases)} if aliases else {})
    with store.writing() as writer:
        chunks = [replace(chunk, aliases=note.aliases) for chunk in chunks_of(path, ["rye"])]
        writer.put(note, chunks, WordsEmbedder().embed(["rye"]))
    with store.reading() as snapshot:
        return snapshot.ids()[path]


def test_edges_are_kept_in_the_order_of_the_links(store: Store) -> None:
    one = put_linked(store, "b.md", Link("a", 1), Link("nobody", 2), Link("queen.png", 3))
    other = put_linked(store, "a.md", Link("b", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((7, other), (8, NOWHERE), (9, TO_FILE)), other: ends((5, one))})
    with store.reading() as snapshot:
        edges = snapshot.edges()
    assert edges.notes.tolist() == [one, other]
    assert edges.sources.tolist() == [one, one, one, other]
    assert edges.hashes.tolist() == [7, 8, 9, 5]
    assert edges.targets.tolist() == [other, NOWHERE, TO_FILE, one]
    assert edges.to_notes.targets.tolist() == [other, one]
    assert (edges.into(one), edges.into(other)) == ([other], [one])


def test_a_note_is_known_by_its_id_path_and_aliases(store: Store) -> None:
    one = put_linked(store, "b.md", Link("a", 1), aliases=["Bee", "Hive"])
    other = put_linked(store, "a.md")
    with store.reading() as snapshot:
        assert list(snapshot.ids().items()) == [("a.md", other), ("b.md", one)]
        assert snapshot.names() == [
            NoteName(one, "b.md", "Title", ("Bee", "Hive"), 1),
            NoteName(other, "a.md", "Title", (), 0),
        ]
        assert snapshot.links_of([other, one]) == {one: (Link("a", 1),)}
        assert snapshot.links_of([]) == {}


def test_links_are_resolved_until_a_note_changes(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    assert not store.state.links_resolved
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert store.state.links_resolved
    with store.writing() as writer:
        writer.touch("a.md", Stamp(2, 3))
    assert store.state.links_resolved
    with store.writing() as writer:
        writer.remove("a.md")
    assert not store.state.links_resolved


def test_keeping_edges_makes_a_new_state_only_if_there_are_any(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    before = store.about().generation
    with store.writing() as writer:
        writer.keep_edges({})
    assert store.about().generation == before
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert store.about().generation == before + 1


def test_a_note_put_again_keeps_its_id_and_has_no_edges(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert put_linked(store, "a.md", Link("b", 1)) == one
    with store.reading() as snapshot:
        edges = snapshot.edges()
    assert (edges.notes.tolist(), edges.targets.tolist()) == ([one], [])


@pytest.mark.parametrize("how", ["new aliases", "removed"])
def test_a_note_with_other_names_is_not_among_those_resolved(store: Store, how: str) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    if how == "removed":
        with store.writing() as writer:
            writer.remove("a.md")
    else:
        put_linked(store, "a.md", Link("a", 1), aliases=["Bee"])
    with store.reading() as snapshot:
        assert snapshot.edges().notes.tolist() == []


def test_a_store_built_beside_brings_its_edges(store: Store) -> None:
    with contextlib.closing(store.beside(store.state.made_for)) as fresh:
        one = put_linked(fresh, "a.md", Link("a", 1))
        with fresh.writing() as writer:
            writer.keep_edges({one: ends((1, one))})
        store.replace_by(fresh)
    assert store.state.links_resolved
    with store.reading() as snapshot:
        assert snapshot.edges().targets.tolist() == [one]


def test_a_store_built_beside_without_edges_is_not_taken_for_resolved(store: Store) -> None:
    with contextlib.closing(store.beside(store.state.made_for)) as fresh:
        put_linked(fresh, "a.md", Link("a", 1))
        store.replace_by(fresh)
    assert not store.state.links_resolved


# How notes stand


def test_standings_are_kept_by_note_and_replaced_together(store: Store) -> None:
    one, other = put_linked(store, "a.md", Link("b", 1)), put_linked(store, "b.md")
    put_linked(store, "alone.md")
    with store.writing() as writer:
        writer.keep_standings("first", {one: Standing(0.5, 1.0, 0), other: Standing(1.0, 0.25, 0)})
    with store.reading() as snapshot:
        assert snapshot.standings() == {"a.md": (0.5, 1.0, 0), "b.md": (1.0, 0.25, 0)}
        assert snapshot.standings(["b.md", "alone.md", "nowhere.md"]) == {"b.md": Standing(1.0, 0.25, 0)}
        assert snapshot.standings([]) == {}
    with store.writing() as writer:
        writer.keep_standings("second", {other: Standing(1.0, 1.0, 3)})
    with store.reading() as snapshot:
        assert snapshot.standings() == {"b.md": Standing(1.0, 1.0, 3)}
    assert store.state.standings_mark == "second"


def test_a_note_that_goes_takes_its_standing_with_it_and_one_that_changes_keeps_it(store: Store) -> None:
    one, other = put_linked(store, "a.md", Link("b", 1)), put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_standings("", {one: Standing(0.5, 1.0, 0), other: Standing(1.0, 0.25, 0)})
    put_linked(store, "a.md", Link("c", 1))
    with store.writing() as writer:
        writer.remove("b.md")
    with store.reading() as snapshot:
        assert snapshot.standings() == {"a.md": (0.5, 1.0, 0)}


def test_standings_are_measured_until_links_are_resolved_again(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert not store.state.standings_current
    before = store.about().generation
    with store.writing() as writer:
        writer.keep_standings("mark", {})
    assert store.state.standings_current
    assert store.about().generation == before + 1
    put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_edges({})
    assert not store.state.standings_current
    before = store.about().generation
    with store.writing() as writer:
        writer.keep_standings("mark", None)
    assert store.state.standings_current
    assert store.about().generation == before


# Links between a few notes


def test_links_between_a_few_notes_are_told_with_what_they_call_them(store: Store) -> None:
    links = (Link("b", 1, text="bees"), Link("c", 2), Link("gone", 3), Link("b", 4, embed=True), Link("a", 5))
    one, other, third = put_linked(store, "a.md", *links), put_linked(store, "b.md"), put_linked(store, "x/c.md")
    targets = (other, third, NOWHERE, other, one)
    with store.writing() as writer:
        writer.keep_edges({one: ends(*((0, target) for target in targets)), other: ends(), third: ends()})
    with store.reading() as snapshot:
        assert snapshot.links_among(["a.md", "b.md", "nowhere.md"]) == [
            LinkBetween("a.md", "b.md", "bees", 2),
            LinkBetween("a.md", "b.md", "", 2),
        ]
        assert snapshot.links_among(["a.md", "x/c.md"]) == [LinkBetween("a.md", "x/c.md", "c", 2)]
        assert snapshot.links_among(["b.md", "x/c.md"]) == snapshot.links_among([]) == []


def test_a_note_with_very_many_links_is_joined_without_its_names(store: Store) -> None:
    one = put_linked(store, "a.md", *(Link("b", line) for line in range(51)))
    other = put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_edges({one: ends(*[(0, other)] * 51), other: ends()})
    with store.reading() as snapshot:
        assert snapshot.links_among(["a.md", "b.md"]) == [LinkBetween("a.md", "b.md", "", 1)]


def test_a_note_that_changed_since_links_were_resolved_joins_nothing(store: Store) -> None:
    one, other = put_linked(store, "a.md", Link("b", 1)), put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_edges({one: ends((0, other)), other: ends()})
    put_linked(store, "a.md", Link("c", 1), Link("b", 2))
    with store.reading() as snapshot:
        assert snapshot.links_among(["a.md", "b.md"]) == []


def test_links_that_touch_a_few_notes_are_counted_once_each_from_both_ends(store: Store) -> None:
    one = put_linked(store, "a.md", Link("b", 1), Link("b", 2), Link("a", 3), Link("gone", 4))
    other, third = put_linked(store, "b.md", Link("c", 1)), put_linked(store, "c.md", Link("a", 1))
    edges = {one: ends((0, other), (0, other), (0, one), (0, NOWHERE)), other: ends((0, third)), third: ends((0, one))}
    with store.writing() as writer:
        writer.keep_edges(edges)
    with store.reading() as snapshot:
        assert snapshot.links_touching(["a.md"], 10) == 2
        assert snapshot.links_touching(["a.md", "b.md"], 10) == 3
        assert snapshot.links_touching(["a.md"], 1) == 1
        assert snapshot.links_touching(["nowhere.md"], 10) == snapshot.links_touching([], 10) == 0
