"""A vault as people with Obsidian have it, in English and German: what its notes say of themselves is found."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell import Vault
from notewell.types.results import Hit

VAULT = Path(__file__).parent / "first_hour"
DAILY, DIARY, WEEK = "Daily/2025-07-11.md", "Tagebuch/03.08.2025.md", "Wochen/KW 28 2025.md"
POWER, PRIYA, LOG, TASKS = "Firmen/Stadtwerke.md", "People/Priya.md", "Log.md", "Tasks.md"
BOARD, PLAN, SKETCH = "Boards/House.canvas", "Boards/Plan.excalidraw.md", "Boards/Sketch.excalidraw"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    root = shutil.copytree(VAULT, tmp_path_factory.mktemp("first_hour") / "vault")
    for file in root.rglob("*.*"):
        os.utime(file, (1.7e9, 1.7e9))
    with Vault.open(root, {"embed.model": "words"}) as vault:
        vault.index()
        yield vault


def paths(vault: Vault, text: str) -> list[str]:
    """Return the notes that pass the filters and hold a word of a query, each once."""
    hits = vault.search(text, limit=50)
    by_words = (hit for hit in hits if hit.retrievers["lexical"] or not any(hit.retrievers.values()))
    return sorted({hit.path for hit in by_words})


def first(vault: Vault, text: str) -> Hit:
    return next(iter(vault.search(text)))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tag:daily", [DAILY]),
        ("tag:work", [DAILY]),
        ("tag:work/idea", [DAILY]),
        ("tag:home/energy", [DAILY]),
        ("tag:someday", [DAILY]),
        ("tag:arbeit", [DIARY]),
        ("tag:#tagebuch", [DIARY]),
        ("tag:excalidraw", [PLAN]),
        ("tag:notatag|neither|3|daily-rate", []),
    ],
)
def test_inline_tags_are_tags(vault: Vault, query: str, found: list[str]) -> None:
    assert paths(vault, query) == found


def test_a_hit_shows_the_tags_of_its_note(vault: Vault) -> None:
    assert first(vault, "heat pump tag:daily").tags == ("daily", "work/idea", "home/energy", "someday")


def test_the_status_counts_tags(vault: Vault) -> None:
    status = vault.status()
    assert status.tags == 7
    assert status.top_tags == dict.fromkeys(sorted(status.top_tags), 1)
    assert status.top_tags.keys() == {
        *("daily", "work/idea", "home/energy", "someday", "tagebuch", "arbeit/imkerei", "excalidraw")
    }


@pytest.mark.parametrize(
    ("query", "date", "by"),
    [
        ("talked about the heat pump", "2025-07-11", "name"),
        ("Imker Waben", "2025-08-03", "name"),
        ("Zählerstand gemeldet", "2025-07-07", "name"),
        ("Vertrag verlängert", "2024-11-30", "created"),
        ("bled radiators", "2025-06-02", "heading"),
        ("plumber expansion vessel", "2025-06-13", "heading"),
        ("Heizung entlüftet", "2025-06-20", "heading"),
        ("kept since the move log", "2023-11-14", "file"),
    ],
)
def test_every_hit_has_a_date_and_says_where_it_stands(vault: Vault, query: str, date: str, by: str) -> None:
    hit = first(vault, query)
    assert (hit.date, hit.dated_by) == (date, by)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("after:2025-08", [DIARY]),
        ("after:2025-06-13 before:2025-07-01", [LOG]),
        ("before:2024-12 after:2024-11", [POWER]),
    ],
)
def test_dates_filter(vault: Vault, query: str, found: list[str]) -> None:
    assert paths(vault, query) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Flensburg", [POWER]),
        ("company:stadtwerke*", [POWER]),
        ("consultant", [PRIYA]),
        ('role:"energy consultant"', [PRIYA]),
        ("venue:Orangerie", [PRIYA]),
        ("7f3c9a1e5b2d4c68", []),
        ("cssclasses wide", []),
    ],
)
def test_properties_are_text_and_filter_but_ids_and_layout_are_noise(
    vault: Vault, query: str, found: list[str]
) -> None:
    assert paths(vault, query) == found


def test_a_property_counts_for_every_chunk_of_its_note(vault: Vault) -> None:
    assert first(vault, "Flensburg Keller links").heading == "Stadtwerke > Zähler"
    assert first(vault, "Flensburg verlängert").heading == "Stadtwerke > Vertrag"


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("is:open", ["Order pellets", "Call the insurer", "Schornsteinfeger anrufen"]),
        ("is:done", ["Sweep the chimney"]),
        ("is:open due:2025-09", ["Order pellets"]),
        ("is:open due:<2025-10", ["Order pellets"]),
        ("due:2025-08-01..2025-08-31", ["Sweep the chimney"]),
        ("is:task due:>2025-09-30", ["Schornsteinfeger anrufen"]),
    ],
)
def test_tasks_can_be_asked_for_and_are_shown(vault: Vault, query: str, lines: list[str]) -> None:
    hits = list(vault.search(f"{query} path:Tasks"))
    shown = "\n".join(hit.excerpt.text for hit in hits)
    assert {hit.path for hit in hits} == {TASKS}
    assert all(line in shown for line in lines)
    assert "not a task" not in shown


def test_tasks_are_listed_by_the_day_they_are_due(vault: Vault) -> None:
    listed = [(hit.path, hit.excerpt.line) for hit in vault.search("is:open")]
    assert listed == [(TASKS, 3), (DAILY, 16), (TASKS, 9)]


def test_a_folder_further_down_is_suggested(vault: Vault) -> None:
    (notice,) = vault.search("path:Guide").notices
    assert (notice.code, notice.facts["near"]) == ("no_path", ("website/content/docs/guide",))


def test_an_unknown_kind_of_task_is_told(vault: Vault) -> None:
    assert "invalid_task" in [notice.code for notice in vault.search("is:opne pellets").notices]


def test_a_canvas_is_read_with_its_groups_cards_arrows_and_links(vault: Vault) -> None:
    assert first(vault, "replace the anode").path == BOARD
    assert "Boiler room → Stadtwerke: paid by" in first(vault, "paid by canvas").text
    assert first(vault, "cellar anode").heading == "House > Cellar"
    assert BOARD in [link.path for link in vault.links(POWER).backlinks]


def test_the_texts_of_drawings_are_found_and_nothing_else_of_them(vault: Vault) -> None:
    hit = first(vault, "buffer tank stairs")
    assert (hit.path, hit.title) == (PLAN, "Plan")
    assert paths(vault, "Pufferspeicher") == [PLAN]
    assert paths(vault, "thermosyphon") == [SKETCH]
    assert paths(vault, "N4KAkARALgngDgUwgLg*") == []
    assert paths(vault, '"deleted secret"') == []
    assert paths(vault, '"EXCALIDRAW VIEW"') == []


@pytest.mark.parametrize(
    ("query", "hidden"), [("Imker Waben", "Zwetschge"), ("answers by phone", "Quillon"), ("rent out the roof", "^")]
)
def test_excerpts_show_no_comments_and_no_ids_of_blocks(vault: Vault, query: str, hidden: str) -> None:
    hit = first(vault, query)
    assert hidden in hit.text
    assert hidden not in hit.excerpt.text
    assert hit.excerpt.text


def test_links_of_a_website_lead_to_its_pages(vault: Vault) -> None:
    links = vault.links("website/content/docs/guide/index.md")
    assert [link.to for link in links.links] == [
        "website/content/docs/guide/install.md",
        "website/content/docs/reference/index.md",
    ]
    back = vault.links("website/content/docs/guide/install.md")
    assert [link.to for link in back.links] == ["website/content/docs/guide/index.md"]
