"""PowerPoint: one part for each slide: its title, its shapes in reading order, then the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn

from notewell.index.readers.content import MOST_PAGES, Content, no_text_error
from notewell.index.readers.html import xml_tree
from notewell.index.readers.writing import clean, human_title, join_parts, one_line, table
from notewell.index.readers.zip_guard import check_office

# Shapes whose tops differ by less than this share of the slide's height are side by side.
SIDE_BY_SIDE = 0.05
# PowerPoint has nine levels of lists, counted from 0.
DEEPEST_ITEM = 8
# The same on every slide.
REPEATED = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"


def extract(data: bytes) -> Content:
    """Return the text of the slides, hidden ones included."""
    check_office(data)
    show = pptx.Presentation(BytesIO(data))
    slides = list(show.slides)
    height = (show.slide_height or 0) * SIDE_BY_SIDE
    texts = ["\n\n".join(filter(None, _texts(slide, height))) for slide in slides[:MOST_PAGES]]
    if not any(texts):
        raise no_text_error(f"on its {len(slides):,} slides")
    named = {f"slide {number}": text for number, text in enumerate(texts, 1)}
    headed = {name for name, slide in zip(named, slides, strict=False) if _title(slide)}
    title = human_title(show.core_properties.title) or _title(slides[0])
    content = join_parts(named.items(), title, _warnings(len(slides)))
    parts = (part._replace(under=(part.line,)) if part.name in headed else part for part in content.parts)
    return replace(content, parts=tuple(parts))


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return "" if shape is None else one_line(shape.text_frame.text)


def _warnings(count: int) -> tuple[str, ...]:
    return (f"only the first {MOST_PAGES:,} of its {count:,} slides are read",) if count > MOST_PAGES else ()


def _texts(slide: Any, height: float) -> Iterator[str]:
    """Yield the texts of a slide in reading order."""
    title = slide.shapes.title
    yield _title(slide)
    others = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
    for shape in _in_order(others, height):
        yield from _shape(shape, height)
    for choice in slide.element.cSld.spTree.iterchildren("{*}AlternateContent"):
        # Only newer programs draw the first choice; the others repeat its text.
        yield from (_lines(body) for first in choice.findall(CHOICE)[:1] for body in first.iter(qn("p:txBody")))
    placeholder = slide.notes_slide.notes_placeholder if slide.has_notes_slide else None
    notes = _lines(placeholder.element) if placeholder is not None else ""
    yield f"Notes: {notes}" if notes else ""


def _in_order(shapes: Iterable[Any], height: float) -> list[Any]:
    """Return the shapes from top to bottom, those side by side from left to right."""
    ordered: list[Any] = []
    row: list[Any] = []
    for shape in sorted(shapes, key=lambda shape: shape.top or 0):
        if row and (shape.top or 0) - (row[0].top or 0) > height:
            ordered += sorted(row, key=lambda shape: shape.left or 0)
            row = []
        row.append(shape)
    return ordered + sorted(row, key=lambda shape: shape.left or 0)


def _shape(shape: Any, height: float) -> Iterator[str]:
    if shape.is_placeholder and shape.placeholder_format.type in REPEATED:
        return
    if shape.has_text_frame:
        yield _lines(shape.element)
    elif hasattr(shape, "shapes"):
        for inner in _in_order(shape.shapes, height):
            yield from _shape(inner, height)
    elif getattr(shape, "has_table", False):
        rows = ([cell.text_frame.text if not cell.is_spanned else "" for cell in row.cells] for row in shape.table.rows)
        yield table(list(rows)).text
    elif getattr(shape, "has_chart", False):
        yield "\n".join(filter(None, _chart(shape.chart)))
    else:
        yield from _diagram(shape)


def _lines(body: Any) -> str:
    """Return the paragraphs of a text, indented ones as list items."""
    lines: list[str] = []
    for paragraph in body.iter(qn("a:p")):
        pieces = ("\n" if run.tag == qn("a:br") else run.text or "" for run in paragraph.iter(qn("a:t"), qn("a:br")))
        for line in clean("".join(pieces)).split("\n"):
            properties = paragraph.find(qn("a:pPr"))
            written = "0" if properties is None else properties.get("lvl", "0")
            depth = min(int(written), DEEPEST_ITEM) if written.isdecimal() else 0
            lines.append("  " * (depth - 1) + f"- {one_line(line)}" if depth else one_line(line))
    return "\n".join(line for line in lines if line.strip(" -"))


def _chart(chart: Any) -> Iterator[str]:
    """Yield a chart's title, the names of its series, and its categories."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield one_line(chart.chart_title.text_frame.text)
    for plot in chart.plots:
        yield ", ".join(one_line(series.name) for series in plot.series if series.name)
        yield ", ".join(one_line(str(category)) for category in plot.categories)


def _diagram(shape: Any) -> Iterator[str]:
    """Yield the texts of a diagram (SmartArt), which are in a separate part of the file."""
    for relation in shape.element.iter(f"{{{DIAGRAM}}}relIds"):
        data = shape.part.related_part(relation.get(RELATION)).blob
        texts = (_lines(point) for point in xml_tree(data).iter(f"{{{DIAGRAM}}}pt"))
        yield "\n".join(filter(None, texts))
