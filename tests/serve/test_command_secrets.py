from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Notewell = Callable[..., tuple[int, str, str]]

# In parts, so that no scanner takes this file for one that holds a secret.
TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3nR6"


def test_places_and_kinds_are_listed_and_never_the_secret(notewell: Notewell) -> None:
    code, out, err = notewell("secrets")
    assert code == 1
    assert out == "Garden/Keys.md:5  password\n"
    assert err == "1 secret in 1 note; 3 files checked\n"


def test_a_clean_place_ends_with_0(notewell: Notewell) -> None:
    assert notewell("secrets", "Recipes", "Garden/Bees.md") == (0, "", "no secrets; 2 files checked\n")


def test_json_is_as_other_programs_know_it(notewell: Notewell, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    code, out, _ = notewell("secrets", "--json")
    assert code == 1
    assert json.loads(out) == {
        "files": 4,
        "secrets": [{"path": "Garden/Keys.md", "line": 5, "rule": "password", "place": ""}],
        "skipped": [{"path": "bad.md", "reason": "not text: contains zero bytes"}],
    }


def test_a_secret_in_a_name_is_reported_without_it(notewell: Notewell, folder: Path) -> None:
    (folder / f"{TOKEN}.md").write_text("nothing inside\n")
    code, out, err = notewell("secrets")
    assert code == 1
    assert "[REDACTED:github-token].md (in the file name)  github-token\n" in out
    assert TOKEN not in out + err


def test_a_note_with_a_secret_in_its_name_is_skipped_and_its_name_never_stored(
    notewell: Notewell, folder: Path
) -> None:
    (folder / TOKEN).mkdir()
    (folder / TOKEN / "bees.md").write_text("# Bees\n\nA zebra grazes beside the hive today.\n")
    for _ in range(2):
        code, out, err = notewell("index", "--verbose")
        assert code == 0
        assert "[REDACTED:github-token]/bees.md: its name contains a secret (github-token)" in err
        assert TOKEN not in out + err
    assert all(TOKEN.encode() not in file.read_bytes() for file in (folder / ".notewell").iterdir())


def test_a_path_is_taken_from_where_it_is_typed(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "Recipes")
    assert notewell("secrets", "../Garden/Keys.md")[1] == "Garden/Keys.md:5  password\n"
    assert notewell("secrets", "Garden/Keys.md")[1] == "Garden/Keys.md:5  password\n"


def test_a_file_that_is_named_is_scanned_though_it_is_not_a_note(notewell: Notewell, folder: Path) -> None:
    (folder / ".env").write_text(f"DB_URL=none\nGITHUB_TOKEN={TOKEN}\n")
    assert notewell("secrets", ".env")[1].startswith(".env:2  ")
    assert notewell("secrets")[1] == "Garden/Keys.md:5  password\n"


def test_a_place_outside_the_vault_is_refused(notewell: Notewell, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("password: hunter2-again\n")
    code, out, err = notewell("secrets", "../elsewhere.md")
    assert (code, out) == (1, "")
    assert "outside the vault" in err and "hint:" in err


def test_a_place_that_is_not_there_is_an_error(notewell: Notewell) -> None:
    code, _, err = notewell("secrets", "nowhere.md")
    assert code == 1
    assert "There is no note nowhere.md" in err


def test_two_names_that_are_alike_without_their_secrets_are_distinguished_and_not_read_again(
    notewell: Notewell, folder: Path
) -> None:
    for end in "ab":
        (folder / f"{TOKEN}{end}.md").write_text("nothing inside\n")
    notewell("index")
    code, out, _ = notewell("status", "--json")
    skipped = [one["path"] for one in json.loads(out)["skipped"]]
    assert (code, skipped) == (0, ["[REDACTED:github-token].md", "[REDACTED:github-token].md (2)"])
    assert json.loads(out)["stale"] == 0


def test_a_folder_outside_the_vault_is_refused(notewell: Notewell) -> None:
    code, _, err = notewell("secrets", "..")
    assert code == 1
    assert "outside the vault" in err or "is not a file" in err


def test_a_picture_that_is_named_along_is_not_a_note(notewell: Notewell, folder: Path) -> None:
    (folder / "bees.png").write_bytes(b"\x89PNG\r\n\0\0")
    assert notewell("secrets", "bees.png", "Garden/Bees.md") == (0, "", "no secrets; 2 files checked\n")


def test_a_note_that_could_not_be_read_is_not_called_clean(notewell: Notewell, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    code, _, err = notewell("secrets", "bad.md")
    assert code == 3
    assert "no secrets in the readable files" in err and "bad.md: not text" in err


def test_a_folder_that_cannot_be_listed_is_not_called_clean(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "Garden" / "Keys.md").unlink()
    (folder / "Locked").mkdir()
    scandir = os.scandir

    def refuse(path: Path | int) -> object:
        if isinstance(path, Path) and path.name == "Locked":
            raise PermissionError(path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    code, _, err = notewell("secrets")
    assert code == 3
    assert "Locked: no permission to list this folder" in err


def test_a_secret_that_a_reader_removed_is_listed(notewell: Notewell, folder: Path) -> None:
    cards = [{"id": number, "type": "text", "text": text} for number, text in (("a", "Bees"), ("b", "Shed"))]
    arrow = {"fromNode": "a", "toNode": "b", "label": f"opens with {TOKEN}"}
    (folder / "map.canvas").write_text(json.dumps({"nodes": cards, "edges": [arrow]}))
    code, out, err = notewell("secrets", "map.canvas")
    assert (code, out) == (1, "map.canvas:5  github-token\n")
    assert TOKEN not in out + err
