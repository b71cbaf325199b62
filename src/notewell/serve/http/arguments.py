"""What can be asked for: the parameters of every route, by the names and with the words of every surface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal, get_origin

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from notewell.errors import SettingsError
from notewell.graph.traverse import FAST
from notewell.serve.parameters import HELP, filters_of, meant_by
from notewell.types.query import Filters

# More than anyone reads; a request is to end.
MOST_HITS = 1_000
MOST_TOKENS = 1_000_000
# Values of one parameter, and their length: more are pasted.
MOST_VALUES = 50
LONGEST = 1_000

SEE = "GET /openapi.json lists every route and parameter"

Text = Annotated[str, Field(max_length=LONGEST)]
Texts = Annotated[list[Text], Field(max_length=MOST_VALUES)]


class Looking(BaseModel):
    """What every question has."""

    model_config = ConfigDict(extra="forbid")
    refresh: bool = Field(True, description=HELP["refresh"])


class HitsAsked(Looking):
    """Hits: which notes, how many, and how they are shown."""

    limit: int | None = Field(None, ge=1, le=MOST_HITS, description=HELP["limit"])
    under: Text = Field("", description=HELP["under"])
    tag: Texts = Field([], description=HELP["tag"])
    type: Texts = Field([], description=HELP["type"])
    lang: Texts = Field([], description=HELP["lang"])
    after: Text = Field("", description=HELP["after"])
    before: Text = Field("", description=HELP["before"])
    where: Texts = Field([], description=HELP["where"])
    max_tokens: int | None = Field(None, ge=1, le=MOST_TOKENS, description=HELP["max_tokens"])
    explain: bool = Field(False, description=HELP["explain"])

    @property
    def filters(self) -> Filters:
        """Return what the hits are narrowed by."""
        return filters_of(self)


class SearchAsked(HitsAsked):
    """A search."""

    # A pasted page is searched by its head; the guard bounds what comes.
    text: str = Field(description="What to look for; may hold syntax, and may be empty with a filter")
    like: Texts = Field([], description=HELP["like"])
    mode: Literal["fast", "deep"] = Field("fast", description=HELP["mode"])


class RelatedAsked(HitsAsked):
    """What is like several notes."""

    note: Annotated[Texts, Field(min_length=1)] = Field(description="A note by path, name or title; may be repeated")


class TraverseAsked(Looking):
    """A walk."""

    query: Text = Field("", description=HELP["query"])
    depth: int | None = Field(None, ge=1, le=FAST.hops, description=HELP["depth"])
    floor: float | None = Field(None, ge=-1, le=1, description=HELP["floor"])


class NodeAsked(Looking):
    """Lines of a note."""

    lines: str = Field("", pattern=r"^(\d{1,9}(-\d{0,9})?)?$", description="Only these lines: 12, 12-20, 12-")
    part: str = Field("", max_length=LONGEST, description="Only this part: page 3, slide 4")


class NoteLinksAsked(Looking):
    """The links of a note."""

    broken: bool = Field(False, description=HELP["broken"])
    to: Literal["", "notes", "files", "anchors"] = Field("", description=HELP["to"])


class LinksAsked(NoteLinksAsked):
    """The links of all notes."""

    orphans: bool = Field(False, description=HELP["orphans"])


async def check_query(request: Request) -> None:
    """Refuse a parameter that the route does not have, or a single one that is sent several times."""
    fields = fields_of(request)
    sent = Counter(name for name, _ in request.query_params.multi_items())
    for name, times in sent.items():
        if name not in fields:
            missing = (known for known, field in fields.items() if field.is_required() and known not in sent)
            meant = meant_by(name, fields, missing)
            hint = f"Did you mean '{meant}'? {SEE}" if meant else SEE
            raise SettingsError(f"There is no parameter '{name[:40]}' here", hint)
        if times > 1 and get_origin(fields[name].annotation) is not list:
            raise SettingsError(f"The parameter '{name}' is sent {times} times", "Send it once")


def fields_of(request: Request) -> Mapping[str, FieldInfo]:
    """Return the query parameters of the route that a request is for, by name."""
    models = [one.field_info.annotation for one in request.scope["route"].dependant.query_params]
    return {name: field for model in models for name, field in model.model_fields.items()}
