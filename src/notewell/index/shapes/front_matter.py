"""Front matter: the YAML between two `---` lines at the top of a note."""

from __future__ import annotations

import re
from typing import Any

import yaml

FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:(.*?)\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)

STAND_IN = re.compile(r"\[REDACTED:([\w-]+)\]")
# Limits that no front matter written by a person reaches: characters, depth, bits of a number.
LONGEST = 64_000
DEEPEST = 20
LARGEST_BITS = 1_000
DEEP = re.compile(r"[\[{][\s\[{]{30}|(?:[-?] ){30}")

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NoAliases(yaml.SafeLoader):
    """YAML without aliases: with them, ten lines can expand to gigabytes, and no note needs them."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse an alias, compose anything else."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def split_front_matter(text: str) -> tuple[dict[str, Any], int, tuple[str, ...]]:
    """Return the fields, the offset where the body starts, and warnings.

    >>> split_front_matter("---\\ntitle: Rye\\n---\\nText")
    ({'title': 'Rye'}, 19, ())
    """
    match = FRONT_MATTER.match(text)
    if match is None:
        return {}, 0, ()
    # A bracket would start a list in YAML.
    written = STAND_IN.sub(r"REDACTED:\1", match.group(1) or "")
    try:
        fields = _load(written)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 2})" if mark else ""
        return {}, match.end(), (f"the front matter is not YAML{place}; its properties are left out",)
    if fields is not None and not isinstance(fields, dict):
        # A horizontal rule at the top of a note, and text up to another one: not front matter.
        return {}, 0, ()
    return fields or {}, match.end(), ()


def _load(written: str) -> Any:
    # The parser is in C and recursive: nesting too deep would crash the process.
    if len(written) > LONGEST or DEEP.search(written):
        raise ValueError("too long, or too deep")
    loader = NoAliases if "*" in written and "&" in written else _Loader
    return _plain(yaml.load(written, Loader=loader), DEEPEST)


def _plain(value: Any, depth: int) -> Any:
    """Return a value in types that can be stored and shown, or raise `ValueError`."""
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
