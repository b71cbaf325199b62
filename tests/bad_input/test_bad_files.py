"""Files and folders that a person can give Notewell by accident or on purpose: each has a clear outcome."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.bad_input.answers import RYE, Cli, MakeVault, assert_explained, paths, skipped
from tests.bounded import run_within

from notewell import Vault
from notewell.errors import NoteError, VaultError


@pytest.mark.parametrize(
    "name", ["nowhere", "x" * 5_000, "a\0b", "~no-such-user-here/notes", "file.md", "file.md/below"]
)
def test_a_vault_that_is_not_a_folder_is_an_error_with_a_hint(tmp_path: Path, name: str) -> None:
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
    "line", ["loaf hive " * 100_000, "x" * 1_000_000, "[[" * 500_000], ids=["words", "one word", "brackets"]
)
def test_a_line_of_1_mb_is_indexed(make_vault: MakeVault, line: str) -> None:
    vault = make_vault({"line.md": f"# Line\n\n{line}\n\nThe quokka ends it, and this is the last line.\n"})
    assert vault.index().added == 1
    assert paths(vault, "quokka") == ["line.md"]
    assert vault.store.about().chunks >= 500


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
def test_a_file_that_is_not_text_is_skipped_with_the_reason(make_vault: MakeVault, data: bytes, reason: str) -> None:
    vault = make_vault({"bad.md": data, "rye.md": RYE})
    assert vault.index().added == 1
    assert list(skipped(vault)) == ["bad.md"] and reason in skipped(vault)["bad.md"]


def test_the_command_line_names_skipped_files_and_succeeds(make_vault: MakeVault, cli: Cli) -> None:
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
