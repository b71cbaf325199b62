"""Edits a TOML file: one table is put at its end or removed, and every other byte stays."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


def parse(text: str) -> dict[str, Any]:
    """Return the value of a text."""
    return tomllib.loads(text)


def put(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """Return the text with a table of strings and lists of strings, in place of one with this name.

    >>> print(put('model = "o3"\\n', ["mcp_servers", "notewell"], {"command": "notewell", "args": ["mcp"]}), end="")
    model = "o3"
    <BLANKLINE>
    [mcp_servers.notewell]
    command = "notewell"
    args = ["mcp"]
    """
    rest = remove(text, keys)
    gap = "\n" if rest.endswith("\n") else "\n\n" if rest else ""
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {_written(one)}" for key, one in value.items())]
    written = rest + gap + "\n".join(lines) + "\n"
    return re.sub("\r?\n", "\r\n", written) if "\r\n" in text else written


def remove(text: str, keys: Sequence[str]) -> str:
    """Return the text without a table and the tables in it.

    >>> remove('a = 1\\n\\n[b.c]\\nd = 2\\n[b.c.env]\\ne = 3\\n[f]\\n', ["b", "c"])
    'a = 1\\n[f]\\n'
    """
    name = r"\.".join(rf"\s*[\"']?{re.escape(key)}[\"']?\s*" for key in keys)
    return re.sub(rf"(?ms)(?:^\r?\n)?^\[{name}[\].].*?(?=^\s*\[|\Z)", "", text)


def _written(value: Any) -> str:
    """Return a string or a list of strings as TOML, which has the escapes of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
