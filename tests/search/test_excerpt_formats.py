"""One example of each format, from the bytes of a file to the excerpt a user sees."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from reportlab.pdfgen import canvas
from tests.cases import cases

from notewell import Vault
from notewell.types.results import Excerpt


def pdf(*pages: list[str]) -> bytes:
    out = BytesIO()
    paper = canvas.Canvas(out)
    for page in pages:
        for place, line in enumerate(page):
            paper.drawString(60, 700 - 14 * place, line)
        paper.showPage()
    paper.save()
    return out.getvalue()


def workbook(rows: list[tuple[object, ...]]) -> bytes:
    book, out = openpyxl.Workbook(), BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def slide(title: str, *points: str) -> bytes:
    show, out = pptx.Presentation(), BytesIO()
    made = show.slides.add_slide(show.slide_layouts[1])
    made.shapes.title.text = title
    made.placeholders[1].text_frame.text = "\n".join(points)
    show.save(out)
    return out.getvalue()


def document(rows: list[tuple[str, ...]]) -> bytes:
    made, out = docx.Document(), BytesIO()
    made.add_paragraph("Who keeps the bees of the valley is written below, as far as it is known to us.")
    table = made.add_table(len(rows), len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    made.save(out)
    return out.getvalue()


def notebook(*cells: tuple[str, str]) -> bytes:
    made = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4}).encode()


def chat(*messages: tuple[str, str]) -> bytes:
    said = [{"sender": who, "text": text, "content": [{"type": "text", "text": text}]} for who, text in messages]
    return json.dumps([{"name": "Bread", "created_at": "2025-01-25", "chat_messages": said}]).encode()


WRAPPED = """The hive at the southern wall of the garden was moved in the first
week of the winter, when the bees of the valley sleep, to a place
behind the barn. It stayed there.
"""
FLOWING = (
    "The hive at the southern wall of the garden was moved in the first week of the winter, when the bees of the"
    " valley sleep, to a place behind the barn."
)
MAIL = (
    "Subject: hive\n\n> Dear Ada, it seems to me as if the queen of the\n> third hive were lost. Is she?\n\nShe is not."
)
SOURCE = '''"""What bakers do."""

from ovens import heat


def proof(dough, hours):
    """Let the dough rise in the warmth."""
    if hours > 12:
        raise ValueError("too long. It turns sour")
    # Cold dough needs twice the time, as
    # every baker of the valley knows well.
    return dough.rise(hours * 2)
'''
KEEPERS: list[tuple[str, ...]] = [("name", "village", "hives"), ("Ada", "Worb", "12"), ("Beat", "Bern", "three or so")]

EXAMPLES: Mapping[str, tuple[str | bytes, str, str, tuple[int, int]]] = {
    "wrapped.md": (WRAPPED, "where was the hive moved from the wall", FLOWING, (1, 3)),
    "wrapped.rst": (f"Hives\n=====\n\n{WRAPPED}", "why was the hive moved from the wall", FLOWING, (4, 6)),
    "wrapped.pdf": (pdf(WRAPPED.split("\n")), "was the hive moved from the wall", FLOWING, (1, 3)),
    "mail.txt": (
        MAIL,
        "third queen lost",
        "> Dear Ada, it seems to me as if the queen of the third hive were lost.",
        (3, 4),
    ),
    "list.md": (
        "You need for it:\n\n- flour of rye, which the\n  miller sells\n- water\n",
        "rye miller",
        "- flour of rye, which the miller sells",
        (3, 4),
    ),
    "front.md": (
        "---\ntitle: Rye\nnote: bread of rye\n---\n\nBread is made of it.\n",
        "rye bread",
        "Bread is made of it.",
        (6, 6),
    ),
    "table.md": (
        "# Keepers\n\n| name | village |\n|:--|--:|\n| Ada | Worb |\n| Beat | Bern |\n",
        "Worb",
        "name: Ada · village: Worb",
        (5, 5),
    ),
    "table.csv": (
        'name;village;note\nAda;Worb;"old; kind"\nBeat;Bern;new\n',
        "kind keeper",
        "name: Ada · village: Worb · note: old; kind",
        (2, 2),
    ),
    "table.xlsx": (workbook(list(KEEPERS)), "Worb", "name: Ada · village: Worb · hives: 12", (3, 3)),
    "table.docx": (document(KEEPERS), "Bern", "name: Beat · village: Bern · hives: three or so", (6, 6)),
    "fenced.md": (
        "Index it. Then look:\n\n```sh\nnotewell index .\n  notewell search 'rye. bread'\n```\n",
        "search bread",
        "  notewell search 'rye. bread'",
        (5, 5),
    ),
    "bake.py": (
        SOURCE,
        "ValueError sour",
        'def proof(dough, hours):\n        raise ValueError("too long. It turns sour")',
        (6, 9),
    ),
    "comment.py": (
        SOURCE,
        "cold dough valley",
        "def proof(dough, hours):\n# Cold dough needs twice the time, as every baker of the valley knows well.",
        (6, 11),
    ),
    "cells.ipynb": (
        notebook(
            ("markdown", "How warm it was in the oven."),
            ("code", "import ovens\nfor oven in ovens:\n    oven.heat(200)"),
        ),
        "heat 200",
        "    oven.heat(200)",
        (6, 6),
    ),
    "talk.pptx": (
        slide("The winter of bees", "They huddle around the queen", "They eat honey in winter"),
        "winter honey",
        "They eat honey in winter",
        (4, 4),
    ),
    "chat.json": (
        chat(("human", "Why is my bread so dense?"), ("assistant", "Bread is dense when the dough was cold. Warm it.")),
        "why is bread dense",
        "Assistant: Bread is dense when the dough was cold.",
        (4, 4),
    ),
    "values.json": (
        '{"ovens": [{"name": "north", "degrees": 200},\n {"name": "south"}]}',
        "south",
        "ovens[1].name: south",
        (2, 2),
    ),
    "values.yaml": ("oven:\n  name: north\n  heat: 200 # too hot\n", "heat", "oven.heat: 200  # too hot", (3, 3)),
}


def found(vault: Vault, query: str) -> Excerpt:
    vault.index()
    return vault.search(query).hits[0].excerpt


@pytest.mark.parametrize(
    ("rows", "query", "text"),
    [
        ("name\tcolour\tprice\nitem1\tred\t20\nitem3\t\t21\n", "item3", "name: item3 · price: 21"),
        ("name\tcolour\tprice\nitem1\tblue\t21\n\tred\t20\n", "red", "colour: red · price: 20"),
        (
            "name\tcolour\tprice\nitem1\tred\t20\nitem3\tblue, grey, black, white\t21\n",
            "grey",
            "name: item3 · colour: blue, grey, black, white · price: 21",
        ),
    ],
    ids=["empty", "first empty", "commas"],
)
def test_a_cell_stands_under_its_own_column(rows: str, query: str, text: str, make_vault: Callable[..., Vault]) -> None:
    with make_vault({"a.tsv": rows}) as vault:
        assert found(vault, query).text == text


@pytest.fixture
def examples(make_vault: Callable[..., Vault]) -> Iterator[Vault]:
    with make_vault({path: content for path, (content, *_) in EXAMPLES.items()}) as vault:
        vault.index()
        yield vault


@cases("path", EXAMPLES)
def test_an_excerpt_reads_well_in_every_format(path: str, examples: Vault) -> None:
    _, query, text, lines = EXAMPLES[path]
    excerpt = examples.search(f"{query} path:{path}").hits[0].excerpt
    assert (excerpt.text, (excerpt.line, excerpt.end_line)) == (text, lines)


def test_a_page_header_is_not_what_is_shown_of_a_pdf(make_vault: Callable[..., Vault]) -> None:
    filler: list[str] = [
        f"Line {number} of a long page on hives, which says nothing at all of it." for number in range(30)
    ]
    pages = [[f"Bees of Bern – {number}", "", *filler, f"The queen {number} is bred."] for number in range(1, 4)]
    with make_vault({"bees.pdf": pdf(*pages)}) as vault:
        vault.index()
        texts = [hit.excerpt.text for hit in vault.search("bees of bern queen")]
    assert not any("Bees of Bern" in text for text in texts if "queen" in text)


def test_a_hit_by_meaning_shows_the_sentence_nearest_to_it(make_vault: Callable[..., Vault]) -> None:
    text = "The post came late. Physicians treat illness in hospitals. The roof is red. It rained."
    settings: dict[str, Any] = {"embed.model": "static", "embed.encoder": "off"}
    with make_vault({"a.md": text}, settings) as vault:
        excerpt = found(vault, "medical doctor")
    assert "Physicians treat illness in hospitals." in excerpt.text
    assert excerpt.highlights == ()
