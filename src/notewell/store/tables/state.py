"""The state of a store in tables: what its keys say, and what a batch of changes writes into them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from notewell.store import MadeFor, State
from notewell.store.bm25 import WEIGHING
from notewell.store.tables.checked import damaged
from notewell.store.tables.seal import NO_SEALS, Seals

# More than any embedder has: the codes of a block still fit into one value.
MOST_DIMENSIONS = 30_000
# The table `meta` of a new store, besides what it was made for.
NEW = {"generation": 0, "arrays": 0, "indexed_at": "", "worn": 0, "fine": "", "linked": -1, "weighing": WEIGHING}


class Counters(ABC):
    """The table `meta` as a mapping; a key that is not there has the value None."""

    @abstractmethod
    def __getitem__(self, key: str) -> Any:
        """Return a value."""

    @abstractmethod
    def __setitem__(self, key: str, value: str | int | bytes | None) -> None:
        """Store a value."""

    def number(self, key: str) -> int:
        """Return a value that counts something; 0 for a key that is not there."""
        return counted(self[key] or 0)

    def next_generation(self) -> int:
        """Raise the number of the present state by one, and return it."""
        generation = self.number("generation") + 1
        self["generation"] = generation
        return generation


@dataclass
class Changes:
    """What a batch did: to notes, to their stamps alone, or to data derived from them, and to which of that."""

    notes: bool = False
    stamps: bool = False
    derived: bool = False
    resolved: bool = False
    measured: bool = False
    freed: int = 0

    @property
    def of_files(self) -> bool:
        """Tell whether times of files may differ."""
        return self.notes or self.stamps

    def write_down(self, meta: Counters) -> None:
        """Write down which state this is."""
        if self.notes:
            meta["arrays"] = meta.next_generation()
            meta["worn"] = meta.number("worn") + self.freed
        if self.resolved:
            meta["linked"] = meta["arrays"]
        if self.measured:
            meta["measured"] = meta["linked"]
        if self.stamps:
            meta["touched"] = meta.number("touched") + 1
        # An empty batch counts as indexing, too: a vault without notes is indexed.
        if self.of_files or not self.derived:
            meta["indexed_at"] = datetime.now(UTC).isoformat(timespec="seconds")


def state_of(values: Mapping[str, Any], seals: Seals = NO_SEALS) -> State:
    """Return the state that the keys describe: see `Meta` of an engine for what they mean."""
    return State(
        MadeFor(_written(values["embedder"]), _dimensions(values["dimensions"]), _written(values["recipe"])),
        generation=counted(values["generation"]),
        notes_changed=counted(values["arrays"]),
        touched=counted(values.get("touched") or 0),
        indexed_at=_time(values["indexed_at"]),
        encoder=_written(values["fine"]),
        links_resolved=values["linked"] == counted(values["arrays"]),
        standings_current=values.get("measured") == values["linked"],
        site_root=_written(values.get("site_root") or ""),
        standings_mark=_written(values.get("standings") or ""),
        finished="standings" in values,
        origin=seals.origin(values),
        id=known.hex() if isinstance(known := values.get("id"), bytes) else "",
    )


def counted(value: Any) -> int:
    """Return a value that counts something; another kind of value is an error."""
    # Far above any real count, and still below the largest number of a column after many more.
    if not isinstance(value, int) or not 0 <= value < 1 << 60:
        raise damaged("a value in `meta` is not a counter")
    return value


def _written(value: Any) -> str:
    if not isinstance(value, str):
        raise damaged("a value in `meta` is not a text")
    return value


def _dimensions(value: Any) -> int:
    # A restored store is made for nothing until its content is there.
    if counted(value) > MOST_DIMENSIONS:
        raise damaged("its vectors would have too many numbers")
    return int(value)


def _time(value: Any) -> str:
    with suppress(ValueError):
        if not _written(value) or datetime.fromisoformat(value):
            return str(value)
    raise damaged("the time of its last run is not a time")
