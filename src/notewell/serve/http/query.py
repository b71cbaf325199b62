"""The names in a query: a route knows them, and what it takes once is given once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import get_origin

from fastapi import Request
from pydantic.fields import FieldInfo

from notewell.errors import SettingsError
from notewell.serve.parameters import meant_by

SEE = "GET /openapi.json lists every route and parameter"


async def check_query(request: Request) -> None:
    """Refuse a parameter that the route does not have, or that it has once and is sent several times."""
    fields = fields_of(request)
    sent = Counter(name for name, _ in request.query_params.multi_items())
    for name, times in sent.items():
        if name not in fields:
            missing = (known for known, field in fields.items() if field.is_required() and known not in sent)
            meant = meant_by(name, fields, missing)
            hint = f"Is '{meant}' meant? {SEE}" if meant else SEE
            raise SettingsError(f"There is no parameter '{name[:40]}' here", hint)
        if times > 1 and get_origin(fields[name].annotation) is not list:
            raise SettingsError(f"The parameter '{name}' is sent {times} times", "Send it once")


def fields_of(request: Request) -> Mapping[str, FieldInfo]:
    """Return the parameters that the route of a request takes in its query, by name."""
    models = [one.field_info.annotation for one in request.scope["route"].dependant.query_params]
    return {name: field for model in models for name, field in model.model_fields.items()}
