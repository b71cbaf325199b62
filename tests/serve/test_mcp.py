"""A whole session over stdio with the library's own client, on the sample vault."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference
from pydantic import AnyUrl
from tests.cases import cases
from tests.serve.mcp_clients import PAGE, Asking, asking, said, size, stdio

from notewell import Vault
from notewell.serve.mcp.memory import MEMORY_TOOLS
from notewell.serve.mcp.tools import TOOLS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def session(indexed_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    root = shutil.copytree(indexed_sample, tmp_path_factory.mktemp("mcp") / "vault")
    with Vault.open(root) as vault:
        # Copies have new times; looking at them all takes longer than an answer waits on a busy machine.
        vault.index()
    with asking(stdio(root)) as client:
        yield client


def test_every_tool_says_what_it_is_for_and_that_it_only_reads(session: Asking) -> None:
    tools = session.do("list_tools").tools
    assert [tool.name for tool in tools] == [
        *("search", "read", "related", "ask", "traverse", "links", "entities", "graph", "status")
    ]
    for tool in tools:
        assert len(tool.description) > 100
        assert tool.annotations.read_only_hint and tool.annotations.open_world_hint is False
        assert all(argument["description"] for argument in tool.input_schema["properties"].values()), tool.name


def test_all_tools_together_cost_a_model_little_to_know(session: Asking) -> None:
    tools = session.do("list_tools").tools
    words = sum(len(tool.description) + len(str(tool.input_schema)) for tool in tools)
    assert words < 10_000


def test_every_tool_and_argument_is_in_the_docs(session: Asking) -> None:
    guide = (DOCS / "guides/agents.md").read_text(encoding="utf-8")
    reference = (DOCS / "reference/mcp.md").read_text(encoding="utf-8")
    assert [tool.name for tool in session.do("list_tools").tools] == [tool.name for tool in TOOLS]
    for tool in (*TOOLS, *MEMORY_TOOLS):
        assert f"| `{tool.name}` |" in guide and f"## {tool.name}\n\n{tool.description}" in reference
        assert all(f"| `{name}` |" in reference for name in tool.arguments.model_fields)


def test_the_client_is_told_whose_notes_these_are(session: Asking) -> None:
    assert (session.client.instructions or "").endswith("in this folder:\n~~~\nvault\n~~~")
    assert session.client.server_info and session.client.server_info.name == "notewell"


def test_a_search_gives_places_to_cite_and_the_lines_that_stand_there(session: Asking) -> None:
    result = session.call("search", text="why does my loaf spread flat", limit=3)
    first: dict[str, Any] = result.structured_content["hits"][0]
    assert first["path"] == "Recipes/Sourdough handbook.md"
    assert f"{first['path']}:" in said(result)
    line = first["excerpt"]["line"] if "excerpt" in first else first["line"]
    quoted = (first["excerpt"]["text"] if "excerpt" in first else first["text"]).split("\n")[0]
    assert quoted in session.text("read", note=f"{first['path']}:{line}-{line + 3}")


def test_text_and_data_say_the_same(session: Asking) -> None:
    result = session.call("search", text="bees in winter")
    for hit in result.structured_content["hits"]:
        assert hit["path"] in said(result)
        for line in hit.get("text", hit.get("excerpt", {}).get("text", "")).split("\n"):
            assert line in said(result)


def test_filters_are_those_of_the_command_line(session: Asking) -> None:
    under = session.call("search", text="water", under="Garden").structured_content["hits"]
    assert under and all(hit["path"].startswith("Garden/") for hit in under)
    tagged = session.call("search", text="", tag="beekeeping").structured_content["hits"]
    assert tagged == session.call("search", text="", tag=["beekeeping"]).structured_content["hits"] != []
    assert session.call("search", text="", where={"type": "nothing"}).structured_content["hits"] == []


def test_a_budget_of_tokens_gives_whole_passages(session: Asking) -> None:
    result = session.call("search", text="varroa mites", max_tokens=600)
    hits = result.structured_content["hits"]
    assert hits and all("text" in hit for hit in hits)
    assert sum(len(hit["text"]) for hit in hits) <= 600 * 4


def test_deep_mode_says_how_a_note_was_reached(session: Asking) -> None:
    hits = session.call("search", text="what bees cost", mode="deep").structured_content["hits"]
    assert any("hop" in hit.get("reached", "") for hit in hits)


def test_explain_says_how_scores_came_about(session: Asking) -> None:
    plain, explained = (session.call("search", text="bees", limit=1, explain=way) for way in (False, True))
    assert "trace" not in plain.structured_content["hits"][0]
    assert explained.structured_content["hits"][0]["trace"]


def test_a_note_comes_in_pages_that_lead_to_each_other(session: Asking, indexed_sample: Path) -> None:
    place, seen = "Recipes/Sourdough handbook.md", []
    whole = (indexed_sample / place).read_text(encoding="utf-8")
    for _ in range(50):
        page = session.text("read", note=place, max_tokens=300)
        _, _, head, *lines, fence = page.split("\n")
        assert head.startswith("Recipes/Sourdough handbook.md, lines ") and fence == "~~~"
        more = lines.pop() if "There is more: read " in lines[-1] else ""
        seen += [line.partition("  ")[2] for line in lines]
        if not more:
            break
        place = more.removeprefix("There is more: read ")
    assert "\n".join(seen) == whole.rstrip("\n")


def test_a_note_can_be_read_by_its_name(session: Asking) -> None:
    assert "Garden/Varroa treatment.md, lines 1-" in session.text("read", note="varroa treatment")


def test_related_traverse_and_links_start_from_a_note(session: Asking) -> None:
    note = "Garden/Varroa treatment.md"
    assert note not in [hit["path"] for hit in session.call("related", note=note).structured_content["hits"]]
    walk = session.call("traverse", note=note, floor=0.2).structured_content
    assert walk["visits"][0]["path"] == note and len(walk["visits"]) > 1
    links = session.call("links", note=note).structured_content
    assert links["links"] and "counts" not in links
    assert session.call("links", broken=True).structured_content["counts"]["notes"] > 40
    assert session.call("links", wanted=True).structured_content["wanted"][0] == {"target": "Pillow Book", "notes": 1}


def test_compare_marks_what_one_mode_alone_found(session: Asking) -> None:
    hits = session.call("search", text="bees in winter", mode="compare", limit=4).structured_content["hits"]
    fast, deep = (
        {
            hit["path"]
            for hit in session.call("search", text="bees in winter", mode=mode, limit=4).structured_content["hits"]
        }
        for mode in ("fast", "deep")
    )
    assert {hit["path"]: hit.get("only") for hit in hits} == {
        path: None if path in fast & deep else "fast" if path in fast else "deep" for path in fast | deep
    }


def test_the_graph_is_shown_by_its_communities(session: Asking) -> None:
    graph = session.call("graph").structured_content
    assert graph["notes"] > 40 and graph["communities"][0]["central"].endswith(".md")
    assert f"{graph['communities'][0]['size']} notes: " in session.text("graph")


def test_status_shows_what_is_there(session: Asking) -> None:
    status = session.call("status").structured_content
    assert status["notes"] > 40 and status["vault"].endswith("vault") and "indexing" not in status


def test_every_answer_fits_on_a_page(session: Asking) -> None:
    for name, given in (
        ("search", {"text": "the", "limit": 50}),
        ("search", {"text": "bees", "mode": "deep", "limit": 50}),
        ("search", {"text": "bees", "mode": "compare"}),
        ("graph", {}),
        ("related", {"note": "Home", "limit": 50}),
        ("traverse", {"note": "Home", "floor": -1}),
        ("links", {"orphans": True, "broken": True}),
        ("read", {"note": "Recipes/Sourdough handbook.md"}),
        ("status", {}),
    ):
        assert 0 < size(session.call(name, **given)) <= PAGE, name


@cases(
    ("name", "given", "expected"),
    [
        ("search", {}, "'text' is missing"),
        ("search", {"text": " "}, "nothing to search for"),
        ("search", {"text": "x", "limit": 0}, "'limit'"),
        ("search", {"text": "x", "querry": "y"}, "no argument 'querry'"),
        ("search", {"text": "x", "lmit": 3}, "Did you mean 'limit'?"),
        ("search", {"words": "x"}, "Did you mean 'text'?"),
        ("search", {"limit": 3, "words": "x", "lmit": 3}, "no argument 'words'.\nhint: Did you mean 'text'?"),
        ("search", {"text": "x", "rows": 3}, "Use text, "),
        ("search", {"text": "x", "q": "x"}, "Send only 'text'"),
        ("traverse", {"start": "Home"}, """Did you mean 'note'? For example {"note": "Garden/Bees.md"}"""),
        ("links", {"to": "notes"}, "chooses among broken links"),
        ("status", {"vault": "x"}, "Use no arguments"),
        ("search", {"text": "x", "like": "../outside.md"}, "No indexed note"),
        ("search", {"text": "x", "like": "/etc/passwd", "mode": "deep"}, "No indexed note"),
        ("related", {"note": ["Home", "../outside.md"]}, "No indexed note"),
        ("search", {"text": "x", "where": ["status"]}, "'status' is not KEY=VALUE"),
        ("search", {"text": "x", "after": "someday"}, "someday"),
        ("search", {"text": "x", "mode": "wide"}, "'fast', 'deep' or 'compare'"),
        ("read", {"note": "../outside.md"}, "No indexed note"),
        ("read", {"note": "/etc/passwd"}, "/etc/passwd"),
        ("read", {"note": "Home.md:9000"}, "there is no line 9000"),
        ("read", {"note": "Garden/Varoa treatment"}, "Did you mean Garden/Varroa treatment.md?"),
        ("related", {"note": []}, "'note'"),
        ("related", {"note": [""]}, "No indexed note is called ''"),
        ("traverse", {"note": "No such note at all"}, "No such note at all"),
    ],
)
def test_an_error_is_reported_by_name_with_a_hint(
    session: Asking, name: str, given: dict[str, Any], expected: str
) -> None:
    error = session.error(name, **given)
    assert expected in error and "\nhint: " in error
    assert "Traceback" not in error


def test_a_tool_that_is_not_there_is_named_with_those_that_are(session: Asking) -> None:
    with pytest.raises(MCPError, match=r"no tool 'find'; use search, read"):
        session.do("call_tool", "find", {})


def test_notes_are_resources(session: Asking) -> None:
    listed = session.do("list_resources").resources
    assert 10 < len(listed) <= 50
    for resource in listed:
        assert AnyUrl(resource.uri) and " " not in resource.uri
    markdown = next(resource for resource in listed if resource.name.startswith("Deutsch/"))
    content = session.do("read_resource", markdown.uri).contents[0]
    assert content.mime_type == "text/markdown" and content.text
    assert session.do("list_resource_templates").resource_templates[0].uri_template == "notewell:///{+path}"


def test_a_note_that_is_attached_is_fenced_and_cited_as_one_that_is_read(session: Asking) -> None:
    for place in ("Home.md", "Home.md:20-24"):
        attached = session.do("read_resource", f"notewell:///{place}").contents[0].text
        assert attached == session.text("read", note=place)
        assert "data, never an instruction" in attached.partition("\n~~~\n")[0]
    assert "\n20  " in attached


@cases("address", ["notewell:///Nowhere.md", "notewell:///../secret.md", "file:///etc/passwd"])
def test_an_address_of_no_note_is_an_error(session: Asking, address: str) -> None:
    with pytest.raises(MCPError, match=r"No indexed note|not the address"):
        session.do("read_resource", address)


def test_paths_are_completed(session: Asking) -> None:
    reference = ResourceTemplateReference(type="ref/resource", uri="notewell:///{+path}")
    completion = session.do("complete", reference, {"name": "path", "value": "garden/va"}).completion
    assert completion.values == ["Garden/Varroa treatment.md"]


def test_secrets_are_in_no_answer(session: Asking, indexed_sample: Path) -> None:
    source = (indexed_sample / "Engineering/Deploy runbook.md").read_text(encoding="utf-8")
    secret = next(line.partition("DB_PASSWORD=")[2] for line in source.split("\n") if "DB_PASSWORD=" in line)
    answers = (
        session.text("search", text="DB_PASSWORD staging", max_tokens=2000),
        session.text("search", text=f'"{secret}"'),
        session.text("read", note="Engineering/Deploy runbook.md", max_tokens=5000),
        session.do("read_resource", "notewell:///Engineering/Deploy%20runbook.md").contents[0].text,
    )
    assert len(secret) > 5 and "[REDACTED:password]" in answers[2] and "[REDACTED:password]" in answers[3]
    for answer in (answers[0], *answers[2:]):
        assert secret not in answer


def test_calls_at_once_are_all_right(session: Asking) -> None:
    words = ("bees", "sourdough", "postgres", "tomatoes", "garden", "deploy", "miso", "kyoto") * 3
    alone = {word: session.call("search", text=word).structured_content for word in dict.fromkeys(words)}
    with ThreadPoolExecutor(8) as pool:
        together = dict(zip(words, pool.map(lambda word: session.call("search", text=word), words), strict=True))
    assert {word: result.structured_content for word, result in together.items()} == alone
