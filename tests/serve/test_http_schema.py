from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient
from tests.cases import cases

from .serving import kept_up

if TYPE_CHECKING:
    from notewell.serve.http.guard import Guard

# Requests for each route and kind.
EXAMPLES = 8


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    from notewell import Vault  # noqa: PLC0415
    from notewell.serve.http import GuardRules, make_app  # noqa: PLC0415
    from notewell.serve.http.access import Allowed  # noqa: PLC0415

    from .conftest import write_notes  # noqa: PLC0415

    with Vault.open(write_notes(tmp_path_factory.mktemp("schema") / "notes")) as vault:
        vault.index()
        with kept_up(vault) as kept:
            yield make_app(kept, GuardRules(Allowed.of(("testserver",), ())))


@pytest.fixture(scope="module")
def published(app: Guard) -> dict[str, Any]:
    with TestClient(app) as client:
        schema: dict[str, Any] = client.get("/openapi.json").json()
    return schema


def test_answers_are_described_only_when_someone_asks(tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415
    from notewell.serve.http import make_api  # noqa: PLC0415
    from notewell.serve.schema import schema_of  # noqa: PLC0415

    schema_of.cache_clear()
    api = make_api(Vault.open(tmp_path))
    assert schema_of.cache_info().currsize == 0
    assert "200" in api.openapi()["paths"]["/search"]["get"]["responses"]


@cases("mode", ["positive", "negative"])
def test_nothing_a_client_can_send_is_a_mistake_of_ours(app: Guard, mode: str) -> None:
    from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: PLC0415
    from schemathesis import GenerationMode, openapi  # noqa: PLC0415
    from schemathesis.core.result import Ok  # noqa: PLC0415
    from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: PLC0415

    schema = openapi.from_asgi("/openapi.json", app)
    chosen = settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    asked = set()
    for operation in (result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)):
        if mode == "negative" and not {"parameters", "requestBody"} & operation.definition.raw.keys():
            # A route without parameters cannot have wrong ones.
            continue

        @seed(8)
        @chosen
        @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
        def ask(case: Any) -> None:
            asked.add(case.path)
            answer = case.call()
            # What a date is, no schema says, and how long all parameters may be together: both are refused rightly.
            if answer.status_code != HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                case.validate_response(answer, excluded_checks=[positive_data_acceptance])

        ask()
    assert len(asked) == (35 if mode == "positive" else 23)


def test_every_field_and_parameter_is_described(published: dict[str, Any]) -> None:
    bare = [
        f"{name}.{field}"
        for name, form in published["components"]["schemas"].items()
        for field, what in form["properties"].items()
        if not what.get("description")
    ]
    unsaid = [
        f"{path}: {parameter['name']}"
        for path, methods in published["paths"].items()
        for route in methods.values()
        for parameter in route.get("parameters", ())
        if not parameter.get("description")
    ]
    assert (bare, unsaid) == ([], [])


def test_the_published_schema_names_no_answer_that_is_not_given(published: dict[str, Any]) -> None:
    statuses = {
        status for methods in published["paths"].values() for route in methods.values() for status in route["responses"]
    }
    assert "422" not in statuses
    assert {"200", "400", "401", "403", "404", "409", "413", "421", "429", "503"} <= statuses


def test_the_published_schema_says_how_a_token_is_sent(published: dict[str, Any]) -> None:
    assert published["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert published["security"] == [{}, {"token": []}]


def test_every_route_and_parameter_is_in_the_reference(published: dict[str, Any]) -> None:
    reference = (Path(__file__).parents[2] / "docs/reference/http.md").read_text(encoding="utf-8")
    for path, methods in published["paths"].items():
        for method, route in methods.items():
            section = reference.partition(f"## {method.upper()} {path}\n")[2].partition("\n## ")[0]
            assert section
            assert all(f"| `{parameter['name']}`" in section for parameter in route.get("parameters", ()))
