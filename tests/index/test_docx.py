from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from tests.cases import cases

from notewell import Vault
from notewell.errors import NoteError
from notewell.index.readers import docx as reader
from notewell.index.readers import zip_guard


def saved(document: Document) -> bytes:
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def text(document: Document) -> str:
    return reader.extract(saved(document)).text


def add(document: Document, xml: str) -> None:
    """Put what python-docx cannot write at the end of the document."""
    spaces = nsdecls("w", "r", "wp", "a") + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    document.element.body.sectPr.addprevious(parse_xml(xml.replace(">", f" {spaces}>", 1)))


def test_headings_paragraphs_and_lists_become_markdown() -> None:
    document = docx.Document()
    document.add_heading("Of bees", 0)
    document.add_heading("Winter", 1)
    document.add_paragraph("They huddle.\nAll of them.")
    for style, words in (
        ("List Bullet", "one"),
        ("List Bullet 2", "two"),
        ("List Number", "three"),
        ("List Number", "four"),
    ):
        document.add_paragraph(words, style=style)
    document.add_heading("Summer", 2)
    document.add_paragraph("# 1 in honey")
    assert text(document) == (
        "# Of bees\n\n# Winter\n\nThey huddle.\nAll of them.\n\n- one\n- two\n1. three\n2. four\n\n"
        "## Summer\n\n\\# 1 in honey\n"
    )


def test_a_heading_is_recognised_by_its_outline_level_or_a_base_style() -> None:
    document = docx.Document()
    style = document.styles.add_style("Überschrift wie immer", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles["Heading 2"]
    document.add_paragraph("Winter", style=style)
    add(document, '<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Summer</w:t></w:r></w:p>')
    assert text(document) == "## Winter\n\n### Summer\n"


def test_styles_that_are_based_on_each_other_do_no_harm() -> None:
    document = docx.Document()
    one = document.styles.add_style("one", WD_STYLE_TYPE.PARAGRAPH)
    two = document.styles.add_style("two", WD_STYLE_TYPE.PARAGRAPH)
    one.base_style, two.base_style = two, one
    document.add_paragraph("bees", style=one)
    assert text(document) == "bees\n"


def test_merged_cells_are_written_once_and_nested_tables_in_their_cell() -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{number}"
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "high"
    inner = table.cell(2, 2).add_table(2, 2)
    for number, cell in enumerate(cell for row in inner.rows for cell in row.cells):
        cell.text = f"i|{number}"
    assert text(document) == (
        "| wide |  | c2 |\n| --- | --- | --- |\n| high | c4 | c5 |\n|  | c7 | c8 i\\|0, i\\|1; i\\|2, i\\|3 |\n"
    )


def test_a_control_in_a_cell_keeps_its_paragraphs_separate() -> None:
    document = docx.Document()
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "hive"
    inner = "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>"
    control = parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtContent>{inner}</w:sdtContent></w:sdt>")
    table.cell(0, 1)._tc.append(control)
    assert text(document) == "| hive | one two |\n| --- | --- |\n"


def test_a_table_that_only_orders_the_page_is_text() -> None:
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    cell.text = "one"
    cell.add_paragraph("two")
    assert text(document) == "one\n\ntwo\n"


def test_deleted_text_is_gone_and_inserted_text_is_there() -> None:
    document = docx.Document()
    run = "<w:r><w:t>{}</w:t></w:r>"
    add(
        document,
        f"<w:p>{run.format('bees ')}<w:del><w:r><w:delText>wasps</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run.format('ants')}</w:moveFrom><w:ins>{run.format('and rye')}</w:ins></w:p>",
    )
    assert text(document) == "bees and rye\n"


def test_links_boxes_and_controls_are_read() -> None:
    document = docx.Document()
    identity = document.part.relate_to("https://bees.example", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    add(document, f'<w:p><w:hyperlink r:id="{identity}"><w:r><w:t>bees</w:t></w:r></w:hyperlink></w:p>')
    box = "<w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent>"
    add(
        document,
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><a:graphic>"
        f"{box}</a:graphic></w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        "</mc:AlternateContent><w:t>around it</w:t></w:r></w:p>",
    )
    add(document, "<w:sdt><w:sdtContent><w:p><w:r><w:t>in a control</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    assert text(document) == "[bees](https://bees.example)\n\naround it\n\nin a box\n\nin a control\n"


def test_a_footnote_is_written_once_below_its_paragraph() -> None:
    document = docx.Document()
    run = '<w:r><w:t>Seen in </w:t><w:footnoteReference w:id="2"/><w:t>Bern</w:t></w:r>'
    note = f'<w:footnote w:id="2"><w:p>{run}</w:p></w:footnote>'
    blob = f"<w:footnotes {nsdecls('w')}>{note}</w:footnotes>".encode()
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", blob, document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    add(document, '<w:p><w:r><w:t>Bees</w:t><w:footnoteReference w:id="2"/></w:r></w:p>')
    document.add_paragraph("rye")
    assert text(document) == "Bees[^2]\n\n[^2]: Seen in [^2]Bern\n\nrye\n"


def test_each_of_two_footnotes_has_a_line_of_its_own() -> None:
    document = docx.Document()
    mark = '<w:footnoteReference w:id="{}"/>'
    notes = {2: "<w:t>first</w:t>", 3: f"<w:t>second</w:t>{mark.format(4)}", 4: "<w:t>of the second</w:t>"}
    written = (f'<w:footnote w:id="{at}"><w:p><w:r>{run}</w:r></w:p></w:footnote>' for at, run in notes.items())
    blob = f"<w:footnotes {nsdecls('w')}>{''.join(written)}</w:footnotes>".encode()
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", blob, document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    add(document, f"<w:p><w:r><w:t>Bees</w:t>{mark.format(2)}<w:t>, rye</w:t>{mark.format(3)}</w:r></w:p>")
    assert text(document) == "Bees[^2], rye[^3]\n\n[^2]: first\n\n[^3]: second[^4]\n\n[^4]: of the second\n"


def test_contents_headers_and_comments_are_left_out() -> None:
    document = docx.Document()
    document.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Winter 3", style="toc 1")
    document.sections[0].header.paragraphs[0].text = "letterhead"
    paragraph = document.add_paragraph("bees")
    document.add_comment(paragraph.runs, text="really?")
    assert text(document) == "bees\n"


@cases(
    ("written", "title"),
    [("Of bees", "Of bees"), ("Document1", "Bees"), ("", "Bees"), ("About ASP.NET", "About ASP.NET")],
)
def test_the_title_is_the_one_that_a_person_gave(written: str, title: str) -> None:
    document = docx.Document()
    document.add_heading("Bees", 0)
    document.core_properties.title = written
    assert reader.extract(saved(document)).title == title


def test_an_unreadable_file_is_refused_with_the_reason() -> None:
    whole = saved(docx.Document())
    facts = {
        b"": "empty",
        b"bees": "damaged",
        zip_guard.OLE: "old format",
        zip_guard.OLE + zip_guard.LOCKED: "a password",
        whole: "no text in it",
    }
    for data, fact in facts.items():
        with pytest.raises(NoteError, match=fact) as caught:
            reader.extract(data)
        assert caught.value.hint


@cases("encoding", ["utf-8", "utf-16"])
def test_a_document_that_declares_entities_is_refused(encoding: str) -> None:
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(saved(docx.Document()))) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            bomb = '<!DOCTYPE x [<!ENTITY a "bees">]><x>&a;</x>'.encode(encoding)
            new.writestr(name, bomb if name == "word/document.xml" else old.read(name))
    with pytest.raises(NoteError, match="declares entities"):
        reader.extract(out.getvalue())


def test_a_document_is_found_under_its_headings(make_vault: Callable[..., Vault]) -> None:
    document = docx.Document()
    document.add_heading("Winter", 2)
    document.add_paragraph("They huddle around the queen to keep her warm.")
    assert document.element.body.tag == qn("w:body")
    with make_vault({"bees.docx": saved(document)}) as vault:
        vault.index()
        assert vault.search("huddle queen").hits[0].heading == "bees > Winter"
