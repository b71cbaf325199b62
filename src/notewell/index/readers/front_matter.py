"""Front matter: the YAML between two rules at the top of a note."""

from __future__ import annotations

import re
from typing import Any

import yaml

FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:(.*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NoAliases(yaml.SafeLoader):
    """YAML without references: they let ten lines unfold into gigabytes, and no note needs them."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse a reference, compose anything else."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("references are not read")
        return super().compose_node(parent, index)


def split_front_matter(text: str) -> tuple[dict[str, Any], int, tuple[str, ...]]:
    """Return the fields, where the body begins, and what is wrong with the front matter.

    >>> split_front_matter("---\\ntitle: Rye\\n---\\nText")
    ({'title': 'Rye'}, 19, ())
    """
    match = FRONT_MATTER.match(text)
    if match is None:
        return {}, 0, ()
    written = match.group(1) or ""
    try:
        fields = yaml.load(written, Loader=NoAliases if "*" in written and "&" in written else _Loader)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 2})" if mark else ""
        return {}, match.end(), (f"the front matter is not YAML{place}; its fields are left out",)
    if fields is not None and not isinstance(fields, dict):
        # A rule at the top of a note, then text up to another rule: no front matter at all.
        return {}, 0, ()
    return {str(key): value for key, value in (fields or {}).items()}, match.end(), ()
