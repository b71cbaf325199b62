"""Pages of hits for other programs: `--format`, and addresses that open a hit."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.cases import cases
from tests.serve.terminal import PROGRAM, on_terminal

from notewell.names.addresses import Addresses
from notewell.types.note import Chunk

Notewell = Callable[..., tuple[int, str, str]]


def table(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


# Formats


def test_json_is_one_format_by_two_names(notewell: Notewell) -> None:
    notewell("index")
    one, other = (json.loads(notewell("search", "rye", *how)[1]) for how in (["--json"], ["--format", "json"]))
    assert one["hits"] == other["hits"] != []


def test_other_places_that_say_the_same_are_named_or_counted(notewell: Notewell, folder: Path) -> None:
    bees = (folder / "Garden/Bees.md").read_text(encoding="utf-8")
    (folder / "Copy.md").write_text(bees, encoding="utf-8")
    first, *_ = json.loads(notewell("search", "hive honey", "--json")[1])["hits"]
    (same,) = first["also"]
    assert {first["path"], same.partition(":")[0]} == {"Copy.md", "Garden/Bees.md"}
    assert f"\n    the same in {same}\n" in notewell("search", "hive honey")[1]
    (folder / "Third.md").write_text(bees, encoding="utf-8")
    (folder / "Fourth.md").write_text(bees, encoding="utf-8")
    assert re.search(r"\n    the same in \w+\.md:\d+ and 2 other places\n", notewell("search", "hive honey")[1])


def test_markdown_needs_no_budget(notewell: Notewell) -> None:
    notewell("index")
    whole = notewell("search", "rye", "--format", "md")[1]
    assert whole == notewell("search", "rye", "--max-tokens", "100000")[1]
    assert whole.count("### ") == 4


def test_a_table_has_a_row_for_each_hit(notewell: Notewell) -> None:
    notewell("index")
    hits = json.loads(notewell("search", "the loaf", "--json")[1])["hits"]
    rows = table(notewell("search", "the loaf", "--format", "csv")[1])
    assert list(rows[0]) == ["path", "line", "end_line", "place", "heading", "score", "excerpt", "date"]
    assert [(row["path"], int(row["line"]), row["excerpt"], float(row["score"])) for row in rows] == [
        (hit["path"], hit["excerpt"]["line"], hit["excerpt"]["text"], hit["score"]) for hit in hits
    ]


def test_a_table_keeps_commas_quotes_and_line_breaks_in_their_cells(notewell: Notewell, folder: Path) -> None:
    (folder / 'a, "b".md').write_text('# Q\n\nThe zebra said "hello, you".\nA zebra, again.\n')
    (row,) = table(notewell("search", "zebra", "-n", "1", "--format", "csv")[1])
    assert (row["path"], row["excerpt"]) == ('a, "b".md', 'The zebra said "hello, you".\nA zebra, again.')


@pytest.mark.parametrize("text", ["=1+zebra(2)", "+zebra", "-2+zebra", "@zebra", "\uff1d1+zebra"])
def test_no_cell_of_a_table_is_a_formula(notewell: Notewell, folder: Path, text: str) -> None:
    (folder / f"{text}.md").write_text(f"{text}\n")
    (row,) = table(notewell("search", "zebra", "-n", "1", "--format", "csv")[1])
    assert (row["path"], row["excerpt"]) == (f"'{text}.md", f"'{text}")


def test_paths_are_printed_once_each_in_the_order_of_the_hits(notewell: Notewell) -> None:
    notewell("index")
    hits = json.loads(notewell("search", "rye", "--json")[1])["hits"]
    assert len(hits) == 4
    paths = list(dict.fromkeys(hit["path"] for hit in hits))
    assert notewell("search", "rye", "--format", "paths")[1] == "".join(f"{path}\n" for path in paths)
    assert notewell("search", "rye", "--format", "paths", "-0")[1] == "".join(f"{path}\0" for path in paths)


def test_paths_go_through_xargs_whatever_is_in_them(folder: Path) -> None:
    (folder / "a 'very' odd\nname ü.md").write_text("The zebra grazes.\n")
    command = f"{PROGRAM} search zebra -n 1 --format paths --null | xargs -0 cat"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "The zebra grazes.\n"


@cases("format", ["csv", "paths", "md"])
def test_how_scores_came_about_goes_to_stderr_beside_data(notewell: Notewell, format: str) -> None:
    notewell("index")
    plain = notewell("search", "rye", "--format", format)[1]
    _, out, err = notewell("search", "rye", "--format", format, "--explain")
    assert out == plain
    assert "retriever  rank" in err


@cases("format", ["csv", "paths", "md"])
def test_related_and_deep_mode_know_the_formats_too(notewell: Notewell, format: str) -> None:
    notewell("index")
    for command in (["related", "Bees"], ["search", "hive", "--deep"]):
        code, out, _ = notewell(*command, "--format", format)
        assert code == 0
        assert "Recipes/Sourdough.md" in out


@cases(
    ("arguments", "message"),
    [
        (["--json", "--format", "csv"], "--json and --format csv exclude each other"),
        (["-0"], "--null is for --format paths"),
        (["--mode", "compare", "--format", "csv"], "--mode compare prints two lists"),
    ],
)
def test_formats_that_do_not_go_together_are_wrong_usage(
    notewell: Notewell, arguments: list[str], message: str
) -> None:
    code, out, err = notewell("search", "rye", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_lines_of_a_note_are_read_as_a_block_for_a_prompt(notewell: Notewell) -> None:
    _, out, _ = notewell("read", "Garden/Keys.md:3-5", "--format", "md")
    assert out == (
        "~~~\n### Keys (Garden/Keys.md:3)\n"
        "For the weather station of the garden.\n\npassword: [REDACTED:password]\n~~~\n\n"
    )
    assert notewell("read", "Garden/Keys.md", "--json", "--format", "md")[0] == 2


# Addresses


def test_a_hit_opens_as_a_file(notewell: Notewell, folder: Path) -> None:
    (folder / "Grüße & #1.md").write_text("The zebra grazes.\n")
    (first, *_) = json.loads(notewell("search", "zebra", "--json")[1])["hits"]
    assert first["uri"].isascii()
    assert Path(unquote(first["uri"].removeprefix("file://"))) == folder / "Grüße & #1.md"


def test_a_hit_in_a_vault_of_obsidian_opens_there_at_its_heading(notewell: Notewell, folder: Path) -> None:
    (folder / ".obsidian").mkdir()
    (folder / "Recipes" / "Bread & rye.md").write_text(
        "# Bread\n\nText.\n\n## How: a zebra|bakes #1\n\n" + "zebra " * 9
    )
    (first, *_) = json.loads(notewell("search", "zebra", "--json")[1])["hits"]
    address = urlsplit(first["uri"])
    assert (address.scheme, address.netloc) == ("obsidian", "open")
    assert parse_qs(address.query) == {
        "vault": [folder.name],
        "file": ["Recipes/Bread & rye.md#How  a zebra bakes  1"],
    }


def test_what_is_not_markdown_opens_without_a_heading(tmp_path: Path) -> None:
    chunk = Chunk("Papers/Bees.pdf", "", 3, 4, headings=("Abstract",))
    assert Addresses(tmp_path, "obsidian").of_chunk(chunk).endswith("&file=Papers%2FBees.pdf")


# Places that can be clicked on

LINK = re.compile(r"\x1b\]8;;([^\x1b]+)\x1b\\(?:\x1b\[\d+m)*([^\x1b]+)(?:\x1b\[0m)?\x1b\]8;;\x1b\\")


def links(folder: Path, **environment: str) -> list[tuple[str, str]]:
    return LINK.findall(on_terminal("search", "loaf", "-n", "1", cwd=folder, **environment))


@cases(
    "knowing",
    [{"VTE_VERSION": "6800"}, {"TERM_PROGRAM": "iTerm.app"}, {"TERM": "xterm-kitty"}, {"NOTEWELL_SHOW_LINKS": "file"}],
)
def test_a_terminal_that_knows_links_gets_them(
    folder: Path, knowing: dict[str, str], by_daemon: dict[str, str]
) -> None:
    ((address, text),) = links(folder, **knowing, **by_daemon)
    assert text == "Recipes/Sourdough.md:7"
    assert address == f"file://{os.uname().nodename}{folder}/Recipes/Sourdough.md"


def test_places_lead_to_obsidian_or_to_an_editor(folder: Path, by_daemon: dict[str, str]) -> None:
    (folder / ".obsidian").mkdir()
    ((address, _),) = links(folder, VTE_VERSION="6800", **by_daemon)
    assert address == "obsidian://open?vault=notes&file=Recipes%2FSourdough.md%23Sourdough"
    ((address, _),) = links(folder, NOTEWELL_SHOW_LINKS="vscode", **by_daemon)
    assert address == f"vscode://file{folder}/Recipes/Sourdough.md:7"


@cases(
    "plain",
    [
        {},
        {"VTE_VERSION": "4000"},
        {"VTE_VERSION": "6800", "NO_COLOR": "1"},
        {"VTE_VERSION": "6800", "TERM": "dumb"},
        {"VTE_VERSION": "6800", "TERM": "screen-256color"},
        {"VTE_VERSION": "6800", "NOTEWELL_SHOW_LINKS": "off"},
    ],
)
def test_others_do_not(folder: Path, plain: dict[str, str], by_daemon: dict[str, str]) -> None:
    shown = on_terminal("search", "loaf", cwd=folder, **plain, **by_daemon)
    assert "Sourdough" in shown
    assert "\x1b]8" not in shown


def test_piped_output_has_no_links(folder: Path) -> None:
    environment = {**os.environ, "VTE_VERSION": "6800", "NOTEWELL_SHOW_LINKS": "file", "NOTEWELL_DAEMON": "no"}
    done = subprocess.run([PROGRAM, "search", "loaf"], cwd=folder, env=environment, capture_output=True, check=True)
    assert b"\x1b" not in done.stdout


def test_an_excerpt_is_wrapped_below_its_own_beginning_in_a_narrow_window(folder: Path) -> None:
    (folder / "Zebra.md").write_text("The zebra grazes where the grass is long, 蜂の巣 hums, and nobody minds it.\n")
    narrow = on_terminal("search", "zebra grazes", "-n", "1", "--no-refresh", cwd=folder, COLUMNS="40", NO_COLOR="1")
    # Three signs take the room of six letters.
    assert narrow.splitlines()[-3:] == [
        "    The zebra grazes where the grass is",
        "    long, 蜂の巣 hums, and nobody minds",
        "    it.",
    ]
    wide = on_terminal("search", "zebra grazes", "-n", "1", cwd=folder, NO_COLOR="1")
    assert wide.splitlines()[-1] == "    The zebra grazes where the grass is long, 蜂の巣 hums, and nobody minds it."
