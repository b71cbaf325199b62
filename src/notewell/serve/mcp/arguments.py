"""The arguments of the tools, derived from the parameters of all surfaces, read leniently and refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError

from notewell.errors import SettingsError
from notewell.files.control_chars import real_path
from notewell.serve.arguments import Arguments, model_of
from notewell.serve.parameters import PLACES, Parameter, meant_by, parameters_of
from notewell.types.aliases import renamed

# More hits do not fit on a page, and more tokens would fill a client's window with one answer.
BOUNDS = {"limit": (1, 50), "max_tokens": (1, 5_000)}
EXAMPLES = {
    "note": "Garden/Bees.md",
    "under": "Garden",
    "text": "rye starter smells of acetone",
}
MORE = {
    "max_tokens": "whole passages instead of short excerpts",
    "explain": "rarely needed",
    "mode": "deep gives an overview of a subject",
}


def as_texts(given: Any) -> Any:
    """Return a list of strings, though models may send a string, JSON or a mapping instead.

    >>> as_texts("bees"), as_texts('["bees", "honey"]'), as_texts({"status": "open"})
    (['bees'], ['bees', 'honey'], ['status=open'])
    """
    if isinstance(given, dict):
        return [f"{key}={value}" for key, value in given.items()]
    if not isinstance(given, str):
        return given
    if given.startswith("["):
        try:
            return json.loads(given)
        except ValueError:
            return [given]
    return [given] if given else []


KINDS = {list[str]: Annotated[list[str], BeforeValidator(as_texts)]}


def arguments_of(operation: str, *more: Parameter) -> type[Arguments]:
    """Return the arguments of a tool: those of its operation, and more."""
    shared = [
        replace(one, help=f"{one.help}; {MORE[one.name]}") if one.name in MORE else one
        for one in parameters_of(operation, "mcp")
    ]
    return model_of(Arguments, operation, (*shared, *more), kinds=KINDS, bounds=BOUNDS)


def read_arguments(model: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """Return the arguments that were sent; an error names the wrong one, but never quotes its value."""
    given = {name: value for name, value in given.items() if value is not None}
    model.check_names(given)
    sent = renamed(given, model.aliases)
    for name in sent:
        if name not in model.model_fields:
            raise SettingsError(f"There is no argument '{name[:40]}'", _meant(name, model, sent))
    try:
        read = model.model_validate(sent)
        # Answers show hidden characters of paths as escapes.
        return read.model_copy(update={name: _real(read.given[name]) for name in PLACES & read.given.keys()})
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = str(wrong["loc"][0])
        fact = "is missing" if wrong["type"] == "missing" else f"is wrong: {wrong['msg']}"
        raise SettingsError(f"The argument '{name}' {fact}", model.model_fields[name].description or "") from None


def _real(places: str | list[str]) -> str | list[str]:
    return real_path(places) if isinstance(places, str) else [real_path(place) for place in places]


def _meant(name: str, model: type[Arguments], sent: Mapping[str, Any]) -> str:
    """Return a hint at the argument that was meant: one with a similar name, or one that is missing."""
    fields, needed = model.model_fields, model.missing_from(())
    meant = meant_by(name, fields, (known for known in needed if known not in sent))
    if not meant:
        return f"Use {', '.join(dict.fromkeys((*needed, *fields))) or 'no arguments'}"
    example = f" For example {json.dumps({meant: EXAMPLES[meant]})}" if meant in EXAMPLES else ""
    return f"Did you mean '{meant}'?{example}"


def input_schema(model: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments, the required ones first, without empty defaults."""
    made = model.model_json_schema()
    needed = made.get("required", [])
    properties = dict(sorted(made["properties"].items(), key=lambda item: item[0] not in needed))
    shown = {"type": "object", "properties": {name: _plain(value) for name, value in properties.items()}}
    return {**shown, **({"required": needed} if needed else {}), "additionalProperties": False}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one argument, without its title, and without null where it can be left out."""
    chosen: dict[str, Any] = next((way for way in schema.get("anyOf", ()) if way.get("type") != "null"), {})
    plain = {**chosen, **{key: value for key, value in schema.items() if key not in ("anyOf", "title")}}
    return {key: value for key, value in plain.items() if key != "default" or value not in (None, "", [])}
