"""The encoder here turns "at 30 degrees" into a vector 30 degrees from every query's: cosines one can check by eye."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from tests.search.searching import searched

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.search import Embedders, Rules, SearchRules, search
from notewell.search.encoder_rerank import ENOUGH, NOT_LOADED, NOTHING_ENCODED, ON_DEMAND, READ, RERANKED
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk, Note, Stamp, Vectors
from notewell.types.query import Query
from notewell.types.results import Hit

STORED_ONLY = SearchRules(on_demand=0)
# Longer than any note here.
AMPLE = SearchRules(on_demand=1_000_000)


@dataclass
class Degrees:
    """Gives a text the vector at the angle it names from every query's; a text without one gets none."""

    fingerprint: str = "degrees/2"
    dimensions: int = 2
    made: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.made += texts
        return np.concatenate([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        vector = np.zeros(self.dimensions, dtype=np.float32)
        vector[0] = "unread" not in text
        return vector

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros((1, self.dimensions), dtype=np.float32)
        if named := re.search(r"at (\d+) degrees", text):
            angle = math.radians(int(named[1]))
            vector[0, :2] = math.cos(angle), math.sin(angle)
        return vector


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "store.db", lambda: MadeFor("words/27", 27, "1"))) as store:
        yield store


def text_of(rye: int, degrees: int | None) -> str:
    """Return a text of 30 words, `rye` of them rye: the more, the better it answers by words alone."""
    return "rye " * rye + "oat " * (30 - rye) + ("" if degrees is None else f"at {degrees:02} degrees")


def put(store: SqliteStore, texts: Mapping[str, str]) -> dict[str, Chunk]:
    """Store a note of one chunk for each text, and return the chunks."""
    chunks = {path: Chunk(path, text, 1, 1, 0, len(text)) for path, text in texts.items()}
    with store.writing() as writer:
        for path, chunk in chunks.items():
            writer.put(Note(path, chunk.text, Stamp(1, 1, path)), [chunk], WordsEmbedder().embed([chunk.text]))
    return chunks


def put_angles(store: SqliteStore, angles: Sequence[int | None]) -> dict[str, Chunk]:
    """Store notes 00.md, 01.md … with these angles: by words, each answers a little less well than the one before."""
    return put(store, {f"{place:02}.md": text_of(len(angles) - place, angle) for place, angle in enumerate(angles)})


def fill(store: SqliteStore, chunks: Sequence[Chunk]) -> None:
    encoder = Degrees()
    with store.writing() as writer:
        writer.keep_vectors(encoder.fingerprint, chunks, encoder.embed([chunk.meaning for chunk in chunks]))


def found(store: SqliteStore, encoder: Degrees | None, rules: SearchRules, text: str = "rye spelt") -> list[Candidate]:
    """Return the candidates without the encoder's vectors being stored."""
    with store.reading() as snapshot:
        return searched(text, snapshot, encoder=encoder, settings=rules, rankers=()).candidates


def stored(store: SqliteStore, encoder: Degrees, rules: SearchRules, text: str = "rye spelt") -> tuple[Hit, ...]:
    """Return the hits, and store the vectors made on the way, as a vault does."""
    with store.reading() as snapshot:
        answer = searched(text, snapshot, encoder=encoder, settings=rules)
    for chunks, vectors in answer.encoded:
        with store.writing() as writer:
            writer.keep_vectors(encoder.fingerprint, chunks, vectors)
    return answer.results.hits


def paths(hits: Sequence[Candidate]) -> list[str]:
    return [hit.chunk.path for hit in hits]


def fine_part(hit: Candidate) -> float:
    """Return what the encoder gave a hit, known or guessed."""
    return float(hit.trace[0].why.rpartition("× ")[2].lstrip("≈"))


# What is known


def test_what_is_near_by_the_encoder_comes_first(store: SqliteStore) -> None:
    chunks = put_angles(store, [80, 80, 80, 0, 80])
    assert paths(found(store, None, STORED_ONLY)) == ["00.md", "01.md", "02.md", "03.md", "04.md"]
    fill(store, list(chunks.values()))
    hits = found(store, Degrees(), STORED_ONLY)
    assert paths(hits) == ["03.md", "00.md", "01.md", "02.md", "04.md"]
    assert hits[0].ranks == {"lexical": 4, "vector": None, "fine": 1}


def test_the_score_is_the_weighted_mean_of_words_and_cosines_above_the_lowest(store: SqliteStore) -> None:
    chunks = put_angles(store, [60, 0, 90])
    by_words = {hit.chunk.path: hit.score for hit in found(store, None, STORED_ONLY)}
    fill(store, list(chunks.values()))
    rules = SearchRules(on_demand=0, lexical_weight=1, fine_weight=3)
    hits = {hit.chunk.path: hit for hit in found(store, Degrees(), rules)}
    for path, cosine in (("00.md", 0.5), ("01.md", 1.0), ("02.md", 0.0)):
        assert hits[path].trace[0].score == pytest.approx(0.25 * by_words[path] + 0.75 * cosine / 0.4, abs=0.01)
    assert hits["01.md"].trace[0].why == f"lexical 0.25 × {by_words['01.md']:.3f} + fine 0.75 × 2.500"


def test_fewer_of_the_best_with_a_vector_make_the_encoder_count_less(store: SqliteStore) -> None:
    chunks = list(put_angles(store, [10 * place for place in range(9)] + [None]).values())
    shares = []
    for number in (9, 4):
        with store.writing() as writer:
            writer.keep_vectors("another", [], np.zeros((0, 2), dtype=np.float32))
        fill(store, chunks[:number])
        why = found(store, Degrees(), SearchRules(on_demand=0, lexical_weight=1, fine_weight=1))[0].trace[0].why
        shares.append(float(why.split("fine ")[1].split(" ×")[0]))
    # The square root of the share: of the ten best, nine and four have one.
    assert shares == pytest.approx([math.sqrt(0.9) / (1 + math.sqrt(0.9)), math.sqrt(0.4) / (1 + math.sqrt(0.4))], 0.02)


# What is guessed


def test_a_guess_is_marked_and_has_no_rank(store: SqliteStore) -> None:
    chunks = list(put_angles(store, [10, 30, 50, 70, 20, 40]).values())
    fill(store, chunks[::2])
    hits = {hit.chunk.path: hit for hit in found(store, Degrees(), STORED_ONLY)}
    for number, chunk in enumerate(chunks):
        hit = hits[chunk.path]
        assert ("× ≈" in hit.trace[0].why) == (number % 2 == 1)
        assert (hit.ranks["fine"] is None) == (number % 2 == 1)
    assert {hits[chunk.path].ranks["fine"] for chunk in chunks[::2]} <= set(range(1, 7))


@pytest.mark.parametrize("first", [0, 1])
def test_a_chunk_is_not_favoured_for_having_a_vector_that_says_what_words_say(store: SqliteStore, first: int) -> None:
    chunks = put_angles(store, [None] * 12)
    by_words = {hit.chunk.path: hit.score for hit in found(store, None, SearchRules(limit=12))}
    # The encoder agrees with the words: its cosines lie on a line over their scores.
    cosines = np.array([[0.2 + 0.6 * by_words[path]] for path in chunks], dtype=np.float32)
    vectors = np.hstack((cosines, np.sqrt(1 - cosines**2)))
    with store.writing() as writer:
        writer.keep_vectors("degrees/2", list(chunks.values())[first::2], vectors[first::2])
    half = found(store, Degrees(), SearchRules(on_demand=0, limit=12))
    with store.writing() as writer:
        writer.keep_vectors("degrees/2", list(chunks.values()), vectors)
    whole = found(store, Degrees(), SearchRules(on_demand=0, limit=12))
    assert paths(half) == paths(whole) == list(chunks)
    assert [fine_part(hit) for hit in half] == pytest.approx([fine_part(hit) for hit in whole], abs=0.08)


@pytest.mark.parametrize("angle", [1, 5, 29, 50, 71, 85])
@pytest.mark.parametrize("number", [6, 12, 20])
def test_a_chunk_neither_rises_nor_falls_for_having_the_vector_that_all_have(
    store: SqliteStore, angle: int, number: int
) -> None:
    chunks = put_angles(store, [angle] * number)
    fill(store, list(chunks.values())[::2])
    assert paths(found(store, Degrees(), SearchRules(on_demand=0, limit=number))) == list(chunks)


def test_too_few_vectors_say_nothing_about_the_rest(store: SqliteStore) -> None:
    chunks = list(put_angles(store, [80, 70, 0, 60, 50]).values())
    fill(store, chunks[1:ENOUGH])
    assert found(store, Degrees(), STORED_ONLY) == found(store, None, STORED_ONLY)
    fill(store, chunks[:ENOUGH])
    hits = found(store, Degrees(), STORED_ONLY)
    assert hits[0].chunk.path == "02.md"
    assert "fine" in hits[0].ranks


def test_two_hits_are_ranked_by_two_vectors(store: SqliteStore) -> None:
    fill(store, list(put_angles(store, [80, 10]).values()))
    assert paths(found(store, Degrees(), STORED_ONLY)) == ["01.md", "00.md"]


def test_a_vector_of_zeros_is_as_good_as_none(store: SqliteStore) -> None:
    chunks = list(put_angles(store, [None, None, 80, 0]).values())
    fill(store, chunks)
    assert (store.about().encoded, store.about().unread) == (2, 2)
    assert found(store, Degrees(), STORED_ONLY) == found(store, None, STORED_ONLY)
    more = put(store, {"more.md": text_of(1, 40)})
    fill(store, list(more.values()))
    hits = {hit.chunk.path: hit for hit in found(store, Degrees(), STORED_ONLY)}
    assert ["≈" in hits[path].trace[0].why for path in ("00.md", "01.md", "02.md", "more.md")] == [
        True,
        True,
        False,
        False,
    ]


# What is lacking


def test_what_lacks_a_vector_is_named_the_best_first_and_nothing_is_made(store: SqliteStore) -> None:
    chunks = list(put_angles(store, [10 * place for place in range(9)]).values())
    fill(store, chunks[::2])
    encoder = Degrees()
    with store.reading() as snapshot:
        lacking = searched("rye spelt", snapshot, encoder=encoder).lacking
        assert [chunk.path for chunk in snapshot.chunks(lacking).values()] == ["01.md", "03.md", "05.md", "07.md"]
    fill(store, chunks)
    with store.reading() as snapshot:
        assert searched("rye spelt", snapshot, encoder=encoder).lacking == ()
    assert encoder.made == []


def test_where_nothing_is_encoded_the_best_are_lacking_and_the_encoder_is_not_asked(store: SqliteStore) -> None:
    put_angles(store, [10] * 29)
    encoder = Degrees()
    with store.reading() as snapshot:
        answer = searched(Query("rye spelt", explain=True), snapshot, encoder=encoder)
        first = snapshot.chunks(answer.lacking[:3])
    assert [chunk.path for chunk in first.values()] == ["00.md", "01.md", "02.md"]
    assert len(answer.lacking) <= RERANKED
    assert answer.results.read_as is not None
    assert answer.results.read_as[-1] == NOTHING_ENCODED
    assert (encoder.queries, encoder.made) == ([], [])


def test_a_search_does_not_wait_for_the_encoder_to_be_loaded_unless_it_may(store: SqliteStore) -> None:
    class Unloaded(Degrees):
        is_loaded = False

    chunks = list(put_angles(store, [80, 40, 0]).values())
    fill(store, chunks)
    encoder, rules = Unloaded(), Rules(STORED_ONLY)
    query = Query("rye spelt", explain=True, all=True)
    with store.reading() as snapshot:
        answer = search(query, store=snapshot, embedders=Embedders(None, encoder, waits=False), rules=rules)
        assert (encoder.queries, answer.lacking) == ([], ())
        assert answer.results.read_as is not None
        assert answer.results.read_as[-1] == NOT_LOADED
        assert answer.results.notices == ()
        waited = search(query, store=snapshot, embedders=Embedders(None, encoder), rules=rules)
    assert (len(encoder.queries), waited.candidates[0].chunk.path) == (1, "02.md")


# What is made on demand


def test_the_best_are_embedded_until_their_characters_are_used_up(store: SqliteStore) -> None:
    chunks = list(put_angles(store, list(range(10, 80, 10))).values())
    length = len(chunks[0].meaning)
    assert {len(chunk.meaning) for chunk in chunks} == {length}
    for budget, number in ((4 * length, 4), (5 * length - 1, 4), (5 * length, 5), (length - 1, 0)):
        encoder = Degrees()
        found(store, encoder, SearchRules(on_demand=budget))
        assert encoder.made == [chunk.meaning for chunk in chunks[:number]]


def test_of_a_long_chunk_only_what_an_encoder_reads_is_counted(store: SqliteStore) -> None:
    put(store, {f"{number}.md": f"{text_of(5, 10 * number)} {'oat ' * 1000}" for number in range(5)})
    encoder = Degrees()
    found(store, encoder, SearchRules(on_demand=3 * READ))
    assert len(encoder.made) == 3


def test_no_more_than_a_few_are_embedded_during_one_search(store: SqliteStore) -> None:
    put_angles(store, [10] * (ON_DEMAND + 5))
    encoder = Degrees()
    found(store, encoder, AMPLE)
    assert len(encoder.made) == ON_DEMAND


@pytest.mark.parametrize("budget", [400, 800, 1_600, 1_000_000])
def test_the_same_search_makes_nothing_more_and_gives_the_same(store: SqliteStore, budget: int) -> None:
    put_angles(store, [7 * place % 90 for place in range(29)])
    encoder, rules = Degrees(), SearchRules(on_demand=budget, limit=29)
    first = stored(store, encoder, rules)
    made, generation = len(encoder.made), store.about().generation
    assert made >= min(budget // 150, ON_DEMAND)
    assert (again := stored(store, encoder, rules)) == first
    assert [excerpt.trace for excerpt in again] == [excerpt.trace for excerpt in first]
    assert (len(encoder.made), store.about().generation) == (made, generation)


def test_what_a_vault_makes_during_a_search_is_kept_and_the_same_search_gives_the_same(
    make_vault: Callable[..., Vault],
) -> None:
    notes = {
        f"{number}.md": f"# {number}\n\nThe hive of {number} hums {'again ' * (number % 7)}\n" for number in range(40)
    }
    with make_vault(notes, {"embed.encoder": "words", "search.on_demand": 14_400}) as vault:
        vault.index()
        first = vault.search("hive hums again")
        filled = vault.store.about().encoded
        assert 0 < filled <= ON_DEMAND
        again = vault.search("hive hums again")
        assert again.hits == first.hits
        assert (vault.store.about().encoded, vault.store.about().generation) == (filled, again.generation)


def test_a_budget_of_0_makes_none(store: SqliteStore) -> None:
    put_angles(store, [10, 20, 30, 40])
    encoder = Degrees()
    assert found(store, encoder, STORED_ONLY) == found(store, None, STORED_ONLY)
    assert (encoder.made, store.about().encoded) == ([], 0)


def test_only_what_lacks_a_vector_is_made(store: SqliteStore) -> None:
    chunks = list(put_angles(store, [10, 20, 30, 40]).values())
    fill(store, chunks[1:3])
    encoder = Degrees()
    found(store, encoder, AMPLE)
    assert encoder.made == [chunks[0].meaning, chunks[3].meaning]


def test_a_vector_of_zeros_that_was_just_made_is_as_good_as_none(store: SqliteStore) -> None:
    put_angles(store, [None, 10, 20, 30, None])
    encoder = Degrees()
    hits = {hit.chunk.path: hit for hit in found(store, encoder, AMPLE)}
    assert len(encoder.made) == 5
    assert [hits[f"0{place}.md"].ranks["fine"] is None for place in range(5)] == [True, False, False, False, True]


def test_what_the_encoder_does_not_read_is_not_given_to_it_again(store: SqliteStore) -> None:
    put_angles(store, [None, 10, None, 20, 30])
    encoder = Degrees()
    first = stored(store, encoder, AMPLE)
    made, generation = len(encoder.made), store.about().generation
    assert (made, store.about().encoded, store.about().unread) == (5, 3, 2)
    assert stored(store, encoder, AMPLE) == first
    assert (len(encoder.made), store.about().generation) == (made, generation)


def test_a_weight_of_0_switches_it_off(store: SqliteStore) -> None:
    fill(store, list(put_angles(store, [80, 40, 0]).values()))
    encoder = Degrees()
    hits = found(store, encoder, SearchRules(fine_weight=0))
    assert hits == found(store, None, STORED_ONLY)
    assert (encoder.queries, encoder.made) == ([], [])


@pytest.mark.parametrize("text", ["", "wheat"])
def test_where_nothing_is_asked_or_found_nothing_is_made(store: SqliteStore, text: str) -> None:
    put_angles(store, [80, 40, 0])
    encoder = Degrees()
    assert found(store, encoder, AMPLE, text) == []
    assert encoder.made == []


def test_a_query_that_the_encoder_does_not_read_is_answered_without_it(store: SqliteStore) -> None:
    fill(store, list(put_angles(store, [80, 40, 0]).values()))
    encoder = Degrees()
    assert found(store, encoder, AMPLE, "rye unread") == found(store, None, STORED_ONLY, "rye unread")
    assert encoder.made == []


def test_vectors_of_another_encoder_are_not_taken_for_its_own(store: SqliteStore) -> None:
    fill(store, list(put_angles(store, [80, 40, 0]).values()))
    other = Degrees("other/3", dimensions=3)
    assert found(store, other, STORED_ONLY) == found(store, None, STORED_ONLY)
    found(store, other, AMPLE)
    assert len(other.made) == 3


def test_the_query_is_embedded_without_its_secrets(store: SqliteStore) -> None:
    put_angles(store, [80, 40, 0])
    secret = "hunter2" + "-again"
    encoder = Degrees()
    found(store, encoder, AMPLE, f"rye password: {secret}")
    assert encoder.queries == ["rye password: [REDACTED:password]"]
