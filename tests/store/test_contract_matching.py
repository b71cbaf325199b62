"""Matching, over every store: chunks by words and by vectors, compared with brute force."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import pytest
from tests.store.notes import OpenStore, Place, chunks_of, matching, nearest, note_of, places, put

from notewell.embed.words import WordsEmbedder
from notewell.store import Store, Writing
from notewell.store.vectors import rounded, unit_rows
from notewell.terms import count_terms
from notewell.types.note import Chunk, Note, Stamp, Vectors
from notewell.types.query import EVERYTHING, Scope

WORDS = [f"word{number}" for number in range(60)]
Key = TypeVar("Key", str, Place)
# Common words first, as in any language.
ODDS = [1 / (1 + number) for number in range(60)]


def test_chunks_come_in_the_order_in_which_they_are_asked_for(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye one", "rye two", "rye three")
    with store.reading() as snapshot:
        ids = [slot for slot, _ in snapshot.match(["rye"], EVERYTHING, 10).found]
        forward, backward = snapshot.chunks(ids), snapshot.chunks([*ids[::-1], 4711])
        assert list(forward) == ids
        assert list(backward.items()) == list(forward.items())[::-1]
        assert snapshot.chunks([]) == {}
        # Ids come in any kind of sequence.
        assert [*snapshot.vectors((*ids,))] == sorted(ids)


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
        assert snapshot.vectors([]) == snapshot.vectors([], "fine") == {}


def test_a_term_is_the_rarer_the_fewer_chunks_hold_it(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye bread", "rye rye", "bees")
    with store.reading() as snapshot:
        terms = ["rye", "bee", "ry", "nowhere"]
        rarities = snapshot.counts(terms).rarities(terms)
    assert rarities["rye"] == pytest.approx(math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)))
    assert rarities["rye"] < rarities["bee"] < rarities["nowhere"] == rarities["ry"]


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

    def bm25(self, terms: Sequence[str]) -> dict[Place, float]:
        """Score chunks by hand: .3 of what they have themselves, .5 of their whole notes, .2 of their first chunks."""
        tenths = {place: weighed(chunk) for place, chunk in self.chunks.items()}
        lengths = {place: max(1, sum(counts.values()) // 10) for place, counts in tenths.items()}
        in_notes: dict[str, Counter[str]] = defaultdict(Counter)
        note_lengths: Counter[str] = Counter()
        for place, counts in tenths.items():
            in_notes[place[0]].update(counts)
            note_lengths[place[0]] += lengths[place]
        least = min(0.5 * sum(note_lengths.values()) / len(note_lengths), 100)
        times = {path: max(1, least / length) for path, length in note_lengths.items()}
        by_note = plain_bm25(terms, in_notes, {path: size * times[path] for path, size in note_lengths.items()})
        by_chunk = plain_bm25(terms, tenths, {place: size * times[place[0]] for place, size in lengths.items()})
        # The lines are counted from 1.
        return {
            (path, line): 0.3 * score + 0.5 * by_note[path] + 0.2 * by_chunk.get((path, 1), 0.0)
            for (path, line), score in by_chunk.items()
        }

    def cosines(self, vector: Vectors) -> dict[Place, float]:
        return {place: float(own @ vector) for place, own in self.vectors.items()}


def plain_bm25(terms: Sequence[str], held: Mapping[Key, Counter[str]], sizes: Mapping[Key, float]) -> dict[Key, float]:
    mean = sum(sizes.values()) / len(sizes)
    scores: dict[Key, float] = defaultdict(float)
    for term in terms:
        holding = {key: counts[term] / 10 for key, counts in held.items() if term in counts}
        rarity = math.log(1 + (len(held) - len(holding) + 0.5) / (len(holding) + 0.5))
        for key, often in holding.items():
            norm = 1.5 * (1 - 0.75 + 0.75 * sizes[key] / mean)
            scores[key] += rarity * often / (often + norm)
    return scores


def weighed(chunk: Chunk) -> Counter[str]:
    counts: Counter[str] = Counter()
    rest = " ".join((chunk.path.removesuffix(".md"), *chunk.tags))
    # A heading that is the note's title counts as that.
    heading = "" if chunk.headings[0] == chunk.title else chunk.headings[0]
    for text, weight in ((chunk.text, 10), (heading, 10), (chunk.title, 8), (rest, 3)):
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
    """Return the text with characters that are no terms: identical lines would be stored and embedded once."""
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


def test_short_terms_are_found_by_their_beginning_the_most_frequent_first(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "dough doughnut doughnutbox rye", "dougal doughnut")
    with store.reading() as snapshot:
        assert snapshot.terms_like("dough", 9, longest=8) == ["doughnut", "dough"]
        assert snapshot.terms_like("dough", 1, longest=8) == ["doughnut"]
        assert snapshot.terms_like("beer", 9, longest=8) == []


def test_a_new_term_is_seen_by_the_next_reader(store: Store) -> None:
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    with store.reading() as snapshot:
        assert snapshot.terms_like("brea", 3) == []
    with store.writing() as writer:
        put(writer, "b.md", "bread")
    with store.reading() as snapshot:
        assert snapshot.terms_like("brea", 3) == ["bread"]


def test_the_order_in_which_notes_came_decides_no_tie(open_store: OpenStore) -> None:
    store, size = open_store(256), 1_000
    # More than are compared by their vectors: many are equally far by one bit for each number.
    made = unit_rows(np.random.default_rng(7).normal(size=(size, 256)).astype(np.float32))

    def put_in(order: Iterable[int]) -> None:
        with store.writing() as writer:
            for number in range(size):
                writer.remove(f"{number}.md")
            for number in order:
                chunk = Chunk(f"{number}.md", f"rye {number}", 1, 1)
                writer.put(note_of(chunk.path), [chunk], made[number : number + 1])

    def found() -> list[list[Place]]:
        with store.reading() as snapshot:
            rankings = snapshot.nearest(made[0], EVERYTHING, 800), snapshot.match(["rye"], EVERYTHING, 50)
            return [places(snapshot, ranking) for ranking in rankings]

    put_in(range(size))
    before = found()
    put_in(reversed(range(size)))
    assert found() == before
