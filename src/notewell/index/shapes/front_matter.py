"""Front matter: the YAML between two rules at the top of a note."""

from __future__ import annotations

import re
from typing import Any

import yaml

FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:(.*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)

STAND_IN = re.compile(r"\[REDACTED:([\w-]+)\]")
# Longer, deeper or larger than anything a person writes above a note.
LONGEST = 64_000
DEEPEST = 20
LARGEST_BITS = 1_000
DEEP = re.compile(r"[\[{][\s\[{]{30}|(?:[-?] ){30}")

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
    # In YAML a bracket begins a list; a stand-in does not.
    written = STAND_IN.sub(r"REDACTED:\1", match.group(1) or "")
    try:
        fields = _load(written)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 2})" if mark else ""
        return {}, match.end(), (f"the front matter is not YAML{place}; its fields are left out",)
    if fields is not None and not isinstance(fields, dict):
        # A rule at the top of a note, then text up to another rule: no front matter at all.
        return {}, 0, ()
    return fields or {}, match.end(), ()


def _load(written: str) -> Any:
    # The parser is C, and recursive: what is deeper or longer than any note's could end the process.
    if len(written) > LONGEST or DEEP.search(written):
        raise ValueError("too long, or too deep")
    loader = NoAliases if "*" in written and "&" in written else _Loader
    return _plain(yaml.load(written, Loader=loader), DEEPEST)


def _plain(value: Any, depth: int) -> Any:
    """Return a value in types that can be stored and shown, or refuse it."""
    if depth == 0:
        raise ValueError("too deep")
    if isinstance(value, dict):
        return {str(_plain(key, depth - 1)): _plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item, depth - 1) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        raise ValueError("too large a number")
    return value
