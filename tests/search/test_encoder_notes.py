"""The encoder and whole notes: a note says at its beginning what it is about, and a question asks for a passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.search.searching import searched
from tests.search.test_encoder_rerank import AMPLE, STORED_ONLY, Degrees, text_of

from notewell.embed.words import WordsEmbedder
from notewell.search.encoder_rerank import OF_FIRST_CHUNK
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.types.note import Chunk, Note, Stamp

# Notes of a beginning and a passage: `about` begins with what is asked, and `mentions` only mentions it.
NOTES = {
    "about.md": ("at 00 degrees", text_of(9, 40)),
    "mentions.md": ("at 80 degrees", text_of(9, 20)),
    "third.md": ("at 70 degrees", text_of(9, 60)),
    "other.md": ("at 85 degrees", text_of(9, 85)),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "store.db", lambda: MadeFor("words/27", 27, "1"))) as store:
        for path, texts in NOTES.items():
            chunks = [Chunk(path, text, line, line, line, line) for line, text in enumerate(texts, start=1)]
            vectors = WordsEmbedder().embed(texts)
            with store.writing() as writer:
                writer.put(Note(path, "\n".join(texts), Stamp(1, 1, path)), chunks, vectors)
        yield store


def encode(store: SqliteStore, texts: Sequence[str]) -> None:
    """Store the encoder's vectors of the chunks with these texts."""
    encoder = Degrees()
    with store.reading() as snapshot:
        chunks = [one for one in snapshot.chunks(snapshot.lacking(encoder.fingerprint)).values() if one.text in texts]
    with store.writing() as writer:
        writer.keep_vectors(encoder.fingerprint, chunks, encoder.embed([chunk.meaning for chunk in chunks]))


def fine_scores(store: SqliteStore, text: str) -> Mapping[str, float | None]:
    """Return the encoder's score of each note's passage, None if it is an estimate; only passages have `rye`."""
    with store.reading() as snapshot:
        hits = searched(text, snapshot, encoder=Degrees(), settings=STORED_ONLY, rankers=()).candidates
    return {
        hit.chunk.path: None if vote.guessed else vote.score
        for hit in hits
        if "rye" in hit.chunk.text
        for vote in hit.votes
        if vote.retriever == "fine"
    }


def test_a_note_that_begins_with_what_is_asked_is_nearer_than_one_that_mentions_it(store: SqliteStore) -> None:
    encode(store, [text for texts in NOTES.values() for text in texts])
    scores = fine_scores(store, "rye spelt")
    # The cosines of 40 and 0 degrees, and those of 20 and 80.
    assert scores["about.md"] == pytest.approx((1 - OF_FIRST_CHUNK) * 0.766 + OF_FIRST_CHUNK, abs=0.01)
    assert scores["mentions.md"] == pytest.approx((1 - OF_FIRST_CHUNK) * 0.940 + OF_FIRST_CHUNK * 0.174, abs=0.01)


def test_a_question_asks_for_the_passage_wherever_it_stands(store: SqliteStore) -> None:
    encode(store, [text for texts in NOTES.values() for text in texts])
    scores = fine_scores(store, "how do rye and spelt grow?")
    assert scores["about.md"] == pytest.approx(0.766, abs=0.01)
    assert scores["mentions.md"] == pytest.approx(0.940, abs=0.01)


def test_a_passage_is_estimated_until_the_beginning_of_its_note_is_encoded(store: SqliteStore) -> None:
    beginnings = [texts[0] for texts in NOTES.values()]
    encode(store, [*beginnings[:2], *(texts[1] for texts in NOTES.values())])
    assert fine_scores(store, "rye spelt") == {}
    encode(store, beginnings[2:3])
    scores = fine_scores(store, "rye spelt")
    assert {path for path, score in scores.items() if score is None} == {"other.md"}


def test_a_search_wishes_for_the_beginnings_of_its_notes_too(store: SqliteStore) -> None:
    encode(store, [NOTES["other.md"][1]])
    with store.reading() as snapshot:
        lacking = searched("rye spelt", snapshot, encoder=Degrees(), settings=STORED_ONLY).lacking
        wished = [chunk.text for chunk in snapshot.chunks(lacking).values()]
    assert set(wished) == {text for texts in NOTES.values() for text in texts} - {NOTES["other.md"][1]}


def test_a_search_on_demand_encodes_them_and_has_nothing_left(store: SqliteStore) -> None:
    encoder = Degrees()
    with store.reading() as snapshot:
        answer = searched("rye spelt", snapshot, encoder=encoder, settings=AMPLE)
    assert len(encoder.made) == 8
    assert answer.lacking == ()
