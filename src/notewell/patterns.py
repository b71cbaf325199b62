"""Regular expressions that are compiled at their first use, so that a short command pays only for those it needs."""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that compiles itself when one of its methods is first asked for.

    >>> lazy_pattern("rye|spelt").findall("spelt and rye")
    ['spelt', 'rye']
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))


class _LazyPattern:
    """Stands for a compiled pattern, and has its methods once the first of them was asked for."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._given = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._given)
        # From now on, each method is found here without this detour. Two threads may do the same.
        self.__dict__ |= {each: getattr(compiled, each) for each in dir(compiled) if not each.startswith("__")}
        return getattr(compiled, name)
