from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notewell import Vault

Notewell = Callable[..., tuple[int, str, str]]


def status(notewell: Notewell) -> dict[str, Any]:
    code, out, err = notewell("status", "--json")
    assert (code, err) == (0, "")
    told: dict[str, Any] = json.loads(out)
    return told


def test_json_says_what_is_indexed_and_what_is_not(notewell: Notewell, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    notewell("index")
    told = status(notewell)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", told.pop("indexed_at"))
    assert told.pop("store_bytes") > 0
    assert told.pop("generation") > 0
    assert told == {
        "vault": str(folder),
        "store": str(folder / ".notewell" / "store.db"),
        "notes": 3,
        "chunks": 4,
        "links": 1,
        "tags": 1,
        "top_tags": {"bread": 1},
        "embedder": "words/27",
        "filling": {"encoder": "", "filled": 0, "unread": 0, "left": 0, "under_way": False, "problem": ""},
        "stale": 0,
        "skipped": [{"path": "bad.md", "reason": "not text: contains zero bytes"}],
        "others": {},
        "domains": {},
        "notices": [],
    }


def test_what_was_written_last_counts_as_a_part_of_the_store(notewell: Notewell, folder: Path) -> None:
    with Vault.open(folder) as vault:
        vault.index()
        # SQLite puts it into the file itself when the store is closed.
        files = [folder / ".notewell" / name for name in ("store.db", "store.db-wal")]
        assert vault.status().store_bytes == sum(file.stat().st_size for file in files)
        assert files[1].stat().st_size > files[0].stat().st_size


def test_a_vault_that_was_never_indexed_says_so_and_stays_untouched(notewell: Notewell, folder: Path) -> None:
    told = status(notewell)
    assert (told["notes"], told["chunks"], told["indexed_at"], told["stale"]) == (0, 0, None, 0)
    assert (told["embedder"], told["generation"], told["store_bytes"], told["skipped"]) == ("", 0, 0, [])
    code, out, _ = notewell("status")
    assert code == 0
    assert "`notewell index`" in out
    assert not (folder / ".notewell").exists()


def test_changed_new_and_deleted_files_are_stale(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "new.md").write_text("# New\n\nA note that was not there before.\n")
    (folder / "Garden" / "Bees.md").unlink()
    (folder / "Garden" / "Keys.md").write_text("# Keys\n\nAnother text altogether, longer or shorter.\n")
    assert status(notewell)["stale"] == 3
    assert re.search(r"^stale +3 files", notewell("status")[1], re.MULTILINE)


def test_a_person_reads_the_same(notewell: Notewell, folder: Path) -> None:
    (folder / "bad\nname.md").write_bytes(b"\0\1\2")
    notewell("index")
    code, out, err = notewell("status")
    assert (code, err) == (0, "")
    assert f"vault     {folder}\n" in out
    assert "notes     3 in 4 chunks, 1 link\n" in out
    assert "embedder  words/27\n" in out
    assert "skipped   bad\\x0aname.md: not text: contains zero bytes\n" in out
    assert "stale" not in out


def test_a_skipped_file_s_name_hides_nothing(notewell: Notewell, folder: Path) -> None:
    # A filler is a letter to Python, and nothing to who reads the line.
    (folder / "bad\u3164name.md").write_bytes(b"\0" * 10)
    notewell("index")
    assert "bad\\u3164name.md: not text" in notewell("status")[1]


def test_a_skipped_file_that_is_deleted_is_no_longer_reported(notewell: Notewell, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    notewell("index")
    (folder / "bad.md").unlink()
    notewell("index")
    assert status(notewell)["skipped"] == []


def test_a_skipped_file_that_is_repaired_is_no_longer_reported(notewell: Notewell, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    notewell("index")
    (folder / "bad.md").write_text("# Good\n\nNow it can be read by anyone who likes.\n")
    assert status(notewell)["stale"] == 1
    notewell("index")
    told = status(notewell)
    assert (told["skipped"], told["notes"], told["stale"]) == ([], 4, 0)


def test_files_of_other_formats_are_counted(notewell: Notewell, folder: Path) -> None:
    for name in ("a.png", "b.png", "c.DOC", "Makefile", ".hidden.doc"):
        (folder / name).write_bytes(b"x")
    notewell("index")
    assert "other     4 files in unsupported formats: 2 .png, 1 " in notewell("status")[1]
    assert json.loads(notewell("status", "--json")[1])["others"] == {".png": 2, ".doc": 1, "": 1}
