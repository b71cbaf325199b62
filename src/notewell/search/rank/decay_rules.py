"""The ways in which notes lose by age: one for the vault, others for what lies under a path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from notewell.errors import SettingsError

MODES = ("off", "half_life", "ranked_grouped")
# Only for what lies under a path: all of it is one group, whoever wrote it.
ONE_GROUP = "one_group"
GROUPED = ("ranked_grouped", ONE_GROUP)
HALF_LIFE = 365.0
# What an author's newest note keeps of its score, the next, and so on; the last is for all that are older.
LADDER = (1.0, 0.6, 0.45, 0.35, 0.25)

HINT = (
    'Write "Journal/ = half_life 30", "Reference/ = off", "Letters/ = ranked_grouped" or "Filings/ = one_group 1 0.6"'
)


@dataclass(frozen=True, slots=True)
class Way:
    """How the notes under a path lose by age; without a path, all that no other way is for."""

    mode: str = "off"
    under: str = ""
    half_life_days: float = HALF_LIFE
    ladder: tuple[float, ...] = LADDER

    def covers(self, path: str) -> bool:
        """Tell whether a note is under the path, or is it."""
        return not self.under or path == self.under or path.startswith(f"{self.under}/")


def read_ways(overrides: Iterable[str]) -> tuple[Way, ...]:
    """Return the ways that settings name, the longest path first; what cannot be read is an error.

    >>> [(way.under, way.mode) for way in read_ways(["Work/ = off", "Work/Journal = half_life 30"])]
    [('Work/Journal', 'half_life'), ('Work', 'off')]
    """
    return tuple(sorted(map(_read, overrides, count(1)), key=lambda way: -len(way.under)))


def _read(written: str, number: int) -> Way:
    path, _, rest = written.rpartition("=")
    under, (mode, *numbers) = path.strip().strip("/"), rest.split() or [""]
    try:
        values = tuple(map(float, numbers))
    except ValueError:
        values = ()
    if not under or mode not in (*MODES, ONE_GROUP) or len(values) != len(numbers):
        raise _unreadable(number)
    if mode in GROUPED and all(0 < value <= 1 for value in values):
        return Way(mode, under, ladder=values or LADDER)
    if mode == "half_life" and len(values) <= 1 and all(1 <= value < float("inf") for value in values):
        return Way(mode, under, half_life_days=values[0] if values else HALF_LIFE)
    if mode == "off" and not values:
        return Way(mode, under)
    raise _unreadable(number)


def _unreadable(number: int) -> SettingsError:
    return SettingsError(f"decay.overrides cannot be read: text {number} of it names no way", HINT)
