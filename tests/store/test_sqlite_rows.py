from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.errors import StoreDamaged
from notewell.store.tables.rows import pack, unpack


@given(st.text())
def test_a_packed_text_comes_back_as_it_was(text: str) -> None:
    assert unpack(pack(text)) == text


def test_packing_one_text_leaves_nothing_for_the_next() -> None:
    assert pack("rye bread") == pack("rye bread")
    pack("something else " * 1000)
    assert unpack(pack("rye bread")) == "rye bread"


@cases("data", [b"\xff" * 20, pack("rye bread " * 50)[3:]])
def test_what_cannot_be_unpacked_is_damage(data: bytes) -> None:
    with pytest.raises(StoreDamaged) as caught:
        unpack(data)
    assert "notewell index --full" in caught.value.hint


def test_a_text_that_is_cut_off_is_damage() -> None:
    data = pack(" ".join(f"word{number}" for number in range(500)))
    with pytest.raises(StoreDamaged):
        unpack(data[: len(data) // 2])


def test_a_few_bytes_that_would_unpack_to_far_more_are_damage() -> None:
    with pytest.raises(StoreDamaged) as caught:
        unpack(pack("rye" * 10_000), 1_000)
    assert "too long" in caught.value.fact
