"""What a request over HTTP or MCP may send: a model for each operation, built from the parameters of all surfaces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from notewell.errors import SettingsError
from notewell.serve.parameters import REQUIRED, Parameter
from notewell.types.aliases import aliases_of, sent_twice


class Arguments(BaseModel):
    """The arguments of one request."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    operation: ClassVar[str] = ""
    # Other names of arguments.
    aliases: ClassVar[Mapping[str, str]] = {}

    @property
    def given(self) -> dict[str, Any]:
        """Return the arguments by name."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    @classmethod
    def check_names(cls, sent: Collection[str]) -> None:
        """Refuse an argument that is sent by two names."""
        if twice := sent_twice(sent, cls.aliases):
            one, other = twice
            raise SettingsError(
                f"'{one}' and '{other}' are the same argument", f"Send only '{cls.aliases.get(one, one)}'"
            )

    @classmethod
    def missing_from(cls, sent: Collection[str]) -> list[str]:
        """Return the arguments that must be sent and were not."""
        return [name for name, field in cls.model_fields.items() if field.is_required() and name not in sent]


Model = TypeVar("Model", bound=Arguments)


def model_of(
    base: type[Model],
    operation: str,
    parameters: Iterable[Parameter],
    *,
    kinds: Mapping[Any, Any] = MappingProxyType({}),
    bounds: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> type[Model]:
    """Return the model of an operation's parameters.

    A surface may take another type for a parameter, or for all of a kind, and set bounds.
    """
    members = {one.name: _member(one, kinds, bounds) for one in parameters}
    make: Any = create_model
    model: type[Model] = make(operation.title(), __base__=base, **members)
    model.operation = operation
    model.aliases = aliases_of(members)
    return model


def _member(one: Parameter, kinds: Mapping[Any, Any], bounds: Mapping[str, tuple[float, float]]) -> tuple[Any, Any]:
    """Return the type of a parameter, and all else that pydantic needs to know of it."""
    kind = kinds.get(one.name, kinds.get(one.kind, one.kind))
    low, high = one.bounds or bounds.get(one.name) or (None, None)
    needed = one.default is REQUIRED
    default = ... if needed else one.default
    least = 1 if needed and one.kind == list[str] else None
    field = Field(default, description=one.help, ge=low, le=high, min_length=least)
    return (kind | None if one.default is None else kind), field
