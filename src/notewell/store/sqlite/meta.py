"""What a store knows of itself, in the table `meta`: what it was made for, and numbers of its states."""

from __future__ import annotations

from typing import Any

import apsw

from notewell.store import MadeFor, State
from notewell.store.sqlite import queries


class Meta:
    """The table `meta` as a mapping; a key that is not there has the value None.

    `generation` is the number of the present state, `arrays` that of the last change of chunks; `linked` and `measured`
    are the value of `arrays` when links were resolved and standings measured. `fine` names the encoder.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __getitem__(self, key: str) -> Any:
        return self._db.execute(queries.META, {"key": key}).get

    def __setitem__(self, key: str, value: str | int | bytes | None) -> None:
        self._db.execute(queries.SET_META, {"key": key, "value": value})

    def next_generation(self) -> int:
        """Count the present state up, and return its number."""
        generation = int(self["generation"]) + 1
        self["generation"] = generation
        return generation

    def state(self) -> State:
        """Return the state that the table describes."""
        rows: Any = self._db.execute(queries.ALL_META)
        values = dict(rows)
        return State(
            MadeFor(str(values["embedder"]), int(values["dimensions"]), str(values["recipe"])),
            generation=int(values["generation"]),
            indexed_at=str(values["indexed_at"]),
            encoder=str(values["fine"]),
            links_resolved=values["linked"] == values["arrays"],
            standings_current=values.get("measured") == values["linked"],
            standings_mark=str(values.get("standings") or ""),
        )
