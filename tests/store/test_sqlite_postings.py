from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from notewell.store.tables.postings import BLOCK, Postings, merge, unpack

Lists = dict[tuple[str, int], dict[int, int]]
terms = st.dictionaries(st.sampled_from(["rye", "bread", "bees", "é", "\U0001f35e", "\uffff"]), st.integers(1, 400))
slots = st.sampled_from([0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 7, 3 * BLOCK])


def merged(stored: dict[tuple[str, int], bytes], postings: Postings) -> dict[tuple[str, int], bytes]:
    for change in postings.changes():
        key = change.term, change.block
        stored[key] = merge(stored.get(key, b""), change.removed, change.places, change.counts)
    return {key: data for key, data in stored.items() if data}


def as_lists(chunks: dict[int, dict[str, int]]) -> Lists:
    """Return the lists that these chunks should have, worked out one posting at a time."""
    lists: Lists = {}
    for slot, weights in sorted(chunks.items()):
        for term, weight in weights.items():
            lists.setdefault((term, slot // BLOCK), {})[slot % BLOCK] = min(weight, 255)
    return lists


def read(stored: dict[tuple[str, int], bytes]) -> Lists:
    return {key: dict(zip(*(part.tolist() for part in unpack(data)), strict=True)) for key, data in stored.items()}


@given(st.dictionaries(slots, terms), st.sets(slots), st.dictionaries(slots, terms))
def test_chunks_that_come_and_go_leave_the_lists_of_those_that_are_there(
    first: dict[int, dict[str, int]], gone: set[int], more: dict[int, dict[str, int]]
) -> None:
    postings = Postings()
    for slot, weights in first.items():
        postings.add(slot, weights)
    stored = merged({}, postings)
    assert read(stored) == as_lists(first)
    postings = Postings()
    for slot in gone & first.keys():
        postings.drop(slot, first[slot])
    # A slot that was there before is free only in the next batch.
    new = {slot: weights for slot, weights in more.items() if slot not in first}
    for slot, weights in new.items():
        postings.add(slot, weights)
    kept = {slot: weights for slot, weights in first.items() if slot not in gone}
    assert read(merged(stored, postings)) == as_lists({**kept, **new})


@given(st.dictionaries(slots, terms, min_size=1))
def test_a_chunk_that_came_and_went_in_one_batch_leaves_nothing(chunks: dict[int, dict[str, int]]) -> None:
    postings = Postings()
    for slot, weights in chunks.items():
        postings.add(slot, weights)
    for slot, weights in chunks.items():
        postings.drop(slot, weights)
    assert list(postings.changes()) == []


def test_lists_come_in_the_order_in_which_the_table_has_them() -> None:
    postings = Postings()
    for slot in (BLOCK, 0):
        postings.add(slot, dict.fromkeys(["\U0001f35e", "rye", "\uffff", "é"], 10))
    keys = [(change.term, change.block) for change in postings.changes()]
    assert keys == sorted(keys, key=lambda key: (key[0].encode(), key[1]))
