from __future__ import annotations

from typing import Any

import pytest

from notewell.errors import StoreAltered
from notewell.store.sqlite.seal import OF_NOTE, Seals


def test_a_check_of_another_state_meanwhile_leaves_no_note_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    seals = Seals(b"key")
    values = tuple("" for _ in OF_NOTE)
    rows = [(*values, b"", seals.of("note", values))]

    def read(*_: Any) -> list[tuple[Any, ...]]:
        found = list(rows)
        if not meanwhile:
            meanwhile.append(True)
            seals.check_notes(None, 2, ["a.md"])  # type: ignore[arg-type]
        return found

    meanwhile: list[bool] = []
    monkeypatch.setattr("notewell.store.sqlite.seal.fetch", read)
    seals.check_notes(None, 1)  # type: ignore[arg-type]
    rows[:] = [(*values, b"forged", seals.of("note", values))]
    with pytest.raises(StoreAltered):
        seals.check_notes(None, 2)  # type: ignore[arg-type]
