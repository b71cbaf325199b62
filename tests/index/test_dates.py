"""The day of a note, as people write it in the names of files and in properties."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from notewell import Filters, Vault
from notewell.index.dates import DateRules, date_note, day_in_name, name_pattern, with_vault_formats
from notewell.types.note import Note, Stamp


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("Daily/2025-07-11.md", "2025-07-11"),
        ("2025-07-11 Call with Ann.md", "2025-07-11"),
        ("Call 2025_07_11.md", "2025-07-11"),
        ("20250711T1200.md", "2025-07-11"),
        ("202507111230 Zettel.md", "2025-07-11"),
        ("11.07.2025 Termin.md", "2025-07-11"),
        ("Journal/2025-W28.md", "2025-07-07"),
        ("Journal/2025-07.md", "2025-07-01"),
        ("2025-07-11/Notes.md", ""),
        ("RFC 2616.md", ""),
        ("2025.md", ""),
        ("2025-13-01.md", ""),
        ("2025-02-31.md", ""),
        ("v2.2024.01.md", ""),
    ],
)
def test_a_day_in_the_usual_forms_is_read_from_a_name(path: str, day: str) -> None:
    assert day_in_name(path) == day


@pytest.mark.parametrize(
    ("format", "path", "day"),
    [
        ("YYYY/MM/DD", "Daily/2025/07/11.md", "2025-07-11"),
        ("YYYY/MM-MMMM/YYYY-MM-DD", "2025/07-July/2025-07-11.md", "2025-07-11"),
        ("dddd, Do MMMM YYYY", "Freitag, 11. Juli 2025.md", "2025-07-11"),
        ("DD MMM YY", "11 Mär 25.md", "2025-03-11"),
        ("gggg-[W]ww", "Weekly/2025-W28.md", "2025-07-07"),
        ("YYYY-[Q]Q", "2025-Q3.md", "2025-07-01"),
        ("YYYY", "Yearly/2025.md", "2025-01-01"),
        ("YYYY/YYYY-MM-DD", "2024/2025-07-11.md", "2025-07-11"),
        ("DD MMMM YYYY", "11 Foo 2025.md", ""),
    ],
)
def test_a_day_is_read_by_the_formats_of_daily_notes(format: str, path: str, day: str) -> None:
    assert day_in_name(path, [name_pattern(format)]) == day


@pytest.mark.parametrize(
    ("fields", "day", "by"),
    [
        ({"date": date(2024, 5, 1)}, "2024-05-01", "date"),
        ({"date": "soon", "updated": "2025-01-06 10:00:00+00:00"}, "2025-01-06", "updated"),
        ({"date": 20240501, "created": "12:30"}, "", ""),
        ({"date": "0000-00-00"}, "", ""),
        ({"published": "2024-05-01"}, "", ""),
    ],
)
def test_without_a_day_in_the_name_the_first_property_counts(fields: dict[str, Any], day: str, by: str) -> None:
    note = date_note(Note("a.md", "", Stamp(0, 0), fields=fields), DateRules())
    assert (note.day, note.dated_by) == (day, by)


def test_the_name_comes_before_properties_and_other_keys_can_be_named() -> None:
    note = Note("2025-07-11.md", "", Stamp(0, 0), fields={"date": "2024-05-01", "published": "2023-01-01"})
    assert date_note(note, DateRules()).dated_by == "name"
    other = date_note(Note("a.md", "", Stamp(0, 0), fields=note.fields), DateRules(keys=("published",)))
    assert (other.day, other.dated_by) == ("2023-01-01", "published")


def test_the_formats_of_the_vaults_own_settings_are_read(tmp_path: Path) -> None:
    plugins = tmp_path / ".obsidian/plugins/periodic-notes"
    plugins.mkdir(parents=True)
    (tmp_path / ".obsidian/daily-notes.json").write_text(json.dumps({"format": "DD MMMM YYYY", "folder": "Daily"}))
    (plugins / "data.json").write_text(json.dumps({"weekly": {"format": "gggg-[KW]ww"}, "daily": {}, "x": 1}))
    assert with_vault_formats(DateRules(), tmp_path).formats == ("DD MMMM YYYY", "gggg-[KW]ww")
    (tmp_path / ".obsidian/daily-notes.json").write_text("[broken")
    assert with_vault_formats(DateRules(formats=("YYYY",)), tmp_path).formats == ("YYYY", "gggg-[KW]ww")


def test_notes_are_filtered_by_the_day_in_their_names(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"2023-05-01.md": "rye in May\n", "2025-07-11.md": "rye in July\n"})
    vault.index()
    assert [hit.path for hit in vault.search("rye", filters=Filters(after="2025"))] == ["2025-07-11.md"]
    assert [hit.path for hit in vault.search("rye before:2024")] == ["2023-05-01.md"]


@pytest.mark.parametrize("format", ["d" * 90 + "Q", "[" * 90, "MMMM" * 20 + "x", "(((" + "D" * 80, "Do" * 40])
def test_a_format_that_no_name_fits_is_soon_known_not_to_fit(format: str) -> None:
    assert day_in_name(f"{'a' * 200}.md", [name_pattern(format)]) == ""


def test_a_format_too_long_to_be_meant_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/daily-notes.json").write_text(json.dumps({"format": "[" * 300_000}))
    assert with_vault_formats(DateRules(), tmp_path).formats == ()
