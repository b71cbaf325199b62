"""What the page shows of a whole vault: near-duplicates, broken links, conversations, and what it offers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from notewell import Vault
from notewell.graph.link_report import LinkQuery
from notewell.serve.web.choices import filter_choices

from ..serving import Served, kept_up, serving

SWARM = "A swarm hung in the pear tree on Sunday, as large as a football. We shook it into a box and let it settle. "
SWARM += "The queen was marked blue, so it came from the hive by the fence, which had swarmed the year before as well. "
SWARM += "On the third evening the box went to the stand near the plum trees, with two combs of honey and a feeder. "
ROOF = "The roof of the shed leaks at the north side, since a tile broke in the storm of March and nobody mended it. "


@pytest.fixture
def alike(tmp_path: Path) -> Iterator[Served]:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "Swarm.md").write_text(f"# Swarm\n\n{SWARM}\n\nSee [[Nowhere]].\n", "utf-8")
    (root / "Swarm copy.md").write_text(
        f"# Swarm\n\n{SWARM.replace('Sunday', 'Monday')}\n\nSee [[Nowhere]].\n", "utf-8"
    )
    (root / "Roof.md").write_text(f"# Roof\n\n{ROOF}\n", "utf-8")
    for name in ("Stub", "Stub 2"):
        (root / f"{name}.md").write_text("To do.\n", "utf-8")
    with Vault.open(root, {"embed.encoder": "off"}) as vault:
        vault.index()
        with kept_up(vault) as kept, serving(kept) as served:
            yield served


def test_notes_that_say_nearly_the_same_are_paired_and_stubs_are_not(alike: Served) -> None:
    (pair,) = alike.get("/duplicates")["pairs"]
    assert {pair["path"], pair["of"]} == {"Swarm.md", "Swarm copy.md"}
    assert 0.9 <= pair["similarity"] < 1


def test_what_is_computed_once_follows_the_vault(alike: Served) -> None:
    assert len(alike.get("/duplicates")["pairs"]) == 1
    assert alike.get("/broken-links")["count"] == 2
    (Path(alike.vault.root) / "Swarm copy.md").write_text(f"# Other\n\n{ROOF[::-1]}\n", "utf-8")
    assert alike.ask("/reload", method="POST").status == 200
    assert alike.get("/duplicates")["pairs"] == []
    assert alike.get("/broken-links")["count"] == 1


def test_broken_links_are_all_counted_where_a_few_are_listed(alike: Served) -> None:
    found = alike.vault.link_graph.links(LinkQuery(broken=True, most=1))
    assert (found.counts.broken, len(found.links), found.wanted[0].notes) == (2, 1, 2)


def test_a_note_that_was_excluded_since_is_in_no_list(alike: Served) -> None:
    assert alike.get("/duplicates")["pairs"]
    (Path(alike.vault.root) / "notewell.toml").write_text('[index]\nexclude = ["Swarm*"]\n', "utf-8")
    assert alike.get("/search", text="swarm")["hits"] == []
    told = json.dumps([alike.get(route) for route in ("/duplicates", "/broken-links", "/filters", "/findings")])
    assert "Swarm" not in told


def test_topics_are_titles_in_words_of_linked_notes(sample: Served) -> None:
    topics = sample.get("/filters")["topics"]
    assert "Grandma's plum cake" in topics
    assert len(topics) == len({*topics}) <= 8


def test_a_conversation_is_listed_and_can_be_read(sample: Served) -> None:
    name = "about loaves / 1?"
    body = json.dumps({"question": "why does my loaf spread flat?", "session": name}).encode()
    asked = sample.ask("/rag", {"content-type": "application/json"}, method="POST", body=body)
    assert asked.status == 200
    assert name in [one["session"] for one in sample.get("/sessions")["sessions"]]
    found = json.loads(sample.ask(f"/sessions/{quote(name, safe='')}").body)
    assert [one["question"] for one in found["turns"]] == ["why does my loaf spread flat?"]
    assert "Recipes/Sourdough handbook.md" in found["turns"][0]["paths"]
    assert sample.ask("/sessions/never%20begun").status == 404


def test_a_question_has_one_address_for_browsers_and_programs(sample: Served) -> None:
    found = sample.get("/ask", text="why does my loaf spread flat?")
    assert found["answered"]
    assert found["citations"][0]["path"] == "Recipes/Sourdough handbook.md"
    page = sample.ask("/ask?text=why", {"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")


def test_the_codes_of_notices_are_in_a_header(sample: Served) -> None:
    reply = sample.ask("/search?text=xqzvwk")
    codes = [code for code in reply.headers["notewell-notices"].split(",") if code]
    assert len(codes) == len(reply.data["notices"]) > 0


def test_a_menu_offers_the_properties_that_most_notes_have_and_no_days_or_addresses(tmp_path: Path) -> None:
    for number in range(4):
        properties = [
            f"Status: {('open', 'done')[number % 2]}",
            f"cover: https://example.org/{number}.jpg",
            f"created: 2024-01-0{number + 1}",
            f"name: {'a sentence ' * 7}{number}",
            f"rating: [{number}, '']",
            f"parts: {{one: [1], two: {number > 1}}}",
            *([f"mood: {('bad', 'good')[number]}", f"own words: {number}", "alone: yes"] if number < 2 else []),
        ]
        note = "\n".join(("---", *properties, "---", "A note."))
        (tmp_path / f"{number}.md").write_text(note, "utf-8")
    with Vault.open(tmp_path, {"embed.model": "words", "embed.encoder": "off"}) as vault:
        vault.index()
        found = filter_choices(vault)
    assert found.properties == {
        "parts": ("false", "true"),
        "rating": ("0", "1", "2", "3"),
        "status": ("done", "open"),
        "mood": ("bad", "good"),
    }
    assert list(found.properties) == ["parts", "rating", "status", "mood"]
    # Filters that are typed may name any of them.
    assert found.keys[:6] == ("cover", "created", "name", "parts", "rating", "status")
    assert {"mood", "own words", "alone"} <= {*found.keys}
