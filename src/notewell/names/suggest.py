"""Did you mean: which of the known names an unknown one is probably meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from notewell.terms import fold

# As many suggestions as one reads.
SHOWN = 3
# How similar two names are (`difflib`, from 0 to 1) if one may be a slip for the other. Of few names, a loose match
# still helps; of the thousands in a vault, any word is like one at 0.6, and 19 of 20 slips are still found at 0.75.
LOOSE, CLOSE = 0.6, 0.75


def suggest(
    wanted: str,
    known: Iterable[str],
    *,
    limit: int = SHOWN,
    least: float = LOOSE,
    key: Callable[[str], str] = fold,
) -> list[str]:
    """Return the known names that are most like an unknown one, the best first, compared by a key.

    >>> suggest("Serch", ["search", "status"]), suggest("qqq", ["search", "status"])
    (['search'], [])
    """
    # Loaded for an unknown name, which few commands meet.
    from difflib import get_close_matches  # noqa: PLC0415

    by_key: dict[str, str] = {}
    for name in known:
        by_key.setdefault(key(name), name)
    by_key.pop("", None)
    return [by_key[each] for each in get_close_matches(key(wanted), by_key, limit, least)]


def did_you_mean(near: Sequence[str], otherwise: str = "") -> str:
    """Return suggestions as a question; without any, what to say otherwise.

    >>> did_you_mean(["search"]), did_you_mean(["a", "b", "c"]), did_you_mean([], "See --help")
    ('Did you mean search?', 'Did you mean a, b or c?', 'See --help')
    """
    if not near:
        return otherwise
    *first, last = near
    return f"Did you mean {', '.join(first)} or {last}?" if first else f"Did you mean {last}?"
