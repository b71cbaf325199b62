from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

from notewell import Vault

Notewell = Callable[..., tuple[int, str, str]]


def test_a_note_is_shown_as_it_stands_in_its_file(notewell: Notewell, folder: Path) -> None:
    text = (folder / "Recipes" / "Sourdough.md").read_text()
    assert notewell("read", "Recipes/Sourdough.md") == (0, text, "")


@cases(
    ("place", "expected"),
    [
        ("Garden/Bees.md:1", "# Bees\n"),
        (
            "Garden/Bees.md:3-5",
            "The hive hums in the warm evening.\n\nA second paragraph about honey, see [[Sourdough]].\n",
        ),
        ("Garden/Bees.md:5-900", "A second paragraph about honey, see [[Sourdough]].\n"),
        ("./Garden/../Garden/Bees.md:1-1", "# Bees\n"),
    ],
)
def test_lines_are_asked_for_by_number(notewell: Notewell, place: str, expected: str) -> None:
    assert notewell("read", place) == (0, expected, "")


@pytest.mark.parametrize("name", ["bees", "Bees.md", "the-hive", "garden/bees:1", "The Hive:1-1"])
def test_a_note_may_be_called_by_a_name_that_no_other_has(notewell: Notewell, folder: Path, name: str) -> None:
    (folder / "Garden" / "Bees.md").write_text("---\naliases: [The hive]\n---\n\n# Bees\n")
    notewell("index")
    code, out, _ = notewell("read", name)
    assert (code, out.partition("\n")[0]) == (0, "---")
    (folder / "New.md").write_text("just written\n")
    assert notewell("read", "new") == (0, "just written\n", "")


def test_a_path_goes_before_a_name_and_a_folder_is_none(notewell: Notewell, folder: Path) -> None:
    (folder / "Bees.md").write_text("the other bees\n")
    (folder / "Garden.md").write_text("about the garden\n")
    notewell("index")
    assert notewell("read", "Bees.md")[1] == "the other bees\n"
    assert notewell("read", "Garden")[1] == "about the garden\n"
    code, out, err = notewell("read", "bees")
    assert (code, out) == (0, "the other bees\n"), err


def test_a_name_indexes_a_vault_that_never_was_and_a_path_does_not(notewell: Notewell, folder: Path) -> None:
    assert notewell("read", "Garden/Bees.md:1") == (0, "# Bees\n", "")
    assert not (folder / ".notewell").exists()
    assert notewell("read", "bees:1") == (0, "# Bees\n", f"indexing {folder}\n")


def test_a_name_that_is_not_known_while_another_process_indexes_may_be_known_soon(
    notewell: Notewell, folder: Path
) -> None:
    notewell("index")
    (folder / "New.md").write_text("just written\n")
    with Vault.open(folder) as vault, vault.store.locked(wait=0):
        code, _, err = notewell("read", "new")
    assert code == 1
    assert "hint: Another process is indexing this vault. The latest changes may be missing from these results. " in err


def test_a_name_that_several_or_none_have_says_which_are_meant(notewell: Notewell, folder: Path) -> None:
    (folder / "Recipes" / "Keys.md").write_text("of the piano\n")
    notewell("index")
    assert notewell("read", "keys") == (
        1,
        "",
        "error: 2 notes are called 'keys'\nhint: Name one of them by its path: Garden/Keys.md, Recipes/Keys.md\n",
    )
    assert notewell("read", "Sourdoug")[2].endswith("hint: Did you mean Recipes/Sourdough.md?\n")


def test_a_name_does_not_lead_out_of_the_vault_nor_to_what_is_not_a_note(notewell: Notewell, folder: Path) -> None:
    (folder.parent / "outside.md").write_text("not yours\n")
    (folder / "Gone.md").write_text("soon elsewhere\n")
    notewell("index")
    (folder / "Gone.md").unlink()
    (folder / "Gone.md").symlink_to(folder.parent / "outside.md")
    for name in ("gone", "Gone.md", "outside", "../outside", "notewell"):
        code, out, err = notewell("read", name)
        assert (code, out) == (1, ""), name
        assert "hint: " in err


def test_line_numbers_are_printed_on_request(notewell: Notewell) -> None:
    assert notewell("read", "Garden/Bees.md:2-3", "--numbers")[1] == (
        "     2  \n     3  The hive hums in the warm evening.\n"
    )


def test_json_names_the_lines(notewell: Notewell) -> None:
    assert json.loads(notewell("read", "Garden/Bees.md:3-4", "--json")[1]) == {
        "path": "Garden/Bees.md",
        "line": 3,
        "end_line": 4,
        "text": "The hive hums in the warm evening.\n",
        "place": "",
    }


def test_secrets_are_taken_out_here_too(notewell: Notewell) -> None:
    for arguments in (["Garden/Keys.md"], ["Garden/Keys.md:5"], ["Garden/Keys.md", "--json"]):
        code, out, err = notewell("read", *arguments)
        assert code == 0
        assert "[REDACTED:password]" in out
        assert "hunter2" not in out + err


def test_a_colon_in_a_file_name_is_not_a_line_number(notewell: Notewell, folder: Path) -> None:
    (folder / "at 12:30").mkdir()
    (folder / "at 12:30" / "b.md").write_text("hello\n")
    (folder / "a:3.md").write_text("one\ntwo\n")
    assert notewell("read", "at 12:30/b.md")[1] == "hello\n"
    assert notewell("read", "a:3.md")[1] == "one\ntwo\n"
    assert notewell("read", "a:3.md:2")[1] == "two\n"


def test_windows_line_ends_and_a_bom_do_not_shift_lines(notewell: Notewell, folder: Path) -> None:
    (folder / "dos.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    assert notewell("read", "dos.md:2")[1] == "two\n"


def test_nothing_outside_the_vault_is_read(notewell: Notewell, folder: Path) -> None:
    outside = folder.parent / "outside.md"
    outside.write_text("not yours\n")
    (folder / "link.md").symlink_to(outside)
    (folder / "linked").symlink_to(folder.parent, target_is_directory=True)
    places = ("../outside.md", "Garden/../../outside.md", "../outside.md:1", "link.md", "linked/outside.md")
    for place in (*places, str(outside)):
        code, out, err = notewell("read", place)
        assert (code, out) == (1, ""), place
        assert "outside the vault" in err and "hint:" in err, place


@cases(
    "place",
    ["nowhere.md", "Garden", "", ".", "notewell.toml", "Garden/Bees.md:900", "Garden/Bees.md:4-3", "bad.md", "a" * 300],
)
def test_an_unreadable_file_is_an_error_with_a_hint(notewell: Notewell, folder: Path, place: str) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    notewell("index")
    code, out, err = notewell("read", place)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "\nhint: " in err


def test_lines_the_wrong_way_round_are_not_called_missing(notewell: Notewell) -> None:
    assert "there is no line 4" not in notewell("read", "Garden/Bees.md:4-3")[2]


def test_a_path_may_be_typed_from_where_one_is(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "Garden")
    assert notewell("read", "Bees.md:1")[1] == "# Bees\n"
    assert notewell("read", "Garden/Bees.md:1")[1] == "# Bees\n"
    assert notewell("read", "../Recipes/Sourdough.md:5-5")[1] == "# Sourdough\n"


def test_secrets_are_shown_raw_on_a_terminal_only(folder: Path) -> None:
    command = [sys.executable, "-m", "notewell", "read", "Garden/Keys.md:5", "--raw"]
    piped = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (piped.returncode, piped.stdout) == (1, "")
    assert "on a terminal only" in piped.stderr and "hint:" in piped.stderr
    ours, theirs = pty.openpty()
    done = subprocess.run(command, cwd=folder, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert done.returncode == 0
    assert os.read(ours, 1000) == b"password: hunter2-again\r\n"
    os.close(ours)


def test_a_heading_is_read_as_a_link_names_it(notewell: Notewell) -> None:
    notewell("index")
    section = (0, "## Rye\n\nRye needs more water than wheat does, and a tin to hold it.\n", "")
    assert notewell("read", "Recipes/Sourdough.md#Rye") == section
    assert notewell("read", "sourdough#rye") == notewell("read", "[[Sourdough#Rye|rye bread]]") == section
    assert notewell("read", "[[Sourdough#Rie]]")[2] == (
        "error: Recipes/Sourdough.md has no heading 'Rie'\nhint: Did you mean Rye?\n"
    )
    assert notewell("read", "[[Sourdoug#Rye]]")[2].startswith("error: No indexed note is called 'Sourdoug#Rye'\n")


def test_last_is_what_was_read_last(notewell: Notewell) -> None:
    notewell("index")
    assert notewell("read", "last")[::2] == (
        1,
        "error: No indexed note was read within the last hour\nhint: Run `notewell read NOTE` first\n",
    )
    shown = notewell("read", "bees:3")
    notewell("read", "keys")
    assert notewell("read", "bees:3") == notewell("read", "last") == notewell("read", "last") == shown
