"""Results as JSON data, by the fields of their dataclasses; loads no pydantic, which commands do without."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from notewell.files.control_chars import escaped_json
from notewell.serve.wording import sentence_of
from notewell.types.notices import Notice
from notewell.types.results import EXPLAINED, OPTIONAL, PYTHON_ONLY


def as_data(value: Any, *, explain: bool = False) -> Any:
    """Return a result as JSON data: dataclasses as dictionaries, notices as sentences.

    >>> from notewell.types.results import Step
    >>> as_data(Step("decay", "old", 0.5)), as_data([Path("a.md")])
    ({'by': 'decay', 'why': 'old', 'score': 0.5}, ['a.md'])
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if is_dataclass(value):
        return _as_object(value, explain)
    if isinstance(value, Mapping):
        return {key: as_data(part, explain=explain) for key, part in value.items()}
    return str(value) if isinstance(value, Path) else [as_data(part, explain=explain) for part in value]


def _as_object(value: Any, explain: bool) -> Any:
    if isinstance(value, Notice):
        return sentence_of(value)
    shown = {}
    kind: type = type(value)
    for name, explained, optional in json_fields(kind):
        part = getattr(value, name)
        if explain if explained else not optional or part is not None:
            shown[name] = as_data(part, explain=explain)
    return shown


@cache
def json_fields(result: Any) -> tuple[tuple[str, bool, bool], ...]:
    """Return the fields of a result's JSON: their names, whether they need `explain`, and whether they are optional."""
    shown = [one for one in fields(result) if not _has(one, PYTHON_ONLY)]
    return tuple((one.name, _has(one, EXPLAINED), _has(one, OPTIONAL)) for one in shown)


def _has(one: Field[Any], metadata: Mapping[str, Any]) -> bool:
    return metadata.items() <= one.metadata.items()


def json_text(data: Any, indent: int | None = None) -> str:
    """Return data as JSON; hidden characters are escaped, so that no reader is misled and programs get exact names.

    >>> json_text({"path": "caf\\udce9\\u202e.md"})
    '{"path": "caf\\\\udce9\\\\u202e.md"}'
    """
    return escaped_json(json.dumps(data, ensure_ascii=False, indent=indent))


def json_bytes(data: Any) -> bytes:
    """Return data as JSON in UTF-8."""
    return json_text(data).encode("utf-8")
