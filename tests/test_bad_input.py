"""What a person can feed Notewell by accident or on purpose: each has a clear outcome, none a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest
from tests.bounded import run_within

from notewell import NotewellError, Vault
from notewell.errors import NoteError, SettingsError, VaultError
from notewell.serve.cli import main

MakeVault = Callable[..., Vault]

RYE = "# Rye\n\nThe loaf needs a long and patient rest before baking.\n"
ODD_QUERIES = {
    "empty": "",
    "blank": " \t\n ",
    "10,000 characters": "sourdough loaf " * 667,
    "one endless word": "x" * 10_000,
    "only punctuation": "?!… --- ((( *** ;;;",
    "FTS5 syntax": '" OR ( NEAR *',
    "more FTS5 syntax": 'loaf" AND NOT NEAR(a b, 2) ^col : -x {y}',
    "SQL": "'; drop table note; --",
    "zero bytes": "loaf\0rest",
    "lone surrogates": "loaf \ud800 \udfff",
    "emoji": "🐝🐝",
    "a regular expression": r"(a+)+$ [\w",
    "format strings": "%s {0} {loaf!r}",
}


class Answer(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Answer]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run the command line as its entry point does; anything but a clean exit fails the test."""

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["notewell", *words])
        monkeypatch.setenv("NOTEWELL_EMBED_MODEL", "words")
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Answer(code, out, err)

    return run


def assert_explained(answer: Answer, fact: str) -> None:
    assert answer.code == 1
    assert answer.out == ""
    assert answer.err.startswith("error: ") and fact in answer.err and "\nhint: " in answer.err


def paths(vault: Vault, text: str) -> list[str]:
    """Return the notes that a search finds, those that say the same as another included."""
    hits = [hit for hit in vault.search(text) if hit.retrievers["lexical"]]
    return sorted(path for hit in hits for path in (hit.path, *(place.rpartition(":")[0] for place in hit.also)))


def skipped(vault: Vault) -> dict[str, str]:
    return dict(vault.store.about().skipped)


# The vault


@pytest.mark.parametrize(
    "name", ["nowhere", "x" * 5_000, "a\0b", "~no-such-user-here/notes", "file.md", "file.md/below"]
)
def test_a_vault_that_is_no_folder_is_an_error_with_a_hint(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.md").write_text(RYE, encoding="utf-8")
    with pytest.raises(VaultError) as caught:
        Vault.open(name if name.startswith("~") else tmp_path / name)
    assert caught.value.hint


@pytest.mark.parametrize("command", [["index"], ["search", "loaf"], ["status"], ["read", "a.md"]])
def test_every_command_says_that_the_vault_does_not_exist(tmp_path: Path, cli: Cli, command: list[str]) -> None:
    assert_explained(cli(*command, "--vault", str(tmp_path / "nowhere")), "There is no folder")


def test_the_command_line_says_that_the_vault_is_a_file(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "file.md").write_text(RYE, encoding="utf-8")
    assert_explained(cli("index", str(tmp_path / "file.md")), "is a file, not a folder")


def test_a_vault_that_cannot_be_read_is_an_error(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, to whom every folder is open: hence no chmod.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(VaultError, match="cannot be read"):
        Vault.open(tmp_path)
    answer = cli("index", str(tmp_path))
    assert answer.code in (1, 2) and "read" in answer.err and "\nhint: " in answer.err


def test_an_empty_vault_is_indexed_and_searched_and_nothing_is_found(tmp_path: Path, cli: Cli) -> None:
    report = json.loads(cli("index", str(tmp_path), "--json").out)
    assert (report["notes"], report["chunks"], report["skipped"]) == (0, 0, [])
    answer = cli("search", "loaf", "--vault", str(tmp_path))
    assert (answer.code, answer.out, answer.err) == (0, "", "nothing found\n")


def test_an_empty_vault_counts_as_indexed(make_vault: MakeVault) -> None:
    vault = make_vault({})
    assert not vault.indexed
    assert not vault.status().indexed_at
    vault.index()
    assert vault.indexed
    assert vault.status().indexed_at


def test_a_vault_without_notes_is_as_good_as_empty(make_vault: MakeVault) -> None:
    vault = make_vault({"picture.png": b"\x89PNG\0", "list.bin": "loaf"})
    assert vault.index().added == 0
    assert len(vault.search("loaf")) == 0


# Files


def test_a_note_of_50_mb_is_skipped_with_the_reason(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    with (vault.root / "huge.md").open("wb") as file:
        file.truncate(50 << 20)
    assert vault.index().added == 1
    assert skipped(vault) == {"huge.md": "52,428,800 bytes, over the limit of 16,777,216"}
    assert paths(vault, "loaf") == ["rye.md"]


def test_a_note_over_the_limit_is_indexed_when_the_limit_is_raised(make_vault: MakeVault) -> None:
    far = "## Far\n\nThe quokka waits at the very end of the note.\n"
    vault = make_vault({"huge.md": RYE + " " * (17 << 20) + "\n\n" + far}, {"index.max_bytes": 20 << 20})
    assert vault.index().added == 1
    assert skipped(vault) == {}
    (first, *_) = vault.search("quokka")
    assert (first.path, first.excerpt.line) == ("huge.md", 8)


@pytest.mark.parametrize(
    "line", ["loaf hive " * 500_000, "x" * 5_000_000, "[[" * 2_500_000], ids=["words", "one word", "brackets"]
)
def test_a_line_of_5_mb_is_indexed(make_vault: MakeVault, line: str) -> None:
    vault = make_vault({"line.md": f"# Line\n\n{line}\n\nThe quokka ends it, and this is the last line.\n"})
    assert vault.index().added == 1
    assert paths(vault, "quokka") == ["line.md"]
    assert vault.store.about().chunks >= 2_500


def test_a_monotonous_note_does_not_take_for_ever() -> None:
    # All take a second.
    program = """
from notewell.index.chunk import ChunkRules
from notewell.index.shapes.markdown import chunk, parse
from notewell.types.note import Note, Stamp
runs = [*">#` \\n", "---\\n", "A b\\n---\\n\\n", "|a|\\n", "[a](", "[[a|", "a.b-c_d/", "- a\\n", "```\\n"]
for text in (run * (300_000 // len(run)) for run in runs):
    chunk(parse(Note("a.md", "# " + text, Stamp(0, 0))), ChunkRules())
"""
    run_within(20, program)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "zero bytes"),
        (bytes(range(1, 256)), "not UTF-8 at byte 127"),
        (b"\xff\xfe\xfd", "damaged: UTF-16"),
    ],
)
def test_a_file_that_is_no_text_is_skipped_with_the_reason(make_vault: MakeVault, data: bytes, reason: str) -> None:
    vault = make_vault({"bad.md": data, "rye.md": RYE})
    assert vault.index().added == 1
    assert list(skipped(vault)) == ["bad.md"] and reason in skipped(vault)["bad.md"]


def test_the_command_line_names_what_was_skipped_and_succeeds(make_vault: MakeVault, cli: Cli) -> None:
    vault = make_vault({"bad.md": b"rye\0bread", "rye.md": RYE})
    answer = cli("index", str(vault.root))
    assert answer.code == 0 and "bad.md: not text: contains zero bytes" in answer.err
    assert "bad.md" in cli("status", "--vault", str(vault.root)).out
    assert_explained(cli("read", "bad.md", "--vault", str(vault.root)), "bad.md: not text")


def test_windows_line_ends_and_a_byte_order_mark_do_not_show(make_vault: MakeVault) -> None:
    text = "\ufeff---\ntitle: Bread\n---\n" + RYE + "\n## Rest\n\nThe dough sleeps in the cellar over night.\n"
    vault = make_vault({"rye.md": text.replace("\n", "\r\n")})
    vault.index()
    (first, *_) = vault.search("cellar")
    assert (first.excerpt.line, first.heading) == (10, "Bread > Rye > Rest")
    assert "\r" not in first.excerpt.text and "\ufeff" not in first.excerpt.text
    assert vault.read("rye.md:8-8").text == "## Rest"


def test_the_windows_note_of_the_sample_vault_is_found_and_read_like_any_other(vault: Vault) -> None:
    path = "Garden/Balcony tomatoes.md"
    assert b"\r\n" in (vault.root / path).read_bytes()
    found = [excerpt for excerpt in vault.search("balcony tomatoes") if excerpt.path == path]
    lines = (vault.root / path).read_text(encoding="utf-8").split("\n")
    assert found and (shown := found[0].excerpt).text.split("\n")[0] in "\n".join(
        lines[shown.line - 1 : shown.end_line]
    )
    assert "\r" not in vault.read(path).text


def test_a_file_with_a_time_before_1970_is_indexed(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    os.utime(vault.root / "rye.md", ns=(0, -1))
    assert vault.index().added == 1
    assert vault.index().added == 0


def test_a_file_that_goes_between_walk_and_read_is_skipped(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"gone.md": RYE, "rye.md": RYE})
    really_open = os.open

    def open_file(path: Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if Path(path).name == "gone.md":
            raise FileNotFoundError(2, "No such file or directory")
        return really_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", open_file)
    assert vault.index().added == 1
    assert skipped(vault) == {"gone.md": "cannot be read: No such file or directory"}


def test_a_file_without_permission_is_skipped(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = make_vault({"closed.md": RYE, "rye.md": RYE})
    really_open = os.open

    def open_file(path: Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        # The tests may run as root, to whom every file is open: hence no chmod.
        if Path(path).name == "closed.md":
            raise PermissionError(13, "Permission denied")
        return really_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", open_file)
    assert vault.index().added == 1
    assert skipped(vault) == {"closed.md": "no permission to read it"}


ODD_NAMES = [
    'say "hello".md',
    "it's.md",
    "two\nlines.md",
    "🐝 hive.md",
    "-n.md",
    "a:12.md",
    "50%_[x].md",
    " .md",
    "日本語.MD",
]


def test_notes_with_odd_names_are_indexed_found_and_read(make_vault: MakeVault) -> None:
    vault = make_vault(
        {name: f"# Odd\n\nThe quokka of note {place} has an odd name.\n" for place, name in enumerate(ODD_NAMES)}
    )
    assert vault.index().added == len(ODD_NAMES)
    assert sorted(paths(vault, "quokka")) == sorted(ODD_NAMES)
    for place, name in enumerate(ODD_NAMES):
        assert f"note {place} " in vault.read(name).text
        assert f"note {place} " in vault.read(f"{name}:3").text
    (vault.root / "two\nlines.md").unlink()
    assert vault.index().removed == 1


def test_the_command_line_shows_notes_with_odd_names(make_vault: MakeVault, cli: Cli) -> None:
    text = "# Odd\n\nThe quokka has quite an odd name, it seems, number {}.\n"
    vault = make_vault({name: text.format(number) for number, name in enumerate(ODD_NAMES)})
    answer = cli("search", "quokka", "--vault", str(vault.root), "--json", "-n", "20")
    assert sorted(hit["path"] for hit in json.loads(answer.out)["hits"]) == sorted(ODD_NAMES)
    assert cli("search", "quokka", "--vault", str(vault.root)).code == 0


def test_a_file_name_that_is_not_utf_8_does_not_stop_the_run(make_vault: MakeVault, cli: Cli) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / os.fsdecode(b"caf\xe9.md")).write_text(RYE, encoding="utf-8")
    answer = cli("index", str(vault.root), "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["notes"] + len(json.loads(answer.out)["skipped"]) == 2
    assert "rye.md" in paths(vault, "loaf")


def test_links_out_of_the_vault_and_loops_are_not_read(make_vault: MakeVault, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/quokka.md").write_text("The quokka lives outside of this vault.", encoding="utf-8")
    vault = make_vault({"rye.md": RYE})
    (vault.root / "link.md").symlink_to(tmp_path / "outside/quokka.md")
    (vault.root / "folder").symlink_to(tmp_path / "outside")
    (vault.root / "loop").symlink_to(vault.root)
    (vault.root / "self.md").symlink_to("self.md")
    assert vault.index().added == 1
    assert paths(vault, "quokka") == []
    for path in ("link.md", "folder/quokka.md", "../outside/quokka.md", str(tmp_path / "outside/quokka.md")):
        with pytest.raises(NoteError, match="outside the vault"):
            vault.read(path)


# Front matter


@pytest.mark.parametrize(
    "front",
    [
        "title: [unclosed",
        "title: a: b",
        "\ttabs: here",
        "a: *nowhere",
        "? [a]\n: b",
        "a: !!python/object/apply:os.system [ls]",
        "date: 2024-13-45",
        "a: !!int ''",
        "a: !!bool perhaps",
        "a: !!timestamp soon",
        "a: !!binary é",
        'title: "\\ud800"',
        "a: " + "[" * 5_000,
        "a: " + "{b: " * 5_000,
        "\x01: b",
    ],
    ids=lambda front: front[:20],
)
def test_broken_front_matter_is_warned_about_and_the_body_is_indexed(make_vault: MakeVault, front: str) -> None:
    vault = make_vault({"bad.md": f"---\n{front}\n---\n{RYE}", "good.md": RYE})
    report = vault.index()
    assert report.added == 2 and [one.path for one in report.warnings] == ["bad.md"]
    assert "front matter" in report.warnings[0].reason
    assert paths(vault, "loaf") == ["bad.md", "good.md"]


@pytest.mark.parametrize(
    "front",
    [
        "log:\n  2024-01-01: started\n  2024-02-01: stopped",
        "log: {1.5: a, true: b, null: c}",
        "a: &a [*a]",
        "a: &a {b: *a}",
        "a: " + "[" * 400 + "]" * 400,
        "2024-01-01: a",
        "a: .nan\nb: .inf\nc: 0x1F\nd: 1_000\ne: 12:30:45\nf: 2024-01-01T00:00:00+14:00",
        "a: !!set {b, c}\nd: !!omap [e: f]\ng: !!binary aGk=",
        "title: {a: b}\ntags: {c: d}\naliases: [[e]]\ntype: [f]",
        "tags: [2024-01-01, true, null, 1.5]",
    ],
    ids=lambda front: front[:20],
)
def test_front_matter_of_unusual_yaml_does_not_stop_the_run(make_vault: MakeVault, front: str) -> None:
    vault = make_vault({"odd.md": f"---\n{front}\n---\n{RYE}", "good.md": RYE})
    assert vault.index().added == 2
    assert paths(vault, "loaf") == ["good.md", "odd.md"]


@pytest.mark.parametrize("field", ["a", "tags", "title", "aliases"])
def test_a_yaml_bomb_does_not_go_off(make_vault: MakeVault, field: str) -> None:
    # Five levels of nine: unfolded, 59,049 words and 300 kB. The famous ones have ten, and fill any disk.
    levels = [f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]" for level in range(1, 5)]
    bomb = "\n".join(("l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]", *levels, f"{field}: *l4"))
    vault = make_vault({"bomb.md": f"---\n{bomb}\n---\n{RYE}"})
    vault.index()
    assert paths(vault, "loaf") == ["bomb.md"]
    row = vault.store.db.execute("select title || tags || aliases || fields from note").get
    assert len(row) < 20_000


@pytest.mark.parametrize("front", ["- bees\n- rye", "just some words", "42", "quokka"])
def test_front_matter_that_is_no_mapping_is_text(make_vault: MakeVault, front: str) -> None:
    vault = make_vault({"note.md": f"---\n{front}\n---\n\n{RYE}"})
    report = vault.index()
    assert (report.added, report.warnings) == (1, ())
    assert paths(vault, "loaf") == ["note.md"]


@pytest.mark.parametrize(
    "text", ["---\n", "---", "---\n---\n", "---\ntitle: Bread\n", "---\n\n---\n" + RYE, "+++\na = 1\n+++\n"]
)
def test_front_matter_that_is_empty_or_unclosed_is_no_error(make_vault: MakeVault, text: str) -> None:
    vault = make_vault({"note.md": text})
    report = vault.index()
    assert (report.added, report.warnings) == (1, ())


def test_an_unclosed_fence_hides_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({"note.md": f"# Code\n\n```\nsome code that never ends\n\n## Rest\n\n{RYE[7:]}"})
    vault.index()
    (first, *_) = vault.search("loaf")
    assert (first.heading, first.excerpt.line) == ("Code > Rest", 8)


# Queries


@pytest.mark.parametrize("query", ODD_QUERIES.values(), ids=list(ODD_QUERIES))
@pytest.mark.parametrize("model", ["words", "static"])
def test_an_odd_query_has_a_clear_answer(make_vault: MakeVault, query: str, model: str) -> None:
    vault = make_vault({"rye.md": RYE}, {"embed.model": model})
    vault.index()
    assert paths(vault, query) == (["rye.md"] if "loaf" in query else [])


@pytest.mark.parametrize("query", ["", " \t "])
def test_an_empty_query_finds_nothing(make_vault: MakeVault, query: str) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.index()
    assert len(vault.search(query)) == 0


@pytest.mark.parametrize(
    "query",
    [query for query in ODD_QUERIES.values() if query.strip() and "\0" not in query],
    ids=lambda query: query[:15],
)
def test_the_command_line_answers_an_odd_query(make_vault: MakeVault, cli: Cli, query: str) -> None:
    vault = make_vault({"rye.md": RYE})
    answer = cli("search", "--vault", str(vault.root), "--json", "--", query)
    assert answer.code == 0
    hits = json.loads(answer.out)["hits"]
    assert [hit["path"] for hit in hits if hit["retrievers"]["lexical"]] == (["rye.md"] if "loaf" in query else [])
    assert cli("search", "--vault", str(vault.root), "--", query).code == 0


@pytest.mark.parametrize("query", ["", " \t\n "])
def test_the_command_line_refuses_to_look_for_nothing(make_vault: MakeVault, cli: Cli, query: str) -> None:
    vault = make_vault({"rye.md": RYE})
    answer = cli("search", "--vault", str(vault.root), "--", query)
    assert answer.code == 1 and "nothing to search for" in answer.err


def test_a_query_of_bytes_that_are_no_text_is_answered(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    command = [sys.executable, "-c", "from notewell.serve.cli import main; main()", "search", "--json"]
    done = subprocess.run(
        [*command, "--vault", str(vault.root), b"loaf \xff"], capture_output=True, check=False, timeout=30
    )
    assert b"Traceback" not in done.stderr
    assert [hit["path"] for hit in json.loads(done.stdout)["hits"]] == ["rye.md"]


def test_a_query_without_words_is_a_usage_error(cli: Cli) -> None:
    answer = cli("search")
    assert answer.code == 2 and "error: Missing argument" in answer.err and "hint: " in answer.err


@pytest.mark.parametrize("under", ["nowhere", "../..", "rye.md/", "%", "a\0b", "\ud800", "x" * 10_000])
def test_an_odd_scope_is_no_error(make_vault: MakeVault, under: str) -> None:
    vault = make_vault({"rye.md": RYE, "bees.md": RYE})
    vault.index()
    assert [excerpt.path for excerpt in vault.search("loaf", under=under)] == (["rye.md"] if under == "rye.md/" else [])


def test_a_limit_larger_than_any_vault_is_no_error(make_vault: MakeVault) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.index()
    assert len(vault.search("loaf", limit=10**12)) == 1


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": -5}, {"max_tokens": -1}])
def test_a_limit_or_budget_that_makes_no_sense_is_an_error_with_a_hint(
    make_vault: MakeVault, wrong: dict[str, int]
) -> None:
    vault = make_vault({"rye.md": RYE})
    vault.index()
    ((name, value),) = wrong.items()
    with pytest.raises(SettingsError, match=f"{name} is {value}") as caught:
        vault.search("loaf", limit=wrong.get("limit"), max_tokens=wrong.get("max_tokens"))
    assert caught.value.hint


# Places to read


@pytest.mark.parametrize(
    "place",
    [
        "",
        ".",
        "nowhere.md",
        "rye.md:99",
        "rye.md:2-1",
        "rye.md:0",
        "rye.md:" + "9" * 30,
        "rye.md:" + "9" * 5_000,
        "rye.md:1-2-3",
        "rye.md:x",
        "list.bin",
        "../notes/../../etc/passwd",
        "/etc/passwd",
        "a\0b",
        "\ud800.md",
        "x" * 5_000,
        "folder",
    ],
    ids=lambda place: ascii(place[:20]),
)
def test_an_odd_place_is_an_error_with_a_hint(make_vault: MakeVault, place: str) -> None:
    vault = make_vault({"rye.md": RYE, "list.bin": "loaf", "folder/a.md": RYE})
    with pytest.raises(NotewellError) as caught:
        vault.read(place)
    assert caught.value.hint


@pytest.mark.parametrize(("place", "lines"), [("rye.md", (1, 3)), ("rye.md:3", (3, 3)), ("rye.md:2-900", (2, 3))])
def test_a_place_may_reach_past_the_end(make_vault: MakeVault, place: str, lines: tuple[int, int]) -> None:
    reading = make_vault({"rye.md": RYE}).read(place)
    assert (reading.line, reading.end_line) == lines
    assert reading.text == "\n".join(RYE.split("\n")[lines[0] - 1 : lines[1]])


# The store


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look like one" * 50, b"\0" * 4096])
def test_a_damaged_store_is_an_error_with_a_hint(make_vault: MakeVault, cli: Cli, content: bytes) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / ".notewell").mkdir()
    (vault.root / ".notewell/store.db").write_bytes(content)
    assert_explained(cli("search", "loaf", "--vault", str(vault.root)), "damaged")


def test_a_store_that_cannot_be_written_is_an_error_with_a_hint(make_vault: MakeVault, cli: Cli) -> None:
    vault = make_vault({"rye.md": RYE, ".notewell": "a file where the folder should be"})
    assert_explained(cli("index", str(vault.root)), "cannot be written")


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look like one" * 50, b"\0" * 4096])
def test_a_damaged_store_is_made_anew_by_a_full_run(make_vault: MakeVault, cli: Cli, content: bytes) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / ".notewell").mkdir()
    (vault.root / ".notewell/store.db").write_bytes(content)
    assert_explained(cli("index", str(vault.root)), "damaged")
    assert json.loads(cli("index", str(vault.root), "--full", "--json").out)["added"] == 1
    assert paths(vault, "loaf") == ["rye.md"]


def test_a_full_run_leaves_another_programs_database_alone(make_vault: MakeVault, cli: Cli) -> None:
    vault = make_vault({"rye.md": RYE})
    (vault.root / ".notewell").mkdir()
    file = vault.root / ".notewell/store.db"
    with closing(apsw.Connection(str(file))) as db:
        db.execute("create table book (title text)")
    before = file.read_bytes()
    assert_explained(cli("index", str(vault.root), "--full"), "another program")
    assert file.read_bytes() == before
