"""The query parameters of every route, derived from those that all surfaces share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Annotated, Any, get_origin

from fastapi import Request
from pydantic import Field, model_validator
from pydantic.fields import FieldInfo

from notewell.errors import SettingsError
from notewell.serve.arguments import Arguments, model_of
from notewell.serve.parameters import Parameter, meant_by, parameters_of
from notewell.types.aliases import renamed

# More than anyone reads; a request must end.
BOUNDS = {"limit": (1, 1_000), "max_tokens": (1, 1_000_000)}
# Values of one parameter, and their length.
MOST_VALUES = 50
LONGEST = 1_000
SEE = "GET /openapi.json lists every route and parameter"

Text = Annotated[str, Field(max_length=LONGEST)]
LineNumbers = Annotated[str, Field(pattern=r"^(\d{1,9}(-\d{0,9})?)?$")]
# A pasted page is searched by its beginning; the guard limits its size.
KINDS = {str: Text, list[str]: Annotated[list[Text], Field(max_length=MOST_VALUES)], "text": str, "question": str}
# Lines and parts, for clients that cannot put a colon or a # into a path.
LINES = Parameter("lines", "Only these lines: 12, 12-20, 12-", LineNumbers, "")
PART = Parameter("part", "Only this part: page 3, slide 4", str, "")


class RouteArguments(Arguments):
    """The query parameters of a request."""

    @model_validator(mode="before")
    @classmethod
    def rename(cls, sent: Mapping[str, Any]) -> Mapping[str, Any]:
        """Replace other names of parameters by their own."""
        if not isinstance(sent, Mapping):
            # A body may be any JSON; what it should be is said in the error.
            return sent
        cls.check_names(sent)
        made = renamed(sent, cls.aliases)
        # FastAPI makes lists of the parameters that it knows.
        lists = (name for name, field in cls.model_fields.items() if get_origin(field.annotation) is list)
        return made | {name: [made[name]] for name in lists if isinstance(made.get(name), str)}


def route_arguments(operation: str, *more: Parameter, without: Collection[str] = ()) -> type[RouteArguments]:
    """Return the parameters of a route: those of its operation, without those in the path, and more."""
    shared = [one for one in parameters_of(operation, "http") if one.name not in without]
    return model_of(RouteArguments, operation, (*shared, *more), kinds=KINDS, bounds=BOUNDS)


async def check_query(request: Request) -> None:
    """Refuse a parameter that the route does not have, or a single one that is sent several times."""
    model, fields = model_for(request), fields_of(request)
    sent = Counter(name for name, _ in request.query_params.multi_items())
    model.check_names(sent)
    for name, times in sent.items():
        if name not in fields:
            meant = meant_by(name, model.model_fields, model.missing_from(sent))
            hint = f"Did you mean '{meant}'? {SEE}" if meant else SEE
            raise SettingsError(f"There is no parameter '{name[:40]}' here", hint)
        if times > 1 and get_origin(fields[name].annotation) is not list:
            raise SettingsError(f"The parameter '{name}' is sent {times} times", "Send it once")


def fields_of(request: Request) -> dict[str, FieldInfo]:
    """Return the query parameters of the route that a request is for, by name, also by their other names."""
    model = model_for(request)
    return model.model_fields | {old: model.model_fields[new] for old, new in model.aliases.items()}


def body_fields(request: Request) -> dict[str, FieldInfo]:
    """Return the fields of the body of a request's route, by name."""
    models = [one.field_info.annotation for one in request.scope["route"].dependant.body_params]
    return dict(models[0].model_fields) if models else {}


def model_for(request: Request) -> type[RouteArguments]:
    """Return the model of the query parameters of a request's route; one without any has the base."""
    models = [one.field_info.annotation for one in request.scope["route"].dependant.query_params]
    return models[0] if models else RouteArguments
