"""What a model may ask a tool for: the names and defaults of `Vault`, read leniently, and refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from notewell.errors import SettingsError
from notewell.graph.traverse import FAST
from notewell.serve.parameters import HELP, filters_of, meant_by
from notewell.types.query import Filters

# More hits than these are no page any more, and more tokens than these fill a client's window with one answer.
MOST_HITS = 50
MOST_TOKENS = 5_000
# Whatever a note is called, one of these takes it; `under` looks in it.
OF_A_NOTE = ("place", "notes", "note", "under")
CALLED = {*OF_A_NOTE, "path", "file", "filename", "file_path", "name", "title", "uri", "id"}
EXAMPLES = {
    "place": "Garden/Bees.md:12-40",
    "notes": ["Garden/Bees.md"],
    "note": "Garden/Bees.md",
    "under": "Garden",
    "text": "rye starter smells of acetone",
}
NOTE = "A note by its path, or by a name or title that no other note has"


def as_texts(given: Any) -> Any:
    """Return what was meant where a list of texts was: models send one text, a list as JSON, or a mapping, too.

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


Texts = Annotated[list[str], BeforeValidator(as_texts)]


class Arguments(BaseModel):
    """The arguments of one tool."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Asking(Arguments):
    """What every page of hits can be narrowed by."""

    limit: int | None = Field(None, ge=1, le=MOST_HITS, description=HELP["limit"])
    under: str = Field("", description=HELP["under"])
    tag: Texts = Field([], description=HELP["tag"])
    type: Texts = Field([], description=HELP["type"])
    lang: Texts = Field([], description=HELP["lang"])
    after: str = Field("", description=HELP["after"])
    before: str = Field("", description=HELP["before"])
    where: Texts = Field([], description=HELP["where"])
    max_tokens: int | None = Field(
        None, ge=1, le=MOST_TOKENS, description=f"{HELP['max_tokens']}; whole passages instead of short excerpts"
    )
    explain: bool = Field(False, description=f"{HELP['explain']}; seldom needed")
    refresh: bool = Field(True, description=HELP["refresh"])

    @property
    def filters(self) -> Filters:
        """Return the filters."""
        return filters_of(self)


class Search(Asking):
    """What `search` takes."""

    text: str = Field(description="What to look for; empty, with a filter, for the newest notes that fit")
    like: Texts = Field([], description=HELP["like"])
    mode: Literal["fast", "deep"] = Field("fast", description=f"{HELP['mode']}; for surveys of a subject")


class Related(Asking):
    """What `related` takes."""

    notes: Texts = Field(description=f"{NOTE}, or some lines (Garden/Bees.md:12); or several such", min_length=1)


class Read(Arguments):
    """What `read` takes."""

    place: str = Field(description="path, path:12, path:12-40, path:121- or path#page 3, as hits name them")
    max_tokens: int = Field(1_500, ge=100, le=2 * MOST_TOKENS, description="The longest page. Default: 1500")


class Traverse(Arguments):
    """What `traverse` takes."""

    note: str = Field(description=NOTE)
    query: str = Field("", description=HELP["query"])
    depth: int | None = Field(None, ge=1, le=FAST.hops, description=HELP["depth"])
    floor: float | None = Field(None, ge=-1, le=1, description=HELP["floor"])
    refresh: bool = Field(True, description=HELP["refresh"])


class LinksOf(Arguments):
    """What `links` takes."""

    note: str = Field("", description=f"{NOTE}. Default: all notes, of which only the counts are told")
    broken: bool = Field(False, description=HELP["broken"])
    to: Literal["", "notes", "files", "anchors"] = Field("", description=HELP["to"])
    orphans: bool = Field(False, description=HELP["orphans"])
    refresh: bool = Field(True, description=HELP["refresh"])


class NoArguments(Arguments):
    """What `status` takes."""


Taken = TypeVar("Taken", bound=Arguments)


def read_arguments(model: type[Taken], given: Mapping[str, Any]) -> Taken:
    """Return the arguments that were sent; what is wrong with one is told by its name, never by its value."""
    sent = {name: value for name, value in given.items() if value is not None}
    for name in sent:
        if name not in model.model_fields:
            raise SettingsError(f"There is no argument '{name[:40]}'", _meant(name, model, sent))
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = str(wrong["loc"][0])
        fact = "is missing" if wrong["type"] == "missing" else f"is wrong: {wrong['msg']}"
        raise SettingsError(f"The argument '{name}' {fact}", model.model_fields[name].description or "") from None


def _meant(name: str, model: type[Arguments], sent: Mapping[str, Any]) -> str:
    """Return which argument may be meant: one that is written nearly so, that takes a note, or that is missing."""
    fields = model.model_fields
    needed = [known for known, field in fields.items() if field.is_required()]
    of_a_note = [known for known in OF_A_NOTE if known in fields and name.casefold() in CALLED]
    free = (known for known in (*of_a_note, *needed) if known not in sent)
    meant = meant_by(name, fields, free)
    if not meant:
        return f"Use {', '.join(dict.fromkeys((*needed, *fields))) or 'no arguments'}"
    example = json.dumps({meant: EXAMPLES[meant]}) if meant in EXAMPLES else ""
    return f"Is '{meant}' meant? For example {example}" if example else f"Is '{meant}' meant?"


def input_schema(model: type[Arguments]) -> dict[str, Any]:
    """Return the schema of a tool's arguments: those it needs first, and nothing that says nothing."""
    made = model.model_json_schema()
    needed = made.get("required", [])
    properties = dict(sorted(made["properties"].items(), key=lambda item: item[0] not in needed))
    shown = {"type": "object", "properties": {name: _plain(value) for name, value in properties.items()}}
    return {**shown, **({"required": needed} if needed else {}), "additionalProperties": False}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one argument: what may be left out need not be null, and its title is its name."""
    chosen: dict[str, Any] = next((way for way in schema.get("anyOf", ()) if way.get("type") != "null"), {})
    plain = {**chosen, **{key: value for key, value in schema.items() if key not in ("anyOf", "title")}}
    return {key: value for key, value in plain.items() if key != "default" or value not in (None, "", [])}
