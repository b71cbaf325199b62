from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import trees
from tests.vaults import opened

from notewell import Vault
from notewell.serve.web.note_page import NotePage, note_page

from .safe_html import check_safe

Pages = Callable[..., NotePage]
TEXTS = ("The hive hums.\nIt is <b>warm</b>.", "Rye needs water.")


@pytest.fixture
def page_of(tmp_path: Path) -> Iterator[Pages]:
    """Write a file, index it, and return its page."""
    made: list[Vault] = []

    def page(name: str, data: bytes, place: str = "") -> NotePage:
        (tmp_path / name).write_bytes(data)
        made.append(opened(tmp_path))
        made[-1].index()
        found = note_page(made[-1], name + place)
        check_safe(found.html)
        return found

    yield page
    for vault in made:
        vault.close()


def test_a_pdf_is_shown_by_page(page_of: Pages) -> None:
    page = page_of("a.pdf", trees.pdf(TEXTS))
    assert page.kind == "pages"
    assert [heading.text for heading in page.outline] == ["Page 1", "Page 2"]
    assert page.html.count('<section class="part">') == 2
    assert "It is &lt;b&gt;warm&lt;/b&gt;." in page.html


def test_slides_are_shown_one_below_another(page_of: Pages) -> None:
    page = page_of("a.pptx", trees.pptx(TEXTS))
    assert (page.kind, page.outline[0].text) == ("pages", "Slide 1")
    assert "Rye needs water." in page.html


def test_a_workbook_is_shown_as_tables_below_the_names_of_its_sheets(page_of: Pages) -> None:
    page = page_of("a.xlsx", trees.xlsx(("a|b", "| x | y |\n|---|---|\n| 1 | 2 |")))
    assert page.kind == "table"
    assert [heading.text for heading in page.outline] == ["Sheet", "Table 1"]
    assert "<th>number</th><th>remark</th>" in page.html
    assert "<td>0</td><td>a|b</td>" in page.html


def test_a_csv_file_is_a_table_and_each_row_knows_its_lines(page_of: Pages) -> None:
    page = page_of("a.csv", b'name,remark\nrye,"two\nlines"\noat,<b>x</b>\n')
    assert "<thead>" in page.html
    assert '<tr data-line="1"><th>name</th><th>remark</th></tr>' in page.html
    assert '<tr data-line="2-3"><td>rye</td><td>two\nlines</td></tr>' in page.html
    assert '<tr data-line="4"><td>oat</td><td>&lt;b&gt;x&lt;/b&gt;</td></tr>' in page.html


def test_a_later_part_of_a_long_table_still_has_its_header(page_of: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell.serve.web.note_page.MOST_SHOWN", 2_000)
    rows = "".join(f"rye {number},{number}\n" for number in range(1_000))
    page = page_of("a.csv", f"name,count\n{rows}".encode(), ":900")
    assert page.lines_above > 800
    assert "<thead><tr><th>name</th><th>count</th></tr>\n</thead>" in page.html
    assert '<tr data-line="900"><td>rye 898</td><td>898</td></tr>' in page.html


def test_a_notebook_shows_prose_code_and_output(page_of: Pages) -> None:
    page = page_of("a.ipynb", trees.notebook(("# Title\n\nSome *prose* that is long enough to be a cell.", "1 < 2")))
    assert page.kind == "cells"
    assert "<em>prose</em>" in page.html
    assert '<pre data-language="python"><code><span data-line=' in page.html
    assert '<pre data-language="output">' in page.html


def test_a_chat_is_shown_by_turns_with_tools_folded(page_of: Pages) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm <b>"},
        {"type": "text", "text": "Use *rye*.\n\n# Heading"},
        {"type": "tool_use", "name": "bash", "input": {"command": "ls"}},
    ]
    messages = [
        {"sender": "human", "text": "What flour?", "content": []},
        {"sender": "assistant", "text": "", "content": blocks},
    ]
    page = page_of("chat.json", json.dumps([{"name": "Bread", "uuid": "1", "chat_messages": messages}]).encode())
    assert page.kind == "turns"
    assert [heading.text for heading in page.outline] == ["1 · What flour?"]
    assert page.html.count('data-speaker="human"') == page.html.count('data-speaker="assistant"') == 1
    assert "<em>rye</em>" in page.html
    assert page.html.count('<details class="aside">') == 2
    assert "<summary>Thinking</summary>" in page.html
    assert "<summary>Tool bash</summary>" in page.html


def test_source_code_has_line_numbers_and_is_never_html(page_of: Pages) -> None:
    page = page_of("a.py", b"def bees():\n\n    return '<script>'\n")
    assert page.kind == "code"
    assert page.html == (
        '<pre class="numbered" data-language="py"><code><span data-line="1">def bees():\n</span>'
        '<span data-line="2">\n</span><span data-line="3">    return \'&lt;script&gt;\'\n</span></code></pre>\n'
    )


def test_json_and_yaml_are_shown_as_code(page_of: Pages) -> None:
    assert page_of("a.json", trees.json_file(TEXTS)).kind == "code"
    assert page_of("a.yaml", trees.yaml_file(TEXTS)).kind == "code"


def test_plain_text_keeps_its_lines_and_org_has_an_outline(page_of: Pages) -> None:
    assert '<span data-line="2">  *two*\n</span>' in page_of("a.txt", b"one\n  *two*\n").html
    page = page_of("a.org", b"* One\ntext\n** Two\ntext\n")
    assert [(heading.text, heading.line) for heading in page.outline] == [("One", 1), ("Two", 3)]


def test_a_canvas_shows_its_cards_and_notes(page_of: Pages, tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# Bees\n\nThe hive hums.\n", encoding="utf-8")
    nodes = [
        {"id": "1", "type": "text", "text": "A *card*", "x": 0, "y": 0},
        {"id": "2", "type": "file", "file": "b.md", "x": 0, "y": 9},
    ]
    page = page_of("a.canvas", json.dumps({"nodes": nodes, "edges": []}).encode())
    assert page.kind == "cards"
    assert "A <em>card</em>" in page.html
    assert "The hive hums." in page.html


def test_documents_are_shown_as_their_readers_write_them(page_of: Pages) -> None:
    for name, data in {"a.docx": trees.docx(TEXTS), "a.html": trees.html(TEXTS), "a.epub": trees.epub(TEXTS)}.items():
        page = page_of(name, data)
        assert page.kind == "text"
        assert "Rye needs water." in page.html
