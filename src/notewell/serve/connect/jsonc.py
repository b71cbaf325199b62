"""Edits JSON that may have comments: one member is put or removed, and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from notewell.frozen import frozen

BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
SCALAR = re.compile(r"[^\s,\]}/]+")
INDENT = re.compile(r"\n([ \t]+)\S")


@frozen
class Node:
    """A value in a text: where it is, what it is, and the members of an object."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()

    def member(self, key: str) -> Member | None:
        """Return a member by its key."""
        return next((one for one in self.members if one.key == key), None)


@frozen
class Member:
    """A key and its value in an object."""

    key: str
    start: int
    node: Node


def parse(text: str) -> Node:
    """Return the value of a text; comments and commas at the end of a list are read over.

    >>> parse('{"a": [1, 2,], /* b */ "c": {}}').value
    {'a': [1, 2], 'c': {}}
    """
    node = _value(text, _blank(text, 1 if text.startswith("\ufeff") else 0))
    if _blank(text, node.end) != len(text):
        raise ValueError(f"there is text after its end, at character {node.end}")
    return node


def put(text: str, keys: Sequence[str], value: Any) -> str:
    """Return the text with a member, in objects that are made if they are missing.

    >>> print(put('{"a": 1 // one\\n}', ["b", "c"], 2))
    {"a": 1, // one
      "b": {
        "c": 2
      }
    }
    """
    node, depth = parse(text), 1
    for key in keys[:-1]:
        member = node.member(key)
        if member is None or not isinstance(member.node.value, dict):
            break
        node, depth = member.node, depth + 1
    key, *inner = keys[depth - 1 :]
    for name in reversed(inner):
        value = {name: value}
    if (member := node.member(key)) is None and node.members and "\n" not in text[node.start : node.end]:
        # An object on one line stays on it.
        last = node.members[-1].node.end
        return f"{text[:last]}, {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}{text[last:]}"
    found = INDENT.search(text)
    step = found[1] if found else "  "
    line = "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(value, ensure_ascii=False, indent=step).replace("\n", f"{line}{step * depth}")
    if member:
        return text[: member.node.start] + written + text[member.node.end :]
    return _inserted(text, node, f"{line}{step * depth}{json.dumps(key)}: {written}", f"{line}{step * (depth - 1)}")


def edge(text: str, keys: Sequence[str]) -> str:
    """Return what `put` replaces, for `remove` to put back: the space in an empty object, or the comma at its end.

    >>> edge('{"b": { // none\\n  }}', ["b", "c"]), edge('{"a": 1,\\n}', ["b"])
    ('\\n  ', ',')
    """
    node = parse(text)
    for key in keys[:-1]:
        member = node.member(key)
        if member is None:
            break
        node = member.node
    if node.members:
        return "," if text[_blank(text, node.members[-1].node.end)] == "," else ""
    inside = text[node.start + 1 : node.end - 1]
    return inside[len(inside.rstrip()) :]


def remove(text: str, keys: Sequence[str], edge: str = "") -> str:
    """Return the text without a member, or as it is if there is no such member.

    >>> remove('{"a": 1, // one\\n  "b": 2\\n}', ["b"])
    '{"a": 1 // one\\n}'
    """
    node = parse(text)
    for key in keys[:-1]:
        member = node.member(key)
        if member is None:
            return text
        node = member.node
    gone = node.member(keys[-1])
    if gone is None:
        return text
    place = node.members.index(gone)
    comma = _blank(text, gone.node.end)
    if place + 1 < len(node.members):
        return _cut(text, gone, text[gone.node.end : comma] + text[comma + 1 :])
    start = len(text[: gone.start].rstrip())
    if place and edge == "," and text[comma] != ",":
        return text[:start] + text[gone.node.end :]
    if place:
        before = _blank(text, node.members[place - 1].node.end)
        return text[:before] + text[before + 1 : start] + text[gone.node.end :]
    close = node.end - 1
    if text[gone.node.end : close].strip(" \t\r\n,"):
        return _cut(text, gone, text[gone.node.end : comma] + text[comma + (text[comma] == ",") :])
    if "\n" not in edge and "//" in text[text.rfind("\n", 0, start) + 1 : start]:
        # Without it, the comment would go on to the brace.
        edge = "\n"
    return text[:start] + edge.strip(",") + text[close:]


def _cut(text: str, gone: Member, rest: str) -> str:
    """Return the text before a member and the rest, without the empty line that it would leave."""
    ends_line = rest.lstrip(" \t").startswith(("\n", "\r\n"))
    return text[: gone.start].rstrip() + rest if ends_line else text[: gone.start] + rest.lstrip(" \t")


def _inserted(text: str, node: Node, line: str, outer: str) -> str:
    close = node.end - 1
    if not node.members:
        return text[:close].rstrip() + line + outer + text[close:]
    last = node.members[-1].node.end
    after = _blank(text, last)
    comma = "" if text[after] == "," else ","
    end = len(text[:close].rstrip())
    return text[:last] + comma + text[last:end] + line + text[end:]


def _blank(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> Node:
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at)
    if first == "[":
        return _array(text, at)
    if first == '"':
        value, end = scanstring(text, at + 1, True)
        return Node(at, end, value)
    found = SCALAR.match(text, at)
    if found is None:
        raise ValueError(f"there is no value at character {at}")
    return Node(at, found.end(), json.loads(found[0]))


def _array(text: str, start: int) -> Node:
    values, at = [], _blank(text, start + 1)
    while text[at : at + 1] != "]":
        node = _value(text, at)
        values.append(node.value)
        at = _after_comma(text, node.end, "]")
    return Node(start, at + 1, values)


def _object(text: str, start: int) -> Node:
    members: dict[str, Member] = {}
    at = _blank(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise ValueError(f"there is no key at character {at}")
        key, end = scanstring(text, at + 1, True)
        colon = _blank(text, end)
        if text[colon : colon + 1] != ":":
            raise ValueError(f"there is no colon at character {colon}")
        if key in members:
            raise ValueError("a key occurs twice")
        node = _value(text, _blank(text, colon + 1))
        members[key] = Member(key, at, node)
        at = _after_comma(text, node.end, "}")
    return Node(start, at + 1, {one.key: one.node.value for one in members.values()}, tuple(members.values()))


def _after_comma(text: str, at: int, close: str) -> int:
    at = _blank(text, at)
    if text[at : at + 1] == ",":
        return _blank(text, at + 1)
    if text[at : at + 1] != close:
        raise ValueError(f"there is no comma at character {at}")
    return at
