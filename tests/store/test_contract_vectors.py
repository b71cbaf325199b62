"""Vectors of an encoder, over every store: whose they are, which chunks have one, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

import numpy as np
import pytest
from tests.store.notes import OpenStore

from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreBusy
from notewell.index.encode import keep_searched, measure_progress
from notewell.index.report import EncoderProgress
from notewell.store import MadeFor, Snapshot, Store
from notewell.store.links import Standing
from notewell.store.vectors import cosines, cosines_by_id, rounded
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import EVERYTHING

ENCODER = WordsEmbedder.fingerprint
RYE, BEES = "rye bread rises", "bees buzz by"


def chunk_of(path: str, text: str, line: int = 1) -> Chunk:
    return Chunk(path, text, line, line)


def put(store: Store, notes: Mapping[str, str], mtime_ns: int = 1) -> list[Chunk]:
    """Store notes of one chunk for each line, and return the chunks."""
    stored = []
    with store.writing() as writer:
        for path, text in notes.items():
            lines = text.split("\n")
            chunks = [chunk_of(path, line, number) for number, line in enumerate(lines, start=1)]
            writer.put(Note(path, text, Stamp(mtime_ns, len(text), text)), chunks, WordsEmbedder().embed(lines))
            stored += chunks
    return stored


def keep(store: Store, *chunks: Chunk, encoder: str = ENCODER) -> None:
    with store.writing() as writer:
        writer.keep_vectors(encoder, chunks, WordsEmbedder().embed([chunk.meaning for chunk in chunks]))


def cosines_to(snapshot: Snapshot, text: str, *terms: str) -> dict[str, float | None]:
    """Return the cosine of each chunk that holds a term and was given to the encoder, by path and line."""
    ids = [slot for slot, _ in snapshot.match(terms, EVERYTHING, 100).found]
    known = cosines_by_id(WordsEmbedder().embed_query(text), snapshot.vectors(ids, ENCODER))
    places = {slot: f"{chunk.path}:{chunk.line}" for slot, chunk in snapshot.chunks(ids).items()}
    return {places[slot]: cosine for slot, cosine in known.items()}


def lacking(store: Store, encoder: str = ENCODER) -> list[str]:
    with store.reading() as snapshot:
        return [f"{chunk.path}:{chunk.line}" for chunk in snapshot.chunks(snapshot.lacking(encoder)).values()]


# Kept by what a chunk says


def test_the_vector_of_a_chunk_is_its_cosine_to_a_query(store: Store) -> None:
    (rye, bees, _) = put(store, {"a.md": RYE, "b.md": BEES, "c.md": "rye"})
    keep(store, rye, bees)
    with store.reading() as snapshot:
        assert snapshot.state.encoder == ENCODER
        near = cosines_to(snapshot, "rabbit by", "rye", "bee")
    # Of the words' first letters: r b r against r b, and b b b against r b.
    assert near == pytest.approx({"a.md:1": 3 / 10**0.5, "b.md:1": 1 / 2**0.5}, abs=0.01)


def test_what_a_vector_will_be_read_as_is_known_before_it_is_stored(store: Store) -> None:
    texts = [f"{first} bees see {first} red hares" for first in ("an", "few", "rye")]
    chunks = put(store, {f"{number}.md": text for number, text in enumerate(texts)})
    query, vectors = WordsEmbedder().embed_query("red bees sleep"), WordsEmbedder().embed(texts)
    foretold = cosines(query, rounded(vectors))
    with store.writing() as writer:
        writer.keep_vectors(ENCODER, chunks, vectors)
    with store.reading() as snapshot:
        ids = [slot for slot, _ in sorted(snapshot.match(["bee"], EVERYTHING, 9).found)]
        assert list(cosines_by_id(query, snapshot.vectors(ids, ENCODER)).values()) == foretold.tolist()


def test_chunks_with_the_same_lines_share_one_vector_and_a_renamed_note_keeps_it(store: Store) -> None:
    (rye, _) = put(store, {"a.md": RYE, "copy.md": RYE})
    keep(store, rye)
    with store.reading() as snapshot:
        assert cosines_to(snapshot, "rye", "rye").keys() == {"a.md:1", "copy.md:1"}
    assert (store.about().encoded, store.about().unread, lacking(store)) == (1, 0, [])
    with store.writing() as writer:
        writer.remove("a.md")
        writer.remove("copy.md")
        writer.put(Note("new.md", RYE, Stamp(2, 1, RYE)), [chunk_of("new.md", RYE)], WordsEmbedder().embed([RYE]))
    assert (store.about().encoded, lacking(store)) == (1, [])


def test_the_vector_of_lines_that_are_gone_is_not_kept(store: Store) -> None:
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})
    keep(store, rye)
    with store.writing() as writer:
        writer.remove("b.md")
    before = store.about()
    keep(store, bees)
    assert store.about() == before
    assert store.check() == []


def test_lines_that_are_dropped_take_their_vector_with_them(store: Store) -> None:
    chunks = put(store, {"a.md": f"{RYE}\n{BEES}", "b.md": BEES})
    keep(store, *chunks)
    assert store.about().encoded == 2
    put(store, {"a.md": "rye no more"})
    assert (store.about().encoded, lacking(store)) == (1, ["a.md:1"])
    with store.writing() as writer:
        writer.remove("b.md")
    assert store.about().encoded == 0
    assert store.check() == []


def test_the_newest_and_the_most_linked_notes_lack_theirs_first(store: Store) -> None:
    with store.writing() as writer:
        for number, path in enumerate(("hub.md", "old.md", "linked.md", "new.md", "newest.md")):
            chunk = chunk_of(path, f"rye {path}")
            writer.put(Note(path, "", Stamp(number, 1, path)), [chunk], WordsEmbedder().embed([chunk.text]))
    with store.reading() as snapshot:
        ids = snapshot.ids()
    with store.writing() as writer:
        shares = {"hub.md": 1.0, "linked.md": 0.5, "newest.md": 0.1}
        writer.keep_standings("mark", {ids[path]: Standing(share, 0.0, 0) for path, share in shares.items()})
    with store.reading() as snapshot:
        slots = snapshot.lacking(ENCODER)
        chunks = snapshot.chunks(slots)
    assert [chunks[slot].path for slot in slots] == ["newest.md", "hub.md", "new.md", "linked.md", "old.md"]


def test_a_vector_of_zeros_says_that_the_lines_are_not_read_and_is_close_to_nothing(store: Store) -> None:
    (rye,) = put(store, {"a.md": RYE})
    with store.writing() as writer:
        writer.keep_vectors(ENCODER, [rye], np.zeros((1, 27), dtype=np.float32))
    with store.reading() as snapshot:
        assert cosines_to(snapshot, RYE, "rye") == {"a.md:1": None}
    assert (store.about().encoded, store.about().unread, lacking(store)) == (0, 1, [])
    assert measure_progress(store, WordsEmbedder()) == EncoderProgress(ENCODER, filled=0, unread=1, left=0)
    assert store.check() == []


def test_a_later_vector_of_the_same_lines_takes_the_place_of_the_first(store: Store) -> None:
    (rye,) = put(store, {"a.md": RYE})
    with store.writing() as writer:
        writer.keep_vectors(ENCODER, [rye], WordsEmbedder().embed([BEES]))
    keep(store, rye)
    with store.reading() as snapshot:
        assert cosines_to(snapshot, RYE, "rye")["a.md:1"] == pytest.approx(1, abs=0.01)
    assert store.about().encoded == 1


# Whose they are


def test_the_vectors_of_another_encoder_take_the_place_of_all(store: Store) -> None:
    chunks = put(store, {"a.md": RYE, "b.md": BEES})
    keep(store, *chunks)
    with store.writing() as writer:
        writer.keep_vectors("narrow/2", chunks[:1], np.eye(1, 2, dtype=np.float32))
    assert (store.about().encoder, store.about().encoded) == ("narrow/2", 1)
    assert lacking(store, "narrow/2") == ["b.md:1"]
    assert lacking(store) == ["a.md:1", "b.md:1"]
    with store.reading() as snapshot:
        assert snapshot.state.encoder == "narrow/2"
    assert store.check() == []


def test_a_new_store_has_nobodys_vectors_and_lacks_all(store: Store) -> None:
    put(store, {"a.md": RYE, "b.md": BEES})
    assert (store.about().encoder, store.about().encoded, store.about().unread) == ("", 0, 0)
    assert lacking(store) == ["a.md:1", "b.md:1"]


# What lacks one


def test_of_those_that_lack_a_vector_the_newest_notes_come_first(store: Store) -> None:
    (first,) = put(store, {"first.md": "a note that is filled"}, mtime_ns=5)
    keep(store, first)
    put(store, {"old.md": RYE}, mtime_ns=1)
    put(store, {"new.md": f"{BEES}\nand dogs bark"}, mtime_ns=9)
    put(store, {"between.md": "cats mew"}, mtime_ns=4)
    assert lacking(store) == ["new.md:1", "new.md:2", "between.md:1", "old.md:1"]


def test_lines_that_many_chunks_have_are_named_once_and_are_as_new_as_the_newest(store: Store) -> None:
    (first,) = put(store, {"first.md": "a note that is filled"})
    keep(store, first)
    put(store, {"old.md": RYE}, mtime_ns=1)
    put(store, {"between.md": BEES}, mtime_ns=4)
    put(store, {"copy.md": RYE}, mtime_ns=9)
    assert lacking(store) == ["old.md:1", "between.md:1"]


def test_for_a_new_encoder_too_the_newest_come_first_and_the_same_lines_once(store: Store) -> None:
    for path, text, mtime_ns in (("old.md", RYE, 1), ("new.md", BEES, 9), ("copy.md", RYE, 5)):
        put(store, {path: text}, mtime_ns)
    assert lacking(store) == lacking(store, "another/2") == ["new.md:1", "old.md:1"]
    keep(store, chunk_of("old.md", RYE), chunk_of("new.md", BEES))
    assert (lacking(store), lacking(store, "another/2")) == ([], ["new.md:1", "old.md:1"])
    assert measure_progress(store, WordsEmbedder()) == EncoderProgress(ENCODER, filled=2)
    with store.writing() as writer:
        writer.keep_vectors("another/2", [chunk_of("old.md", RYE)], np.eye(1, 2, dtype=np.float32))
    assert measure_progress(store, WordsEmbedder()) == EncoderProgress(ENCODER, left=2)


def test_what_a_search_made_is_kept_only_beside_its_own_encoders_vectors(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})
    vectors = WordsEmbedder().embed([RYE])
    keep_searched(store, ENCODER, [rye], vectors)
    keep_searched(store, "another/27", [bees], vectors)
    assert (store.about().encoder, store.about().encoded, lacking(store)) == (ENCODER, 1, ["b.md:1"])
    with other.writing(), pytest.raises(StoreBusy):
        keep_searched(store, ENCODER, [bees], vectors)
    keep_searched(store, ENCODER, [bees], vectors)
    assert store.about().encoded == 2


def test_a_reader_keeps_its_state_while_vectors_come_in(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    (rye, _) = put(store, {"a.md": RYE, "b.md": BEES})
    with other.reading() as snapshot:
        assert cosines_to(snapshot, "rye", "rye") == {}
        keep(store, rye)
        assert (snapshot.state.encoder, cosines_to(snapshot, "rye", "rye")) == ("", {})
    with store.reading() as snapshot:
        assert cosines_to(snapshot, "rye", "rye").keys() == {"a.md:1"}


# From one store to the next


def test_a_rebuilt_store_has_the_vectors_of_the_lines_that_stayed(store: Store) -> None:
    (rye, bees) = put(store, {"a.md": RYE, "b.md": BEES})
    keep(store, rye, bees)
    with closing(store.beside(MadeFor("words/27", 27, "2"))) as fresh:
        put(fresh, {"c.md": "cats mew", "other.md": RYE})
        store.replace_by(fresh)
    assert (store.about().encoder, store.about().encoded) == (ENCODER, 1)
    with store.reading() as snapshot:
        assert cosines_to(snapshot, RYE, "rye") == {"other.md:1": pytest.approx(1, abs=0.01)}
    assert lacking(store) == ["c.md:1"]
    assert store.check() == []
