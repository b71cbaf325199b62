from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from notewell import Vault
from notewell.errors import NoteError
from notewell.index.readers import slides, zip_guard
from notewell.types.note import Part

BLANK, TITLE_ONLY, TITLE_AND_TEXT = 6, 5, 1


def saved(show: Any) -> bytes:
    out = BytesIO()
    show.save(out)
    return out.getvalue()


def added(show: Any, layout: int = BLANK) -> Any:
    return show.slides.add_slide(show.slide_layouts[layout])


def write(slide: Any, text: str, left: float, top: float) -> Any:
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(1))
    box.text_frame.text = text
    return box


def test_a_slide_is_a_part_with_its_title_first_and_its_notes_last() -> None:
    show = pptx.Presentation()
    slide = added(show, TITLE_AND_TEXT)
    frame = slide.placeholders[1].text_frame
    frame.text = "They huddle"
    frame.add_paragraph().text = "around the queen"
    frame.paragraphs[1].level = 1
    write(slide, "above all", 0, 0)
    slide.shapes.title.text = "Winter"
    slide.notes_slide.notes_text_frame.text = "Tell of Bern\nand Worb"
    content = slides.extract(saved(show))
    assert content.text == "Winter\n\nabove all\n\nThey huddle\n- around the queen\n\nNotes: Tell of Bern\nand Worb\n"
    assert content.parts == (Part(1, "slide 1", (1,)),)
    assert content.title == "Winter"


def test_shapes_are_read_from_the_top_and_from_the_left() -> None:
    show = pptx.Presentation()
    slide = added(show)
    for text, left, top in (("four", 5, 4), ("three", 0, 4.1), ("two", 5, 1), ("one", 0, 1.1)):
        write(slide, text, left, top)
    assert slides.extract(saved(show)).text == "one\n\ntwo\n\nthree\n\nfour\n"


def test_slides_without_text_keep_their_number_and_hidden_ones_are_read() -> None:
    show = pptx.Presentation()
    added(show)
    write(added(show), "bees", 0, 0)
    hidden = added(show)
    write(hidden, "rye", 0, 0)
    hidden.element.set("show", "0")
    assert slides.extract(saved(show)).parts == (Part(1, "slide 2"), Part(3, "slide 3"))


def test_groups_tables_and_charts_are_read() -> None:
    show = pptx.Presentation()
    slide = added(show)
    group = slide.shapes.add_group_shape().shapes.add_group_shape()
    write(group, "in a group", 0, 0)
    table = slide.shapes.add_table(2, 2, 0, Inches(2), Inches(4), Inches(1)).table
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{number}"
    table.cell(0, 0).merge(table.cell(0, 1))
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["north", "south"]
    data.add_series("Hives", (1, 2))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, Inches(4), Inches(3), Inches(3), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Of bees"
    assert slides.extract(saved(show)).text == (
        "in a group\n\n| c0 c1 |  |\n| --- | --- |\n| c2 | c3 |\n\nOf bees\nHives\nnorth, south\n"
    )


def test_an_unreadable_file_is_refused_with_the_reason() -> None:
    whole = pptx.Presentation()
    added(whole)
    facts = {b"": "empty", b"bees": "damaged", zip_guard.OLE: "old format", saved(whole): "no text on its 1"}
    for data, fact in facts.items():
        with pytest.raises(NoteError, match=fact) as caught:
            slides.extract(data)
        assert caught.value.hint


def test_a_slide_is_found_with_its_number(make_vault: Callable[..., Vault]) -> None:
    show = pptx.Presentation()
    for text in ("Of summer and the hives in it", "They huddle around the queen to keep her warm"):
        write(added(show), text, 0, 0)
    with make_vault({"bees.pptx": saved(show)}) as vault:
        vault.index()
        assert vault.search("huddle queen").hits[0].place == "slide 2"
        assert vault.read("bees.pptx#slide 2").text.startswith("They huddle")
