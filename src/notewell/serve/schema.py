"""The schemas of HTTP and MCP, derived from the result dataclasses."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter

# Pydantic does not read the TypedDict of Python 3.11.
from typing_extensions import TypedDict

from notewell.serve.json_data import json_fields
from notewell.types.notices import Notice


@cache
def schema_of(result: type) -> Any:
    """Return the schema of a result's JSON as a TypedDict for pydantic, which allows no other fields."""
    return part_schema(result)


def part_schema(
    result: type,
    *,
    name: str = "",
    only: Collection[str] = (),
    optional: Collection[str] = (),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Return a schema with the fields `only` of a result, of which some are `optional`, and with `more` fields."""
    members = {key: NotRequired[kind] if key in optional else kind for key, kind in _typed(result, only)}
    make: Any = TypedDict
    made = make(name or result.__name__, {**members, **more})
    made.__doc__ = inspect.getdoc(result)
    made.__pydantic_config__ = ConfigDict(extra="forbid")
    return made


def _typed(result: type, only: Collection[str]) -> Iterable[tuple[str, Any]]:
    """Yield the fields of a result with the types of their JSON, described by the docstrings below them."""
    hints, described = get_type_hints(result), describe_fields(result)
    for name, explained, optional in json_fields(result):
        if only and name not in only:
            continue
        kind: Any = Annotated[_value_schema(hints[name], optional=optional), Field(description=described[name])]
        yield name, NotRequired[kind] if explained or optional else kind


def _value_schema(kind: Any, *, optional: bool = False) -> Any:
    """Return the type of the JSON of a value; `optional` values are never null."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Notice or kind is Path:
        return str
    if is_dataclass(kind):
        return schema_of(kind)  # type: ignore[arg-type]
    if origin in (Union, UnionType):
        return Union[tuple(_value_schema(part) for part in parts if not (optional and part is NoneType))]  # noqa: UP007
    if origin is tuple and parts[-1] is not Ellipsis:
        return tuple[tuple(map(_value_schema, parts))]  # type: ignore[misc]
    if origin in (tuple, list, Sequence):
        return list[_value_schema(parts[0])]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[str, _value_schema(parts[1])]  # type: ignore[misc]
    return kind


def describe_fields(result: type) -> dict[str, str]:
    """Return the docstring below each field of a dataclass, also of those that it inherits.

    >>> from notewell.types.results import Step
    >>> describe_fields(Step)["by"]
    'What changed it.'
    """
    described: dict[str, str] = {}
    for base in reversed(result.__mro__):
        if is_dataclass(base):
            (body,) = ast.parse(inspect.cleandoc(inspect.getsource(base))).body
            assert isinstance(body, ast.ClassDef)
            for one, below in zip(body.body, body.body[1:], strict=False):
                if isinstance(one, ast.AnnAssign) and isinstance(below, ast.Expr):
                    described[ast.unparse(one.target)] = " ".join(ast.literal_eval(below.value).split())
    return described


def json_schema(kind: Any) -> dict[str, Any]:
    """Return a TypedDict as JSON schema, without the titles that only repeat names."""
    schema: dict[str, Any] = _untitled(TypeAdapter(kind).json_schema())
    return schema


def _untitled(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _untitled(value) for key, value in schema.items() if key != "title" or not isinstance(value, str)}
