"""What every form is: a dictionary with these fields and no others, each described by the line below it."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, TypeAdapter, with_config

# Pydantic does not read the one of Python 3.11.
from typing_extensions import TypedDict, get_original_bases


def _describe_inherited(schema: dict[str, Any], form: Any) -> None:
    """Describe fields that a form has from others as these do: pydantic reads only the lines of the form itself."""
    for base in get_original_bases(form):
        fields = TypeAdapter(base).json_schema().get("properties", {}) if base is not TypedDict else {}
        for name, field in fields.items():
            schema["properties"][name].setdefault("description", field["description"])


@with_config(ConfigDict(extra="forbid", use_attribute_docstrings=True, json_schema_extra=_describe_inherited))
class Form(TypedDict):
    """An answer, or a part of one."""
