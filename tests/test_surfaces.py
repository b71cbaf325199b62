"""Four ways in, one tool: Python, the command line, HTTP and MCP have the same names, parameters and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from notewell import Vault
from notewell.asked import Filters

Parameters = dict[str, Any]

# What can be done by every way in; each is a method of `Vault`.
OPERATIONS = ("search", "related", "read", "traverse", "links", "status", "remember", "forget")
# What a way in does without, and why.
WITHOUT = {
    "http": {"remember": "a page or program may not write", "forget": "likewise"},
}
# The routes of an operation, where there is another, or one for a note in its path.
ROUTES = {"read": ("/node/{place}",), "traverse": ("/traverse/{note}",), "links": ("/links", "/links/{note}")}
# Parameters that only some ways in have, and why.
OWN = {
    "python": {
        "raw": "whoever calls it has the file, too",
    },
    "cli": {
        "vault": "the others have one open",
        "json": "the others answer with data",
        "format": "likewise",
        "null": "likewise",
        "numbers": "the others have the number of the first line",
        "raw": "on a terminal only",
        "all": "the others tell all",
        "wanted": "made from what the others tell",
        "fusion": "a setting, for this once",
        "decay": "likewise",
        "explain": "how it is shown",
        "mode": "chooses between search, deepen and compare",
        "deep": "short for a mode",
    },
    "http": {
        "explain": "how it is shown",
        "mode": "chooses between search and deepen",
        "lines": "a place's colon and sign, where an address cannot have them",
        "part": "likewise",
    },
    "mcp": {
        "explain": "how it is shown",
        "mode": "chooses between search and deepen",
        "max_tokens": "of read: a page that fits a model",
    },
}
# Only a program that holds a vault decides itself when to look for changes; by every other way it is done.
REFRESH = "refresh"
# The notes that others are to be like are what `related` is given.
TWICE = {"related": "like"}


def python(operation: str) -> Parameters:
    """Return the parameters of a method, those of its filters in their place."""
    found: Parameters = {}
    for name, parameter in list(inspect.signature(getattr(Vault, operation)).parameters.items())[1:]:
        if name == "only":
            found |= {field.name: () for field in fields(Filters)}
        else:
            found[name] = None if parameter.default is parameter.empty else parameter.default
    return found


def cli(operation: str) -> Parameters:
    command: click.Command = import_module(f"notewell.serve.cli.{operation}").command
    found: Parameters = {}
    for parameter in command.params:
        longest = max(parameter.opts, key=len)
        name = longest.removeprefix("--").replace("-", "_")
        value = parameter.to_info_dict()["default"]
        found |= {"refresh": not value} if name == "no_refresh" else {name: value}
    return found


def http(operation: str) -> Parameters:
    paths = import_module("notewell.serve.http").make_api(Vault.open(Path(__file__).parent), None).openapi()["paths"]
    routes = [paths[path]["get"] for path in ROUTES.get(operation, (f"/{operation}",))]
    return {one["name"]: one["schema"].get("default") for route in routes for one in route.get("parameters", ())}


def mcp(operation: str) -> Parameters:
    tools = import_module("notewell.serve.mcp.tools").TOOLS
    tools = {tool.name: tool for tool in (*tools, *import_module("notewell.serve.mcp.memory").MEMORY_TOOLS)}
    return {name: field.get_default(call_default_factory=True) for name, field in _fields(tools[operation]).items()}


def _fields(tool: Any) -> Mapping[str, Any]:
    model: Mapping[str, Any] = tool.arguments.model_fields
    return model


SURFACES: dict[str, Callable[[str], Parameters]] = {"cli": cli, "http": http, "mcp": mcp}
# Several of them are one parameter that is repeated, where a way in has no lists.
REPEATED = {"notes": "note", "tags": "tag"}
NOTHING: tuple[Any, ...] = (None, "", (), [], {}, False)


def compared(operation: str, parameters: Parameters) -> Parameters:
    """Return defaults as they are compared: nothing is nothing, and what is given has none, however it is written."""
    left_out = {REFRESH, TWICE.get(operation)}
    return {
        REPEATED.get(name, name): None if value in NOTHING or "Undefined" in repr(value) else value
        for name, value in parameters.items()
        if name not in left_out
    }


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_way_in_has_the_same_parameters_and_defaults(operation: str, surface: str) -> None:
    if operation in WITHOUT.get(surface, {}):
        with pytest.raises(KeyError):
            SURFACES[surface](operation)
        return
    asked = {name: value for name, value in python(operation).items() if name not in OWN["python"]}
    there = SURFACES[surface](operation)
    shared = {name: value for name, value in there.items() if name not in OWN[surface] or name in asked}
    assert compared(operation, shared) == compared(operation, asked)
    assert there.get(REFRESH, True)


def test_what_is_listed_as_a_way_s_own_is() -> None:
    for surface, names in OWN.items():
        ways = python if surface == "python" else SURFACES[surface]
        known = {name for one in OPERATIONS if one not in WITHOUT.get(surface, {}) for name in ways(one)}
        assert names.keys() - known == set()
