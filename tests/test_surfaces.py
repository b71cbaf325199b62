"""All surfaces agree: the same names, parameters and defaults, and answers of one shape."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from pydantic import TypeAdapter
from tests.cases import cases
from tests.serve.serving import Served, serving

from notewell import Vault
from notewell.serve import forms
from notewell.serve.mcp import memory, shapes
from notewell.serve.parameters import HELP
from notewell.types.query import Filters, Query

Parameters = dict[str, Any]

# What can be done by every way in; each is a method of `Vault`.
OPERATIONS = ("search", "related", "read", "traverse", "links", "status", "remember", "forget")
# What a way in does without, and why.
WITHOUT = {
    "http": {"remember": "a page or program may not write", "forget": "likewise"},
}
# The routes of an operation, where there is another, or one for a note in its path.
ROUTES = {"read": ("/node/{place}",), "traverse": ("/traverse/{note}",), "links": ("/links", "/links/{note}")}
# Parameters that only some ways in have, and why.
OWN = {
    "python": {
        "raw": "whoever calls it has the file, too",
    },
    "cli": {
        "vault": "the others have one open",
        "json": "the others answer with data",
        "format": "likewise",
        "null": "likewise",
        "numbers": "the others have the number of the first line",
        "raw": "on a terminal only",
        "all": "the others tell all",
        "wanted": "made from what the others tell",
        "fusion": "a setting, for this once",
        "decay": "likewise",
        "deep": "short for a mode",
    },
    "http": {
        "lines": "a place's colon and sign, where an address cannot have them",
        "part": "likewise",
    },
    "mcp": {
        "max_tokens": "of read: a page that fits a model",
    },
}
# What only hooks ask by: how sure a hit has to be, and what it has to hold.
FOR_HOOKS = {"floor", "containing"}
# Only a program that holds a vault decides itself when to look for changes; by every other way it is done.
REFRESH = "refresh"
# What looks for changes first, and can be told not to; the others read a file itself, or say what is to be taken in.
LOOKS = ("search", "related", "traverse", "links")


def python(operation: str) -> Parameters:
    """Return the parameters of a method, those of a query and of its filters in their place."""
    found: Parameters = {}
    # The notes that others are to be like are what `related` is given, and all that it is.
    given = FOR_HOOKS | ({"text", "like", "mode"} if operation == "related" else set())
    for name, parameter in list(inspect.signature(getattr(Vault, operation)).parameters.items())[1:]:
        if name == "asked":
            found |= {field.name: field.default for field in fields(Query) if field.name not in given}
            found |= {field.name: () for field in fields(Filters)}
        elif name != "query" or operation == "traverse":
            found[name] = None if parameter.default is parameter.empty else parameter.default
    found.pop("filters", None)
    return found


def cli(operation: str) -> Parameters:
    found: Parameters = {}
    for name, parameter in _options(operation).items():
        value = parameter.to_info_dict()["default"]
        found |= {"refresh": not value} if name == "no_refresh" else {name: value}
    return found


def _options(operation: str) -> dict[str, click.Parameter]:
    program: click.Group = import_module("notewell.serve.cli").cli
    command = program.get_command(click.Context(program), operation)
    assert command
    return {max(one.opts, key=len).removeprefix("--").replace("-", "_"): one for one in command.params}


def http(operation: str) -> Parameters:
    return {one["name"]: one["schema"].get("default") for one in _queries(operation)}


def _queries(operation: str) -> list[dict[str, Any]]:
    routes = [_paths()[path]["get"] for path in ROUTES.get(operation, (f"/{operation}",))]
    return [one for route in routes for one in route.get("parameters", ())]


@cache
def _paths() -> dict[str, Any]:
    with Vault.open(Path(__file__).parent) as vault:
        paths: dict[str, Any] = import_module("notewell.serve.http").make_api(vault).openapi()["paths"]
    return paths


def mcp(operation: str) -> Parameters:
    return {name: field.get_default(call_default_factory=True) for name, field in _fields(operation).items()}


def _fields(operation: str) -> Mapping[str, Any]:
    tools = import_module("notewell.serve.mcp.tools").TOOLS
    tools = {tool.name: tool for tool in (*tools, *import_module("notewell.serve.mcp.memory").MEMORY_TOOLS)}
    model: Mapping[str, Any] = tools[operation].arguments.model_fields
    return model


SURFACES: dict[str, Callable[[str], Parameters]] = {"cli": cli, "http": http, "mcp": mcp}
WORDS: dict[str, Callable[[str], dict[str, str]]] = {
    "cli": lambda operation: {name: getattr(one, "help", "") for name, one in _options(operation).items()},
    "http": lambda operation: {one["name"]: one["description"] for one in _queries(operation)},
    "mcp": lambda operation: {name: field.description for name, field in _fields(operation).items()},
}
# Several of them are one parameter that is repeated, where a way in has no lists.
REPEATED = {"notes": "note", "tags": "tag"}
NOTHING: tuple[Any, ...] = (None, "", (), [], {}, False)


def compared(parameters: Parameters) -> Parameters:
    """Return defaults as they are compared: nothing is nothing, and what is given has none, however it is written."""
    return {
        REPEATED.get(name, name): None if value in NOTHING or "Undefined" in repr(value) else value
        for name, value in parameters.items()
        if name != REFRESH
    }


@cases("surface", SURFACES)
@cases("operation", OPERATIONS)
def test_every_way_in_has_the_same_parameters_and_defaults(operation: str, surface: str) -> None:
    if operation in WITHOUT.get(surface, {}):
        with pytest.raises(KeyError):
            SURFACES[surface](operation)
        return
    asked = {name: value for name, value in python(operation).items() if name not in OWN["python"]}
    there = SURFACES[surface](operation)
    shared = {name: value for name, value in there.items() if name not in OWN[surface] or name in asked}
    assert compared(shared) == compared(asked)
    if operation in LOOKS or REFRESH in there:
        assert there[REFRESH] is True


@cases("surface", SURFACES)
@cases("operation", LOOKS)
def test_every_way_in_has_the_same_words_on_a_parameter(operation: str, surface: str) -> None:
    told = WORDS[surface](operation)
    assert told.keys() & HELP.keys()
    for name in told.keys() & HELP.keys():
        # A way in may add what holds for it alone.
        assert told[name] == HELP[name] or told[name].startswith(f"{HELP[name]}; "), name


def test_what_is_listed_as_a_way_s_own_is() -> None:
    for surface, names in OWN.items():
        ways = python if surface == "python" else SURFACES[surface]
        known = {name for one in OPERATIONS if one not in WITHOUT.get(surface, {}) for name in ways(one)}
        assert names.keys() - known == set()


# An answer by the command line and over HTTP, and the form that both have.
ANSWERS: dict[str, tuple[list[str], str, Any]] = {
    "search": (["search", "bees in winter"], "/search?text=bees in winter", forms.Results),
    "search, explained": (["search", "bees", "--explain"], "/search?text=bees&explain=true", forms.Results),
    "search, cut to fit": (
        ["search", "bees", "--max-tokens", "200"],
        "/search?text=bees&max_tokens=200",
        forms.Results,
    ),
    "deep mode": (
        ["search", "bees", "--deep", "--explain"],
        "/search?text=bees&mode=deep&explain=true",
        forms.DeepResults,
    ),
    "related": (["related", "Home"], "/related/Home", forms.Results),
    "read": (["read", "Home.md"], "/node/Home.md", forms.Reading),
    "traverse": (["traverse", "Home", "--query", "bees"], "/traverse/Home?query=bees", forms.Walk),
    "links": (["links", "--broken", "--orphans"], "/links?broken=true&orphans=true", forms.Links),
    "links of a note": (["links", "Home"], "/links/Home", forms.Links),
    "graph": (["graph"], "/graph", forms.Graph),
    "status": (["status"], "/status", forms.Status),
    "index": (["index"], "/reload", forms.Report),
}
# What is never the same twice.
TIMES = {"took_ms", "seconds"}
# What a model gets besides what the others do, or instead: a page is to fit.
FOR_MODELS = {
    "text_is": "a warning",
    "left_out": "what did not fit",
    "reached": "in short what deep mode tells of a hit",
    "pruned": "the number of visits that were not kept, in place of these",
    "nearest_pruned": "likewise",
    "skipped_files": "the number of skipped files, of which only some are named",
    "unread_files": "the number of others",
    "closely_read": "in short what filling tells",
    "indexing": "how far a run is",
}


@pytest.fixture(scope="module")
def served(indexed_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Served]]:
    """The sample vault, and a server of it; without the encoder, which reads on and so changes scores."""
    root = shutil.copytree(indexed_sample, tmp_path_factory.mktemp("surfaces") / "vault")
    with Vault.open(root, {"embed.encoder": "off"}) as vault, serving(vault) as running:
        yield root, running


@pytest.fixture(scope="module")
def behind(indexed_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Served]]:
    """The sample vault with a file that cannot be taken in, as another writes to its store, and a server of it."""
    root = shutil.copytree(indexed_sample, tmp_path_factory.mktemp("behind") / "vault")
    (root / "New.md").write_text("# New\n\nA zebra.\n")
    with (
        Vault.open(root) as other,
        other.store.locked(wait=0),
        Vault.open(root, {"embed.encoder": "off"}) as vault,
        serving(vault) as running,
    ):
        # It starts no run behind, of which it would tell instead.
        running.vault.freshness.stop()
        yield root, running


@pytest.mark.parametrize("answer", ANSWERS)
def test_http_answers_what_the_command_line_prints(
    served: tuple[Path, Served], answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    by_cli, by_http = both_ways(*served, answer)
    assert _timeless(by_cli) == _timeless(by_http)
    # Whatever is not declared is refused, also where it is deep inside.
    TypeAdapter(ANSWERS[answer][-1]).validate_python(by_http)


def test_hits_that_did_not_fit_are_counted(served: tuple[Path, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    for more in ([], ["--deep"]):
        whole, cut = (printed(served[0], ["search", "bees", *more, *rest]) for rest in ([], ["--max-tokens", "200"]))
        assert (whole["left_out"], len(whole["hits"])) == (0, len(cut["hits"]) + cut["left_out"])
        assert cut["left_out"]


@pytest.mark.parametrize("answer", [name for name, (*_, form) in ANSWERS.items() if "notices" in form.__annotations__])
def test_what_the_look_for_changed_files_has_to_say_is_told_by_both(
    behind: tuple[Path, Served], answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    by_cli, by_http = both_ways(*behind, answer)
    assert "Another process is indexing this vault. These results are from before that" in by_cli["notices"]
    assert _timeless(by_cli) == _timeless(by_http)


def test_a_comparison_tells_it_too(behind: tuple[Path, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    both = printed(behind[0], ["search", "bees", "--mode", "compare"])
    for half in ("fast", "deep"):
        assert "Another process is indexing this vault. These results are from before that" in both[half]["notices"]


def both_ways(root: Path, server: Served, answer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the command line prints, and what HTTP answers."""
    typed, path, _ = ANSWERS[answer]
    reply = server.ask(path.replace(" ", "%20"), method="POST" if path == "/reload" else "GET")
    assert reply.status == 200
    return printed(root, typed), json.loads(reply.body.splitlines()[-1])


def printed(root: Path, typed: list[str]) -> dict[str, Any]:
    done = CliRunner().invoke(import_module("notewell.serve.cli").cli, [*typed, "--vault", str(root), "--json"])
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def _timeless(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in TIMES}


@cases(
    ("shape", "form"),
    [
        (shapes.Hits, forms.Results),
        (shapes.Hit, forms.Hit),
        (shapes.Quote, forms.Excerpt),
        (shapes.Walk, forms.Walk),
        (shapes.Visit, forms.Visit),
        (shapes.Links, forms.Links),
        (shapes.Lead, forms.Lead),
        (shapes.Status, forms.Status),
        (memory.Remembered, forms.Remembered),
        (memory.Near, forms.Near),
        (memory.Forgotten, forms.Forgotten),
    ],
)
def test_what_a_model_gets_is_of_what_the_others_do(shape: type, form: type) -> None:
    assert shape.__annotations__.keys() - FOR_MODELS.keys() <= form.__annotations__.keys()


def test_deep_mode_is_as_long_by_every_way_in() -> None:
    from notewell.graph.deep import DEEP  # noqa: PLC0415

    assert f"up to {DEEP.cap} notes unless limit is set" in HELP["mode"]


def test_every_tool_s_shape_is_compared_and_what_is_for_models_is_there() -> None:
    tools = (*import_module("notewell.serve.mcp.tools").TOOLS, *memory.MEMORY_TOOLS)
    answers = [tool.answer for tool in tools if tool.answer]
    given = {name for shape in (*answers, shapes.Hit) for name in shape.__annotations__}
    assert FOR_MODELS.keys() <= given
