"""Edits a TOML file: one table is put at its end or removed, and every other byte stays."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


def parse(text: str) -> dict[str, Any]:
    """Return the value of a text."""
    return tomllib.loads(text.removeprefix("\ufeff"))


def put(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """Return the text with a table at its end, in place of one with this name.

    >>> print(put('model = "o3"\\n', ["mcp_servers", "notewell"], {"command": "notewell", "args": ["mcp"]}), end="")
    model = "o3"
    <BLANKLINE>
    [mcp_servers.notewell]
    command = "notewell"
    args = ["mcp"]
    """
    rest, line = remove(text, keys), "\r\n" if "\r\n" in text else "\n"
    gap = line if rest.endswith("\n") else line * 2 if rest else ""
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {_written(one)}" for key, one in value.items())]
    return rest + gap + "".join(f"{one}{line}" for one in lines)


def edge(text: str, keys: Sequence[str]) -> str:
    """Return the end of the last line, for `remove` to put back."""
    return "" if text and not text.endswith("\n") else "\n"


def remove(text: str, keys: Sequence[str], edge: str = "\n") -> str:
    """Return the text without a table and the tables in it; comments before the next table are that table's.

    >>> remove('a = 1\\n\\n[b.c]\\nd = 2\\n[b.c.env]\\ne = 3\\n\\n# mine\\n[f]\\n', ["b", "c"])
    'a = 1\\n\\n# mine\\n[f]\\n'
    """
    name = r"\.".join(rf"\s*[\"']?{re.escape(key)}[\"']?\s*" for key in keys)
    after = r"(?=(?:^[ \t]*(?:#[^\n]*)?\r?\n)*(?:^[ \t]*\[|\Z))"
    left = re.sub(rf"(?ms)(?:^\r?\n)?^\[{name}[\].].*?{after}", "", text)
    if not edge and text.startswith(left):
        return left.removesuffix("\n").removesuffix("\r")
    return left


def _written(value: Any) -> str:
    """Return a value as TOML, which has the escapes of JSON."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(key)} = {_written(one)}' for key, one in value.items())} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
