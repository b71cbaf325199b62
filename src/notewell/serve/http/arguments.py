"""The query parameters of every route, derived from those that all surfaces share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Annotated, Any, ClassVar, get_origin

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

from notewell.errors import SettingsError
from notewell.serve.parameters import ALIASES, OPERATIONS, Parameter, meant_by
from notewell.serve.schema import arguments

# More than anyone reads; a request must end.
BOUNDS = {"limit": (1, 1_000), "max_tokens": (1, 1_000_000)}
# Values of one parameter, and their length.
MOST_VALUES = 50
LONGEST = 1_000
SEE = "GET /openapi.json lists every route and parameter"

Text = Annotated[str, Field(max_length=LONGEST)]
Span = Annotated[str, Field(pattern=r"^(\d{1,9}(-\d{0,9})?)?$")]
# A pasted page is searched by its beginning; the guard limits its size.
KINDS = {str: Text, list[str]: Annotated[list[Text], Field(max_length=MOST_VALUES)], "text": str}
# Lines and parts, for clients that cannot put a colon or a # into a path.
LINES = Parameter("lines", "Only these lines: 12, 12-20, 12-", Span, "")
PART = Parameter("part", "Only this part: page 3, slide 4", str, "")


class Asked(BaseModel):
    """The query parameters of a request."""

    model_config = ConfigDict(extra="forbid")
    # Old names of parameters, still accepted.
    aliases: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def rename(cls, sent: Mapping[str, Any]) -> Mapping[str, Any]:
        """Replace old names by the new ones."""
        old = {new: sent[name] for name, new in cls.aliases.items() if name in sent}
        listed = {name: value if isinstance(value, list) else [value] for name, value in old.items()}
        return {**{name: value for name, value in sent.items() if name not in cls.aliases}, **listed}

    @property
    def given(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def without(self, *names: str) -> dict[str, Any]:
        """Return the parameters by name, without some of them."""
        return {name: value for name, value in self.given.items() if name not in names}


def asked_of(operation: str, *more: Parameter, without: Collection[str] = ()) -> type[Asked]:
    """Return the parameters of a route: those of its operation, without those in the path, and more."""
    shared = [one for one in OPERATIONS[operation] if one.name not in without]
    model: type[Asked] = arguments(operation.title(), (*shared, *more), base=Asked, kinds=KINDS, bounds=BOUNDS)
    model.aliases = {old: new for old, new in ALIASES.get(operation, {}).items() if new in model.model_fields}
    return model


async def check_query(request: Request) -> None:
    """Refuse a parameter that the route does not have, or a single one that is sent several times."""
    fields = fields_of(request)
    sent = Counter(name for name, _ in request.query_params.multi_items())
    for name, times in sent.items():
        if (new := old_names(request).get(name)) in sent:
            raise SettingsError(f"'{name}' is the old name of '{new}', which is sent, too", f"Send only '{new}'")
        if name not in fields:
            missing = (known for known, field in fields.items() if field.is_required() and known not in sent)
            meant = meant_by(name, fields.keys() - old_names(request), missing)
            hint = f"Did you mean '{meant}'? {SEE}" if meant else SEE
            raise SettingsError(f"There is no parameter '{name[:40]}' here", hint)
        if times > 1 and get_origin(fields[name].annotation) is not list:
            raise SettingsError(f"The parameter '{name}' is sent {times} times", "Send it once")


def fields_of(request: Request) -> dict[str, FieldInfo]:
    """Return the query parameters of the route that a request is for, by name, also by their old names."""
    fields = {name: field for model in _models(request) for name, field in model.model_fields.items()}
    return fields | {old: fields[new] for old, new in old_names(request).items()}


def old_names(request: Request) -> dict[str, str]:
    """Return the old names of the route's parameters, with the new ones."""
    return {old: new for model in _models(request) for old, new in model.aliases.items()}


def _models(request: Request) -> list[type[Asked]]:
    return [one.field_info.annotation for one in request.scope["route"].dependant.query_params]
