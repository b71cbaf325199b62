"""Phrases in a scope, over every store, among few chunks and many, alone and at the same time."""

from __future__ import annotations

import random
import threading

import numpy as np
from tests.store.notes import OpenStore, only, paths_in, put_texts

from notewell.embed.words import WordsEmbedder
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import Filter, Scope

# Phrases


def phrase(text: str, *, negated: bool = False) -> Scope:
    return only("phrase", text, negated=negated)


def test_a_phrase_is_found_whatever_its_case_accents_and_white_space(open_store: OpenStore) -> None:
    store = open_store()
    texts = {
        "a.md": "The LOAF\n  collapsed.",
        "b.md": "A collapsed loaf",
        "c.md": "Cafés, über alles",
        "d.md": "東京都の夏",
    }
    put_texts(store, texts)
    assert paths_in(store, phrase("loaf collapsed"), "collaps") == ["a.md"]
    assert paths_in(store, phrase("CAFES, Uber"), "all") == ["c.md"]
    assert paths_in(store, phrase("京都の"), "京都") == ["d.md"]


def test_a_phrase_is_not_found_inside_of_words(open_store: OpenStore) -> None:
    store = open_store()
    put_texts(store, {"a.md": "art party", "b.md": "start parties of art", "c.md": "C++ code", "d.md": "C code"})
    assert paths_in(store, phrase("art part"), "art") == []
    assert paths_in(store, phrase("art"), "art") == ["a.md", "b.md"]
    assert paths_in(store, phrase("C++"), "code") == ["c.md"]


def test_a_phrase_may_stand_in_the_headings(open_store: OpenStore) -> None:
    store = open_store()
    put_texts(store, {"a.md": "water"}, headings=("Rye bread", "Flour"))
    assert paths_in(store, phrase("rye bread"), "water") == ["a.md"]
    assert paths_in(store, phrase("bread flour"), "water") == []
    assert paths_in(store, only("heading", "flour rye"), "water") == ["a.md"]
    assert paths_in(store, only("heading", "wat"), "water") == []
    assert paths_in(store, only("heading", "flo*"), "water") == ["a.md"]


def test_chunks_that_hold_words_are_told_from_those_that_lack_one(open_store: OpenStore) -> None:
    store = open_store()
    texts = {"a.md": 'A Crème\n  brûlée "to go"', "b.md": "brulee", "creme.md": "Brûlées", "d.md": "crème"}
    put_texts(store, texts, headings=('Say "flan"', "Crisp\tcrust"))

    def holding(*words: str) -> list[str]:
        # A chunk that was read before is returned in any case.
        with store.reading() as snapshot:
            ids = [*snapshot.within(Scope())][::-1]
            found = [chunk.path for chunk in snapshot.chunks(ids, words=words).values()]
            assert len(snapshot.chunks(ids)) == 4
            return found

    assert holding("creme", "brulee", "go") == ["a.md"]
    assert holding("creme", "brulee") == ["creme.md", "a.md"]
    assert holding("flan", "crust", "creme") == ["d.md", "creme.md", "a.md"]
    assert holding("flan", "tart") == []
    assert holding() == ["d.md", "creme.md", "b.md", "a.md"]


def test_the_only_chunk_with_a_phrase_is_found_among_thousands_with_its_words(open_store: OpenStore) -> None:
    store = open_store()
    lines = [f"left {number} and right hand" for number in range(2_500)]
    put_texts(store, {"many.md": lines, "one.md": "many words, and then the right left hand, far from any other"})
    assert paths_in(store, phrase("right left"), "left") == ["one.md"]
    with store.reading() as snapshot:
        others = snapshot.match(["left"], phrase("right left", negated=True), 9_999).found
        assert {chunk.path for chunk in snapshot.chunks([slot for slot, _ in others]).values()} == {"many.md"}


def test_of_a_phrase_that_thousands_hold_the_best_are_found(open_store: OpenStore) -> None:
    store = open_store()
    put_texts(
        store, {"many.md": [f"in the field {number}" for number in range(4_000)], "one.md": "a quokka in the field"}
    )
    with store.reading() as snapshot:
        scope = phrase("in the field")
        found = snapshot.match(["quokka", "field"], scope, 300).found
        assert snapshot.chunks([found[0][0]])[found[0][0]].path == "one.md"
        assert len(found) == 300


def test_two_phrases_are_found_together_however_many_hold_one_of_them(open_store: OpenStore) -> None:
    store = open_store()
    many = [f"in the field {number} and in the field" for number in range(4_000)]
    put_texts(
        store, {"many.md": many, "one.md": "a long text of many words, in the end of which is a lazy dog in the field"}
    )
    wanted, common = Filter("phrase", ("lazy dog",)), Filter("phrase", ("in the field",))
    rare_out = Filter("phrase", ("and in",), negated=True)
    for filters in ((wanted, common), (common, wanted), (common, wanted, rare_out)):
        assert paths_in(store, Scope(filters=filters), "field") == ["one.md"]


def test_what_is_left_out_never_appears_however_many_hold_it(open_store: OpenStore) -> None:
    store = open_store()
    many = [f"in the field {number}" for number in range(3_500)]
    put_texts(store, {"many.md": many, "one.md": "the field in autumn", "two.md": "a field"})
    with store.reading() as snapshot:
        scope = phrase("in the field", negated=True)
        for ranking in (
            snapshot.nearest(WordsEmbedder().embed_query("in the field"), scope, 300),
            snapshot.match(["field"], scope, 300),
        ):
            found = {chunk.path for chunk in snapshot.chunks([slot for slot, _ in ranking.found]).values()}
            assert "many.md" not in found and "two.md" in found


# Large and narrow, and many at once


def test_three_chunks_in_scope_are_found_among_thousands_that_match_better(open_store: OpenStore) -> None:
    store = open_store(64)
    near = np.ones((500, 64), dtype=np.float32)
    with store.writing() as writer:
        for number in range(10):
            path = f"other/{number}.md"
            chunks = [Chunk(path, "bees bees hive", at, at) for at in range(500)]
            writer.put(Note(path, "", Stamp(1, 1, path)), chunks, near)
        few = [Chunk("mine.md", f"one mention of bees in a long text {word}", 1, 1) for word in ("a", "b", "c")]
        note = Note("mine.md", "", Stamp(1, 1), fields={"tags": ["mine"], "status": "open"})
        writer.put(note, few, -near[:3])
    with store.reading() as snapshot:
        for scope in (Scope("mine.md"), only("tag", "mine"), only("field", "open", key="status"), phrase("bees in a")):
            assert {snapshot.chunks([slot])[slot].path for slot, _ in snapshot.match(["bee"], scope, 300).found} == {
                "mine.md"
            }
            assert len(snapshot.nearest(near[0], scope, 300).found) == 3


def test_concurrent_searches_do_not_see_each_others_scope(open_store: OpenStore) -> None:
    stores = [open_store(), open_store()]
    with stores[0].writing() as writer:
        for number in range(60):
            path = f"f{number % 6}/{number}.md"
            note = Note(path, "", Stamp(1, 1, path), fields={"tags": [f"t{number % 5}"], "rank": number % 4})
            writer.put(note, [Chunk(path, f"rye w{number % 3}", 1, 1)], WordsEmbedder().embed([f"rye {number}"]))
    wrong: list[str] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        store = stores[seed % 2]
        try:
            for _ in range(50):
                folder, tag, rank, word = (chance.randrange(most) for most in (6, 5, 4, 3))
                filters = (
                    Filter("tag", (f"t{tag}",)),
                    Filter("field", (str(rank),), "rank", negated=True),
                    Filter("term", (f"w{word}",), negated=True),
                )
                kept = tuple(asked for asked in filters if chance.random() < 0.5)
                scope = Scope(f"f{folder}" if chance.random() < 0.5 else "", kept)
                expected = [
                    f"f{n % 6}/{n}.md"
                    for n in range(60)
                    if (not scope.under or n % 6 == folder)
                    and (filters[0] not in kept or n % 5 == tag)
                    and (filters[1] not in kept or n % 4 != rank)
                    and (filters[2] not in kept or n % 3 != word)
                ]
                if paths_in(store, scope) != sorted(expected):
                    wrong.append(str(scope))
        except Exception as error:
            wrong.append(repr(error))
        finally:
            store.close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
