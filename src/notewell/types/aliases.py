"""One name for each argument, the same on every surface, and the other names under which people send it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")

# Old names, and the guesses of people and models. Of two arguments with a name in common, the first gets it.
ALIASES = {
    "text": ("q", "query", "question", "content"),
    "question": ("q", "query", "text", "message", "prompt"),
    "note": ("place", "notes", "path", "file", "filename", "file_path", "name", "title", "uri", "id"),
    "under": ("folder", "directory", "path"),
    "tag": ("tags",),
    "limit": ("k", "n", "top_k", "num_results", "max_results"),
    "max_tokens": ("tokens",),
    "after": ("since",),
    "before": ("until",),
}


def aliases_of(names: Collection[str]) -> dict[str, str]:
    """Return the other names of some arguments, and which argument each stands for.

    >>> aliases_of(["note", "title", "under"])["path"], "title" in aliases_of(["note", "title"])
    ('note', False)
    """
    known = [(other, name) for name in reversed(ALIASES) if name in names for other in ALIASES[name]]
    return {other: name for other, name in known if other not in names}


def renamed(given: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Return arguments by their own names; one that is sent by two names raises TypeError.

    >>> renamed({"q": "bees", "limit": 3}, {"q": "text"})
    {'text': 'bees', 'limit': 3}
    """
    if twice := sent_twice(given, aliases):
        raise TypeError(f"{twice[0]!r} and {twice[1]!r} are the same argument")
    return {aliases.get(name, name): value for name, value in given.items()}


def sent_twice(given: Collection[str], aliases: Mapping[str, str]) -> tuple[str, str] | None:
    """Return two names of one argument that are both in use; None if there are none."""
    seen: dict[str, str] = {}
    for name in given:
        if (other := seen.setdefault(aliases.get(name, name), name)) != name:
            return other, name
    return None


def with_aliases(method: Callable[Given, Made]) -> Callable[Given, Made]:
    """Let callers of a method give its arguments by their other names, too."""
    aliases = aliases_of(signature(method).parameters)

    @wraps(method)
    def call(*args: Given.args, **given: Given.kwargs) -> Made:
        named: Any = renamed(given, aliases)
        return method(*args, **named)

    return call
