"""Files of every format, made by the libraries people make them with, each holding the texts it is given."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence

# Where a text can stand in a file: as a heading or name, and in the body.
Maker = Callable[[Sequence[str]], bytes]


def plain(texts: Sequence[str]) -> bytes:
    return "\n\n".join(("Notes of a walk through the garden in June.", *texts)).encode()


def markdown(texts: Sequence[str]) -> bytes:
    shown = "\n\n".join(
        f"## About {text.splitlines()[0]}\n\n{text}\n\n- [{text.splitlines()[0]}](x.md)" for text in texts
    )
    return f"---\ntitle: Garden\n---\n\n# Garden\n\n{shown}\n\n```\n{texts[0]}\n```\n".encode()


def commented(texts: Sequence[str]) -> bytes:
    """Source code, whose comments hold the texts of one line, and whose strings the others."""
    lines = (f"# {text}" if "\n" not in text else f'NOTE = """\n{text}\n"""' for text in texts)
    return "\n".join(("def garden():", "    return 1", "", *lines, "")).encode()


def table(texts: Sequence[str], delimiter: str = ",") -> bytes:
    rows = "\n".join(f'{number}{delimiter}"{text.replace(chr(34), chr(34) * 2)}"' for number, text in enumerate(texts))
    return f"number{delimiter}remark\n{rows}\n".encode()


def json_file(texts: Sequence[str]) -> bytes:
    return json.dumps({"garden": {"remarks": list(texts)}}, indent=2).encode()


def canvas(texts: Sequence[str]) -> bytes:
    cards = [{"id": str(n), "type": "text", "text": text, "x": 0, "y": 100 * n} for n, text in enumerate(texts)]
    arrows = [{"fromNode": str(n), "toNode": "0", "label": text} for n, text in enumerate(texts)]
    return json.dumps({"nodes": cards, "edges": arrows}).encode()


def drawing(texts: Sequence[str]) -> bytes:
    return json.dumps({"elements": [{"type": "text", "text": text} for text in texts]}).encode()


def minified_json(texts: Sequence[str]) -> bytes:
    return json.dumps([{"remark": text, "more": {"n": n}} for n, text in enumerate(texts)] * 2).encode()


def json_lines(texts: Sequence[str]) -> bytes:
    return "\n".join(json.dumps({"remark": text}) for text in texts).encode()


def yaml_file(texts: Sequence[str]) -> bytes:
    return "\n".join(f"remark{number}: {json.dumps(text)}" for number, text in enumerate(texts)).encode()


def notebook(texts: Sequence[str]) -> bytes:
    output = {"output_type": "stream", "name": "stdout", "text": [f"{line}\n" for line in texts[0].splitlines()]}
    code = {"cell_type": "code", "source": texts[-1], "outputs": [output], "metadata": {}, "execution_count": 1}
    cells = [{"cell_type": "markdown", "source": [text], "metadata": {}} for text in texts]
    return json.dumps({"cells": [*cells, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def claude_export(texts: Sequence[str]) -> bytes:
    messages: list[dict[str, object]] = [
        {"sender": who, "text": text, "content": []} for text in texts for who in ("human", "assistant")
    ]
    return json.dumps([{"name": texts[0].splitlines()[0], "uuid": "1", "chat_messages": messages}]).encode()


def html(texts: Sequence[str]) -> bytes:
    from xml.sax.saxutils import escape  # noqa: PLC0415

    escaped = [escape(text) for text in texts]
    blocks = ((text.splitlines()[0], text, text.replace("\n", "<br>")) for text in escaped)
    body = "".join(f"<h2>{head}</h2><pre>{text}</pre><p>{lines}</p>" for head, text, lines in blocks)
    return f"<html><head><title>{escape(texts[0])}</title></head><body>{body}</body></html>".encode()


def epub(texts: Sequence[str]) -> bytes:
    from xml.sax.saxutils import escape  # noqa: PLC0415

    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    book = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(texts[0])}</dc:title></metadata><manifest>"
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    chapter = html(texts).decode().replace("<html>", '<html xmlns="http://www.w3.org/1999/xhtml">')
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "book.opf": book,
        "a.xhtml": chapter,
    }
    return zipped(members)


def zipped(members: dict[str, str]) -> bytes:
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(name, text)
    return file.getvalue()


def docx(texts: Sequence[str]) -> bytes:
    import docx  # noqa: PLC0415

    document = docx.Document()
    document.core_properties.title = texts[0].splitlines()[0][:200]
    grid = document.add_table(rows=1, cols=2)
    for text in texts:
        document.add_heading(text.splitlines()[0], level=1)
        document.add_paragraph(text)
        grid.rows[0].cells[1].text = text
    document.save(file := io.BytesIO())
    return file.getvalue()


def pptx(texts: Sequence[str]) -> bytes:
    import pptx  # noqa: PLC0415

    deck = pptx.Presentation()
    for text in texts:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = text.splitlines()[0]
        slide.placeholders[1].text = text
        slide.notes_slide.notes_text_frame.text = text
    deck.save(file := io.BytesIO())
    return file.getvalue()


def xlsx(texts: Sequence[str]) -> bytes:
    import openpyxl  # noqa: PLC0415

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["number", "remark"])
    for number, text in enumerate(texts):
        rows = [line.strip("|").split("|") for line in text.splitlines() if not line.startswith("|---")]
        if text.startswith("|") and len(rows) > 1:
            # A table is a sheet of its own here.
            table = book.create_sheet(f"Table {number}")
            for row in rows:
                table.append([cell.strip() for cell in row])
        else:
            sheet.append([number, text])
    book.save(file := io.BytesIO())
    return file.getvalue()


def pdf(texts: Sequence[str]) -> bytes:
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    # Wide enough that no line of a secret is broken.
    canvas = Canvas(file := io.BytesIO(), pagesize=(6000, 800), invariant=True)
    canvas.setTitle(texts[0].splitlines()[0][:100])
    for text in texts:
        if max(text) >= "\u2e80":
            # The font has no Chinese, Japanese and Korean letters, and no pictures.
            continue
        for number, line in enumerate(text.splitlines()):
            canvas.drawString(50, 750 - 12 * (number % 60), line)
            if number % 60 == 59:
                canvas.showPage()
        canvas.showPage()
    canvas.save()
    return file.getvalue()
