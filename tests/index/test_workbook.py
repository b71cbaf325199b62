from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, time, timedelta
from io import BytesIO
from typing import Any

import openpyxl
import pytest
from tests.cases import cases

from notewell import Vault
from notewell.errors import NoteError
from notewell.index.readers import workbook, zip_guard
from notewell.redact import LINE_IN_LINE, redact_text
from notewell.types.note import Part


def made(sheets: dict[str, Iterable[Sequence[Any]]]) -> bytes:
    """Return a workbook with these rows in these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def test_rows_form_runs_of_twenty_under_their_header() -> None:
    content = workbook.extract(made({"Bees": [("hive", "sum"), *(("north", number) for number in range(45))]}))
    assert content.text.startswith("[Sheet: Bees]\nhive | sum\nnorth | 0\nnorth | 1\n")
    assert content.parts == (
        Part(3, "sheet 1, rows 2-21", (1, 2)),
        Part(23, "sheet 1, rows 22-41", (1, 2)),
        Part(43, "sheet 1, rows 42-46", (1, 2)),
    )


def test_row_numbers_are_those_of_the_sheet_where_rows_are_empty() -> None:
    rows = [(), (None, "hive", "sum"), (), (), (None, "north", 3), (), (None, None, 4)]
    content = workbook.extract(made({"Bees": rows}))
    assert content.text == "[Sheet: Bees]\nhive | sum\nnorth | 3\n | 4\n"
    assert content.parts == (Part(3, "sheet 1, rows 5-7", (1, 2)),)


def test_every_row_has_as_many_cells_as_the_header_and_bars_inside_are_escaped() -> None:
    rows = [("site", "pass|word", "note"), ("bank", "a|b"), ("shop", None, "c"), ("mail",), ("x", "y", "z", "more")]
    lines = workbook.extract(made({"A": rows})).text.splitlines()[1:]
    assert lines == ["site | pass\\|word | note", "bank | a\\|b |", "shop |  | c", "mail |  |", "x | y | z | more"]


def test_rows_of_a_very_wide_table_are_not_filled_up_with_bars() -> None:
    rows = [tuple(f"name {number}" for number in range(41)), ("bank", "a"), ("shop", None, "c")]
    assert workbook.extract(made({"A": rows})).text.splitlines()[2:] == ["bank | a", "shop |  | c"]


def test_a_password_is_redacted_in_a_row_whose_last_cells_are_empty() -> None:
    secret = "-".join(["two", "words", "99"])
    rows = [("site", "password", "note"), ("bank", secret, None), ("shop", None, None), ("mail", secret, None)]
    text = workbook.extract(made({"A": rows})).text
    assert secret in text and secret not in redact_text(text)[0]


def test_a_name_above_the_header_heads_the_rows_as_well() -> None:
    content = workbook.extract(made({"A": [("Hives of 2023",), (), ("hive", "sum"), ("north", 3)]}))
    assert content.parts == (Part(4, "sheet 1, row 4", (1, 2, 3)),)


def test_many_rows_above_the_header_are_a_part_of_their_own() -> None:
    content = workbook.extract(made({"A": [*[("Read this first",)] * 4, ("hive", "sum"), ("north", 3)]}))
    assert content.parts == (Part(2, "sheet 1, rows 1-4", (1,)), Part(7, "sheet 1, row 6", (1, 6)))


@cases("rows", [[(1, 2), (3, 4)], [("rye",), ("bees",)], [("hive", "sum")]])
def test_rows_without_a_header_are_under_the_sheet_alone(rows: list[Sequence[Any]]) -> None:
    assert [part.under for part in workbook.extract(made({"A": rows})).parts] == [(1,)]


def test_values_look_as_in_a_spreadsheet_and_dates_are_iso() -> None:
    values = [1.0, 0.1, 1e20, True, datetime(2024, 1, 2), datetime(2024, 1, 2, 3, 4), time(4, 5), timedelta(hours=30)]
    content = workbook.extract(made({"A": [("rye\n and\tbees", None, *values, None)]}))
    assert content.text.replace(LINE_IN_LINE, " ").splitlines()[1] == (
        "rye and bees |  | 1 | 0.1 | 1e+20 | TRUE | 2024-01-02 | 2024-01-02 03:04:00 | 04:05:00 | 30:00:00"
    )


def test_hidden_sheets_are_read_and_empty_ones_keep_their_number() -> None:
    book = openpyxl.load_workbook(BytesIO(made({"one": [("a b", "b c")], "two": [], "three": [("bees", "rye")]})))
    book["three"].sheet_state = "hidden"
    out = BytesIO()
    book.save(out)
    content = workbook.extract(out.getvalue())
    assert content.text == "[Sheet: one]\na b | b c\n\n[Sheet: three]\nbees | rye\n"
    assert [part.name for part in content.parts] == ["sheet 1, row 1", "sheet 3, row 1"]


def test_a_workbook_of_libreoffice_is_read() -> None:
    kind = "urn:oasis:names:tc:opendocument:xmlns:"
    spaces = "".join(f' xmlns:{name}="{kind}{name}:1.0"' for name in ("office", "table", "text", "manifest"))
    cells = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
        for text in ("a", "b")
    )
    rows = f'<table:table-row table:number-rows-repeated="3">{cells}</table:table-row>'
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f"<manifest:manifest{spaces}/>")
        body = f'<office:spreadsheet><table:table table:name="Bees">{rows}</table:table></office:spreadsheet>'
        content = f"<office:document-content{spaces}><office:body>{body}</office:body></office:document-content>"
        archive.writestr("content.xml", content)
    assert workbook.extract(out.getvalue()).text == "[Sheet: Bees]\na | b\na | b\na | b\n"


def old_workbook(records: Iterable[bytes]) -> bytes:
    """Return a file of Office before 2007 that contains nothing but these records: header, directory, one stream."""
    stream = b"".join(records).ljust(4096, b"\0")
    free, end, own = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    header = struct.pack("<8s16x5H6x9I", zip_guard.OLE, 62, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, end, 0, end, 0)
    header += struct.pack("<109I", 0, *[free] * 108)
    sectors = struct.pack("<128I", own, end, *range(3, 10), end, *[free] * 118)
    for name, kind, child, start, size in (("Root Entry", 5, 1, end, 0), ("Workbook", 2, free, 2, len(stream))):
        written = name.encode("utf-16-le").ljust(64, b"\0")
        sectors += struct.pack("<64sH2B3I36xIQ", written, len(name) * 2 + 2, kind, 1, free, free, child, start, size)
    return header + sectors.ljust(1024, b"\0") + stream


def record(kind: int, form: str, *values: Any) -> bytes:
    body = struct.pack(f"<{form}", *values)
    return struct.pack("<2H", kind, len(body)) + body


def test_a_workbook_of_office_before_2007_is_read() -> None:
    begin = [record(0x809, "4H2I", 0x600, kind, 0, 0, 0, 0) for kind in (5, 16)]
    end = record(0x0A, "")
    offset = len(begin[0]) + len(record(0x85, "I4B4s", 0, 0, 0, 4, 0, b"Bees")) + len(end)
    cells = [record(0x204, "4HB4s", 0, column, 0, 4, 0, text) for column, text in enumerate((b"hive", b"sums"))]
    cells += [record(0x204, "4HB4s", 1, 0, 0, 4, 0, b"Worb"), record(0x203, "3Hd", 1, 1, 0, 12.0)]
    sheet = record(0x85, "I4B4s", offset, 0, 0, 4, 0, b"Bees")
    content = workbook.extract(old_workbook([begin[0], sheet, end, begin[1], *cells, end]))
    assert content.text == "[Sheet: Bees]\nhive | sums\nWorb | 12\n"


def test_columns_and_text_past_the_limits_are_left_out_with_a_warning() -> None:
    book = made({"A": [("hive", "sum", "more"), *(("north", 12, 1) for _ in range(100))]})
    content = workbook.extract(book, most_text=400, most_columns=2)
    assert content.warnings == (
        "sheet 1 is read up to row 41 only",
        "only the first 2 of the 3 columns of sheet 1 are read",
    )


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


def test_a_workbook_that_declares_entities_is_refused() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "bees"><!ENTITY b "&a;&a;&a;">]>'
    data = repacked(made({"A": [("a", "b")]}), lambda name, xml: bomb + xml if name.endswith("sheet1.xml") else xml)
    with pytest.raises(NoteError, match="declares entities"):
        workbook.extract(data)


@cases(
    ("data", "fact"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 and no more", "damaged"),
        (zip_guard.OLE + bytes(600), "damaged"),
        (zip_guard.OLE + bytes(600) + zip_guard.LOCKED, "protected by a password"),
        (made({"A": []}), "no text in its 1 sheets"),
        (made({"A": [("bees",)]})[:-40], "damaged"),
    ],
)
def test_an_unreadable_file_is_refused_with_the_reason(data: bytes, fact: str) -> None:
    with pytest.raises(NoteError, match=fact) as caught:
        workbook.extract(data)
    assert caught.value.hint


def test_a_cell_is_found_by_its_words_with_its_rows(make_vault: Callable[..., Vault]) -> None:
    rows = [("beekeeper", "village"), *((f"keeper {number}", "Trubschachen") for number in range(30)), ("Ada", "Worb")]
    with make_vault({"keepers.xlsx": made({"Keepers": rows})}) as vault:
        vault.index()
        hit = vault.search("Ada Worb").hits[0]
        assert hit.place == "sheet 1, rows 22-32"
        assert hit.heading.endswith("[Sheet: Keepers] > beekeeper | village")
        assert "Ada | Worb" in vault.read("keepers.xlsx#sheet 1, rows 22-32").text
