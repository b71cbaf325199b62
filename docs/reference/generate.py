"""What cog writes into the reference pages: taken from the code, so that it cannot be wrong for long."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import click

import notewell
from notewell import errors
from notewell.config import variable_of
from notewell.config.settings import SPECS, setting_names
from notewell.curate.intake import Intake
from notewell.curate.promote import Promoted, Queue
from notewell.curate.renames import Renamed
from notewell.curate.suggest import TagProposals
from notewell.curate.tag_report import TagReport
from notewell.domains.listing import DomainList
from notewell.entities.report import Entities
from notewell.files.formats import FORMATS
from notewell.graph.link_report import Links
from notewell.graph.map import GraphMap
from notewell.graph.overview import Graph
from notewell.graph.traverse import Walk
from notewell.index.place import Reading
from notewell.index.report import Report, Status
from notewell.memory import Forgotten, Remembered
from notewell.serve.cli import COMMANDS, cli
from notewell.serve.http import make_api
from notewell.serve.http.health import Health, Indexed, Paused, VaultHealth
from notewell.serve.http.problems import Failure
from notewell.serve.http.rag import line_schemas
from notewell.serve.http.reload import IndexingProgress
from notewell.serve.mcp.arguments import input_schema
from notewell.serve.mcp.memory import MEMORY_TOOLS
from notewell.serve.mcp.notes import TEMPLATE
from notewell.serve.mcp.tools import TOOLS
from notewell.serve.schema import json_schema, schema_of
from notewell.serve.web.choices import FilterChoices
from notewell.serve.web.conversations import Session, SessionList
from notewell.serve.web.duplicates import Duplicates
from notewell.serve.web.findings import BrokenLinks, Findings
from notewell.serve.web.note_page import NotePage
from notewell.types.answer import Answer
from notewell.types.results import Compared, DeepResults, Results

# Annotations are texts; defaults in quotes stay.
QUOTED = re.compile(r"(?<=[:>] )'([^']*)'")
# Types of parameters, as one reads them.
NAMED = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "array": "texts"}
# Every result that is printed or sent as JSON.
ANSWERS = (
    *(
        Compared,
        DeepResults,
        DomainList,
        Failure,
        Forgotten,
        Entities,
        Graph,
        Health,
        IndexingProgress,
        Links,
        Reading,
        Remembered,
        Report,
    ),
    *(Results, Status, VaultHealth, Walk),
    # For the page in a browser.
    Answer,
    *(BrokenLinks, Duplicates, FilterChoices, Findings, GraphMap, Indexed, NotePage, Paused, Session, SessionList),
    *(Intake, Renamed, TagReport, TagProposals, Queue, Promoted),
)
DECISIONS = Path(__file__).parents[1] / "decisions"
DECISION = re.compile(r"^## (.+) \((\d{4}-\d\d-\d\d).*\)$", re.MULTILINE)


def commands() -> str:
    """Return every command's help."""
    settings = {"max_content_width": 100, "terminal_width": 100, "help_option_names": ["-h", "--help"]}
    context = click.Context(cli, info_name="notewell", **settings)
    parts = [f"\n```\n{cli.get_help(context)}\n```\n"]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        inner = click.Context(command, parent=context, info_name=name, **settings)
        parts += _with_its_own(inner, "##")
    return "\n".join(parts)


def _with_its_own(context: click.Context, heading: str) -> Iterator[str]:
    """Yield the help of a command, and of the commands below it."""
    yield f"{heading} {context.command_path}\n\n```\n{context.get_help()}\n```\n"
    for name, under in getattr(context.command, "commands", {}).items():
        deeper = click.Context(under, parent=context, info_name=name)
        yield from _with_its_own(deeper, "###")


def settings() -> str:
    """Return every setting with its default, its variable and what it does."""
    rows = ["", "| setting | default | variable | what it does |", "|---|---|---|---|"]
    for name, default in setting_names().items():
        shown = repr(list(default)) if isinstance(default, tuple) else repr(default)
        rows.append(f"| `{name}` | `{shown}` | `{variable_of(name)}` | {SPECS[name].help} |")
    return "\n".join(rows) + "\n"


def formats() -> str:
    """Return every format with its suffixes and what has to be installed for it."""
    rows = ["", "| format | suffixes | needs |", "|---|---|---|"]
    for format in FORMATS:
        suffixes = " ".join(f"`{suffix}`" for suffix in format.suffixes)
        rows.append(f"| {format.name} | {suffixes} | {f'extra `{format.extra}`' if format.extra else 'nothing'} |")
    return "\n".join(rows) + "\n"


def routes() -> str:
    """Return every route with its parameters, what it answers, and how it fails."""
    parts = [""]
    # The routes are the same for every vault; this one is not even indexed.
    with notewell.Vault.open(Path(__file__).parent) as vault:
        described = make_api(vault).openapi()
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            parts.append(f"## {method.upper()} {path}\n\n{route['description']}\n")
            parts += _parameters(route.get("parameters", ()) or _body(route, described["components"]["schemas"]))
            parts += _answers(route["responses"])
    return "\n".join(parts)


def _body(route: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a JSON body as parameters."""
    if "requestBody" not in route:
        return []
    form = schemas[route["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
    return [
        {"name": name, "in": "body", "schema": one, "required": name in form.get("required", ()), **one}
        for name, one in form["properties"].items()
    ]


def _parameters(parameters: Sequence[dict[str, Any]]) -> list[str]:
    if not parameters:
        return []
    rows = ["| parameter | type | default | what it does |", "|---|---|---|---|"]
    for one in sorted(parameters, key=lambda one: not one["required"]):
        default = "" if one["required"] else f"`{json.dumps(one['schema'].get('default'))}`"
        place = {"path": " (in the path)", "body": " (in the body)"}.get(one["in"], "")
        rows.append(f"| `{one['name']}`{place} | {_type(one['schema'])} | {default} | {one['description']} |")
    return [*rows, ""]


def _answers(answers: dict[str, Any]) -> list[str]:
    (kind, content), *_ = answers["200"]["content"].items()
    form = content.get("schema", {})
    names = [one["$ref"].rpartition("/")[2] for one in form.get("oneOf", form.get("anyOf", [form]))]
    others = ", ".join(sorted(status for status in answers if status != "200"))
    told = " or ".join(f"[{name}](answers.md#{name.lower()})" for name in names)
    return [f"Answers {told} (`{kind}`); or {others}.", ""]


def answers() -> str:
    """Return the form of every answer: its fields, their types, and what they say."""
    parts = [""]
    for name, schema in sorted(_answer_forms().items()):
        parts += [f"## {name}\n\n{schema['description']}\n", "| field | type | what it says |", "|---|---|---|"]
        for field, one in schema["properties"].items():
            seldom = "" if field in schema["required"] else ", not always there"
            parts.append(f"| `{field}` | {_form_type(one)}{seldom} | {one['description']} |")
        parts.append("")
    return "\n".join(parts)


def _answer_forms() -> dict[str, Any]:
    """Return the schema of every answer and of its parts, by name."""
    found: dict[str, Any] = {}
    for result in ANSWERS:
        schema = json_schema(schema_of(result))
        found |= schema.pop("$defs", {}) | {result.__name__: schema}
    return found | json_schema(line_schemas())["$defs"]


def _form_type(schema: dict[str, Any]) -> str:
    """Return the type of a field, as one reads it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_form_type, schema["anyOf"]))
    if "prefixItems" in schema:
        return f"pair: {', '.join(map(_form_type, schema['prefixItems']))}"
    if schema["type"] == "array":
        return f"list: {_form_type(schema['items'])}"
    if schema["type"] == "object":
        return f"by name: {_form_type(schema['additionalProperties'])}"
    return NAMED.get(schema["type"], schema["type"])


def _type(schema: dict[str, Any]) -> str:
    """Return the type of a parameter, as one reads it."""
    kinds = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    if "enum" in kinds[0]:
        return ", ".join(f"`{value}`" for value in kinds[0]["enum"])
    number = int if kinds[0].get("type") == "integer" else (lambda value: value)
    bounds = [number(kinds[0][key]) for key in ("minimum", "maximum") if key in kinds[0]]
    return NAMED[kinds[0]["type"]] + (f", {bounds[0]} to {bounds[1]}" if bounds else "")


def error_tree() -> str:
    """Return the error tree as its module draws it."""
    tree = (errors.__doc__ or "").partition("\n\n")[2].strip()
    return f"\n```\n{tree}\n```\n"


def python() -> str:
    """Return the public names, their signatures and first lines."""
    parts = [""]
    for name in notewell.__all__:
        thing = getattr(notewell, name)
        if inspect.isfunction(thing):
            parts.append(f"## {name}\n\n{_first_line(thing)}\n\n- `{name}{_signature(thing)}`\n")
        if not inspect.isclass(thing):
            continue
        parts.append(f"## {name}\n\n{_first_line(thing)}\n")
        for method, function in inspect.getmembers(thing, callable):
            if not method.startswith("_") and _is_ours(thing, method):
                shape = _signature(function)
                parts.append(f"- `{method}{shape}`: {_first_line(function)}")
        properties = inspect.getmembers(thing, lambda member: isinstance(member, property | cached_property))
        parts += [f"- `{name}`: {_first_line(member)}" for name, member in properties if not name.startswith("_")]
        parts += _fields(thing)
        parts.append("")
    return "\n".join(parts)


def _signature(function: Callable[..., object]) -> str:
    """Return a signature without `self`; a default that is an object of ours is only hinted at."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(default=Hinted()) if _is_of_notewell(parameter.default) else parameter
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    return QUOTED.sub(r"\1", str(signature.replace(parameters=parameters)))


def _is_of_notewell(value: object) -> bool:
    return type(value).__module__.startswith("notewell.")


class Hinted:
    """A default whose value does not matter to a reader."""

    def __repr__(self) -> str:
        return "…"


def _fields(thing: type) -> list[str]:
    """Return the fields of a dataclass with their types, and the text that stands below each in its source."""
    said: dict[str, str] = {}
    for base in (base for base in thing.__mro__ if base.__module__.startswith("notewell")):
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
        for field, below in itertools.pairwise(body):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if isinstance(field, ast.AnnAssign) and is_text:
                said.setdefault(ast.unparse(field.target), f": {' '.join(str(below.value.value).split())}")
    fields = getattr(thing, "__dataclass_fields__", {}).values()
    return [f"- `{field.name}: {field.type}`{said.get(field.name, '')}" for field in fields]


def tools() -> str:
    """Return every tool: its description for models, its arguments, and the fields of its answer."""
    parts = [""]
    for tool in (*TOOLS, *MEMORY_TOOLS):
        parts += [f"## {tool.name}\n", f"{tool.description}\n"]
        schema = input_schema(tool.arguments)
        if schema["properties"]:
            parts += ["| argument | kind | default | what it says |", "|---|---|---|---|"]
            parts += [_argument(name, told, schema) for name, told in schema["properties"].items()]
            parts.append("")
        fields = json_schema(tool.answer)["properties"] if tool.answer else {}
        told = ", ".join(f"`{name}`" for name in fields)
        parts.append(f"Answers with {told}, and the same as text.\n" if fields else "Answers with text.\n")
    parts += ["## Resources\n", f"`{TEMPLATE}`: a note by its path, percent-encoded; its path can be completed.\n"]
    return "\n".join(parts)


def _argument(name: str, told: dict[str, object], schema: dict[str, object]) -> str:
    needed = name in schema.get("required", ())  # type: ignore[operator]
    default = "needed" if needed else f"`{told['default']}`" if "default" in told else ""
    kind = "list of texts" if told["type"] == "array" else {"string": "text"}.get(str(told["type"]), told["type"])
    choices = told.get("enum")
    shown = " or ".join(f"`{choice}`" for choice in choices) if isinstance(choices, list) else kind
    return f"| `{name}` | {shown} | {default} | {told['description']} |"


def decisions() -> str:
    """Return a table of all decisions: the room, what was decided, and when."""
    rows = ["", "| room | decision | date |", "|---|---|---|"]
    for page in sorted(DECISIONS.glob("*.md")):
        for title, day in DECISION.findall(page.read_text(encoding="utf-8")):
            rows.append(f"| [{page.stem}]({page.name}) | {title} | {day} |")
    return "\n".join(rows) + "\n"


def _is_ours(thing: type, name: str) -> bool:
    return any(name in vars(base) for base in thing.__mro__ if base.__module__.startswith("notewell"))


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]
