from __future__ import annotations

from typing import Any

import pytest

from notewell.errors import StoreAltered
from notewell.store.tables.seal import OF_NOTE, Seals


def test_a_check_of_another_state_meanwhile_leaves_no_note_unchecked() -> None:
    seals = Seals(b"key")
    values = tuple("" for _ in OF_NOTE)
    rows = [(*values, b"", seals.of("note", values))]

    class Reading:
        slots, has_gaps = 1, False

        def fetch(self, *_: Any) -> list[tuple[Any, ...]]:
            return read()

    def read() -> list[tuple[Any, ...]]:
        found = list(rows)
        if not meanwhile:
            meanwhile.append(True)
            seals.check_notes(Reading(), 2, ["a.md"])
        return found

    meanwhile: list[bool] = []
    seals.check_notes(Reading(), 1)
    rows[:] = [(*values, b"forged", seals.of("note", values))]
    with pytest.raises(StoreAltered):
        seals.check_notes(Reading(), 2)
