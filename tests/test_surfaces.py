"""All surfaces agree: the same names, parameters and defaults, and answers of one shape."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from pydantic import TypeAdapter
from tests.cases import cases
from tests.serve.serving import Served, serving

from notewell import Vault, ask
from notewell.entities.report import Entities
from notewell.graph.link_report import Links
from notewell.graph.overview import Graph
from notewell.graph.traverse import Walk
from notewell.index.place import Reading
from notewell.index.report import Report, Status
from notewell.serve.daemon.client import COMMANDS
from notewell.serve.mcp import memory
from notewell.serve.mcp.arguments import arguments_of, read_arguments
from notewell.serve.pager import PAGED
from notewell.serve.parameters import OPERATIONS, QUERY, REQUIRED
from notewell.serve.schema import schema_of
from notewell.types.aliases import aliases_of
from notewell.types.query import Filters, QueryFields
from notewell.types.results import Compared, DeepResults, Results


@dataclass(frozen=True)
class Shown:
    """A parameter as a surface shows it."""

    default: Any
    help: str


Parameters = dict[str, Shown]
NOTHING: tuple[Any, ...] = (None, "", (), [], {}, False)


def python(operation: str) -> set[str]:
    """Return the parameters of a method of `Vault`, those of a query and its filters in their place."""
    names = set[str]()
    method = ask if operation == "ask" else getattr(Vault, operation)
    for one in inspect.signature(method).parameters.values():
        is_query = one.kind is one.POSITIONAL_ONLY and one.name == "query"
        names |= (
            QueryFields.__annotations__.keys() if one.kind is one.VAR_KEYWORD else {"text" if is_query else one.name}
        )
    filters = {field.name for field in fields(Filters)}
    return {name for one in names - {"self", "vault"} for name in (filters if one == "filters" else {one})}


def cli(operation: str) -> Parameters | None:
    program: click.Group = import_module("notewell.serve.cli").cli
    command = program.get_command(click.Context(program), operation)
    assert command
    shown = {}
    for one in command.params:
        name = max(one.opts, key=len).removeprefix("--").replace("-", "_")
        value, help = one.to_info_dict()["default"], getattr(one, "help", "")
        given = ("refresh", not value, QUERY["refresh"].help) if name == "no_refresh" else (name, value, help)
        shown[given[0]] = Shown(*given[1:])
    return shown


def http(operation: str) -> Parameters | None:
    paths = _paths().get(operation, ())
    shown = [(one["name"], one["schema"], one["description"]) for path in paths for one in path.get("parameters", ())]
    if bodies := [path["requestBody"] for path in paths if "requestBody" in path]:
        name = bodies[0]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        fields = _published()["components"]["schemas"][name]["properties"]
        shown += [(name, field, field["description"]) for name, field in fields.items()]
    return {name: Shown(schema.get("default"), help) for name, schema, help in shown} if paths else None


@cache
def _published() -> dict[str, Any]:
    with Vault.open(Path(__file__).parent) as vault:
        published: dict[str, Any] = import_module("notewell.serve.http").make_api(vault).openapi()
    return published


@cache
def _paths() -> dict[str, list[Any]]:
    """Return the published routes of each operation."""
    published = _published()["paths"]
    with Vault.open(Path(__file__).parent) as vault:
        routes = import_module("notewell.serve.http.routes").router(vault).routes
    made: dict[str, list[Any]] = {}
    for route in routes:
        models = [one.field_info.annotation.operation for one in route.dependant.query_params]
        (name,) = models or [route.name]
        # Images are in no schema.
        made.setdefault(name, []).extend(published.get(route.path_format, {}).values())
    return made


def mcp(operation: str) -> Parameters | None:
    tools = (*import_module("notewell.serve.mcp.tools").TOOLS, *memory.MEMORY_TOOLS)
    models = [tool.arguments for tool in tools if tool.name == operation]
    shown = [one for model in models for one in model.model_fields.items()]
    made = {name: Shown(None if one.is_required() else one.get_default(), one.description) for name, one in shown}
    return made if models else None


SURFACES: dict[str, Callable[[str], Parameters | None]] = {"cli": cli, "http": http, "mcp": mcp}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_table_has_every_parameter_of_the_method_and_what_a_surface_does_before(operation: str) -> None:
    shared = {one.name for one in OPERATIONS[operation].parameters}
    beside = set(OPERATIONS[operation].beside)
    assert shared & beside == set()
    assert python(operation) <= shared | beside
    assert beside <= python(operation)
    # Surfaces refresh a vault before they call a method.
    assert shared - python(operation) <= {"refresh"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_surface_has_the_parameters_of_an_operation_with_one_name_default_and_help(operation: str) -> None:
    shared = {one.name: one for one in OPERATIONS[operation].parameters}
    offered = {name: shown for name, surface in SURFACES.items() if (shown := surface(operation)) is not None}
    assert offered.keys() == set(OPERATIONS[operation].surfaces)
    for surface, shown in offered.items():
        here = {name: one for name, one in shared.items() if surface in one.surfaces}
        assert here.keys() <= shown.keys() and not (shared.keys() - here.keys()) & shown.keys(), surface
        for name, one in here.items():
            wanted = None if one.default is REQUIRED or one.default in NOTHING else one.default
            default = None if shown[name].default in NOTHING else shown[name].default
            assert ("Sentinel" in repr(default) and wanted is None) or default == wanted, (surface, name)
            # A positional argument has no help of its own, and one in a path says how it is written there.
            is_option = one.default is not REQUIRED and name not in ("note", "name")
            assert not is_option or shown[name].help.startswith(one.help), (surface, name)


def test_every_command_that_only_reads_is_paged_and_run_by_the_daemon() -> None:
    # A question may wait for a model, longer than the daemon lives, and is printed as the answer comes.
    reading = {operation for operation, offered in OPERATIONS.items() if "http" in offered.surfaces} - {"ask"}
    assert reading <= PAGED and reading <= set(COMMANDS)


def test_what_two_surfaces_have_beside_is_the_same_thing() -> None:
    for operation in OPERATIONS:
        shared = {one.name for one in OPERATIONS[operation].parameters}
        beside = [set(shown) - shared for surface in SURFACES.values() if (shown := surface(operation)) is not None]
        assert not [one & other for one, other in combinations(beside, 2) if one & other], operation


def test_bounds_and_counts_in_help_are_those_of_the_code() -> None:
    from notewell.graph.deep import DEEP  # noqa: PLC0415
    from notewell.graph.traverse import FAST  # noqa: PLC0415

    assert f"up to {DEEP.cap} notes unless limit is set" in QUERY["mode"].help
    (depth,) = [one for one in OPERATIONS["traverse"].parameters if one.name == "depth"]
    assert depth.bounds == (1, FAST.hops) and f"Default: {FAST.hops}" in depth.help


def test_one_thing_has_one_name_in_all_operations() -> None:
    names = {one.name for operation in OPERATIONS.values() for one in operation.parameters}
    assert not names & {"notes", "place", "query", "tags"}
    # An argument is never an alias of another that has it beside.
    for operation in OPERATIONS.values():
        own = {one.name for one in operation.parameters}
        assert not own & aliases_of(own).keys() and set(aliases_of(own).values()) <= own


@cases(
    ("own", "other"),
    [
        ("/search?text=bees&limit=3&under=Garden", "/search?q=bees&k=3&path=Garden"),
        ("/search?text=bees&limit=3&tag=garden&tag=bees", "/search?query=bees&top_k=3&tags=garden&tags=bees"),
        ("/related?note=Home&note=Inbox&limit=3", "/related?notes=Home&notes=Inbox&n=3"),
        ("/traverse/Home?text=bees", "/traverse/Home?query=bees"),
    ],
)
def test_old_names_and_the_usual_guesses_are_accepted_over_http(
    served: tuple[Path, Served], own: str, other: str
) -> None:
    new, old = (served[1].ask(path) for path in (own, other))
    assert (new.status, _timeless(new.data)) == (200, _timeless(old.data))


@cases(
    ("tool", "own", "other"),
    [
        ("search", {"text": "x", "limit": 3, "under": "Garden"}, {"query": "x", "top_k": 3, "path": "Garden"}),
        ("read", {"note": "Home"}, {"file_path": "Home"}),
        ("read", {"note": "Home"}, {"place": "Home"}),
        ("related", {"note": ["Home"]}, {"notes": ["Home"]}),
        ("related", {"note": ["Home"]}, {"path": "Home"}),
        ("traverse", {"note": "Home", "text": "x"}, {"name": "Home", "query": "x"}),
        ("links", {"note": "Home"}, {"title": "Home"}),
        ("remember", {"text": "x", "tag": ["a"], "title": "t"}, {"content": "x", "tags": "a", "title": "t"}),
    ],
)
def test_old_names_and_the_usual_guesses_are_accepted_from_models(
    tool: str, own: dict[str, Any], other: dict[str, Any]
) -> None:
    model = arguments_of(tool)
    assert read_arguments(model, own) == read_arguments(model, other)


def test_old_names_and_the_usual_guesses_are_accepted_in_python_and_in_a_shell(
    served: tuple[Path, Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    with Vault.open(served[0]) as vault:
        call: Any = vault
        assert call.read(place="Home") == call.read(path="Home") == vault.read("Home")
        assert call.traverse("Home", query="bees") == vault.traverse("Home", text="bees")
        own = vault.search("bees", limit=3, filters=Filters(tag="beekeeping"))
        assert own.hits and call.search(query="bees", k=3, tags="beekeeping").hits == own.hits
        with pytest.raises(TypeError, match="'q' and 'query' are the same argument"):
            call.search(q="bees", query="bees")
    by_hand = printed(served[0], ["search", "bees", "--top-k=3", "--tags", "beekeeping"])
    assert [hit["path"] for hit in by_hand["hits"]] == [hit.path for hit in own]
    assert printed(served[0], ["traverse", "Home", "--query", "bees"])["query"] == "bees"


# An answer by the command line and over HTTP, and the form that both have.
ANSWERS: dict[str, tuple[list[str], str, Any]] = {
    "search": (["search", "bees in winter"], "/search?text=bees in winter", Results),
    "search, explained": (["search", "bees", "--explain"], "/search?text=bees&explain=true", Results),
    "search, cut to fit": (
        ["search", "bees", "--max-tokens", "200"],
        "/search?text=bees&max_tokens=200",
        Results,
    ),
    "deep mode": (
        ["search", "bees", "--deep", "--explain"],
        "/search?text=bees&mode=deep&explain=true",
        DeepResults,
    ),
    "compare": (["search", "bees", "--mode", "compare"], "/search?text=bees&mode=compare", Compared),
    "related": (["related", "Home"], "/related/Home", Results),
    "read": (["read", "Home.md"], "/node/Home.md", Reading),
    "traverse": (["traverse", "Home", "--text", "bees"], "/traverse/Home?text=bees", Walk),
    "links": (["links", "--broken", "--orphans"], "/links?broken=true&orphans=true", Links),
    "links that miss a note": (["links", "--wanted"], "/links?wanted=true", Links),
    "links of a note": (["links", "Home"], "/links/Home", Links),
    "entities": (["entities", "--kind", "person"], "/entities?kind=person", Entities),
    "graph": (["graph"], "/graph", Graph),
    "status": (["status"], "/status", Status),
    "index": (["index"], "/reload", Report),
}
# What is never the same twice, and what the first of two answers had to do.
TIMES = {"took_ms", "seconds", "extracted"}


@pytest.fixture(scope="module")
def served(indexed_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Served]]:
    """The sample vault, and a server of it; without the encoder, which reads on and so changes scores."""
    root = shutil.copytree(indexed_sample, tmp_path_factory.mktemp("surfaces") / "vault")
    with Vault.open(root, {"embed.encoder": "off"}) as vault:
        # Copies have new times; looking at them all takes longer than an answer waits on a busy machine.
        vault.index()
        with serving(vault) as running:
            yield root, running


@pytest.fixture(scope="module")
def behind(indexed_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Served]]:
    """The sample vault with a file that cannot be indexed because another process writes, and a server of it."""
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
    TypeAdapter(schema_of(ANSWERS[answer][-1])).validate_python(by_http)


def test_hits_that_did_not_fit_are_counted(served: tuple[Path, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    for more in ([], ["--deep"]):
        whole, cut = (printed(served[0], ["search", "bees", *more, *rest]) for rest in ([], ["--max-tokens", "200"]))
        assert (whole["left_out"], len(whole["hits"])) == (0, len(cut["hits"]) + cut["left_out"])
        assert cut["left_out"]


# These have notices, too, but wait for no look: an indexing run is one, and `status` lists what changed.
WITHOUT_LOOK = {"index", "status"}
LOOKING = [
    name for name, (*_, form) in ANSWERS.items() if "notices" in form.__annotations__ and name not in WITHOUT_LOOK
]


@pytest.mark.parametrize("answer", LOOKING)
def test_what_the_look_for_changed_files_has_to_say_is_reported_by_both(
    behind: tuple[Path, Served], answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    by_cli, by_http = both_ways(*behind, answer)
    assert (
        "Another process is indexing this vault. The latest changes may be missing from these results"
        in by_cli["notices"]
    )
    assert _timeless(by_cli) == _timeless(by_http)


def test_a_comparison_tells_it_too(behind: tuple[Path, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    both = printed(behind[0], ["search", "bees", "--mode", "compare"])
    for half in ("fast", "deep"):
        assert (
            "Another process is indexing this vault. The latest changes may be missing from these results"
            in both[half]["notices"]
        )


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
    return {
        name: _timeless(value) if isinstance(value, dict) else value
        for name, value in answer.items()
        if name not in TIMES
    }


def test_what_a_model_gets_has_the_form_that_its_tool_declares(served: tuple[Path, Served]) -> None:
    given: dict[str, dict[str, Any]] = {"search": {"text": "bees", "mode": "deep", "explain": True}}
    given |= {
        "graph": {},
        "related": {"note": ["Home"]},
        "ask": {"question": "when do bees swarm?"},
        "traverse": {"note": "Home"},
        "links": {"note": "Home"},
        "entities": {"name": "Tomasz"},
        "status": {},
    }
    vault = served[1].vault
    assert vault
    for tool in import_module("notewell.serve.mcp.tools").TOOLS:
        if tool.answer:
            page = tool.run(vault, read_arguments(tool.arguments, given[tool.name])).data
            TypeAdapter(tool.answer).validate_python(page)
